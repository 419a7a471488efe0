"""A run folder is new or empty, and no command writes over what it reads."""

import os

import pandas as pd
import pytest

import evosdc
from evosdc.api.runs import run as run_experiment
from evosdc.errors import ExperimentError, InputError
from evosdc.runs.layout import LOCK, RunFolder

TABLE = "sex,age,town\n" + "".join(f"{'mf'[i % 2]},{20 + i % 7},{'abc'[i % 3]}\n" for i in range(24))
SCHEMA = """[attributes]
sex = { role = "quasi-identifier", scale = "nominal" }
town = { role = "quasi-identifier", scale = "nominal", hierarchy = "towns.csv" }
"""
EXPERIMENT = 'data = { file = "scores.csv", schema = "schema.toml" }\nstop = { generations = 1 }\n'


@pytest.fixture
def home(tmp_path):
    """A folder of somebody's files, whose names are those that a run writes."""
    for name, text in (
        ("scores.csv", TABLE),
        ("best.csv", TABLE),
        ("schema.toml", SCHEMA),
        ("towns.csv", "a;*\nb;*\nc;*\n"),
        ("experiment.toml", EXPERIMENT),
    ):
        (tmp_path / name).write_text(text)
    (tmp_path / "link").symlink_to(tmp_path)
    os.link(tmp_path / "scores.csv", tmp_path / "same.csv")
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


@pytest.mark.parametrize("output", [".", "link", "../{name}", "{path}"])
@pytest.mark.parametrize(
    "words",
    [
        ("protect", "scores.csv", "--schema", "schema.toml", "--time", "1s"),
        ("protect", "same.csv", "--time", "1s"),
        ("run", "experiment.toml"),
        ("run", "experiment.toml", "--set", "replicates=2"),
        ("tune", "scores.csv", "--schema", "schema.toml", "--time", "1s"),
    ],
)
def test_folders_that_hold_anything_are_refused(evosdc, home, words, output):
    before = contents(home)
    answer = evosdc(*words, "-o", output.format(name=home.name, path=home))
    assert (answer.status, answer.out) == (2, ""), answer
    assert "Choose another one" in answer.err
    assert contents(home) == before


def test_whatever_lies_in_a_folder_keeps_a_run_out(tmp_path):
    for name in ("notes.txt", ".hidden", "data", "setting.json.bak"):
        folder = tmp_path / f"with-{name}"
        (folder / name).mkdir(parents=True)
        with pytest.raises(ExperimentError, match=f"holds {name}"):
            RunFolder(folder).create()
    assert not (tmp_path / "with-data" / "best.csv").exists()


def test_what_a_run_left_that_never_began_is_no_hindrance(tmp_path):
    for name in (LOCK, "experiment.toml", ".resolved.json.x1", "environment.json"):
        (tmp_path / name).touch()
    RunFolder(tmp_path).create()
    (tmp_path / LOCK).unlink()
    with pytest.raises(ExperimentError, match="not empty"):
        RunFolder(tmp_path).create()


def test_data_may_lie_in_their_own_place_alone(tmp_path):
    (tmp_path / "data").mkdir()
    own = tmp_path / "data" / "original.csv"
    own.touch()
    RunFolder(tmp_path).create(own)
    with pytest.raises(ExperimentError, match="holds data"):
        RunFolder(tmp_path).create(tmp_path / "original.csv")


OUTPUTS = ["scores.csv", "link/scores.csv", "same.csv", "./schema.toml", "towns.csv"]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("data", ["scores.csv", "same.csv", "link/scores.csv"])
def test_masking_spares_data_schema_and_hierarchies(evosdc, home, data, output):
    before = contents(home)
    answer = evosdc("mask", "pram", data, "--schema", "schema.toml", "-o", output)
    assert (answer.status, "a file that is read" in answer.err) == (2, True), answer
    assert contents(home) == before


@pytest.mark.parametrize("name", ["scores.manifest.json", "scores.matrices.json"])
def test_masking_spares_what_it_reads_under_the_names_of_its_companions(evosdc, home, name):
    (home / name).symlink_to(home / "same.csv")
    answer = evosdc("mask", "pram", "same.csv", "--schema", "schema.toml", "-o", "scores.csv")
    assert answer.status == 2, answer
    (home / name).unlink()


def test_files_that_parameters_name_are_spared(evosdc, home):
    (home / "m.toml").write_text("")
    answer = evosdc("mask", "pram", "scores.csv", "--set", "matrices=m.toml", "-o", "m.toml")
    assert answer.status == 2
    assert (home / "m.toml").read_text() == ""


@pytest.mark.parametrize("output", ["scores.csv", "same.csv", "link/scores.csv"])
def test_init_spares_the_file_that_it_looks_at(evosdc, home, output):
    before = contents(home)
    assert evosdc("init", "scores.csv", "--force", "-o", output).status == 2
    assert contents(home) == before


@pytest.mark.data("solar-flare")
def test_a_data_set_is_not_written_over(evosdc, tmp_path, monkeypatch):
    from evosdc.datasets.storage import locate
    from evosdc.plugins.registry import default_registry

    (path,) = locate(default_registry().spec("dataset", "solar-flare")).values()
    (tmp_path / "mine.csv").symlink_to(path)
    before = path.read_bytes()
    for words in (("datasets", "fetch", "solar-flare"), ("mask", "pram", "solar-flare")):
        answer = evosdc(*words, "-o", "mine.csv")
        assert (answer.status, path.read_bytes() == before) == (2, True), answer


def test_equations_are_not_written_over(evosdc, tmp_path):
    (tmp_path / "equation.toml").write_text("")
    assert evosdc("equation", "equation.toml", "-o", "equation.toml").status == 2


def test_a_folder_named_as_a_data_set_hides_nothing(evosdc, tmp_path):
    (tmp_path / "housing").mkdir()
    answer = evosdc("mask", "pram", "housing", "-o", "masked.csv")
    assert answer.status == 0, answer.err
    assert (tmp_path / "masked.csv").read_bytes().count(b"\n") == 1001


def frame():
    return pd.DataFrame({"a": list("xyzz") * 6, "b": list("pqqr") * 6})


def test_python_functions_keep_to_new_folders(tmp_path):
    (tmp_path / "best.csv").write_text("mine")
    with pytest.raises(ExperimentError, match="not empty"):
        run_experiment({"stop": {"generations": 1}}, tmp_path, data=frame(), protect=["a"])
    with pytest.raises(ExperimentError, match="not empty"):
        evosdc.protect(frame(), protect=["a", "b"], output=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["best.csv"]


def test_no_copy_of_the_data_stays_where_a_run_never_began(tmp_path):
    with pytest.raises(InputError):
        run_experiment({"fitness": "nope"}, tmp_path / "run", data=frame(), protect=["a"])
    with pytest.raises(InputError):
        evosdc.protect(frame(), protect=["a"], require=["no-such-thing >= 3"], output=tmp_path / "other")
    assert not list(tmp_path.iterdir())


def test_protect_of_a_frame_is_what_is_protected(tmp_path):
    experiment = {"stop": {"generations": 1}, "start": {"methods": [{"method": "pram"}]}, "executor": "serial"}
    result = run_experiment(experiment, tmp_path / "run", data=frame(), protect="a")
    assert result["protect"] == ["a"]
    assert (tmp_path / "run" / "data" / "original.csv").exists()


@pytest.mark.parametrize("command", ["run", "resume"])
def test_pages_can_be_left_for_later(evosdc, finished, tmp_path, command):
    key = finished / "r" / "key"
    answer = evosdc("run", finished / "e.toml", "--key", key, "-o", tmp_path / "r", "--quiet", "--no-report")
    if command == "resume":
        answer = evosdc("resume", tmp_path / "r", "--quiet", "--no-report")
    assert answer.status == 0
    assert f"evosdc report {tmp_path / 'r'}" in answer.out
    assert (tmp_path / "r" / "best.csv").read_bytes() == (finished / "r" / "best.csv").read_bytes()
    assert not list((tmp_path / "r").glob("*.html"))
    assert evosdc("report", tmp_path / "r", "-o", "page.html").status == 0
    assert (tmp_path / "page.html").exists()


def test_force_replaces_a_run_and_nothing_else(evosdc, home):
    words = ("run", "experiment.toml", "--set", "executor.name='serial'", "--quiet", "-o")
    assert evosdc(*words, "r").status in (0, 1)
    first = (home / "r" / "result.json").stat().st_mtime_ns
    assert evosdc(*words, "r").status == 2
    assert evosdc(*words, "r", "--force", "--set", "data.file='none.csv'").status == 2, "refused before it begins"
    assert (home / "r" / "result.json").stat().st_mtime_ns == first, "the old run stays"
    assert evosdc(*words, "r", "--force").status in (0, 1)
    assert (home / "r" / "result.json").stat().st_mtime_ns > first
    before = contents(home)
    assert evosdc(*words, ".", "--force").status == 2
    assert contents(home) == before
    assert not [path for path in home.iterdir() if path.name.endswith(".replaced")]
