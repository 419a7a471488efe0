"""Judging and measuring files whose records were shuffled: by the run, by the crosswalk, and never without."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

import evosdc as library
from evosdc.cli import main
from evosdc.cli.inputs import was_shuffled
from evosdc.errors import RunError
from evosdc.experiment.release import judge_again
from evosdc.runs.layout import RunFolder
from evosdc.runs.published import sha256_of
from evosdc.runs.result import Result

EXPERIMENT = """data = { name = "housing", protect = ["built", "degree"], shuffle = true, first = 300 }
measures = { il = ["ctbil"], dr = ["informed-linkage", "dbrl"] }
second_opinion = true
executor = "serial"
stop = { generations = 1 }
"""
GENERALISED = """data = { name = "housing", protect = ["built", "degree", "metro"], first = 400, shuffle = true }
genotype = { name = "lattice", k = 20, suppression = 0.2, suppressed = "drop" }
measures = ["lm", "dm"]
fitness = "lm"
algorithm = "samarati"
executor = "serial"
"""
QUICK = ("--judges", "partial-linkage,repu")
COMMANDS = ("judge", "measure")


def run(*words):
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    assert not caught.value.code


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run of 300 of the 1000 records, which had a second opinion."""
    home = tmp_path_factory.mktemp("shuffled")
    (home / "e.toml").write_text(EXPERIMENT)
    run("run", home / "e.toml", "-o", home / "r", "--quiet", "--no-report")
    return home / "r"


@pytest.fixture
def released(finished, tmp_path):
    """A copy of its own for each test, as the path that a user types."""
    shutil.copytree(finished, tmp_path / "r")
    return "r"


@pytest.fixture
def masked(evosdc):
    """A file that was shuffled, its crosswalk c.csv, and its records put back by hand, back.csv."""
    words = ("mask", "pram", "housing", "--protect", "built,degree", "--seed", "1", "-o")
    assert evosdc(*words, "m.csv", "--shuffle", "--crosswalk", "c.csv").status == 0
    head, *lines = Path("m.csv").read_text().splitlines()
    places = [int(line.split(",")[1]) for line in Path("c.csv").read_text().splitlines()[1:]]
    back = [line for _, line in sorted(zip(places, lines, strict=True))]
    Path("back.csv").write_text("\n".join([head, *back, ""]))
    assert evosdc(*words, "kept.csv").status == 0
    return "m.csv"


def told(answer):
    assert answer.status == 0, answer.err
    return json.loads(answer.out)


def test_a_run_is_judged_as_it_judged_itself(evosdc, released):
    found = told(evosdc("judge", released, "--json"))
    own = json.loads(Path("r/result.json").read_text())["second_opinion"]["best"]
    assert {key: found[key] for key in own} == own
    assert found["records"] == 300
    assert found["identity"]["percent"] > 0.0


def test_halves_of_a_run_come_from_its_key_unless_a_seed_is_given(evosdc, released):
    ask = ("judge", released, *QUICK, "--json")
    seeds = [told(evosdc(*ask, *words))["seed"] for words in ((), (), ("--seed", "5"))]
    assert seeds[0] == seeds[1] < 2**32
    assert seeds[2] == 5


def test_a_run_is_measured_as_it_measured_itself(evosdc, released):
    found = told(evosdc("measure", released, "--json"))
    own = json.loads(Path("r/result.json").read_text())["best"]["scores"]
    assert {name: found[name] for name in own if name in found} == pytest.approx(
        {name: value for name, value in own.items() if name in found}
    )
    assert {"ctbil", "dbrl", "informed-linkage", "il", "dr"} <= found.keys()
    assert found["attributes"] == ["built", "degree"]
    other = told(evosdc("measure", released, "--measures", "dbrl", "--protect", "built", "--json"))
    assert other["attributes"] == ["built"]
    assert other["dbrl"] < found["dbrl"]


@pytest.mark.parametrize("command", COMMANDS)
def test_its_file_alone_is_refused_with_what_to_type(evosdc, released, command):
    answer = evosdc(command, "housing", "r/best.csv")
    assert answer.status == 2
    assert answer.out == ""
    assert answer.err.count("Error: ") == 1
    assert "r/best.csv: given a file whose records were shuffled" in answer.err
    assert f"Type `evosdc {command} r`, or add `--crosswalk r/crosswalk.csv`." in answer.err


def test_with_the_crosswalk_it_is_measured_as_the_run_did(evosdc, released):
    own = told(evosdc("measure", released, "--json"))
    words = ("--protect", "built,degree", "--measures", "ctbil,dbrl", "--crosswalk", "r/crosswalk.csv", "--json")
    found = told(evosdc("measure", "housing", "r/best.csv", *words))
    assert found["records"] == 300, "the other originals were not published"
    assert found["dbrl"] == pytest.approx(own["dbrl"])
    assert found["ctbil"] == pytest.approx(own["ctbil"])
    assert "warnings" not in found


def test_with_the_crosswalk_it_is_judged_as_the_run_did(evosdc, released):
    ask = (*QUICK, "--json", "--seed", "3")
    own = told(evosdc("judge", released, *ask))
    words = ("--protect", "built,degree", "--crosswalk", "r/crosswalk.csv")
    found = told(evosdc("judge", "housing", "r/best.csv", *words, *ask))
    assert found["judges"].keys() == own["judges"].keys()
    for name, one in own["judges"].items():
        assert found["judges"][name]["value"] == pytest.approx(one["value"])
    assert found["warnings"] == own["warnings"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_link_leads_to_what_is_told_of_its_file(evosdc, released, tmp_path, command):
    (tmp_path / "link.csv").symlink_to(tmp_path / "r" / "best.csv")
    answer = evosdc(command, "housing", "link.csv")
    assert answer.status == 2
    assert f"--crosswalk {tmp_path / 'r' / 'crosswalk.csv'}" in answer.err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_shuffled_file_is_refused_without_its_crosswalk(evosdc, masked, command):
    answer = evosdc(command, "housing", masked)
    assert answer.status == 2
    assert "given a file whose records were shuffled" in answer.err
    assert "--crosswalk FILE" in answer.err
    Path("m.csv").write_text(Path("m.csv").read_text() + "\n")
    assert evosdc(command, "housing", masked).status == 2, "an edit does not put records back"


def test_the_crosswalk_of_a_masked_file(evosdc, masked):
    ask = ("--protect", "built,degree", "--json")
    found = told(evosdc("measure", "housing", masked, "--crosswalk", "c.csv", *ask))
    assert found == told(evosdc("measure", "housing", "back.csv", *ask))
    ask = ("--protect", "built,degree", "--seed", "3", *QUICK, "--json")
    found = told(evosdc("judge", "housing", masked, "--crosswalk", "c.csv", *ask))
    assert found["judges"] == told(evosdc("judge", "housing", "back.csv", *ask))["judges"]
    answer = evosdc("measure", "housing", "kept.csv", "--crosswalk", "c.csv")
    assert answer.status == 2
    assert "Leave out --crosswalk" in answer.err


@pytest.mark.parametrize("command", COMMANDS)
def test_crosswalks_that_are_none_or_of_another_file(evosdc, released, masked, command):
    for crosswalk, words in (
        ("none.csv", "No such file"),
        ("m.csv", "a file that is no crosswalk"),
        ("r/crosswalk.csv", "which is one of another file"),
    ):
        answer = evosdc(command, "housing", masked, "--crosswalk", crosswalk)
        assert answer.status == 2
        assert words in answer.err
    answer = evosdc(command, "housing", "r/best.csv", "--crosswalk", "c.csv")
    assert answer.status == 2
    assert "Type `--crosswalk r/crosswalk.csv`." in answer.err


def test_an_exported_file_has_a_crosswalk_of_its_own(evosdc, released):
    assert evosdc("export", "r", "0", "-o", "e.csv").status == 0
    answer = evosdc("measure", "housing", "e.csv")
    assert answer.status == 2
    assert "crosswalk-e.csv in the folder of the run r" in answer.err
    answer = evosdc("measure", "housing", "e.csv", "--crosswalk", "r/crosswalk.csv")
    assert answer.status == 2
    assert "Type `--crosswalk r/crosswalk-e.csv`." in answer.err
    ask = ("--protect", "built,degree", "--measures", "ctbil,dbrl", "--json")
    found = told(evosdc("measure", "housing", "e.csv", "--crosswalk", "r/crosswalk-e.csv", *ask))
    member = json.loads(Path("r/result.json").read_text())["front"][0]["scores"]
    assert found["dbrl"] == pytest.approx(member["dbrl"])


@pytest.mark.parametrize("command", COMMANDS)
def test_one_argument_is_a_run_folder_and_a_run_folder_is_one_argument(evosdc, released, command):
    for words, said in (
        (("housing",), f"Type `evosdc {command} RUN`, or `evosdc {command} ORIGINAL MASKED`."),
        (("r/best.csv",), "given a file; wanted the folder of a run"),
        (("none",), "given no such folder; wanted the folder of a run"),
        (("rr",), "Did you mean 'r'?"),
        (("housing", "r"), f"Type `evosdc {command} r`."),
        (("r", "r/best.csv"), f"Type `evosdc {command} r`."),
        (("r", "--crosswalk", "r/crosswalk.csv"), "--crosswalk: given with the run folder r"),
        (("r", "--schema", "s.toml"), "--schema: given with the run folder r"),
    ):
        answer = evosdc(command, *words)
        assert answer.status == 2
        assert answer.err.count("Error: ") == 1
        assert said in answer.err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_run_folder_that_is_not_whole(evosdc, released, tmp_path, command):
    folder = tmp_path / "r"
    (folder / "crosswalk.csv").rename(tmp_path / "c.csv")
    answer = evosdc(command, "r")
    assert answer.status == 2
    assert "without its crosswalk.csv" in answer.err
    lines = (tmp_path / "c.csv").read_text().splitlines()
    (folder / "crosswalk.csv").write_text("\n".join([*lines[:-1], "300,1000"]))
    assert evosdc(command, "r").status == 2
    shutil.copy(tmp_path / "c.csv", folder / "crosswalk.csv")
    best = (folder / "best.csv").read_text()
    (folder / "best.csv").write_text(best + "\n")
    assert evosdc(command, "r").status == 2
    (folder / "best.csv").write_text(best)
    (folder / "result.json").unlink()
    answer = evosdc(command, "r")
    assert answer.status == 2
    assert "evosdc resume r" in answer.err


def test_generalised_files_from_which_records_were_left_out(evosdc, tmp_path):
    (tmp_path / "e.toml").write_text(GENERALISED)
    (tmp_path / "kept.toml").write_text(GENERALISED.replace("shuffle = true", "shuffle = false"))
    for name in ("e", "kept"):
        assert evosdc("run", f"{name}.toml", "-o", name, "--quiet", "--no-report").status == 0
    found, kept = (told(evosdc("measure", name, "--json")) for name in ("e", "kept"))
    assert found == kept
    assert 0 < found["records"] < 400
    ask = ("--measures", "lm,dm", "--protect", "built,degree,metro", "--json")
    by_crosswalk = told(evosdc("measure", "housing", "e/best.csv", "--crosswalk", "e/crosswalk.csv", *ask))
    assert by_crosswalk["lm"] == pytest.approx(found["lm"])
    assert told(evosdc("judge", "e", "--json"))["holds"] is None


def test_what_tells_that_a_file_was_shuffled(tmp_path):
    file, manifest = tmp_path / "x.csv", tmp_path / "x.manifest.json"
    file.write_text("a\n1\n")
    assert was_shuffled(file) is None
    known = {"output": {"name": "x.csv", "sha256": sha256_of(file)}}
    for shuffled in (True, False):
        manifest.write_text(json.dumps(known | {"shuffled": shuffled}))
        assert was_shuffled(file) is shuffled
    file.write_text("a\n2\n")
    assert was_shuffled(file) is None, "rows may have been sorted since"
    manifest.write_text(json.dumps(known | {"shuffled": True}))
    assert was_shuffled(file) is True
    manifest.write_text("[")
    assert was_shuffled(file) is None


@pytest.mark.parametrize("shuffle", [True, False])
def test_what_a_run_folder_tells_of_its_file(tmp_path, shuffle):
    best = tmp_path / "best.csv"
    best.write_text("a\n1\n")
    (tmp_path / "resolved.json").write_text(json.dumps({"data": {"shuffle": shuffle}}))
    assert was_shuffled(best) is (True if shuffle else None), "a run that is not over has no digest of it yet"
    (tmp_path / "release.json").write_text(json.dumps({"published": {"name": "best.csv", "sha256": sha256_of(best)}}))
    assert was_shuffled(best) is shuffle
    other = tmp_path / "other.csv"
    shutil.copy(best, other)
    assert was_shuffled(other) is shuffle
    other.write_text("a\n2\n")
    assert was_shuffled(other) is None


def test_fresh_halves_for_each_opinion(evosdc, masked):
    ask = ("judge", "housing", "kept.csv", "--protect", "built", *QUICK, "--json")
    first, second = told(evosdc(*ask)), told(evosdc(*ask))
    assert first["seed"] != second["seed"]
    assert max(first["seed"], second["seed"]) < 2**32
    again = told(evosdc(*ask, "--seed", str(first["seed"])))
    assert again == first


def test_frames_are_matched_by_a_crosswalk(evosdc, masked):
    names = ["built", "degree"]
    original, back, mixed = (pd.read_csv(name, dtype=str) for name in ("kept.csv", "back.csv", "m.csv"))
    fresh = library.judge(original, back, protect=names, judges=["repu"])
    assert 0 <= fresh.seed < 2**32
    one = library.judge(original, back, protect=names, judges=["partial-linkage"], seed=4)
    other = library.judge(original, mixed, protect=names, judges=["partial-linkage"], seed=4, crosswalk="c.csv")
    assert other.findings == one.findings
    assert other.seed == 4
    assert library.measure(original, mixed, "dbrl", protect=names, crosswalk="c.csv") == library.measure(
        original, back, "dbrl", protect=names
    )
    with pytest.raises(library.InputError, match="one of other files"):
        library.measure(original, mixed[1:], "dbrl", protect=names, crosswalk="c.csv")
    with pytest.raises(library.InputError, match="greater than or equal to 0"):
        library.judge(original, back, protect=names, seed=-1)


def test_a_run_of_another_version_is_refused_in_one_sentence(released, tmp_path):
    folder = RunFolder(tmp_path / released)
    release = folder.read_object("release.json", "evidence")
    release["evidence"]["former"] = 1
    folder.write_json("release.json", release)
    with pytest.raises(RunError, match="another version of evosdc"):
        judge_again(folder, Result.read(folder.path).second_opinion, True)
