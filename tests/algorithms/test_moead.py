"""MOEA/D: weights, neighbours, and what a child replaces."""

import numpy as np
import pytest

from evosdc.algorithms.moead import IDEAL, Decomposition
from evosdc.testing.counting import candidates, counting_toolbox
from tests.algorithms.stepping import known, scripted, stepped, worth


def made(toolbox=None, **params):
    return Decomposition(Decomposition.Params(**params), toolbox or counting_toolbox())


def people_of(points):
    return [known(f"{n}", *point) for n, point in enumerate(points)]


@pytest.mark.parametrize(("objectives", "population", "slots"), [(1, 7, 7), (2, 11, 11), (3, 20, 15), (3, 21, 21)])
def test_there_are_as_many_slots_as_an_even_division_allows(objectives, population, slots):
    people = people_of(np.random.default_rng(0).uniform(0, 9, (30, objectives)))
    first = made(population=population).first_population(people)
    assert len(first) == slots
    assert first.memory[IDEAL].tolist() == [min(p.objectives[m] for p in people) for m in range(objectives)]
    assert len({p.key for p in first}) == min(slots, 30), "each once before any is taken again"


def test_ends_take_the_best_of_their_objective():
    people = people_of([(5, 5), (0, 9), (9, 0), (2, 6)])
    first = made(population=4).first_population(people)
    assert {first[0], first[-1]} == {people[1], people[2]}


LINE = [(n, 8 - n) for n in range(9)]


def after(child, **params):
    """Return a population along a line before and after a generation in which the fifth slot has a child.

    The children of the others are worse than everybody.
    """
    # A pair of parents has two children, of which the first counts.
    mutants = [child if place == 8 else worth(f"bad {place}", 99, 99) for place in range(18)]
    algorithm = made(scripted(mutants), population=9, neighbours=3, variation="or", mutation=1.0, **params)
    first = algorithm.first_population(people_of(LINE))
    return list(first), [one.genome[0] for one in stepped(algorithm, first)[1]]


@pytest.mark.parametrize("decomposition", ["tchebycheff", "weighted-sum", "boundary-intersection"])
def test_a_child_replaces_the_neighbours_that_it_beats_and_nobody_else(decomposition):
    child = worth("child", 0, 0)
    before, slots = after(child, decomposition=decomposition)
    assert [place for place, name in enumerate(slots) if name == "child"] == [3, 4, 5]
    assert all(name in ("child", before[place].genome[0]) for place, name in enumerate(slots))
    assert after(child, decomposition=decomposition, replaced=1)[1].count("child") == 1


def test_who_breaks_constraints_replaces_nobody():
    before, slots = after(worth("child", 0, 0, broken=0.5))
    assert slots == [one.genome[0] for one in before]


def test_it_finds_a_front():
    algorithm = made(counting_toolbox(2), population=12, neighbours=4)
    population = algorithm.first_population(candidates(12, 2))
    start = sum(sum(p.objectives) for p in population)
    for _ in range(20):
        _, population = stepped(algorithm, population)
    assert sum(sum(p.objectives) for p in population) < 0.8 * start
