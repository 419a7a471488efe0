import numpy as np
import pytest
from deap import tools
from hypothesis import given
from hypothesis import strategies as st

from evosdc.algorithms.multiobjective import crowded_order, crowding, domination, front_numbers
from tests.engine.individuals import individual

POINTS = st.lists(st.tuples(*[st.integers(0, 5)] * 3), min_size=1, max_size=30)


def people_of(points, infeasibilities=()):
    broken = [*infeasibilities, *[0.0] * len(points)]
    return [individual(*point, key=str(n), infeasibility=broken[n]) for n, point in enumerate(points)]


@given(POINTS, st.lists(st.sampled_from([0.0, 0.0, 0.5, 1.0]), min_size=30, max_size=30))
def test_domination_is_that_of_individuals_and_of_their_deap_fitness(points, infeasibilities):
    people = people_of(points, infeasibilities)
    matrix = domination(people)
    for i, a in enumerate(people):
        for j, b in enumerate(people):
            assert matrix[i, j] == a.dominates(b) == a.fitness.dominates(b.fitness)


@given(POINTS)
def test_fronts_are_those_of_deap(points):
    people = people_of(points)
    numbers = front_numbers(people)
    for number, front in enumerate(tools.sortNondominated(people, len(people))):
        assert {id(i) for i in front} == {id(people[n]) for n in np.flatnonzero(numbers == number)}


def test_crowding_is_that_of_deap():
    values = np.random.default_rng(2).uniform(size=(20, 2))
    people = people_of(values.tolist())
    tools.emo.assignCrowdingDist(people)
    # DEAP divides by the number of objectives as well.
    expected = [2 * person.fitness.crowding_dist for person in people]
    np.testing.assert_allclose(crowding(values), expected)


def test_equal_points_have_no_distance_between_them():
    np.testing.assert_array_equal(crowding(np.ones((4, 2))), [np.inf, 0.0, 0.0, np.inf])


def test_survivors_are_those_of_deap_where_nothing_is_tied():
    values = np.random.default_rng(3).uniform(size=(30, 2)).tolist()
    people = people_of(values)
    kept = {id(i) for i in tools.selNSGA2(people, 11)}
    assert {id(people[n]) for n in crowded_order(people)[:11]} == kept


@pytest.mark.parametrize("objectives", [1, 3])
def test_what_breaks_constraints_stands_behind_all_that_does_not(objectives):
    points = np.random.default_rng(4).uniform(size=(12, objectives)).tolist()
    infeasibilities = [0.0, 0.3, 0.1] * 4
    order = crowded_order(people_of(points, infeasibilities)).tolist()
    assert [infeasibilities[n] for n in order] == sorted(infeasibilities)
