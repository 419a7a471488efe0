"""Which records are drawn by what they cost: exact sums in small files, a sample for some rounds in large ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.algorithms.costs import COSTLY, MOST_ROUNDS, RENEWED, SAMPLE, SINCE, Costs, systematic
from evosdc.model import Individual, Population


def member(number: int) -> Individual:
    return Individual(None, bytes([number]), {}, (1.0,), "start")


class Asked:
    """A toolbox that knows what records contribute to three measures, and how often it was asked."""

    def __init__(self, records: int) -> None:
        rng = np.random.default_rng(records)
        self.known = [rng.random(records), np.where(rng.random(records) < 0.01, 50.0, 0.0), np.zeros(records)]
        self.times = 0

    def contributions(self, individual: Individual) -> list[np.ndarray]:
        self.times += 1
        return self.known

    @property
    def shares(self) -> np.ndarray:
        return sum(costs / costs.sum() for costs in self.known[:2]) / 2


def population(generation: int, memory: dict | None = None) -> Population:
    return Population([member(1), member(2)], generation, memory)


def test_a_small_file_has_the_exact_sums_of_every_measure_alike() -> None:
    asked = Asked(2 * RENEWED - 1)
    costs = Costs(asked, 2 * RENEWED - 1)
    for generation in range(3):
        running = costs.running(population(generation), 0)
        assert running is not None
        assert np.diff(running, prepend=0.0) / running[-1] == pytest.approx(asked.shares)
        assert costs.remembered(generation) == {}
    assert asked.times == 1  # as long as the member is the same
    costs.running(population(3), 1)
    assert asked.times == 2


def test_a_large_file_is_asked_again_only_when_its_rounds_are_over_or_another_member_has_its_turn() -> None:
    records = 3 * RENEWED
    asked = Asked(records)
    costs, memory, seen = Costs(asked, records), {}, []
    for turn, slot in enumerate([0, 0, 0, 0, 1, 1, 0]):
        now = population(turn, memory)
        now = Population([member(10 + turn), member(50 + turn)], now.generation, memory)  # improved in every round
        running = costs.running(now, slot)
        assert running is not None
        assert len(running) == records
        assert running[-1] == SAMPLE
        seen.append(asked.times)
        # Whoever goes on from a checkpoint has the memory alone.
        again = Costs(asked, records).running(Population(now, now.generation, {**memory}), slot)
        memory = {**memory, **costs.remembered(now.generation)}
        assert np.array_equal(running, again)
        asked.times = seen[-1]
    assert seen == [1, 1, 1, 2, 3, 3, 4]
    assert memory[SINCE].tolist() == [0, 6]
    assert memory[COSTLY].dtype == np.int32


def test_a_sample_lasts_some_rounds_at_most_however_large_the_file() -> None:
    records = 10 * MOST_ROUNDS * RENEWED
    asked = Asked(records)
    costs = Costs(asked, records)
    costs.running(population(0), 0)
    memory = costs.remembered(0)
    costs.running(population(MOST_ROUNDS - 1, memory), 0)
    assert asked.times == 1
    costs.running(Population([member(9), member(2)], MOST_ROUNDS, memory), 0)
    assert asked.times == 2


def test_where_nothing_costs_no_record_is_preferred() -> None:
    for records in (10, 3 * RENEWED):
        asked = Asked(records)
        asked.known = [np.zeros(records)]
        costs = Costs(asked, records)
        assert costs.running(population(0), 0) is None
        assert costs.remembered(0) == {}


@settings(deadline=None)
@given(
    costs=st.lists(st.sampled_from([0.0, 1e-9, 0.3, 1.0, 40.0]), min_size=1, max_size=60).filter(sum),
    size=st.integers(1, 500),
    turn=st.integers(0, 2**31),
)
def test_each_record_is_drawn_as_often_as_it_costs_but_for_one(costs, size, turn) -> None:
    drawn = systematic(np.cumsum(costs), size, turn)
    assert len(drawn) == size
    assert (np.diff(drawn) >= 0).all()
    times = np.bincount(drawn, minlength=len(costs))
    wanted = size * np.array(costs) / sum(costs)
    assert (np.abs(times - wanted) < 1.0 + 1e-6).all()
    assert not times[np.array(costs) == 0.0].any()


def test_samples_of_one_file_are_of_different_records() -> None:
    running = np.arange(1.0, 100_001.0)
    drawn = [set(systematic(running, 1000, turn).tolist()) for turn in range(20)]
    assert len(set.union(*drawn)) > 15_000
