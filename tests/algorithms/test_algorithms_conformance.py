from evosdc.algorithms.generational import Generational
from evosdc.algorithms.parent_child import ParentChild
from evosdc.algorithms.steady_state import SteadyState
from evosdc.testing import AlgorithmConformance


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


del AlgorithmConformance
