"""The race of starting files: kinds, rungs, who stays, and how a memetic search goes through it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.algorithms.halving import (
    RATES,
    RIVALS,
    WAITING,
    after_round,
    begun,
    best_of_kinds,
    extrapolated,
    growths,
    had,
    kind_of,
    rung,
    survivors,
    turn,
)
from evosdc.algorithms.memetic import Memetic
from evosdc.model import Individual, Population
from evosdc.testing.counting import candidates
from tests.algorithms.stepping import stepped
from tests.algorithms.test_memetic import memetic


def file(origin: str, score: float, infeasibility: float = 0.0) -> Individual:
    scores = {"il": score, "dr": 0.0, "infeasibility": infeasibility}
    return Individual(None, origin.encode(), scores, (score,), origin)


@pytest.mark.parametrize(
    ("origin", "methods"),
    [
        ("random", ("random",)),
        ("mdav k=6", ("mdav",)),
        ("pram design=a p=0.5 (sex), then rank-swapping p=12", ("pram", "rank-swapping")),
        ("liew, then labels of sex, region put right, then kept values of wage moved", ("liew",)),
        ("clustered inner=(mdav k=16) c=11", ("clustered",)),
    ],
)
def test_a_kind_is_the_methods_without_their_parameters(origin, methods) -> None:
    assert kind_of(origin) == methods


def test_the_best_of_each_kind_races_where_it_is_near_enough() -> None:
    files = [
        file("mdav k=3", 30.0),
        file("liew", 20.0),
        file("mdav k=6", 24.0),
        file("pram p=0.5", 49.0),
        file("noise", 51.0),  # more than two and a half times the best
        file("rank-swapping p=5", 21.0, infeasibility=0.1),
        file("liew, then labels of sex put right", 20.0),
    ]
    assert best_of_kinds(files, 8).tolist() == [1, 2, 3]
    assert best_of_kinds(files, 2).tolist() == [1, 2]
    broken = [file("mdav k=3", 30.0, 0.2), file("liew", 20.0, 0.5), file("noise", 40.0, 0.2)]
    assert best_of_kinds(broken, 8).tolist() == [0, 2]


@given(st.integers(2, 12), st.integers(1, 16))
def test_each_rung_halves_the_race_and_shares_its_rounds_equally(count: int, rounds: int) -> None:
    members = [file(f"method{slot}", 10.0 + slot) for slot in range(count)]
    rivals, done = np.arange(count), 0
    for _ in range(10):
        if len(rivals) == 1:
            break
        turns = rung(rivals, rounds)
        assert set(turns.tolist()) == set(rivals.tolist())
        assert len(turns) == len(rivals) * max(1, rounds // len(rivals))
        began = np.array([members[slot].objectives[0] for slot in rivals])
        after = done + max(1, rounds // len(rivals))
        following = survivors(rivals, members, began, growths(done, after, 6 * rounds))
        assert following.tolist() == list(range((len(rivals) + 1) // 2))
        rivals, done = following, after
    assert rung(rivals, rounds).tolist() == []


def test_a_long_slope_beats_a_better_file() -> None:
    members = [file("a", 10.0), file("b", 12.0), file("c", 30.0), file("d", 1.0, infeasibility=0.1)]
    began = np.array([10.5, 16.0, 33.0, 20.0])
    assert survivors(np.arange(4), members, began, growths(0, 4, 100)).tolist() == [1, 0]


@given(st.integers(0, 50), st.integers(1, 50), st.integers(1, 1000))
def test_rounds_grow_by_the_factor_of_the_rung(before: int, more: int, rounds: int) -> None:
    after = before + more
    factor = (after + 1) / (before + 1)
    assert (after + 1) * factor ** growths(before, after, rounds) == pytest.approx(max(rounds, 2 * after))


def test_the_share_that_a_score_falls_by_goes_on() -> None:
    assert extrapolated(8.0, 4.0, 1.0) == 2.0
    assert extrapolated(8.0, 4.0, 3.0) == 0.5
    # What does not fall, or is nothing already, is expected to stay.
    assert [extrapolated(*one, 2.0) for one in ((4.0, 4.0), (0.0, 0.0), (4.0, 0.0), (-1.0, -2.0))] == [
        4.0,
        0.0,
        0.0,
        -2.0,
    ]


def test_a_race_that_an_earlier_version_left_is_over() -> None:
    memory = {RATES: np.array([0.5, np.nan]), RIVALS: np.arange(2), WAITING: np.array([0, 1])}
    members = [file("a", 10.0), file("b", 12.0)]
    assert turn(memory) is None
    assert after_round(memory, members, 0, 0.1, 8)[WAITING].tolist() == []


def racing(**params) -> tuple[Memetic, Population]:
    """Return a search and its first population: four files of different kinds, none far from the best."""
    algorithm = memetic(**params)
    every = candidates(40, 1)
    bound = 1.5 * min(one.objectives[0] for one in every)
    near = [one for one in every if one.objectives[0] <= bound][:4]
    return algorithm, algorithm.first_population([renamed(one, f"method{slot}") for slot, one in enumerate(near)])


def renamed(one: Individual, origin: str) -> Individual:
    return Individual(one.genome, one.key, one.scores, one.objectives, origin)


def test_a_search_goes_on_with_who_wins_the_race() -> None:
    """Four kinds: two rungs of four rounds each."""
    algorithm, population = racing(rounds=100, probes=4, kinds=4, rung=4)
    assert sorted(population.memory[WAITING].tolist()) == [0, 1, 2, 3]
    turns: list[int] = []
    while len(population.memory[WAITING]):
        turns.append(int(population.memory[WAITING][0]))
        climber = population[turns[-1]]
        algorithm.toolbox.tried = []
        _, population = stepped(algorithm, population)
        assert algorithm.toolbox.tried[0].parent is climber
    first, second = turns[:4], turns[4:]
    assert sorted(first) == [0, 1, 2, 3]
    assert len(second) == 4
    assert second == sorted(second, key=second.index)
    assert len(set(second)) == 2
    (winner,) = population.memory[RIVALS].tolist()
    assert winner in second
    assert np.flatnonzero(~np.isnan(population.memory[RATES])).tolist() == [winner]


@given(st.integers(1, 9), st.integers(1, 30), st.lists(st.floats(0.0, 0.5), min_size=1, max_size=9))
def test_probes_grow_with_the_rounds_that_a_member_has_had(kinds: int, rounds: int, gains: list[float]) -> None:
    members = [file(f"kind{slot}", 10.0 + slot) for slot in range(kinds)]
    memory, done, winner = begun(members, kinds, rounds), [0] * kinds, 0
    for everyone in range(10 * rounds + 50):
        slot = turn(memory)
        if slot is None:
            assert had(memory, everyone) == done[winner]
            slot = winner
        else:  # within a rung the turns of all begin with the same number
            assert done[slot] - rounds < had(memory, everyone) <= done[slot]
            winner = slot
        gain = gains[everyone % len(gains)]
        members[slot] = file(f"kind{slot}", members[slot].objectives[0] * (1.0 - gain))
        memory = memory | after_round(memory, members, slot, gain, rounds)
        if len(memory[RIVALS]) == 1:
            winner = int(memory[RIVALS][0])
        done[slot] += 1
    assert turn(memory) is None


def test_one_kind_starts_with_the_best_and_has_no_race() -> None:
    for kinds, origins in ((1, ["a", "b", "c"]), (8, ["a", "a", "a"])):
        files = [renamed(one, origin) for one, origin in zip(candidates(3, 1), origins, strict=True)]
        assert memetic(kinds=kinds).first_population(files).memory[WAITING].tolist() == []


def test_a_generation_of_the_population_ends_the_race() -> None:
    algorithm, first = racing(rounds=1, probes=4)
    _, following = stepped(algorithm, Population(first, 1, first.memory))
    assert following.memory[WAITING].tolist() == following.memory[RIVALS].tolist() == []


def test_checkpoints_of_versions_without_a_race_go_on() -> None:
    algorithm, first = racing(rounds=100, probes=4)
    memory = {name: value for name, value in first.memory.items() if name not in (RIVALS, WAITING)}
    population = Population(first, 0, memory)
    for _ in range(3):
        _, population = stepped(algorithm, population)
    assert min(one.objectives for one in population) <= min(one.objectives for one in first)
