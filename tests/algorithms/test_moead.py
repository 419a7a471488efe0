"""MOEA/D: weights, neighbours, and what a child replaces."""

from dataclasses import replace

import numpy as np
import pytest

from evosdc.algorithms.moead import IDEAL, Decomposition
from evosdc.model import Offspring
from evosdc.secret import Streams
from evosdc.testing.counting import candidates, counted, counting_toolbox
from tests.engine.individuals import individual


def made(**params):
    return Decomposition(Decomposition.Params(**params), counting_toolbox())


def people_of(points):
    return [individual(*map(float, point), key=f"{n}") for n, point in enumerate(points)]


@pytest.mark.parametrize(("objectives", "population", "slots"), [(1, 7, 7), (2, 11, 11), (3, 20, 15), (3, 21, 21)])
def test_there_are_as_many_slots_as_an_even_division_allows(objectives, population, slots):
    algorithm = made(population=population)
    people = people_of(np.random.default_rng(0).uniform(0, 9, (30, objectives)))
    first = algorithm.first_population(people)
    assert len(first.individuals) == slots
    assert first.memory[IDEAL].tolist() == [min(p.objectives[m] for p in people) for m in range(objectives)]
    assert len({p.key for p in first.individuals}) == min(slots, 30), "each once before any is taken again"


def test_ends_take_the_best_of_their_objective():
    people = people_of([(5, 5), (0, 9), (9, 0), (2, 6)])
    first = made(population=4).first_population(people).individuals
    assert {first[0], first[-1]} == {people[1], people[2]}


@pytest.mark.parametrize("decomposition", ["tchebycheff", "weighted-sum", "boundary-intersection"])
def test_a_child_replaces_the_neighbours_that_it_beats_and_nobody_else(decomposition):
    algorithm = made(population=9, neighbours=3, decomposition=decomposition)
    people = people_of([(n, 8 - n) for n in range(9)])
    first = algorithm.first_population(people)
    child = individual(0.0, 0.0, key="child")
    slots = algorithm.replace(first, [Offspring(None, "mutation", (4,), place=4)], [child]).individuals
    assert [place for place, member in enumerate(slots) if member is child] == [3, 4, 5]
    few = made(population=9, neighbours=3, decomposition=decomposition, replaced=1)
    slots = few.replace(first, [Offspring(None, "mutation", (4,), place=4)], [child]).individuals
    assert sum(member is child for member in slots) == 1


def test_who_breaks_constraints_replaces_nobody():
    algorithm, people = made(population=9), people_of([(n, 8 - n) for n in range(9)])
    first = algorithm.first_population(people)
    child = individual(0.0, 0.0, key="child")
    child.infeasibility = 0.5
    assert (
        algorithm.replace(first, [Offspring(None, "mutation", (4,), place=4)], [child]).individuals == first.individuals
    )


def test_it_finds_a_front():
    algorithm = made(population=12, neighbours=4)
    population = algorithm.first_population(candidates(12, 2))
    start = sum(sum(p.objectives) for p in population.individuals)
    for generation in range(20):
        offspring = algorithm.propose(population, Streams(1))
        evaluated = [counted(item.genome, 2, item.origin) for item in offspring]
        population = replace(algorithm.replace(population, offspring, evaluated), generation=generation + 1)
    assert sum(sum(p.objectives) for p in population.individuals) < 0.8 * start
