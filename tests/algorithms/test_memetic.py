"""The memetic search: its conformance, its rounds, and the kinds of moves that it tries."""

from __future__ import annotations

import numpy as np
import pytest
from deap import base

from evosdc.algorithms.halving import RATES
from evosdc.algorithms.memetic import Memetic
from evosdc.algorithms.moves import Move, first_credit, moves_of, shares_of, update_credit
from evosdc.algorithms.parent_child import ParentChild
from evosdc.errors import ParameterError
from evosdc.model import Genotype, Individual, Local, Population, Siblings, toolbox_of
from evosdc.testing import AlgorithmConformance
from evosdc.testing.counting import candidates, counting_toolbox
from evosdc_measures.fitness import Max
from tests.algorithms.stepping import stepped


class Vectors(Local):
    """Vectors of `evosdc.testing.counting`, with moves of two kinds, each of one entry."""

    moves = ("small", "large")

    def moved(self, g, kinds, costly, through, rng):
        self.toolbox.rng = rng
        return [self.toolbox.mutate(Individual.unevaluated(g, ""))[0].genome for _ in kinds]

    def combined(self, g, changed):
        together = g.copy()
        for other in reversed(changed):
            together[other != g] = other[other != g]
        together.flags.writeable = False
        return together

    def key(self, g):
        return self.toolbox.key(g)


class Alone(Vectors):
    """Changes cannot be put together."""

    def combined(self, g, changed):
        return None


class Unmoved(Genotype):
    """The same vectors, of which nothing is known but how they are mutated."""

    def key(self, g):
        return self.toolbox.key(g)


for genotype in (Vectors, Alone, Unmoved):
    genotype.__abstractmethods__ = frozenset()


def searching(kind: type[Genotype] = Vectors) -> base.Toolbox:
    """Return the toolbox of a search on vectors; it judges siblings as the engine does, and keeps them."""
    toolbox, genotype = counting_toolbox(), kind(None, None)
    genotype.toolbox, genotype.crossover, genotype.mutate = counting_toolbox(), None, None
    own = toolbox_of(genotype)
    for name in {"siblings", "together"} & set(vars(own)):
        toolbox.register(name, getattr(own, name))
    toolbox.genotype, toolbox.fitness, toolbox.own_mutation = genotype, Max(Max.Params()), False
    toolbox.register("algorithm", lambda name, params: ParentChild(ParentChild.Params(**params), toolbox))
    toolbox.tried = []

    def tries(siblings: Siblings) -> Siblings:
        genomes = [siblings.genome(place) for place in range(len(siblings))]
        values = [toolbox.evaluate(siblings.parent.child(genome, "")) for genome in genomes]
        scores = {name: np.array([value.scores[name] for value in values]) for name in values[0].scores}
        siblings.judged(scores, list(np.array(values).T))
        toolbox.tried.append(siblings)
        return siblings

    toolbox.register("tries", tries)
    toolbox.register("contributions", lambda individual: [])
    return toolbox


def memetic(toolbox: base.Toolbox | None = None, **params: object) -> Memetic:
    return Memetic(Memetic.Params(**params), toolbox or searching())


class TestMemetic(AlgorithmConformance):
    kind: type[Genotype] = Vectors

    def toolbox(self):
        return searching(self.kind)

    def algorithm(self, toolbox):
        return memetic(toolbox, rounds=2, probes=8)


class TestMemeticWithoutCombinations(TestMemetic):
    kind = Alone

    def algorithm(self, toolbox):
        return memetic(toolbox, rounds=3, probes=5, climbers=1, inner="parent-child")


class TestMemeticOfMutants(TestMemetic):
    kind = Unmoved


del AlgorithmConformance


def round_of(algorithm: Memetic, population: Population) -> tuple[list[Individual], list[Siblings], Population]:
    """Return the children of a generation, the siblings that were judged in it, and the population after it."""
    algorithm.toolbox.tried = []
    children, after = stepped(algorithm, population)
    return children, algorithm.toolbox.tried, after


@pytest.mark.parametrize(
    ("growth", "most", "tried"),
    [(2.5, 16, (10, 12, 15, 16, 16)), (0, 16, (10,) * 5), (2.5, 4, (10,) * 5), (7, 1000, (10, 17, 24, 31, 38))],
)
def test_each_round_tries_more_than_the_one_before(growth, most, tried) -> None:
    algorithm = memetic(rounds=9, probes=10, growth=growth, most_probes=most, kinds=1)
    population = algorithm.first_population(candidates(4, 1))
    for count in tried:
        _, batches, population = round_of(algorithm, population)
        assert len(batches[0]) == count


def test_where_children_are_judged_by_the_records_they_change_rounds_are_many_and_grow() -> None:
    def tried(kind, generation, **params):
        """Return how many changes are tried in a generation; None where it is one of the population."""
        algorithm = memetic(searching(kind), probes=10, **params)
        first = algorithm.first_population(candidates(4, 1))
        _, batches, _ = round_of(algorithm, Population(first, generation, first.memory))
        return len(batches[0]) if batches else None

    assert tried(Unmoved, 4) == 10
    assert tried(Unmoved, 60) is None
    assert tried(Vectors, 4) == 18
    assert tried(Vectors, 60) == 130
    assert tried(Vectors, 240) is None
    assert tried(Vectors, 4, growth=0) == 10
    assert tried(Vectors, 3, rounds=3) is None


def test_a_round_probes_and_then_combines_what_paid() -> None:
    algorithm = memetic(rounds=1, probes=30, climbers=1)
    population = algorithm.first_population(candidates(4, 1))
    _, (probes, combined), after = round_of(algorithm, population)
    climber = probes.parent
    assert set(probes.origins) <= {"small", "large", "small where it costs", "large where it costs"}
    assert set(combined.origins) == {"combination"}
    (slot,) = (place for place, one in enumerate(after) if one is not population[place])
    assert population[slot] is climber
    assert after[slot].objectives == min(one.objectives for one in (*probes, *combined))
    # The starting files are improved before they are mixed.
    children, batches, evolved = round_of(algorithm, after)
    assert not batches
    assert {child.origin for child in children} <= {"mutation", "crossover"}
    assert min(i.objectives for i in evolved) <= after[slot].objectives
    assert len(evolved) == 4


def test_a_mutation_of_ones_own_is_one_of_the_moves() -> None:
    toolbox = searching()
    toolbox.own_mutation = True
    algorithm = memetic(toolbox, probes=60)
    _, batches, _ = round_of(algorithm, algorithm.first_population(candidates(4, 1)))
    assert "mutation" in {origin for batch in batches for origin in batch.origins}


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
    moves = moves_of(Vectors(None, None), burdened)
    credit = first_credit(moves, burdened)
    assert credit.sum() == pytest.approx(1.0)
    assert sum(share for move, share in zip(moves, credit.tolist(), strict=True) if move.costly) == burdened
    assert len({move.name for move in moves}) == len(moves) == (4 if burdened == 0.3 else 2)


def test_a_genotype_without_moves_is_mutated() -> None:
    moves = moves_of(Unmoved(None, None), 1.0)
    assert moves == (Move("mutation", False),)
    assert first_credit(moves, 1.0).tolist() == [1.0]


def chosen(algorithm: Memetic, scores: list[float], rates: list[float], rounds: int) -> int:
    """Return the member that is improved, of three with these scores and this progress."""
    vectors = candidates(3, 1)
    members = [
        Individual(one.genome, one.key, {"il": score, "dr": 0.0}, (score,), "start")
        for one, score in zip(vectors, scores, strict=True)
    ]
    first = algorithm.first_population(members)
    population = Population(first, rounds, first.memory | {RATES: np.array(rates)})
    _, batches, _ = round_of(algorithm, population)
    return members.index(batches[0].parent)


def test_the_member_is_improved_that_is_expected_to_get_best() -> None:
    algorithm, unknown = memetic(rounds=1000, horizon=10), np.nan
    assert chosen(algorithm, [33.0, 31.0, 35.0], [unknown] * 3, 0) == 1
    # After ten more rounds 32 - 3 is worse than 28; after a quarter of those that have been, 32 - 6 is better.
    assert chosen(algorithm, [28.0, 32.0, 35.0], [0.0, 0.3, 0.0], 1) == 0
    assert chosen(algorithm, [28.0, 32.0, 35.0], [0.0, 0.3, 0.0], 80) == 1
    # One more member is tried with each doubling of the rounds.
    assert chosen(algorithm, [28.0, 32.0, 35.0], [0.1, unknown, unknown], 9) == 0
    assert chosen(algorithm, [28.0, 32.0, 35.0], [0.1, unknown, unknown], 10) == 1
    assert chosen(algorithm, [28.0, 32.0, 35.0], [0.1, 0.0, unknown], 29) == 0
    assert chosen(algorithm, [28.0, 32.0, 35.0], [0.1, 0.0, unknown], 30) == 2
