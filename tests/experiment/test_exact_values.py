"""Searches are kept from files whose exact values find people, which a verdict refuses."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest

import evosdc
from evosdc.cli import main
from evosdc.errors import InputError
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment, MaskingEntry
from evosdc.experiment.protection import protection
from evosdc.experiment.single_run import run_once
from evosdc.model import Masking
from evosdc.model.constraint import ACCEPTED
from evosdc.options.search import ProtectOptions
from evosdc.plugins.registry import default_registry

REGISTRY = default_registry()
BOUND = f"exact-linkage <= {ACCEPTED:g}"
SCHEMA = """[attributes]
wage = { role = "quasi-identifier", scale = "numeric", decimals = 3 }
sex = { role = "quasi-identifier" }
age = { role = "quasi-identifier", scale = "ordinal" }
job = { role = "other" }
"""
BLIND = [
    {"method": "rank-swapping", "p": p, "attributes": names}
    for p, names in ((10, ["age"]), (30, ["age"]), (15, ["age", "sex"]))
]
"""Starting files that leave every wage as it is."""


@pytest.fixture
def people(tmp_path):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "wage": np.round(rng.lognormal(3, 0.5, 80) + np.arange(80) * 1e-3, 3),
            "sex": rng.choice(["f", "m"], 80),
            "age": rng.integers(2, 7, 80) * 10,
            "job": rng.choice(list("abcde"), 80),
        }
    )
    frame.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "people.toml").write_text(SCHEMA)
    return {"file": str(tmp_path / "people.csv"), "schema": str(tmp_path / "people.toml")}


def protecting(people, names=("wage", "sex", "age"), start=None, harms=True, **given):
    options = ProtectOptions(fitness="max", second_opinion=False, **given)
    return protection(people | {"protect": list(names)}, REGISTRY, options, start=start, harms=harms)


def exact(experiment):
    listed = (*experiment.constraints, *experiment.limits)
    return [text for text in listed if text.startswith("exact-linkage")]


def test_it_is_a_constraint_where_one_value_can_find_too_many(people):
    experiment = protecting(people)
    assert exact(experiment) == [BOUND]
    assert "exact-linkage" in [measure.name for measure in experiment.measures.other]
    # Two sexes and five ages of 80 people find 2 and 5 of them at most.
    assert exact(protecting(people, ["sex", "age"])) == []
    assert "exact-linkage" not in [m.name for m in protecting(people, ["sex", "age"]).measures.all]
    assert exact(protecting({"name": "housing"}, ["degree", "metro"])) == []


def test_what_is_sensitive_finds_nobody(people, tmp_path):
    (tmp_path / "people.toml").write_text(SCHEMA.replace("quasi-identifier", "sensitive", 1))
    assert exact(protecting(people)) == []
    assert exact(protecting(people, ["wage"])) == [BOUND]


@pytest.mark.parametrize(
    ("require", "bounds"),
    [
        (["ranked-linkage <= 20"], ["exact-linkage <= 20"]),
        (["dr <= 50"], [BOUND]),
        (["exact-linkage <= 4"], ["exact-linkage <= 4", BOUND]),
        (["ranked-linkage <= 100"], []),
    ],
)
def test_its_bound_is_that_of_the_verdict(people, require, bounds):
    assert exact(protecting(people, require=require)) == bounds


def test_measures_that_are_named_for_risk_do_not_lift_it(people):
    assert exact(protecting(people, dr=["id"])) == [BOUND]
    assert exact(protecting(people, dr=["exact-linkage"])) == []
    assert exact(protecting(people, harms=False)) == []


def searched(people, folder, generations):
    experiment = protecting(people, start={"methods": BLIND}, seed=4)
    short = experiment.stop.model_copy(update={"generations": generations, "stalled": None})
    done = run_once(experiment.model_copy(update={"stop": short}), folder, REGISTRY, 4)
    return done.result, json.loads((folder / "portfolio.json").read_text())[1:]


def test_kept_values_of_starting_files_are_moved(people, tmp_path):
    result, starts = searched(people, tmp_path / "run", 1)
    assert all(entry["label"].endswith("then kept values of wage moved") for entry in starts)
    assert all(entry["scores"]["exact-linkage"] <= ACCEPTED for entry in starts)
    assert result.best.scores["exact-linkage"] <= ACCEPTED


def test_a_search_gets_out_of_files_that_all_keep_their_values(people, tmp_path, monkeypatch):
    monkeypatch.setattr("evosdc.engine.mending.with_moved_values", lambda original, masked, names, rng: masked)
    result, starts = searched(people, tmp_path / "run", 40)
    assert {entry["scores"]["exact-linkage"] for entry in starts} == {100.0}
    scores = result.best.scores
    assert scores["exact-linkage"] <= ACCEPTED
    assert scores["infeasibility"] == 0.0
    # The verdict says the very same figure, and does not refuse the file for it.
    verdict = result.verdict
    assert verdict.by_value["percent"] == scores["exact-linkage"]
    assert not [reason for reason in verdict.reasons if "exact value" in reason]
    assert not [reason for reason in verdict.reasons if "was required holds" in reason]
    published = pd.read_csv(tmp_path / "run" / result.best.file)["wage"]
    assert (published == pd.read_csv(people["file"])["wage"]).sum() <= 0.09 * 80


def test_tuned_files_say_how_they_are_repeated(people, tmp_path, monkeypatch):
    words = (
        "--protect",
        "wage,sex,age",
        "--methods",
        "table-swapping,rank-swapping",
        "--evaluations",
        "30",
        "--seed",
        "1",
    )
    tuned = tmp_path / "tuned"
    with pytest.raises(SystemExit) as status:
        main(["tune", people["file"], "--schema", people["schema"], *words, "--quiet", "-o", str(tuned)])
    assert status.value.code == 0
    found = json.loads((tuned / "tuning.json").read_text())
    row = next(row for row in found["methods"] if "--move-values wage" in row["command"])
    assert row["scores"]["exact-linkage"] <= ACCEPTED
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as status:
        main(shlex.split(row["command"])[1:])
    assert status.value.code == 0
    table, masked = (evosdc.read_table(path, people["schema"]) for path in (people["file"], "masked.csv"))
    again = evosdc.measure(table, masked, ["exact-linkage"], protect=["wage", "sex", "age"])
    assert again["exact-linkage"] == row["scores"]["exact-linkage"]


def kept_and_moved(command, names, tmp_path):
    """Return the original, the file of a command, and that with kept values moved."""
    for more, name in (((), "kept.csv"), (("--move-values", names), "moved.csv")):
        with pytest.raises(SystemExit) as status:
            main([*command, *more, "--seed", "1", "-o", str(tmp_path / name)])
        assert status.value.code == 0
    return [pd.read_csv(tmp_path / name) for name in ("people.csv", "kept.csv", "moved.csv")]


def test_values_of_attributes_that_no_step_masks_are_moved_too(people, tmp_path):
    """Tuning judges files whose other attributes stay, and puts these in order as well."""
    command = ["mask", "pram", people["file"], "--schema", people["schema"], "--protect", "sex", "--set", "p=0.5"]
    original, kept, moved = kept_and_moved(command, "wage", tmp_path)
    assert (kept["wage"] == original["wage"]).all()
    assert not (moved["wage"] == original["wage"]).any()
    assert (kept["sex"] == moved["sex"]).all()
    table = evosdc.read_table(people["file"], people["schema"])
    same = evosdc.mask(table, "pram", p=0.5, protect=["sex"], move_values=["wage"], seed=1)
    assert same.column("wage").tolist() == moved["wage"].tolist()


def test_kept_values_are_moved_on_request(people, tmp_path, capsys):
    names = ("--protect", "wage,age", "--set", "p=1")
    command = ["mask", "rank-swapping", people["file"], "--schema", people["schema"], *names]
    original, kept, moved = kept_and_moved(command, "wage,age", tmp_path)
    assert (kept["wage"] == original["wage"]).any()
    assert not (moved["wage"] == original["wage"]).any()
    assert sorted(moved["wage"]) == sorted(kept["wage"])
    assert "then kept values of wage, age moved" in capsys.readouterr().out
    manifest = json.loads(next(tmp_path.glob("moved*.json")).read_text())
    assert manifest["move_values"] == ["wage", "age"]
    table = evosdc.read_table(people["file"], people["schema"])
    attributes = ["wage", "age"]
    same = evosdc.mask(table, "rank-swapping", p=1, protect=attributes, move_values=attributes, seed=1)
    assert same.column("wage").tolist() == moved["wage"].tolist()


def test_a_masking_remembers_whose_values_were_moved():
    masking = Masking("mdav", {"k": 3}, draw=4, move_values=("wage",))
    assert Masking.from_json(json.loads(json.dumps(masking.to_json()))) == masking
    assert MaskingEntry.of(masking).masking == masking
    assert masking.label == "mdav k=3, then kept values of wage moved"
    assert "move_values" not in Masking("mdav").to_json()


def own(people, names=("wage", "sex", "age"), **given):
    return Experiment(data=people | {"protect": list(names)}, **given)


def test_a_file_without_named_measures_is_kept_from_it_too(people):
    assembly = assemble(own(people), REGISTRY)
    assert [str(constraint) for constraint in assembly.problem.constraints.listed] == [BOUND]
    assert assembly.experiment.limits == (BOUND,)
    assert not assemble(own(people, ["sex", "age"]), REGISTRY).problem.constraints
    looser = assemble(own(people, constraints=["exact-linkage <= 30"]), REGISTRY)
    assert (looser.experiment.constraints, looser.experiment.limits) == (("exact-linkage <= 30",), ())
    named = own(people, measures={"il": ["il1s", "ctbil"], "dr": ["dbrl"]})
    assert not assemble(named, REGISTRY).problem.constraints


def test_a_constraint_that_cannot_be_read_is_told_of_with_all_else(people):
    with pytest.raises(InputError, match=r"(?s)'dr = 5'.*no-such-rule") as caught:
        assemble(own(people, constraints=["dr = 5"], genotype="no-such-rule"), REGISTRY)
    assert str(caught.value).count("'dr = 5'") == 1


@pytest.mark.parametrize("genotype", [{"name": "pram", "draws": 2}, {"name": "pram", "judge": "expectation"}])
def test_matrices_are_judged_by_it(people, genotype, tmp_path):
    codes = pd.read_csv(people["file"]).assign(town=[f"t{i // 2}" for i in range(80)])
    codes.to_csv(people["file"], index=False)
    (tmp_path / "people.toml").write_text(SCHEMA + 'town = { role = "quasi-identifier" }\n')
    measures = {"il": ["ebil"], "dr": ["best-guess"], "other": ["exact-linkage"]}
    given = {"measures": measures, "constraints": [BOUND], "start": {"random": 3, "initial": True}}
    model = own(people, ["sex", "town"], genotype=genotype, stop={"generations": 2}, **given)
    result = evosdc.run(model, tmp_path / "run")
    assert 0.0 <= result["best"]["scores"]["exact-linkage"] <= 50.0
