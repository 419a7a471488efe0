"""The memetic search: its conformance, its rounds, and how changes are put together."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from evosdc.algorithms.memetic import Memetic, promising
from evosdc.algorithms.parent_child import ParentChild
from evosdc.errors import ParameterError
from evosdc.model import Individual, Population
from evosdc.seeds import Streams
from evosdc.testing import AlgorithmConformance
from evosdc.testing.counting import candidates, counted, counting_toolbox


def combined(genome, changed):
    combination = genome.copy()
    for other in reversed(changed):
        combination[other != genome] = other[other != genome]
    combination.flags.writeable = False
    return combination


def toolbox_of(together=combined):
    toolbox = counting_toolbox()
    toolbox.algorithm = lambda name, params: ParentChild(ParentChild.Params(**params), toolbox)
    toolbox.measures = {}
    toolbox.fitness = SimpleNamespace(combine=lambda scores: (max(scores["il"], scores["dr"]),))
    toolbox.genotype = SimpleNamespace(
        moves=("small", "large"),
        move=lambda genome, kind, rng, weights: toolbox.mutate(genome, rng),
        combined=together,
    )
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


def scored(il: float, dr: float) -> Individual:
    return Individual(None, b"", {"il": il, "dr": dr}, (max(il, dr),), "probe")


GREATER = SimpleNamespace(combine=lambda scores: (max(scores["il"], scores["dr"]),))


def test_a_change_of_the_loss_and_one_of_the_risk_come_together_where_neither_helps_alone() -> None:
    # The first change must already be better: the loss is the greater one here.
    climber = scored(30.2, 30.0)
    lower_loss, lower_risk, useless = scored(29.0, 30.1), scored(30.1, 29.0), scored(31.0, 31.0)
    sets = promising(climber, (lower_loss, lower_risk, useless), GREATER, 20, np.random.default_rng(0))
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


def test_a_round_probes_and_then_combines_what_paid() -> None:
    algorithm = Memetic(Memetic.Params(rounds=1, probes=30, climbers=1), toolbox_of())
    population = algorithm.initial(candidates(4, 1))
    seen = []
    for generation in range(3):
        population = Population(population.individuals, generation, population.memory)
        offspring = algorithm.propose(population, Streams(1))
        evaluated = [counted(item.genome, 1, item.origin) for item in offspring]
        seen.append({item.origin for item in offspring})
        before = min(i.objectives for i in population.individuals)
        population = algorithm.replace(population, offspring, evaluated)
    assert seen[0] <= {"mutation", "crossover"}
    assert seen[1] <= {"small", "large"}
    assert seen[2] == {"combination"}
    assert min(i.objectives for i in population.individuals) < before or before == (0.0,)
    assert len(population.individuals) == 4


def test_an_inner_algorithm_of_several_populations_is_refused() -> None:
    with pytest.raises(ValueError, match="an algorithm of one population"):
        Memetic.Params(inner={"name": "islands"})


def test_a_toolbox_without_algorithms_is_refused() -> None:
    with pytest.raises(ParameterError, match="memetic"):
        Memetic(Memetic.Params(), counting_toolbox())
