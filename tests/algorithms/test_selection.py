import random
from random import Random

import numpy as np
import pytest
from deap import base, tools

from evosdc.algorithms.selection import (
    SelectionParams,
    costs,
    fittest,
    leaders,
    ranked,
    roulette,
    select,
    stochastic_universal,
    tournament,
    truncated,
)
from evosdc.model.individual import FAILURE
from tests.engine.individuals import individual

MANY = 40_000


@pytest.fixture
def people():
    return [individual(float(value), key=f"{n}") for n, value in enumerate([30, 10, 20, 40])]


def shares(drawn, size=4):
    return np.bincount(drawn, minlength=size) / len(drawn)


@pytest.fixture
def draws():
    return Random(1)


@pytest.fixture(autouse=True)
def _seeded():
    random.seed(1)


def test_roulette_prefers_small_scores_in_proportion(people, draws):
    weights = np.array([10.3, 30.3, 20.3, 0.3])
    assert shares(roulette(people, MANY, draws)) == pytest.approx(weights / weights.sum(), abs=0.01)


def test_roulette_is_uniform_when_all_are_equal(draws):
    same = [individual(5.0, key=f"{n}") for n in range(4)]
    assert shares(roulette(same, MANY, draws)) == pytest.approx(0.25, abs=0.01)


class Turned:
    """An individual whose fitness is to be maximised, as DEAP's roulette wants it."""

    def __init__(self, position, value):
        self.position = position
        self.fitness = type("Value", (float,), {"values": (value,)})(value)


def test_the_draws_are_those_of_deap(people, draws):
    floor = 0.01 * 30.0
    turned = [Turned(n, 40.0 - person.objectives[0] + floor) for n, person in enumerate(people)]
    drawn = roulette(people, 500, draws)
    random.seed(1)
    assert drawn == [i.position for i in tools.selRoulette(turned, 500)]
    won = tournament(people, 500, 3, Random(1))
    random.seed(1)
    assert [people[n] for n in won] == tools.selTournament(people, 500, tournsize=3)


def test_every_individual_meets_as_many_universal_pointers_as_its_share_says(people):
    weights = np.array([10.3, 30.3, 20.3, 0.3])
    expected = 100 * weights / weights.sum()
    for seed in range(20):
        met = np.bincount(stochastic_universal(people, 100, Random(seed)), minlength=4)
        assert (np.abs(met - expected) < 1.0).all()


def test_ranks_not_values_decide_in_selection_by_rank(people, draws):
    far = [individual(person.objectives[0] ** 3, key=str(n)) for n, person in enumerate(people)]
    drawn = ranked(people, 300, 1.8, draws)
    assert drawn == ranked(far, 300, 1.8, Random(1))
    expected = [0.25 * (1.8 - 1.6 * place / 3) for place in (2, 0, 1, 3)]
    assert shares(ranked(people, MANY, 1.8, draws)) == pytest.approx(expected, abs=0.01)
    assert ranked(people[:1], 3, 1.8, draws) == [0, 0, 0]


def test_truncation_lets_the_best_reproduce_alike(people, draws):
    assert shares(truncated(people, MANY, 0.5, draws)) == pytest.approx([0, 0.5, 0.5, 0], abs=0.01)
    assert set(truncated(people, 100, 0.01, draws)) == {1}


def test_tournament_of_many_finds_the_best(people, draws):
    assert set(tournament(people, 200, 30, draws)) == {1}


def test_tournament_of_one_is_uniform(people, draws):
    assert shares(tournament(people, MANY, 1, draws)) == pytest.approx(0.25, abs=0.01)


ALL = ("roulette", "tournament", "stochastic-universal", "rank", "truncation", "uniform")


@pytest.mark.parametrize("name", ALL)
def test_positions_are_returned_as_many_as_wanted(people, name):
    chosen = select(SelectionParams(selection=name), people, 20, base.Toolbox())
    assert len(chosen) == 20
    assert all(type(n) is int and 0 <= n < 4 for n in chosen)


@pytest.mark.parametrize("name", ALL[:-1])
def test_better_individuals_are_selected_more_often(people, name):
    chosen = shares(select(SelectionParams(selection=name), people, 4000, base.Toolbox()))
    assert chosen[1] > chosen[3]


@pytest.mark.parametrize("name", ALL[:-1])
def test_what_breaks_constraints_is_selected_less_however_small_its_score(people, name):
    people[1] = individual(10.0, infeasibility=5.0)
    chosen = shares(select(SelectionParams(selection=name), people, 4000, base.Toolbox()))
    assert chosen[1] == chosen.min()
    assert costs(people) == [30.0, 45.0, 20.0, 40.0]


def test_what_could_not_be_evaluated_is_selected_last_and_leaves_the_others_their_shares(people):
    people[1] = individual(10.0, infeasibility=FAILURE)
    assert costs(people) == [30.0, 41.0, 20.0, 40.0]


def test_an_operator_of_ones_own_selects(people):
    toolbox = base.Toolbox()
    toolbox.register("select", tools.selBest)
    assert select(SelectionParams(), people, 2, toolbox) == [1, 2]


def test_of_several_objectives_the_front_is_the_cost():
    people = [individual(*o) for o in [(1.0, 5.0), (5.0, 1.0), (6.0, 6.0), (2.0, 5.0)]]
    assert costs(people) == [0.0, 0.0, 2.0, 1.0]


def test_leaders_are_the_best_first_and_the_lower_slot_among_equals():
    people = [individual(float(v), key=f"{n}") for n, v in enumerate([2, 1, 2, 1])]
    assert leaders(people, 3) == [1, 3, 0]
    people[1] = individual(1.0, infeasibility=1.0)
    assert leaders(people, 4) == [3, 0, 2, 1]


def test_the_fittest_stand_in_their_order(people):
    assert [i.objectives[0] for i in fittest(people, 3)] == [30.0, 10.0, 20.0]
    assert fittest(people, None) == fittest(people, 9) == people
