import random

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


class TestParentChild(AlgorithmConformance):
    def algorithm(self, toolbox):
        return ParentChild(ParentChild.Params(), toolbox)


class TestParentChildOfTwoObjectives(AlgorithmConformance):
    objectives = 2

    def algorithm(self, toolbox):
        return ParentChild(ParentChild.Params(mutation=0.8, duplicates=True), toolbox)


class TestGenerational(AlgorithmConformance):
    def algorithm(self, toolbox):
        return Generational(Generational.Params(), toolbox)


class TestGenerationalWithoutElite(AlgorithmConformance):
    improves = False

    def algorithm(self, toolbox):
        return Generational(Generational.Params(elite=0, population=6), toolbox)


class TestSteadyState(AlgorithmConformance):
    def algorithm(self, toolbox):
        return SteadyState(SteadyState.Params(), toolbox)


class TestSteadyStateOfTwoObjectives(AlgorithmConformance):
    objectives = 2

    def algorithm(self, toolbox):
        return SteadyState(SteadyState.Params(tournament=3, always=True, duplicates=True), toolbox)


class TestDecomposition(AlgorithmConformance):
    objectives = 2

    def algorithm(self, toolbox):
        return Decomposition(Decomposition.Params(population=20), toolbox)


class TestHypervolumeSelection(AlgorithmConformance):
    objectives = 2

    def algorithm(self, toolbox):
        return HypervolumeSelection(HypervolumeSelection.Params(schedule={"over": 5, "mutation": 0.1}), toolbox)


class TestSteadyStateWithASchedule(AlgorithmConformance):
    def algorithm(self, toolbox):
        return SteadyState(SteadyState.Params(schedule={"over": 5, "crossover": 0.1}), toolbox)


class TestParentChildWithBoth(AlgorithmConformance):
    def algorithm(self, toolbox):
        return ParentChild(ParentChild.Params(variation="and", selection="rank"), toolbox)


class TestParentChildThatAdapts(AlgorithmConformance):
    def algorithm(self, toolbox):
        return ParentChild(ParentChild.Params(adaptive=True, selection="stochastic-universal"), toolbox)


class TestGenerationalWithGap(AlgorithmConformance):
    def algorithm(self, toolbox):
        params = Generational.Params(gap=0.3, duplicates=False, selection="truncation")
        return Generational(params, toolbox)


class TestGenerationalWithoutDuplicates(AlgorithmConformance):
    def algorithm(self, toolbox):
        params = Generational.Params(variation="or", adaptive=True, duplicates=False, selection="roulette")
        return Generational(params, toolbox)


class TestSteadyStateWithBoth(AlgorithmConformance):
    def algorithm(self, toolbox):
        return SteadyState(SteadyState.Params(variation="and"), toolbox)


class TestNsga2(AlgorithmConformance):
    objectives = 2

    def algorithm(self, toolbox):
        return NonDominatedSorting(NonDominatedSorting.Params(), toolbox)


class TestNsga2OfOneObjective(AlgorithmConformance):
    def algorithm(self, toolbox):
        params = NonDominatedSorting.Params(population=6, offspring=9, variation="or", adaptive=True)
        return NonDominatedSorting(params, toolbox)


class TestNsga3(AlgorithmConformance):
    objectives = 3

    def algorithm(self, toolbox):
        return ReferencePoints(ReferencePoints.Params(), toolbox)


class TestSpea2(AlgorithmConformance):
    objectives = 2

    def algorithm(self, toolbox):
        return StrengthPareto(StrengthPareto.Params(), toolbox)


class TestRandomSearch(AlgorithmConformance):
    improves = False  # by design: the population stays what it was

    def algorithm(self, toolbox):
        return RandomSearch(RandomSearch.Params(candidates=20), toolbox)


class TestFreshRandomSearch(AlgorithmConformance):
    improves = False

    def algorithm(self, toolbox):
        return RandomSearch(RandomSearch.Params(draws="fresh", candidates=5), toolbox)


class TestHillClimbing(AlgorithmConformance):
    def algorithm(self, toolbox):
        return HillClimbing(HillClimbing.Params(patience=5), toolbox)


def island_toolbox(objectives=1):
    toolbox = counting_toolbox(objectives)
    toolbox.algorithm = lambda name, params: default_registry().build("algorithm", name, params, toolbox)
    return toolbox


class TestIslands(AlgorithmConformance):
    def toolbox(self):
        return island_toolbox(self.objectives)

    def algorithm(self, toolbox):
        return Islands(Islands.Params(islands=3, interval=4), toolbox)


class TestIslandsOfClimbers(AlgorithmConformance):
    def toolbox(self):
        return island_toolbox(self.objectives)

    def algorithm(self, toolbox):
        inner = {"name": "hill-climbing", "patience": 3}
        return Islands(Islands.Params(islands=2, interval=1, inner=inner), toolbox)


class TestIslandsOfFronts(AlgorithmConformance):
    objectives = 2

    def toolbox(self):
        return island_toolbox(self.objectives)

    def algorithm(self, toolbox):
        return Islands(Islands.Params(islands=5, interval=3, migrants=1, inner="nsga2"), toolbox)


class TestRacing(AlgorithmConformance):
    def algorithm(self, toolbox):
        return Racing(Racing.Params(population=10, children=8), toolbox)


class TestRacingOfTwoObjectives(AlgorithmConformance):
    objectives = 2

    def algorithm(self, toolbox):
        return Racing(Racing.Params(population=10, children=8), toolbox)


SUITES = AlgorithmConformance.__subclasses__()
del AlgorithmConformance


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.__name__)
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
