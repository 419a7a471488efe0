"""Half of the people, protected by the plan of a run."""

import json

import numpy as np
import pytest

import evosdc
from evosdc.experiment import opinion
from evosdc.experiment.assembly import assemble, known_to_attackers
from evosdc.experiment.experiment import MaskingEntry
from evosdc.experiment.opinion import half_release, halves_of, members_opinion
from evosdc.experiment.reader import parse_experiment
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Role

REGISTRY = default_registry()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file of people whose illness goes with nothing, of 150 towns."""
    folder = tmp_path_factory.mktemp("halves")
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


def test_halves_are_all_the_people_once_and_repeatable():
    first, second = halves_of(101, 5)
    assert sorted([*first, *second]) == list(range(101))
    assert (len(first), len(second)) == (50, 51)
    assert np.array_equal(halves_of(101, 5)[0], first)
    assert not np.array_equal(halves_of(101, 6)[0], first)


def test_the_plan_of_the_run_protects_one_half(folder):
    assembly = assembled(folder)
    plan = (MaskingEntry(method="rank-swapping", p=1, attributes=("sex",)),)
    half = half_release(assembly, plan, 2)
    assert len(half.members) == len(half.others) == len(half.published) == 120
    assert half.generations == 2
    assert half.published.schema.names == ("town", "sex")
    assert half_release(assembly, plan, 2).published.same_records(half.published)
    # Nothing of the others is in it: it is made of the members' values alone.
    assert set(half.published.column("town").tolist()) <= set(half.members.column("town").tolist())


def test_a_half_keeps_the_bounds_of_the_run(folder):
    """One generation is not enough for that, so the search of the half goes on until it is."""
    assembly = assembled(folder, constraints=["informed-linkage <= 60"])
    plan = (MaskingEntry(method="rank-swapping", p=1, attributes=("sex",)),)

    def linked(generations):
        half = half_release(assembly, plan, generations)
        judged = half.members.select(half.published.schema.names)
        return REGISTRY.build("measure", "informed-linkage", {}).fit(judged).score(half.published)

    assert linked(0) > 70.0
    assert linked(1) <= 60.0


def test_a_plan_that_hardly_masks_is_found_out(folder):
    found = members_opinion(assembled(folder), (MaskingEntry(method="rank-swapping", p=1, attributes=("sex",)),), 0)
    assert found["members"] == found["others"] == 240, "what would refuse a file is looked at in the other half, too"
    assert found["judges"]["members-inference"]["value"] > 5.0
    assert set(found["judges"]) > {"members-inference", "membership-nndr", "tcap", "disco"}
    json.dumps(found, allow_nan=False)


def test_a_finding_that_would_refuse_a_file_is_the_mean_of_both_halves(folder, monkeypatch):
    plan, apart = (MaskingEntry(method="rank-swapping", p=1, attributes=("sex",)),), []
    attacked = opinion._attacked
    monkeypatch.setattr(opinion, "_attacked", lambda *given: apart.append(attacked(*given)) or apart[-1])
    both = members_opinion(assembled(folder), plan, 0)["judges"]["members-inference"]
    one, other = (found["judges"]["members-inference"] for found in apart)
    assert both["value"] == pytest.approx((one["value"] + other["value"]) / 2)
    assert both["error"] == pytest.approx(np.hypot(one["error"], other["error"]) / 2)
    assert both["details"]["members"] == pytest.approx((one["details"]["members"] + other["details"]["members"]) / 2)
    assert (
        min(one["details"]["surest_tenth_low"], other["details"]["surest_tenth_low"])
        <= (both["details"]["surest_tenth_low"])
        <= both["details"]["surest_tenth"]
    )
    assert f"{both['value']:.1f}"[:2] in both["words"]


def test_guessed_roles_count_for_less_than_a_list_of_what_is_masked(folder):
    def known(**data):
        assembly = assembled(folder, data={"file": str(folder / "data.csv"), **data})
        return known_to_attackers(assembly, assembly.source.table).schema.with_role(Role.QUASI_IDENTIFIER)

    assert known() == ("town", "sex")
    assert known(protect=["sex"]) == ("sex",)
    assert known(protect=["sex"], schema=str(folder / "schema.toml")) == ("town", "sex")


def test_why_nobody_was_asked_is_said(folder):
    plan = (MaskingEntry(method="rank-swapping", p=1, attributes=("sex",)),)
    assert "time" in members_opinion(assembled(folder), plan, 0, lambda: 0.0)["not_checked"]
    few = assembled(folder, data={**document(folder)["data"], "first": 60})
    assert "60 records" in members_opinion(few, plan, 0)["not_checked"]
    (folder / "open.toml").write_text((folder / "schema.toml").read_text().replace("sensitive", "other"))
    nothing = assembled(folder, data={**document(folder)["data"], "schema": str(folder / "open.toml")})
    assert members_opinion(nothing, plan, 0) is None


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
