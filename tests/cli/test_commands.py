import json
import stat

import pytest

from evosdc.cli import COMMANDS
from tests.cli.conftest import LONGER, SHORT

SCHEMA = """
[attributes]
number = { role = "identifier" }
sex = { role = "quasi-identifier", scale = "nominal" }
age = { role = "quasi-identifier", scale = "ordinal" }
"""


@pytest.fixture
def survey(tmp_path):
    lines = [f'{900 + i};"{"mf"[i % 2]}";{20 + i % 7};0{i // 3 % 10},50;x{i * i % 11}' for i in range(60)]
    (tmp_path / "survey.csv").write_bytes(
        ("number;sex;age;amount;note\r\n" + "\r\n".join(lines) + "\r\n").encode("cp1252")
    )
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path


def test_overview_names_every_command(evosdc):
    answer = evosdc("--help")
    assert answer.status == 0
    assert all(name in answer.out for name in COMMANDS)
    assert "..." not in answer.out.partition("\nCommands:")[2], "a command is told of in words that are cut short"
    assert evosdc("--version").out.startswith("evosdc, version ")


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_each_command_has_help(evosdc, name):
    answer = evosdc(name, "--help")
    assert answer.status == 0
    assert "Usage: evosdc" in answer.out


def test_init_proposes_a_schema_that_runs(evosdc, survey):
    assert evosdc("init", "survey.csv", "-o", "new.toml").status == 0
    answer = evosdc(*SHORT, "--schema", "new.toml", "-o", "run", "--json")
    assert answer.status in (0, 1), answer.err
    assert json.loads(answer.out)["best"]["scores"]["dr"] >= 0


def test_protect_leaves_everything_else_as_it_was(evosdc, survey):
    answer = evosdc(*SHORT, "--quiet", "--keep-order", "-o", "run")
    assert answer.status in (0, 1), answer.err
    best = "best.csv" if answer.status == 0 else "best.NOT-PUBLISHABLE.csv"
    assert f"Protected file:  run/{best} (without number)" in answer.out
    assert answer.out.splitlines()[-2].startswith("Report:          run/report.html")
    assert "0 combinations" not in answer.out
    before = (survey / "survey.csv").read_bytes().split(b"\r\n")
    after = (survey / "run" / best).read_bytes().split(b"\r\n")
    assert len(before) == len(after)
    for old, new in zip(before[1:-1], after[1:-1], strict=True):
        _, _, _, amount, note = old.split(b";")
        assert new.split(b";")[2:] == [amount, note]
        assert new.split(b";")[0] in (b"m", b"f")
    assert after[0] == b"sex;age;amount;note"


@pytest.mark.endurance
def test_run_folder_is_for_its_owner_only(evosdc, survey):
    words = ("protect", "survey.csv", "--schema", "schema.toml", "--time", "5s", "--no-second-opinion")
    evosdc(*words, "--require", "ranked-linkage <= 100", "--quiet", "-o", "run")
    assert stat.S_IMODE((survey / "run").stat().st_mode) == 0o700
    for path in (survey / "run").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    names = {path.name for path in (survey / "run").iterdir()} - {".lock", ".lock.held"}
    assert {n for n in names if not n.startswith("checkpoint-")} == {
        "experiment.toml", "resolved.json", "environment.json", "status.json", "journal.jsonl", "portfolio.json",
        "tuning.json", "planning.json", "recipe.toml", "result.json", "best.csv", "front.csv", "scores.csv",
        "frequencies.json", "risk.json", "release.json", "report.html", "for-users.html", "key",
        "crosswalk.csv",
    }  # fmt: skip


def test_publishable_can_be_required(evosdc, survey):
    for number, bound in enumerate(("ranked-linkage <= 100", "ranked-linkage <= 0")):
        words = (*SHORT, "--require", bound, "--require", "publishable", "-o", f"run{number}")
        answer = evosdc(*words, "--json")
        assert answer.status in (0, 1), answer.err
        publication = json.loads(answer.out)["verdict"]
        assert publication["bound"]["set_by"] == bound
        assert answer.status == (0 if publication["headline"] == "publishable" else 1)
        assert (survey / f"run{number}" / "for-users.html").exists() == publication["publishable"]
    assert not publication["publishable"]
    answer = evosdc(*words[:-1], "told")
    assert answer.status == 1
    assert "Requirement NOT met: publishable. The verdict is: not publishable." in answer.err
    assert "For its users" not in answer.out
    assert "Not met: ranked-linkage <= 0 (it is " in answer.out
    assert len(answer.out.splitlines()) <= 15
    entries = json.loads((survey / "told" / "result.json").read_text())["requirements"]
    assert [entry["met"] for entry in entries if entry["requirement"] == "publishable"] == [False]
    assert "publishable: not met, it is not publishable" in (survey / "told" / "report.html").read_text()
    for again in (("resume", "told"), ("finish", "told")):
        answer = evosdc(*again)
        assert answer.status == 1
        assert "Requirement NOT met: publishable. The verdict is: not publishable." in answer.err
    assert '"publishable"' in (survey / "told" / "experiment.toml").read_text()


def test_conditions_are_accepted_where_that_is_required(evosdc, survey):
    wanted = ("--require", "publishable")
    answer = evosdc(*LONGER, *wanted, "-o", "strict")
    assert answer.status == 1
    assert "Verdict: PUBLISHABLE ON CONDITIONS: " in answer.out
    assert "independent attacks have not yet run" in answer.out
    assert 'which "publishable on conditions" would accept' in answer.err
    lenient = evosdc(*LONGER, *wanted[:-1], "Publishable on  conditions", "-o", "lenient")
    assert lenient.status == 0
    assert "NOT met" not in lenient.err


@pytest.mark.parametrize(
    ("requirement", "words"),
    [
        ("dr <= -1", "given -1, which no masking of a file can keep; wanted 0 or more"),
        ("il >= 101", "wanted 100 or less"),
        ("ranked-linkage <= -3", "ranked-linkage lies between 0 and 100"),
        ("k-anonymity >= 999999", "which no masking of a file of"),
        ("global-risk >= 101", "wanted 100 or less"),
    ],
)
def test_what_no_file_can_fulfil_is_refused_before_the_run(evosdc, survey, requirement, words):
    answer = evosdc(*SHORT, "--require", requirement, "-o", "impossible")
    assert answer.status == 2
    assert words in answer.err
    assert answer.err.count("constraint") == 1
    assert not (survey / "impossible").exists()


def test_mask_and_measure_agree_with_the_manifest(evosdc, survey):
    words = ("mask", "mdav", "survey.csv", "--schema", "schema.toml", "--set", "k=5", "--seed", "3", "-o", "masked.csv")
    answer = evosdc(*words)
    assert answer.status == 0, answer.err
    manifest = json.loads((survey / "masked.manifest.json").read_text())
    assert manifest["method"] == "mdav"
    assert manifest["parameters"] == {"k": 5, "destandardise": False}
    assert manifest["seed"] == 3
    assert manifest["dropped_identifiers"] == ["number"]
    first = (survey / "masked.csv").read_bytes()
    evosdc(*words)
    assert (survey / "masked.csv").read_bytes() == first
    answer = evosdc("measure", "survey.csv", "masked.csv", "--schema", "schema.toml", "--json")
    assert answer.status == 0, answer.err
    document = json.loads(answer.out)
    assert {"ctbil", "dbrl", "prl", "two-way-linkage", "missing_rule"} <= set(document)
    assert (document["ctbil"] > 0) == (sum(manifest["changed"].values()) > 0)
    one = evosdc("measure", "survey.csv", "masked.csv", "--schema", "schema.toml", "--measures", "ctbil")
    assert f"{document['ctbil']:.4f}" in one.out


def test_identity_loses_nothing(evosdc, survey):
    names = ("dbil", "ctbil", "ebil", "id")
    words = ("measure", "survey.csv", "survey.csv", "--schema", "schema.toml", "--measures", ",".join(names))
    document = json.loads(evosdc(*words, "--json").out)
    assert [document[name] for name in names] == [0, 0, 0, 100]


def test_report_of_several_runs(evosdc, survey):
    for name in ("one", "two"):
        evosdc(*SHORT, "--quiet", "-o", name)
    answer = evosdc("report", "one", "two", "-o", "both.html")
    assert answer.status == 0, answer.err
    assert "both.html" in answer.out
    assert (survey / "both.html").stat().st_size > 10_000


def test_plugins_list_and_show(evosdc):
    document = json.loads(evosdc("plugins", "list", "--json").out)
    assert document["problems"] == []
    assert {"mdav", "pram", "rank-swapping"} <= set(document["offers"]["masking-method"])
    shown = evosdc("plugins", "show", "mdav")
    assert shown.status == 0, shown.err
    assert "parameter k" in shown.out
    unknown = evosdc("plugins", "show", "mdavv")
    assert (unknown.status, "Did you mean 'mdav'?" in unknown.err) == (2, True)


def test_datasets_list_and_fetch(evosdc, tmp_path):
    rows = json.loads(evosdc("datasets", "list", "--json").out)["datasets"]
    assert {row["name"] for row in rows} >= {"housing", "adult", "german-credit", "solar-flare", "tarragona"}
    answer = evosdc("datasets", "fetch", "housing", "-o", "housing.csv")
    assert answer.status == 0, answer.err
    assert len((tmp_path / "housing.csv").read_text().splitlines()) == 1001
    shown = json.loads(evosdc("datasets", "attributes", "housing", "--json").out)["attributes"]
    assert {row["attribute"]: row["values"] for row in shown}["built"] == 25
    assert shown[0] == {
        "attribute": "built",
        "role": "quasi-identifier",
        "scale": "ordinal",
        "values": 25,
        "missing": 0,
    }


def test_protect_takes_a_registered_data_set_and_repeats_itself(evosdc, tmp_path):
    words = ("protect", "housing", "--seed", "5", "--no-second-opinion", "--json")
    first = json.loads(evosdc(*words, "--time", "0.1s", "-o", "a").out)
    assert first["protect"] == ["built", "degree", "grade1"]
    text = (tmp_path / "a" / "experiment.toml").read_text()
    (tmp_path / "again.toml").write_text(text)
    settings = ("--set", "stop.seconds=6000", "--set", "stop.generations=3")
    digests = {json.loads(evosdc("run", "again.toml", *settings, "-o", n, "--json").out)["digest"] for n in "bc"}
    assert len(digests) == 1


def test_plain_progress_ends_with_the_last_generation(evosdc, survey):
    (survey / "x.toml").write_text(
        'data = { file = "survey.csv", schema = "schema.toml" }\nstop = { generations = 3 }\n'
    )
    answer = evosdc("run", "x.toml", "-o", "run")
    lines = [line for line in answer.err.splitlines() if line.startswith("generation ")]
    assert lines[-1].startswith("generation 3/3:")


@pytest.mark.parametrize("name", ["rank-swapping", pytest.param("parent-child", marks=pytest.mark.endurance)])
def test_plugins_test_runs_the_conformance_suite(evosdc, name):
    assert evosdc("plugins", "test", name).status == 0


def test_plugins_test_refuses_what_needs_files_of_its_own(evosdc):
    answer = evosdc("plugins", "test", "graphml")
    assert (answer.status, "a small file of its own" in answer.err) == (2, True)
    answer = evosdc("plugins", "test", "private-tables-annealing")
    assert (answer.status, "takes the toolbox of a search" in answer.err) == (2, True)
