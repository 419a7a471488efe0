from base64 import b64decode

from evosdc.report.pictures import pictures


def test_pictures_are_embedded_in_order_with_their_titles(tmp_path):
    for number in (2, 10, 1):
        (tmp_path / f"picture-{number}.svg").write_text(f"<!-- Number {number} -->\n<svg><text>ä</text></svg>", "utf-8")
    (tmp_path / "picture-11.svg").write_text("<svg/>")
    found = pictures(tmp_path)
    assert [entry["title"] for entry in found] == ["Number 1", "Number 2", "Number 10", "picture-11"]
    prefix = "data:image/svg+xml;base64,"
    assert all(entry["source"].startswith(prefix) for entry in found)
    assert b64decode(found[0]["source"].removeprefix(prefix)).decode() == (tmp_path / "picture-1.svg").read_text(
        "utf-8"
    )


def test_a_run_without_pictures_has_none(tmp_path):
    assert pictures(tmp_path) == []
