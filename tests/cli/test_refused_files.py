"""A file that must not be published says so by its name, and the command by its exit status."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from evosdc.cli.run import next_command
from evosdc.runs.layout import REFUSED, RunFolder, refused_name
from evosdc.runs.result import Result, Verdict

QUICK = ("--generations", "1", "--no-tune", "--no-second-opinion", "--quiet")
MARKED = f"best{REFUSED}.csv"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    rng, path = np.random.default_rng(4), tmp_path_factory.mktemp("refused")
    people = {"age": rng.integers(18, 40, 200), "sex": rng.choice(["f", "m"], 200), "job": rng.choice(list("abc"), 200)}
    pd.DataFrame(people).to_csv(path / "people.csv", index=False)
    return path


def test_a_refused_file_is_never_called_best_csv(evosdc, home) -> None:
    answer = evosdc("protect", home / "people.csv", *QUICK, "--seed", "1", "-o", home / "seeded")
    assert answer.status == 1
    assert answer.out.startswith("Verdict: NOT PUBLISHABLE")
    assert f"Protected file:  {home / 'seeded' / MARKED}" in answer.out
    assert (home / "seeded" / MARKED).is_file()
    assert not (home / "seeded" / "best.csv").exists()
    assert json.loads((home / "seeded" / "result.json").read_text())["best"]["file"] == MARKED
    assert evosdc("report", home / "seeded").status == 0, "the file is the one that release.json knows"
    listed = json.loads(evosdc("doctor", home / "seeded", "--json").out)["files"]
    assert next(one for one in listed if one["name"] == MARKED)["publish"] is False


def test_a_fitness_of_the_user_s_own_changes_nothing_about_that(evosdc, home) -> None:
    answer = evosdc("protect", home / "people.csv", *QUICK, "--fitness", "max", "--seed", "1", "-o", home / "own")
    assert answer.status == 1
    assert [path.name for path in (home / "own").glob("best*")] == [MARKED]
    exported = evosdc("export", home / "own", "best", "-o", home / "own.csv")
    assert (exported.status, (home / f"own{REFUSED}.csv").exists()) == (1, True)
    assert evosdc("choose", home / "own", 0, "-o", home / "own-0").status == 1
    assert (home / "own-0" / MARKED).is_file()


def test_a_file_on_conditions_keeps_its_name(evosdc, home) -> None:
    answer = evosdc("protect", home / "people.csv", *QUICK, "--bound", "30", "-o", home / "all", "--json")
    result = json.loads(answer.out)
    assert result["verdict"]["headline"] == "publishable on conditions"
    assert (answer.status, result["best"]["file"]) == (0, "best.csv")


def test_a_study_without_an_audience_keeps_name_and_status(evosdc, home) -> None:
    (home / "study.toml").write_text(
        'seed = 1\ndata = { file = "people.csv", protect = ["age", "sex"] }\nstop = { generations = 1 }\n'
        'start = [{ method = "rank-swapping", p = 20 }, { method = "mdav", k = 3 }]\n'
    )
    answer = evosdc("run", home / "study.toml", "-o", home / "study", "--quiet", "--json")
    result = json.loads(answer.out)
    assert result["verdict"]["publishable"] is False
    assert (answer.status, result["best"]["file"]) == (0, "best.csv")
    for place, key in enumerate(("release = true", 'constraints = ["publishable"]')):
        released = home / f"released-{place}.toml"
        released.write_text(f"{key}\n{(home / 'study.toml').read_text()}")
        answer = evosdc("run", released, "-o", home / f"released-{place}", "--quiet", "--json")
        assert (answer.status, json.loads(answer.out)["best"]["file"]) == (1, MARKED)


def test_a_later_verdict_renames_the_file(tmp_path) -> None:
    folder = RunFolder(tmp_path)
    (tmp_path / "best.csv.gz").write_text("new")
    (tmp_path / f"best{REFUSED}.csv.gz").write_text("old")
    assert folder.name_by_verdict("best.csv.gz", True) == f"best{REFUSED}.csv.gz"
    assert folder.name_by_verdict(f"best{REFUSED}.csv.gz", True) == f"best{REFUSED}.csv.gz"
    assert [path.name for path in tmp_path.iterdir()] == [f"best{REFUSED}.csv.gz"]
    assert folder.name_by_verdict(f"best{REFUSED}.csv.gz", False) == "best.csv.gz"
    assert (tmp_path / "best.csv.gz").read_text() == "new"


def test_an_export_of_a_refused_file_says_so_by_its_name(evosdc, home) -> None:
    evosdc("protect", home / "people.csv", *QUICK, "--seed", "1", "-o", home / "refused")
    answer = evosdc("export", home / "refused", "best", "-o", home / "out.csv")
    assert (answer.status, (home / "out.csv").exists()) == (1, False)
    assert (home / f"out{REFUSED}.csv").is_file()
    assert (home / f"out{REFUSED}.manifest.json").is_file()
    answer = evosdc("judge", home / "refused", "--judges", "linkability")
    assert f"not rewritten; this does it: evosdc judge {home / 'refused'}" in answer.out
    assert refused_name(home / "a.csv.gz").name == f"a{REFUSED}.csv.gz"


def test_every_member_of_a_refused_run_and_each_above_the_bound_says_so_by_its_name(evosdc, home) -> None:
    (home / "front.toml").write_text(
        'audience = "public"\ndata = { file = "people.csv", protect = ["age", "sex"] }\nstop = { generations = 2 }\n'
        'start = [{ method = "rank-swapping", p = 20 }, { method = "mdav", k = 3 }, { method = "mdav", k = 9 }]\n'
        'fitness = { name = "pareto" }\nalgorithm = { name = "nsga2" }\n'
        'measures = { il = ["ctbil"], dr = ["two-way-linkage"] }\n'
    )
    evosdc("run", home / "front.toml", "-o", home / "front", "--quiet")
    result = json.loads((home / "front" / "result.json").read_text())
    assert len(result["front"]) > 1
    above = {at for at, one in enumerate(result["front"]) if one["scores"]["two-way-linkage"] > 9}
    assert above
    for allowed in (False, True):
        file = "best.csv" if allowed else MARKED
        (home / "front" / "result.json").write_text(json.dumps(result | {"best": result["best"] | {"file": file}}))
        for at in range(len(result["front"])):
            refused = not allowed or at in above
            answer = evosdc("export", home / "front", at, "-o", home / f"{allowed}{at}.csv", "--force")
            assert (answer.status, (home / f"{allowed}{at}{REFUSED}.csv").exists()) == (int(refused), refused), at
    (home / "front" / "result.json").write_text(json.dumps(result))
    answer = evosdc("choose", home / "front", min(above), "-o", home / "chosen")
    assert (answer.status, (home / "chosen" / MARKED).exists()) == (1, True)


def test_what_an_unmasked_column_gives_away_is_left_out_next(tmp_path) -> None:
    given = Verdict(headline="not publishable", given_away_by=["design weight"])
    command = next_command(tmp_path, Result(verdict=given))
    assert command.endswith("evosdc edit schema.toml 'design weight' role=drop")
