"""The memetic search: its conformance, its rounds, and how changes are put together."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from evosdc.algorithms.combination import promising
from evosdc.algorithms.halving import RATES
from evosdc.algorithms.memetic import Memetic
from evosdc.algorithms.moves import Move, first_credit, moves_of, shares_of, update_credit
from evosdc.algorithms.parent_child import ParentChild
from evosdc.errors import ParameterError
from evosdc.model import Genotype, Individual, Movable, Population
from evosdc.secret import Streams
from evosdc.testing import AlgorithmConformance
from evosdc.testing.counting import candidates, counted, counting_toolbox


def combined(genome, changed):
    combination = genome.copy()
    for other in reversed(changed):
        combination[other != genome] = other[other != genome]
    combination.flags.writeable = False
    return combination


class Counting(Movable):
    """Moves of two kinds; what they do is set from without."""

    moves = ("small", "large")

    def move(self, g, kind, rng, records=None):
        raise NotImplementedError

    def decode(self, g, rng):
        return g


Counting.__abstractmethods__ = frozenset()


def toolbox_of(together=combined):
    toolbox = counting_toolbox()
    toolbox.algorithm = lambda name, params: ParentChild(ParentChild.Params(**params), toolbox)
    toolbox.burdens = lambda individual: []
    toolbox.fitness = SimpleNamespace(combine=lambda scores: (max(scores["il"], scores["dr"]),), reads=None, sums=None)
    toolbox.genotype = Counting(None, None)
    toolbox.genotype.move = lambda genome, kind, rng, records: toolbox.mutate(genome, rng)
    toolbox.genotype.combined = together
    return toolbox


class TestMemetic(AlgorithmConformance):
    def toolbox(self):
        return toolbox_of()

    def algorithm(self, toolbox):
        return Memetic(Memetic.Params(rounds=2, probes=8), toolbox)


class TestMemeticWithoutCombinations(AlgorithmConformance):
    def toolbox(self):
        return toolbox_of(lambda genome, changed: None)

    def algorithm(self, toolbox):
        return Memetic(Memetic.Params(rounds=3, probes=5, climbers=1, inner="parent-child"), toolbox)


del AlgorithmConformance


def scored(il: float, dr: float, **others: float) -> Individual:
    return Individual(None, b"", {"il": il, "dr": dr, **others}, (max(il, dr),), "probe")


GREATER = SimpleNamespace(combine=lambda scores: (max(scores["il"], scores["dr"]),), reads=None, sums=None)


def test_a_change_of_the_loss_and_one_of_the_risk_come_together_where_neither_helps_alone() -> None:
    # The first change must already be better: the loss is the greater one here.
    climber = scored(30.2, 30.0)
    lower_loss, lower_risk, useless = scored(29.0, 30.1), scored(30.1, 29.0), scored(31.0, 31.0)
    sets = promising(climber, (lower_loss, lower_risk, useless), GREATER, 20, np.random.default_rng(0))
    assert {frozenset(chosen) for chosen in sets} == {frozenset({0, 1})}


def test_what_a_fitness_raises_about_an_estimate_is_no_fault_of_any_file() -> None:
    def combine(scores):
        if scores["il"] < 28.5:
            raise ValueError("no such loss")
        return (max(scores["il"], scores["dr"]),)

    climber, probes = scored(30.2, 30.0), (scored(29.0, 30.1), scored(30.1, 29.0), scored(28.0, 30.1))
    sets = promising(
        climber, probes, SimpleNamespace(combine=combine, reads=None, sums=None), 20, np.random.default_rng(0)
    )
    assert {frozenset(chosen) for chosen in sets} == {frozenset({0, 1})}


def test_no_set_is_predicted_to_be_worse_than_the_climber() -> None:
    rng = np.random.default_rng(1)
    climber = scored(30.0, 31.0)
    probes = [scored(30.0 + d, 31.0 + e) for d, e in rng.normal(0, 0.3, (40, 2)).tolist()]
    sets = promising(climber, probes, GREATER, 5, rng)
    assert sets
    for chosen in sets:
        il = 30.0 + sum(probes[i].scores["il"] - 30.0 for i in chosen)
        dr = 31.0 + sum(probes[i].scores["dr"] - 31.0 for i in chosen)
        assert max(il, dr) < 31.0


def test_scores_that_a_fitness_does_not_read_decide_nothing() -> None:
    rng = np.random.default_rng(2)
    climber = scored(30.0, 31.0, other=1.0)
    probes = [scored(30.0 + d, 31.0 + e, other=f) for d, e, f in rng.normal(0, 0.3, (40, 3)).tolist()]
    told = SimpleNamespace(combine=GREATER.combine, reads=("il", "dr"), sums=None)
    sets = [promising(climber, probes, fitness, 5, np.random.default_rng(3)) for fitness in (GREATER, told)]
    assert sets[0] == sets[1] != []


@pytest.mark.parametrize(
    ("growth", "most", "tried"),
    [(2.5, 16, (10, 12, 15, 16, 16)), (0, 16, (10,) * 5), (2.5, 4, (10,) * 5), (7, 1000, (10, 17, 24, 31, 38))],
)
def test_each_round_tries_more_than_the_one_before(growth, most, tried) -> None:
    params = Memetic.Params(rounds=9, probes=10, growth=growth, most_probes=most)
    algorithm = Memetic(params, toolbox_of())
    population = algorithm.first_population(candidates(4, 1))
    for number, count in enumerate(tried):
        assert len(algorithm.propose(replace(population, generation=2 * number), Streams(1))) == count


def test_where_children_are_judged_by_the_records_they_change_rounds_are_many_and_grow(monkeypatch) -> None:
    def tried(generation, **params):
        algorithm = Memetic(Memetic.Params(probes=10, **params), toolbox_of())
        population = algorithm.first_population(candidates(4, 1))
        offspring = algorithm.propose(replace(population, generation=generation), Streams(1))
        return len(offspring), {item.origin for item in offspring} <= {"mutation", "crossover"}

    assert tried(8) == (10, False)
    assert tried(120)[1]
    monkeypatch.setattr("evosdc.algorithms.memetic.RecordDecoded", object)
    assert tried(8) == (18, False)
    assert tried(120) == (130, False)
    assert tried(480)[1]
    assert tried(8, growth=0) == (10, False)
    assert tried(6, rounds=3)[1]


def test_a_round_probes_and_then_combines_what_paid() -> None:
    algorithm = Memetic(Memetic.Params(rounds=1, probes=30, climbers=1), toolbox_of())
    population = algorithm.first_population(candidates(4, 1))
    seen = []
    for generation in range(3):
        population = Population(population.individuals, generation, population.memory)
        offspring = algorithm.propose(population, Streams(1))
        evaluated = [counted(item.genome, 1, item.origin) for item in offspring]
        seen.append({item.origin for item in offspring})
        before = min(i.objectives for i in population.individuals)
        population = algorithm.replace(population, offspring, evaluated)
    # The starting files are improved before they are mixed.
    assert seen[0] <= {"small", "large", "small where it costs", "large where it costs"}
    assert seen[1] == {"combination"}
    assert seen[2] <= {"mutation", "crossover"}
    assert min(i.objectives for i in population.individuals) < before or before == (0.0,)
    assert len(population.individuals) == 4


def test_an_inner_algorithm_of_several_populations_is_refused() -> None:
    with pytest.raises(ValueError, match="an algorithm of one population"):
        Memetic.Params(inner={"name": "islands"})


def test_a_toolbox_without_algorithms_is_refused() -> None:
    with pytest.raises(ParameterError, match="memetic"):
        Memetic(Memetic.Params(), counting_toolbox())


def test_credit_goes_to_the_moves_that_improve_and_no_move_is_forgotten() -> None:
    moves, credit = [Move(name, False) for name in "abcd"], np.full(4, 0.25)
    for _ in range(60):
        credit = update_credit(moves, credit, [0, 0, 1, 3], [0.0, 4.0, 0.0, 1.0])
    # A trial of the first brings 2 on the average; the third was never tried and keeps what it had.
    assert credit == pytest.approx([0.5, 0.0, 0.25, 0.25], abs=0.01)
    assert update_credit(moves, credit, [0, 1], [0.0, 0.0]) is credit
    assert shares_of(moves, credit).sum() == pytest.approx(1.0)
    assert shares_of(moves[:2], np.array([1.0, 0.0])) == pytest.approx([0.95, 0.05])


def test_a_move_of_many_records_has_to_bring_as_many_times_as_much() -> None:
    moves, credit = [Move("one", False), Move("ones", False, 30.0)], np.full(2, 0.5)
    for _ in range(60):
        credit = update_credit(moves, credit, [0, 1], [1.0, 30.0])
    assert credit == pytest.approx([0.5, 0.5], abs=0.01)
    for _ in range(60):
        credit = update_credit(moves, credit, [0, 1], [1.0, 10.0])
    assert credit == pytest.approx([0.75, 0.25], abs=0.01)


def test_moves_that_bring_nothing_are_tried_for_as_many_records_each() -> None:
    moves = [Move("one", False), Move("another", False), Move("tens", False, 10.0)]
    shares = shares_of(moves, np.array([1.0, 0.0, 0.0]))
    assert shares.sum() == pytest.approx(1.0)
    assert shares[1] == pytest.approx(10 * shares[2])
    assert shares[1] + shares[2] == pytest.approx(1.1 * 0.1 / 2.1)


@pytest.mark.parametrize("burdened", [0.0, 0.3, 1.0])
def test_records_are_drawn_by_cost_as_far_as_the_parameter_says(burdened: float) -> None:
    moves = moves_of(Counting(None, None), burdened)
    credit = first_credit(moves, burdened)
    assert credit.sum() == pytest.approx(1.0)
    assert sum(share for move, share in zip(moves, credit.tolist(), strict=True) if move.costly) == burdened
    assert len({move.name for move in moves}) == len(moves) == (4 if burdened == 0.3 else 2)


def test_a_genotype_without_records_has_its_plain_moves() -> None:
    class Plain(Genotype):
        pass

    Plain.__abstractmethods__ = frozenset()
    moves = moves_of(Plain(None, None), 1.0)
    assert moves == (Move("mutation", False),)
    assert first_credit(moves, 1.0).tolist() == [1.0]


def chosen(algorithm: Memetic, scores: list[float], rates: list[float], rounds: int) -> int:
    members = tuple(scored(score, 0.0) for score in scores)
    population = Population(members, 2 * rounds, algorithm.first_population(members).memory | {RATES: np.array(rates)})
    return algorithm.propose(population, Streams(1))[0].parents[0]


def test_the_member_is_improved_that_is_expected_to_get_best() -> None:
    toolbox = toolbox_of()
    toolbox.genotype.move = lambda genome, kind, rng, records: genome
    algorithm, unknown = Memetic(Memetic.Params(rounds=1000, horizon=10), toolbox), np.nan
    assert chosen(algorithm, [33.0, 31.0, 35.0], [unknown] * 3, 0) == 1
    # After ten more rounds 32 - 3 is worse than 28; after a quarter of those that have been, 32 - 6 is better.
    assert chosen(algorithm, [28.0, 32.0, 35.0], [0.0, 0.3, 0.0], 1) == 0
    assert chosen(algorithm, [28.0, 32.0, 35.0], [0.0, 0.3, 0.0], 80) == 1
    # One more member is tried with each doubling of the rounds.
    assert chosen(algorithm, [28.0, 32.0, 35.0], [0.1, unknown, unknown], 9) == 0
    assert chosen(algorithm, [28.0, 32.0, 35.0], [0.1, unknown, unknown], 10) == 1
    assert chosen(algorithm, [28.0, 32.0, 35.0], [0.1, 0.0, unknown], 29) == 0
    assert chosen(algorithm, [28.0, 32.0, 35.0], [0.1, 0.0, unknown], 30) == 2
