from base64 import b64decode

from evosdc.report.tables import pictures
from evosdc.runs.reader import read_run_folders
from tests.report.synthetic import write_run


def test_pictures_are_embedded_in_order_with_their_titles(tmp_path):
    folder = write_run(tmp_path / "run", generations=1)
    for number in (2, 10, 1):
        (folder / f"picture-{number}.svg").write_text(f"<!-- Number {number} -->\n<svg><text>ä</text></svg>", "utf-8")
    (folder / "picture-11.svg").write_text("<svg/>")
    (run,) = read_run_folders([folder])
    found = pictures(run)
    assert [entry["title"] for entry in found] == ["Number 1", "Number 2", "Number 10", "picture 4"]
    prefix = "data:image/svg+xml;base64,"
    assert all(entry["source"].startswith(prefix) for entry in found)
    assert b64decode(found[0]["source"].removeprefix(prefix)).decode() == (folder / "picture-1.svg").read_text("utf-8")


def test_a_run_without_pictures_has_none(tmp_path):
    (run,) = read_run_folders([write_run(tmp_path / "run", generations=1)])
    assert pictures(run) == []
