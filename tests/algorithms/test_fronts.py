"""Searches for a front: what survives."""

import numpy as np
import pytest

from evosdc.algorithms.multiobjective import (
    HypervolumeSelection,
    NonDominatedSorting,
    ReferencePoints,
    StrengthPareto,
    least_contribution,
)
from evosdc.model import Population
from evosdc.secret import lent
from evosdc.testing.counting import candidates, counting_toolbox
from tests.algorithms.stepping import stepped
from tests.engine.individuals import individual

ALL = (NonDominatedSorting, ReferencePoints, StrengthPareto, HypervolumeSelection)


def made(cls, **params):
    return cls(cls.Params(**params), counting_toolbox())


def people_of(points, infeasibilities=()):
    broken = [*infeasibilities, *[0.0] * len(points)]
    return [individual(*point, key=str(n), infeasibility=broken[n]) for n, point in enumerate(points)]


def front(size, shift=0.0):
    """Return points of a line, none of which dominates another."""
    return [(n + shift, size - n + shift) for n in range(size)]


@pytest.mark.parametrize("cls", ALL)
def test_the_first_front_survives_before_all_others(cls):
    people = people_of(front(10, 5.0) + front(10))
    assert set(made(cls, population=10).first_population(people)) == set(people[10:])


@pytest.mark.parametrize("cls", ALL)
def test_each_genome_survives_once(cls):
    people = people_of(front(6))
    kept = made(cls, population=6).first_population([*people, *people])
    assert sorted(i.key for i in kept) == sorted(i.key for i in people)


@pytest.mark.parametrize("cls", ALL)
def test_who_survives_of_parents_and_children_is_no_worse_than_either(cls):
    algorithm = made(cls, population=6, offspring=10)
    parents = Population(candidates(6, 2))
    algorithm.toolbox.register("evaluate", counting_toolbox(2).evaluate)
    children, after = stepped(algorithm, parents)
    both = {one.key: one for one in [*parents, *children]}
    front = [one for one in both.values() if not any(other.dominates(one) for other in both.values())]
    assert len(children) <= 10
    assert len(after) == 6
    assert {one.key for one in after} <= set(both)
    assert sum(one.key in {other.key for other in front} for one in after) == min(6, len(front))


@pytest.mark.parametrize("cls", ALL)
def test_what_obeys_the_constraints_survives_and_then_what_breaks_them_least(cls):
    people = people_of(front(8), [0.0, 0.9, 0.1, 0.0, 0.2, 0.8, 0.0, 0.7])
    assert made(cls, population=4).first_population(people)[:3] == [people[0], people[3], people[6]]
    assert made(cls, population=5).first_population(people)[3:] == [people[2], people[4]]
    assert all(i.feasible for i in made(cls, population=2).first_population(people))


@pytest.mark.parametrize("cls", ALL)
def test_the_ends_of_a_front_survive_its_truncation(cls):
    points = np.random.default_rng(1).uniform(1, 9, (30, 1))
    points = [(float(x), 10.0 - float(x)) for (x,) in points] + [(0.0, 10.0), (10.0, 0.0)]
    people = people_of(points)
    kept = made(cls, population=6).first_population(people)
    assert len(kept) == 6
    assert people[30] in kept
    assert people[31] in kept


@pytest.mark.parametrize("cls", ALL)
def test_candidates_that_are_equal_in_an_objective_are_no_obstacle(cls):
    people = people_of([(1.0, float(n), 2.0) for n in range(9)] + [(1.0, 0.0, 2.0)] * 3)
    assert len(made(cls, population=5).first_population(people)) == 5


def test_strength_counts_whom_the_dominators_dominate():
    # The first dominates all, the second the last; raw fitness adds up the strengths of the dominators.
    people = people_of([(1, 1), (2, 3), (3, 2), (4, 4)])
    raw = np.floor(made(StrengthPareto).standing(people))
    assert raw.tolist() == [0, 3, 3, 3 + 1 + 1]


def test_truncation_removes_the_most_crowded():
    people = people_of([(0, 10), (1, 9), (1.1, 8.9), (5, 5), (10, 0)])
    kept = made(StrengthPareto, population=4).first_population(people)
    assert people[0] in kept
    assert people[3] in kept
    assert len({people[1], people[2]} & set(kept)) == 1


def test_three_objectives_spread_over_the_reference_points():
    rng = np.random.default_rng(3)
    points = rng.dirichlet(np.ones(3), 200)
    kept = made(ReferencePoints, population=15).first_population(people_of(points.tolist()))
    values = np.array([i.objectives for i in kept])
    assert (values.max(axis=0) > 0.8).all(), "every corner of the front is kept"


def test_the_same_candidates_and_draws_have_the_same_survivors():
    points = np.random.default_rng(4).dirichlet(np.ones(3), 60).tolist()
    kept = []
    for _ in range(2):
        with lent(np.random.default_rng(7)):
            kept.append(made(ReferencePoints, population=15).first_population(people_of(points)))
    assert [i.key for i in kept[0]] == [i.key for i in kept[1]]


def test_the_least_hypervolume_goes_as_reckoned_box_by_box():
    rng = np.random.default_rng(3)
    for objectives in (2, 3):
        values = rng.uniform(0, 10, (12, objectives))
        values = np.array([a for a in values if not any((b <= a).all() and (b < a).any() for b in values)])
        reference = values.max(axis=0) + 1.0
        grid = rng.uniform(values.min(axis=0), reference, (40_000, objectives))
        covers = (values[:, None, :] <= grid[None, :, :]).all(axis=2)
        alone = (covers & (covers.sum(axis=0) == 1)).mean(axis=1)
        if objectives == 2:
            alone[[values[:, 0].argmin(), values[:, 1].argmin()]] = np.inf
        assert alone[least_contribution(values)] <= alone.min() + 0.01


def test_of_a_later_front_who_is_dominated_most_goes_first():
    people = people_of([(1, 1), (2, 9), (3, 3), (4, 4), (9, 2)])
    assert made(HypervolumeSelection, population=4).first_population(people) == [*people[:3], people[4]]
