"""Every algorithm of the framework against the suite for plugin authors, with parameters of all kinds."""

import random
from typing import Any, ClassVar

import pytest

from evosdc.algorithms.generational import Generational
from evosdc.algorithms.hill_climbing import HillClimbing
from evosdc.algorithms.islands import Islands
from evosdc.algorithms.moead import Decomposition
from evosdc.algorithms.multiobjective import HypervolumeSelection, NonDominatedSorting, ReferencePoints, StrengthPareto
from evosdc.algorithms.parent_child import ParentChild
from evosdc.algorithms.racing import Racing
from evosdc.algorithms.random_search import RandomSearch
from evosdc.algorithms.steady_state import SteadyState
from evosdc.plugins.registry import default_registry
from evosdc.testing import AlgorithmConformance
from evosdc.testing.counting import counting_toolbox


def island_toolbox(objectives=1):
    """Return the suite's toolbox, which also builds algorithms by their names."""
    toolbox = counting_toolbox(objectives)
    toolbox.algorithm = lambda name, params: default_registry().build("algorithm", name, params, toolbox)
    return toolbox


class Suite(AlgorithmConformance):
    """The suite of an algorithm of the framework, whose parameters a subclass names."""

    built = ParentChild
    params: ClassVar[dict[str, Any]] = {}

    def toolbox(self):
        return island_toolbox(self.objectives)

    def algorithm(self, toolbox):
        return self.built(self.built.Params(**self.params), toolbox)


def conforming(cls, objectives=1, improves=True, **params):
    body = {"built": cls, "params": params, "objectives": objectives, "improves": improves}
    return type(f"Test{cls.__name__}", (Suite,), body)


TestParentChild = conforming(ParentChild)
TestParentChildOfTwoObjectives = conforming(ParentChild, 2, mutation=0.8, duplicates=True)
TestParentChildWithBoth = conforming(ParentChild, variation="and", selection="rank")
TestParentChildThatAdapts = conforming(ParentChild, adaptive=True, selection="stochastic-universal")
TestGenerational = conforming(Generational)
TestGenerationalWithoutElite = conforming(Generational, improves=False, elite=0, population=6)
TestGenerationalWithGap = conforming(Generational, gap=0.3, duplicates=False, selection="truncation")
TestGenerationalWithoutDuplicates = conforming(
    Generational, variation="or", adaptive=True, duplicates=False, selection="roulette"
)
TestSteadyState = conforming(SteadyState)
TestSteadyStateOfTwoObjectives = conforming(SteadyState, 2, tournament=3, always=True, duplicates=True)
TestSteadyStateWithASchedule = conforming(SteadyState, schedule={"over": 5, "crossover": 0.1})
TestSteadyStateWithBoth = conforming(SteadyState, variation="and")
TestDecomposition = conforming(Decomposition, 2, population=20)
TestHypervolumeSelection = conforming(HypervolumeSelection, 2, schedule={"over": 5, "mutation": 0.1})
TestNsga2 = conforming(NonDominatedSorting, 2)
TestNsga2OfOneObjective = conforming(NonDominatedSorting, population=6, offspring=9, variation="or", adaptive=True)
TestNsga3 = conforming(ReferencePoints, 3)
TestSpea2 = conforming(StrengthPareto, 2)
# By design the population of a random search stays what it was.
TestRandomSearch = conforming(RandomSearch, improves=False, candidates=20)
TestFreshRandomSearch = conforming(RandomSearch, improves=False, draws="fresh", candidates=5)
TestHillClimbing = conforming(HillClimbing, patience=5)
TestIslands = conforming(Islands, islands=3, interval=4)
TestIslandsOfClimbers = conforming(Islands, islands=2, interval=1, inner={"name": "hill-climbing", "patience": 3})
TestIslandsOfFronts = conforming(Islands, 2, islands=5, interval=3, migrants=1, inner="nsga2")
TestRacing = conforming(Racing, population=10, children=8)
TestRacingOfTwoObjectives = conforming(Racing, 2, population=10, children=8)

SUITES = {name: suite for name, suite in globals().items() if name.startswith("Test")}
del AlgorithmConformance


@pytest.mark.parametrize("suite", SUITES.values(), ids=SUITES)
def test_what_others_draw_while_children_are_evaluated_changes_nothing(suite):
    """Threads of an executor draw from Python's global generator while a step waits for values."""
    own, ends = suite(), []
    for others in (0, 3):
        algorithm = own.made()
        evaluate = algorithm.toolbox.evaluate

        def watched(individual, evaluate=evaluate, others=others):
            for _ in range(others):
                random.random()
            return evaluate(individual)

        algorithm.toolbox.register("evaluate", watched)
        ends.append([(one.key, one.objectives) for one in own.history(algorithm, 6)[-1]])
    assert ends[0] == ends[1]
