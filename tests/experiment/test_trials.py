"""Parts of the people, protected by the plan of a run."""

import json
import math

import numpy as np
import pytest

import evosdc
from evosdc.experiment.assembly import assemble, known_to_attackers
from evosdc.experiment.experiment import MaskingEntry
from evosdc.experiment.reader import parse_experiment
from evosdc.experiment.trials import FOLDS, TRIALS, Trials, part_release, parts_of
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Role

REGISTRY = default_registry()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file of people whose illness goes with nothing, of 150 towns."""
    folder = tmp_path_factory.mktemp("people")
    rng = np.random.default_rng(7)
    rows = [f"{rng.integers(0, 60)},{rng.integers(0, 4)},{'abc'[rng.integers(0, 3)]}" for _ in range(240)]
    (folder / "data.csv").write_text("town,sex,ill\n" + "\n".join(rows) + "\n")
    (folder / "schema.toml").write_text(
        "[attributes]\n"
        'town = { role = "quasi-identifier", scale = "nominal" }\n'
        'sex = { role = "quasi-identifier", scale = "nominal" }\n'
        'ill = { role = "sensitive", scale = "nominal" }\n'
    )
    return folder


def document(folder, **changes):
    return {
        "seed": 3,
        "data": {"file": str(folder / "data.csv"), "schema": str(folder / "schema.toml")},
        "start": {"methods": [{"method": "rank-swapping", "p": 1, "attributes": ["sex"]}]},
        "measures": {"il": ["ctbil"], "dr": ["informed-linkage"]},
        "stop": {"generations": 1},
        **changes,
    }


def assembled(folder, **changes):
    return assemble(parse_experiment(document(folder, **changes), folder), REGISTRY)


PLAN = (MaskingEntry(method="rank-swapping", p=1, attributes=("sex",)),)


def attacked(assembly, generations=0, until=lambda: math.inf):
    trials = Trials(assembly, PLAN, generations)
    trials.make(until)
    return trials


def test_each_person_is_once_not_in_the_file_of_a_partition():
    parts = [parts_of(101, 5, trial) for trial in range(FOLDS)]
    assert sorted(row for _, others in parts for row in others) == list(range(101))
    assert all(sorted([*members, *others]) == list(range(101)) for members, others in parts)
    assert {len(others) for _, others in parts} == {20, 21}
    assert np.array_equal(parts_of(101, 5, 2)[1], parts[2][1])
    assert not np.array_equal(parts_of(101, 6, 2)[1], parts[2][1])
    assert not np.array_equal(parts_of(101, 5, 2 + FOLDS)[1], parts[2][1]), "another partition"


def test_the_plan_of_the_run_protects_the_members(folder):
    assembly = assembled(folder)
    part = part_release(assembly, PLAN, 2)
    assert (len(part.members), len(part.others), len(part.published)) == (192, 48, 192)
    assert part.generations == 2
    assert part.published.schema.names == ("town", "sex")
    assert part_release(assembly, PLAN, 2).published.same_records(part.published)
    # Nothing of the others is in it: it is made of the members' values alone.
    assert set(part.published.column("town").tolist()) <= set(part.members.column("town").tolist())


def test_a_part_keeps_the_bounds_of_the_run(folder):
    """One generation is not enough for that, so the search of the part goes on until it is."""
    assembly = assembled(folder, constraints=["informed-linkage <= 60"])

    def linked(generations):
        part = part_release(assembly, PLAN, generations)
        judged = part.members.select(part.published.schema.names)
        return REGISTRY.build("measure", "informed-linkage", {}).fit(judged).score(part.published)

    assert linked(0) > 60.0
    assert linked(1) <= 60.0


def test_a_plan_that_hardly_masks_is_found_out(folder):
    trials = attacked(assembled(folder))
    trials.ask_others()
    found = trials.opinion()
    assert found["judges"]["members-inference"]["value"] > 5.0
    assert set(found["judges"]) > {"members-inference", "membership-nndr", "tcap", "disco"}
    json.dumps(found, allow_nan=False)


def test_trials_go_on_until_the_interval_is_narrow(folder):
    few, more = attacked(assembled(folder)), Trials(assembled(folder), PLAN, 0)
    assert few.clear
    found = few.found[0]["judges"]["members-inference"]
    low = {key: value - 40.0 for key, value in found["details"].items() if key.endswith(": excess_low")}
    more.found.append(few.found[0] | {"judges": {"members-inference": found | {"details": found["details"] | low}}})
    assert not more.clear
    more.make()
    assert len(few.found) < len(more.found) <= TRIALS


def test_a_finding_is_the_mean_of_all_trials_by_attack(folder):
    trials = Trials(assembled(folder), PLAN, 0)
    trials.make()
    trials.found[1:] = [
        trials._attacked(part_release(trials.assembly, PLAN, 0, trial=1), ["members-inference"], lambda: math.inf)
    ]
    mean = trials.opinion()["judges"]["members-inference"]
    one, other = (found["judges"]["members-inference"]["details"] for found in trials.found)
    attacks = {key.removesuffix(": excess") for key in one if key.endswith(": excess")}
    assert len(attacks) == 2
    excess = {name: (one[f"{name}: excess"] + other[f"{name}: excess"]) / 2 for name in attacks}
    worst = max(excess, key=excess.get)
    assert mean["value"] == pytest.approx(excess[worst]), "not the mean of the greatest of each"
    below = [found[f"{worst}: excess"] - found[f"{worst}: excess_low"] for found in (one, other)]
    assert mean["value"] - mean["low"] == pytest.approx(np.hypot(*below) / 2)
    assert mean["details"]["members"] - mean["details"]["others"] == pytest.approx(mean["value"])
    assert f"{mean['value']:.1f}"[:2] in mean["words"]


def test_guessed_roles_count_for_less_than_a_list_of_what_is_masked(folder):
    def known(**data):
        assembly = assembled(folder, data={"file": str(folder / "data.csv"), **data})
        return known_to_attackers(assembly, assembly.source.table).schema.with_role(Role.QUASI_IDENTIFIER)

    assert known() == ("town", "sex")
    assert known(protect=["sex"]) == ("sex",)
    assert known(protect=["sex"], schema=str(folder / "schema.toml")) == ("town", "sex")


def test_why_nobody_was_asked_is_said(folder):
    assert "time" in attacked(assembled(folder), until=lambda: 0.0).opinion()["not_checked"]
    few = assembled(folder, data={**document(folder)["data"], "first": 60})
    assert "60 records" in attacked(few).opinion()["not_checked"]
    (folder / "open.toml").write_text((folder / "schema.toml").read_text().replace("sensitive", "other"))
    nothing = assembled(folder, data={**document(folder)["data"], "schema": str(folder / "open.toml")})
    assert attacked(nothing).opinion() is None


def test_a_run_says_so_in_its_verdict_and_again_later(folder, tmp_path):
    run = evosdc.run(document(folder, second_opinion=True), tmp_path / "run")
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    judges = result["second_opinion"]["members"]["judges"]
    assert judges["members-inference"]["value"] > 5.0
    assert any("A learner guesses" in reason for reason in result["verdict"]["reasons"])
    result["second_opinion"]["members"] = None
    (tmp_path / "run" / "result.json").write_text(json.dumps(result))
    evosdc.judge(run)
    again = run["second_opinion"]["members"]
    assert again == run.result.second_opinion.members
    assert again["judges"]["members-inference"] == judges["members-inference"]
