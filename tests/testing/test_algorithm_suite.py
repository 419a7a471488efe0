"""What passes the algorithm suite, and the faults that it finds."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from evosdc.model import Algorithm, Offspring, Population
from evosdc.testing import AlgorithmConformance
from evosdc.testing.counting import counted
from tests.testing.findings import findings


class Climbing(Algorithm):
    """Every individual is replaced by a mutant that dominates it; the memory counts the replacements."""

    def propose(self, population, streams):
        return [
            Offspring(
                self.toolbox.mutate(individual.genome, streams.vary(population.generation, slot)),
                "mutation",
                (slot,),
                individual,
            )
            for slot, individual in enumerate(population.individuals)
        ]

    def replace(self, population, offspring, evaluated):
        pairs = list(zip(population.individuals, evaluated, strict=True))
        taken = sum(child.fitness.dominates(parent.fitness) for parent, child in pairs)
        before = int(population.memory.get("taken", np.zeros(1))[0])
        survivors = tuple(child if child.fitness.dominates(parent.fitness) else parent for parent, child in pairs)
        return replace(population, individuals=survivors, memory={"taken": np.array([before + taken])})


class TestClimbing(AlgorithmConformance):
    def algorithm(self, toolbox):
        return Climbing(Climbing.Params(), toolbox)


class TestClimbingWithTwoObjectives(TestClimbing):
    objectives = 2


class KeepsTrackItself(Climbing):
    calls = 0

    def propose(self, population, streams):
        self.calls += 1
        return super().propose(population, streams)[: 1 + self.calls % 3]

    def replace(self, population, offspring, evaluated):
        individuals = list(population.individuals)
        for item, child in zip(offspring, evaluated, strict=True):
            individuals[item.parents[0]] = child
        return replace(population, individuals=tuple(individuals))


class UsesGlobalRandom(Climbing):
    def propose(self, population, streams):
        offspring = super().propose(population, streams)
        random.shuffle(offspring)
        return offspring

    def replace(self, population, offspring, evaluated):
        return replace(population, individuals=tuple(evaluated))


class Invents(Climbing):
    def replace(self, population, offspring, evaluated):
        return replace(population, individuals=(counted(np.zeros(8, dtype=np.int64), 1),))


class InventsTheStart(Climbing):
    def first_population(self, candidates):
        return Population((counted(np.zeros(8, dtype=np.int64), 1), *candidates))


class DiesOut(Climbing):
    def replace(self, population, offspring, evaluated):
        return replace(population, individuals=())


class NamesNoParents(Climbing):
    def propose(self, population, streams):
        return [replace(item, parents=(item.parents[0] + 1,)) for item in super().propose(population, streams)]


class ChangesThePopulation(Climbing):
    def first_population(self, candidates):
        return Population(tuple(candidates), memory={"taken": np.zeros(1)})

    def replace(self, population, offspring, evaluated):
        population.memory["taken"][0] += 1
        return population


class RemembersObjects(Climbing):
    def replace(self, population, offspring, evaluated):
        following = super().replace(population, offspring, evaluated)
        return replace(following, memory={"best": np.array([evaluated[0].origin, None], dtype=object)})


class StandsStill(Climbing):
    def replace(self, population, offspring, evaluated):
        return population


FAULTS = [
    (KeepsTrackItself, "test_nothing_is_remembered_between_calls", "keep what is needed in its memory"),
    (UsesGlobalRandom, "test_the_streams_alone_decide", "global state"),
    (Invents, "test_survivors_come_from_the_population_or_the_offspring", "invented an individual"),
    (InventsTheStart, "test_the_first_population_is_chosen_from_the_candidates", "invented an individual"),
    (DiesOut, "test_one_candidate_is_enough", "died out"),
    (NamesNoParents, "test_offspring_name_their_parents", "slot does not exist"),
    (ChangesThePopulation, "test_populations_are_values", "changed the population"),
    (RemembersObjects, "test_memory_goes_through_npz", "array of objects"),
    (StandsStill, "test_the_search_gets_somewhere", "after 40 generations"),
]


@pytest.mark.parametrize(("algorithm", "test", "message"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_the_fault_is_found(algorithm: type[Algorithm], test: str, message: str) -> None:
    class Suite(AlgorithmConformance):
        def algorithm(self, toolbox):
            return algorithm(algorithm.Params(), toolbox)

    assert message in findings(Suite, test)[test]
