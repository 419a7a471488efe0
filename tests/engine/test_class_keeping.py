"""Repair under constraints on privacy models: what they ask for is kept, and nothing changes without them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evosdc.assess.mask import apply_masking, build_steps, last_step_of
from evosdc.assess.verdict import required_words
from evosdc.engine.mending import mended
from evosdc.experiment import outputs as causes
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import run_once
from evosdc.model import Masking
from evosdc.plugins.registry import default_registry
from evosdc.secret import Purpose, stream

PROTECT = ("built", "degree", "grade1")
METHODS = [Masking("mdav", {"k": k}) for k in (3, 4, 8)] + [Masking("rank-swapping", {"p": 8})]


def experiment(**changes):
    given = {
        "seed": 7,
        "data": {"name": "housing", "first": 400, "protect": PROTECT},
        "start": {"methods": ({"method": "mdav", "k": 3}, {"method": "mdav", "k": 6})},
        "fitness": "max",
        "structural_zeros": {"threshold": 2},
        "algorithm": {"name": "memetic", "rounds": 20, "probes": 20},
        "stop": {"generations": 25},
    }
    return Experiment.model_validate(given | changes)


def masked_by(assembly, masking):
    methods = build_steps(masking, default_registry())
    return apply_masking(masking, methods, assembly.microdata, stream(1, Purpose.MASK))


@pytest.mark.parametrize("constraints", [(), ("dr <= 40",)])
def test_without_a_privacy_model_files_are_repaired_cell_by_cell(constraints):
    assembly = assemble(experiment(constraints=constraints), default_registry())
    assert not assembly.problem.repair.keeps_classes
    assert not assembly.algorithm.toolbox.keeps_classes
    assert not any(move.kind.startswith("class") for move in assembly.algorithm.moves)
    for masking in METHODS:
        masked = masked_by(assembly, masking)
        by_cell = assembly.microdata.rules.repaired(masked)
        assert assembly.problem.repair.repaired(masked).same_records(by_cell)


@pytest.mark.parametrize(
    "constraint", ["k-anonymity >= 3", "l-diversity of metro >= 1.2", "t-closeness of metro <= 0.9"]
)
@pytest.mark.parametrize("masking", METHODS, ids=lambda masking: masking.label)
def test_a_privacy_model_is_missed_by_no_more_than_after_cells_went_back(constraint, masking):
    assembly = assemble(experiment(constraints=(constraint,)), default_registry())
    repair, rules = assembly.problem.repair, assembly.microdata.rules
    masked = masked_by(assembly, masking)
    by_cell, repaired = rules.repaired(masked), repair.repaired(masked)
    assert not rules.broken(repaired).any()
    assert repair.missed(repaired) <= repair.missed(by_cell)
    if repair.missed(by_cell) <= repair.missed(masked):
        assert repaired.same_records(by_cell)


def test_k_anonymity_that_repair_of_cells_breaks_is_kept():
    assembly = assemble(experiment(constraints=("k-anonymity >= 3",)), default_registry())
    repair, rules = assembly.problem.repair, assembly.microdata.rules
    masked = masked_by(assembly, METHODS[0])
    assert repair.missed(masked) == 0.0
    assert repair.missed(rules.repaired(masked)) > 0.0
    assert repair.missed(repair.repaired(masked)) == 0.0


@pytest.mark.data("adult")
@pytest.mark.parametrize("masking", [Masking("mdav", {"k": 3}), Masking("mondrian", {"k": 5})], ids=lambda m: m.method)
def test_k_anonymity_that_repair_breaks_all_the_same_is_kept_by_the_last_step_of_a_chain(masking):
    protect = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex")
    least = masking.params["k"]
    data = {"name": "adult", "first": 1500, "protect": protect}
    problem = assemble(experiment(data=data, constraints=(f"k-anonymity >= {least}",)), default_registry()).problem
    microdata, rules = problem.genotype.microdata, problem.genotype.microdata.rules
    chain = replace(masking, then=(Masking("local-suppression", {"k": least}),))
    methods = build_steps(chain, default_registry())
    masked = apply_masking(chain, methods, microdata, stream(1, Purpose.MASK))
    assert problem.repair.missed(masked) == 0.0
    broken = mended(problem, masked).table
    assert problem.repair.missed(broken) > 0.0
    kept = mended(problem, masked, last_step_of(chain, methods, microdata))
    assert problem.repair.missed(kept.table) == 0.0
    assert not rules.broken(kept.table).any()
    assert kept.unrepaired.same_records(masked)
    genotype = {"name": "recipes", "last": {"method": "local-suppression", "k": least}}
    given = experiment(data=data, constraints=(f"k-anonymity >= {least}",), genotype=genotype)
    plans = assemble(given, default_registry()).problem
    assert plans.repair.missed(plans.genotype.last_step(broken, np.random.default_rng(0))) == 0.0


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept") / "run"
    return run_once(experiment(constraints=("k-anonymity >= 3",)), folder, default_registry(), 7)


def test_a_search_under_k_anonymity_and_structural_zeros_improves_its_start(found):
    result = found.result
    (required,) = (one for one in result.requirements if one.requirement == "k-anonymity >= 3")
    assert required.met
    assert required.quasi_identifiers == list(PROTECT)
    assert required.unmasked == []
    assert result.portfolio.best.fitness[0] > result.best.fitness[0]
    assert result.portfolio.best.scores["k-anonymity"] >= 3
    assert not any("A cause" in warning for warning in result.warnings)


def test_unmasked_quasi_identifiers_are_named(tmp_path):
    rng = np.random.default_rng(1)
    rows = ["town,sex,job,wage", *(",".join(map(str, rng.integers(0, 4, 4))) for _ in range(60))]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n")
    others = ("sex", "job")
    lines = [f'{name} = {{ role = "quasi-identifier", scale = "nominal" }}' for name in ("town", *others)]
    (tmp_path / "schema.toml").write_text("[attributes]\n" + "\n".join(lines) + '\nwage = { scale = "nominal" }\n')
    schema = str(tmp_path / "schema.toml")
    data = {"file": str(tmp_path / "people.csv"), "schema": schema, "protect": ("town",)}
    start = {"methods": ({"method": "mdav", "k": 3},)}
    given = experiment(data=data, start=start, constraints=("k-anonymity >= 30",), stop={"generations": 2})
    result = run_once(given, tmp_path / "run", default_registry(), 7).result
    (entry,) = (one.model_dump() for one in result.requirements if one.requirement.startswith("k-anonymity"))
    assert not entry["met"]
    assert set(entry["unmasked"]) == set(others)
    assert entry["words"] == required_words(entry)
    assert required_words(entry).endswith("are published unchanged)")
    assert any(required_words(entry) in reason for reason in result.verdict.reasons)
    assert any(warning.startswith("A cause: k-anonymity >= 30 counts over all") for warning in result.warnings)


def test_requirements_without_unmasked_attributes_are_said_as_before():
    assert required_words({"requirement": "dr <= 20", "met": True}) == "dr <= 20"
    assert required_words({"requirement": "k-anonymity >= 3", "quasi_identifiers": ["a"], "unmasked": []}) == (
        "k-anonymity >= 3"
    )
    words = required_words({"requirement": "k >= 3", "quasi_identifiers": ["a", "b"], "unmasked": ["b"]})
    assert words == "k >= 3 over a, b (b is published unchanged)"


@pytest.mark.parametrize(("counts", "said"), [((12, 9, 2), True), ((12, 9, 9), False), ((12, 0, 0), False)])
def test_rules_that_took_what_was_asked_are_named(counts, said, monkeypatch):
    assembly = assemble(experiment(constraints=("k-anonymity >= 3",)), default_registry())
    monkeypatch.setattr(causes, "met_before_and_after", lambda *given: counts)
    judged = [{"requirement": "k-anonymity >= 3", "value": 1, "met": False, "quasi_identifiers": [], "unmasked": []}]
    found = causes.causes_of(assembly, 12, judged)
    assert bool(found) == said
    if said:
        assert found == [
            "A cause: of 12 starting files 9 met what privacy models ask for before records that structural zeros "
            "forbid were put right, and 2 afterwards. Without them (--no-structural-zeros) such records are published."
        ]
    met = [judged[0] | {"met": True}]
    assert causes.causes_of(assembly, 12, met) == []


def test_starting_files_are_counted_before_and_after_repair():
    assembly = assemble(experiment(constraints=("k-anonymity >= 3",)), default_registry())
    counts = causes.met_before_and_after(assembly.problem, assembly.plan, 5, 12)
    assert counts[0] == 2
    assert counts[1] == 2
    assert 0 <= counts[2] <= 2
    one = causes.met_before_and_after(assembly.problem, assembly.plan, 1, 12)
    assert one[0] == 1
    assert np.less_equal(one, counts).all()
