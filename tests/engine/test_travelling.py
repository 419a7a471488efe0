"""Tables that travel from genome to genome give what tables made anew give, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from evosdc.engine import travelling
from evosdc.experiment.build.assembly import assemble
from evosdc.experiment.config.experiment import Experiment
from evosdc.model import Individual
from evosdc.plugins.registry import default_registry

ALL = {
    "il": ("ctbil", "dbil", "ebil", "ctbil-across"),
    "dr": ("id", "dbrl", "prl", "informed-linkage", "ranked-linkage", "exact-linkage", "guess-gain"),
    "other": ("relabelling", "suppression", "association"),
}
NUMBERS = {"il": ("il1s", "apil", "mean-variation"), "dr": ("id", "dbrl", "rsrl")}


@pytest.fixture
def numeric(tmp_path):
    """A small file of numbers, some missing."""
    rng = np.random.default_rng(0)
    lines = ["a,b,c", *(",".join(f"{x:.1f}" if x < 9 else "" for x in row) for row in rng.random((120, 3)) * 9.3)]
    (tmp_path / "numbers.csv").write_text("\n".join(lines) + "\n")
    written = "".join(f'[attributes.{n}]\nrole = "quasi-identifier"\nscale = "numeric"\ndecimals = 1\n' for n in "abc")
    (tmp_path / "numbers.toml").write_text('missing = [""]\n' + written)
    return {"file": str(tmp_path / "numbers.csv"), "schema": str(tmp_path / "numbers.toml"), "protect": ("a", "b", "c")}


def problem_of(first=300, protect=("built", "degree", "grade1"), **given):
    given = {
        "seed": 3,
        "data": {"name": "housing", "first": first, "protect": protect},
        "start": {"methods": ({"method": "rank-swapping", "p": 5},)},
        "measures": ALL,
        "fitness": "max",
        "algorithm": {"name": "memetic"},
    } | given
    return assemble(Experiment.model_validate(given), default_registry()).problem


@pytest.fixture
def travels(monkeypatch):
    """Let tables of small files travel."""
    monkeypatch.setattr(travelling, "LEAST_CELLS", 1)


def wander(problem, steps, seed=0):
    """Evaluate a family of genomes in the order in which a search comes across them."""
    rng = np.random.default_rng(seed)
    genotype = problem.genotype
    family = [genotype.seeded(genotype.microdata.original), genotype.random(rng)]
    for step in range(steps):
        parent = family[int(rng.integers(len(family)))]
        if step % 7 == 3:
            child = genotype.crossover(parent, family[0], rng)[0]
        elif step % 3:
            child = genotype.mutate(parent, rng)
        else:
            kinds = (*genotype.moves, *genotype.class_moves)
            child = genotype.move(parent, kinds[step % len(kinds)], rng)
        family.append(child)
        yield child, genotype.key(child)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"constraints": ("k-anonymity >= 2", "average-risk <= 50", "relabelling <= 50", "suppression <= 5")},
        {"constraints": ("dbil of degree <= 40",)},
        {"genotype": {"name": "cells", "mutations": 4}},
    ],
    ids=["measures", "models", "subset", "several cells"],
)
def test_what_is_followed_is_what_is_measured(travels, given):
    problem = problem_of(**given)
    assert problem._travellers is not None
    for child, key in wander(problem, 60):
        found = problem.evaluate(child, key)
        scores, objectives = problem.score(problem.decode(child, key))
        assert found.objectives == objectives
        assert {name: found.scores[name] for name in scores} == scores
        assert found.states == ()
    assert not problem.follows(child, None), "states of relatives are asked for in vain"


def test_numbers_are_followed(travels, numeric):
    problem = problem_of(protect=(), data=numeric, measures=NUMBERS)
    for child, key in wander(problem, 25):
        assert problem.evaluate(child, key).objectives == problem.score(problem.decode(child, key))[1]


def test_few_tables_are_under_way(travels, monkeypatch):
    monkeypatch.setattr(travelling, "MOST_BYTES", 1)
    problem = problem_of()
    for child, key in wander(problem, 30):
        assert problem.evaluate(child, key).objectives == problem.score(problem.decode(child, key))[1]
        assert len(problem._travellers._under_way) <= 2


def test_children_of_many_parents_go_by_their_relatives(travels, monkeypatch):
    problem, rng = problem_of(), np.random.default_rng(1)
    genotype = problem.genotype
    parents = [genotype.random(rng) for _ in range(6)]
    for genome in parents:
        problem.evaluate(genome, genotype.key(genome))
    started = []
    monkeypatch.setattr(travelling, "TravellingTable", started.append)
    for place in (0, 3, 5, 1, 0, 2):
        child = genotype.mutate(parents[place], rng)
        relative = Individual(parents[place], genotype.key(parents[place]), {}, (0.0,), "random")
        found = problem.evaluate(child, genotype.key(child), relative)
        assert found.objectives == problem.score(problem.decode(child, genotype.key(child)))[1]
    assert not started, "a table began anew though another one was at the parent"


def test_a_table_whose_way_was_interrupted_is_given_up(travels, monkeypatch):
    problem = problem_of()
    listed = list(wander(problem, 12))
    for child, key in listed:
        problem.evaluate(child, key)
    before = len(problem._travellers._under_way)
    _, fitted = problem._roads.followed[1]
    mutant = problem.genotype.mutate(listed[-1][0], np.random.default_rng(5))

    def fails(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(fitted, "follow", fails)
        with pytest.raises(KeyboardInterrupt):
            problem.evaluate(mutant, problem.genotype.key(mutant))
    assert len(problem._travellers._under_way) == before - 1
    assert {*problem._travellers._seen.values()} <= {*problem._travellers._under_way}, "the lost table is kept"
    for child, key in [*listed, (mutant, problem.genotype.key(mutant))]:
        assert problem.evaluate(child, key).objectives == problem.score(problem.decode(child, key))[1]


def test_states_of_small_files_are_copied():
    assert problem_of()._travellers is None
    assert problem_of(genotype={"name": "pram"})._travellers is None


def test_a_search_is_the_same_either_way(monkeypatch, tmp_path):
    found = []
    for least in (1, 10**9):
        monkeypatch.setattr(travelling, "LEAST_CELLS", least)
        problem = problem_of()
        assert (problem._travellers is not None) is (least == 1)
        found.append([problem.evaluate(child, key).objectives for child, key in wander(problem, 20)])
    assert found[0] == found[1]
