"""What passes the algorithm suite, and the faults that it finds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from evosdc.model import Algorithm, Offspring, Population, Proposing, evaluate
from evosdc.testing import AlgorithmConformance
from evosdc.testing.counting import counted
from tests.testing.findings import findings


class Climbing(Algorithm):
    """Every individual is replaced by a mutant that dominates it; the memory counts the replacements."""

    def mutants(self, population):
        children = []
        for individual in population:
            (child,) = self.toolbox.mutate(self.toolbox.clone(individual))
            del child.fitness.values
            children.append(child)
        return evaluate(children, self.toolbox)

    def step(self, population):
        pairs = list(zip(population, self.mutants(population), strict=True))
        taken = sum(child.dominates(parent) for parent, child in pairs)
        before = int(population.memory.get("taken", np.zeros(1))[0])
        survivors = [child if child.dominates(parent) else parent for parent, child in pairs]
        return population.following(survivors, {"taken": np.array([before + taken])})


class TestClimbing(AlgorithmConformance):
    def algorithm(self, toolbox):
        return Climbing(Climbing.Params(), toolbox)


class TestClimbingWithTwoObjectives(TestClimbing):
    objectives = 2


class Halving(Proposing):
    """Walks by a plan: each gene of the best in turn becomes half of what it is."""

    def propose(self, population):
        slot = min(range(len(population)), key=lambda place: population[place].precedence)
        genome = population[slot].genome.copy()
        genome[population.generation % len(genome)] //= 2
        genome.flags.writeable = False
        return [Offspring(genome, "halved", (slot,))]

    def replace(self, population, offspring, evaluated):
        following = list(population)
        (slot,) = offspring[0].parents
        if evaluated[0].dominates(following[slot]):
            following[slot] = evaluated[0]
        return population.following(following)


class TestHalving(AlgorithmConformance):
    def algorithm(self, toolbox):
        return Halving(Halving.Params(), toolbox)


def test_what_is_proposed_is_told_of_its_parent_and_its_origin():
    class Suite(AlgorithmConformance):
        def algorithm(self, toolbox):
            return Halving(Halving.Params(), toolbox)

    suite, seen = Suite(), []
    algorithm = suite.made()
    population = suite.first(algorithm)
    judge = algorithm.toolbox.evaluate

    def watched(child):
        seen.append((child.origin, child.parent))
        return judge(child)

    algorithm.toolbox.register("evaluate", watched)
    suite.generation(algorithm, population)
    assert seen == [("halved", min(population, key=lambda one: one.precedence))]


class KeepsTrackItself(Climbing):
    calls = 0

    def step(self, population):
        self.calls += 1
        children = self.mutants(population)
        return population.following([*children[: self.calls % 3], *population[self.calls % 3 :]])


class UsesEntropy(Climbing):
    def step(self, population):
        children = list(self.mutants(population))
        random.SystemRandom().shuffle(children)
        return population.following(children)


class DrawsFromTheStart(Climbing):
    def first_population(self, candidates):
        return Population(random.SystemRandom().sample(list(candidates), len(candidates)))


class Invents(Climbing):
    def step(self, population):
        self.mutants(population)
        return population.following([counted(np.zeros(8, dtype=np.int64), 1)])


class InventsTheStart(Climbing):
    def first_population(self, candidates):
        return Population([counted(np.zeros(8, dtype=np.int64), 1), *candidates])


class EvaluatesNothing(Climbing):
    def step(self, population):
        return population.following([self.toolbox.mutate(self.toolbox.clone(one))[0] for one in population])


class DiesOut(Climbing):
    def step(self, population):
        return population.following([])


class ChangesTheMemory(Climbing):
    def first_population(self, candidates):
        return Population(candidates, memory={"taken": np.zeros(1)})

    def step(self, population):
        self.mutants(population)
        population.memory["taken"][0] += 1
        return population


class ChangesThePopulation(Climbing):
    def step(self, population):
        population[:] = self.mutants(population)
        return population


class MutatesParents(Climbing):
    def step(self, population):
        for individual in population:
            self.toolbox.mutate(individual)
            del individual.fitness.values
        return population.following(evaluate(population, self.toolbox))


class RemembersObjects(Climbing):
    def step(self, population):
        following = super().step(population)
        return following.following(memory={"best": np.array([following[0].origin, None], dtype=object)})


class StandsStill(Climbing):
    def step(self, population):
        self.mutants(population)
        return population


VALUES = "test_populations_are_values"
SURVIVORS = "test_survivors_come_from_the_population_or_have_been_evaluated"
STREAMS = "test_the_streams_alone_decide"

FAULTS = [
    (KeepsTrackItself, "test_nothing_is_remembered_between_calls", "keep what is needed in its memory"),
    (UsesEntropy, STREAMS, "equal streams gave different populations"),
    (DrawsFromTheStart, STREAMS, "equal streams gave different populations"),
    (Invents, SURVIVORS, "invented an individual"),
    (InventsTheStart, "test_the_first_population_is_chosen_from_the_candidates", "invented an individual"),
    (EvaluatesNothing, SURVIVORS, "invented an individual"),
    (DiesOut, "test_one_candidate_is_enough", "died out"),
    (ChangesTheMemory, VALUES, "changed the population"),
    (ChangesThePopulation, VALUES, "changed the population"),
    (MutatesParents, VALUES, "changed the population"),
    (RemembersObjects, "test_memory_goes_through_npz", "array of objects"),
    (StandsStill, "test_the_search_gets_somewhere", "after 40 generations"),
]


@pytest.mark.parametrize(("algorithm", "test", "message"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_the_fault_is_found(algorithm: type[Algorithm], test: str, message: str) -> None:
    class Suite(AlgorithmConformance):
        def algorithm(self, toolbox):
            return algorithm(algorithm.Params(), toolbox)

    assert message in findings(Suite, test)[test]
