import numpy as np
import pytest

from evosdc.algorithms.selection import leaders, roulette, tournament
from tests.engine.individuals import individual


@pytest.fixture
def people():
    return [individual(float(value), key=f"{n}") for n, value in enumerate([30, 10, 20, 40])]


def test_roulette_prefers_small_scores_in_proportion(people):
    drawn = np.bincount(roulette(people, 60_000, np.random.default_rng(1)), minlength=4) / 60_000
    weights = np.array([10.3, 30.3, 20.3, 0.3])
    assert drawn == pytest.approx(weights / weights.sum(), abs=0.01)


def test_roulette_is_uniform_when_all_are_equal():
    same = [individual(5.0, key=f"{n}") for n in range(4)]
    drawn = np.bincount(roulette(same, 40_000, np.random.default_rng(1)), minlength=4) / 40_000
    assert drawn == pytest.approx(0.25, abs=0.01)


def test_tournament_of_many_finds_the_best(people):
    assert set(tournament(people, 200, 30, np.random.default_rng(1))) == {1}


def test_tournament_of_one_is_uniform(people):
    drawn = np.bincount(tournament(people, 40_000, 1, np.random.default_rng(1)), minlength=4) / 40_000
    assert drawn == pytest.approx(0.25, abs=0.01)


def test_selection_is_a_function_of_the_generator(people):
    for select in (lambda rng: roulette(people, 20, rng), lambda rng: tournament(people, 20, 2, rng)):
        assert select(np.random.default_rng(3)) == select(np.random.default_rng(3))


def test_leaders_are_the_best_first_and_the_lower_slot_among_equals():
    people = [individual(float(v), key=f"{n}") for n, v in enumerate([2, 1, 2, 1])]
    assert leaders(people, 3) == [1, 3, 0]
