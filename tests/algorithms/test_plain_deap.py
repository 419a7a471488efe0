"""All algorithms on a plain DEAP toolbox, and DEAP's own algorithms on individuals of evosdc."""

import random

import moocore
import numpy as np
import pytest
from deap import algorithms, base, tools

from evosdc.model import Individual, Population
from evosdc.plugins.registry import default_registry

GENES = 12


def mate(one, other):
    """Cross two individuals in place, as DEAP's operators do."""
    one.genome, other.genome = map(tuple, tools.cxTwoPoint(list(one.genome), list(other.genome)))
    return one, other


def mutate(one):
    """Change a gene of an individual in place."""
    genes = list(one.genome)
    genes[random.randrange(GENES)] = random.randrange(10)
    one.genome = tuple(genes)
    return (one,)


def evaluate(one):
    """Return the sum of the genes, and the sum of what they lack to 9: no genome is best in both."""
    objectives = len(one.fitness.weights)
    distances = [[abs(gene - target) for gene in one.genome] for target in (0, 9, 4)[:objectives]]
    return tuple(float(sum(gap * gap for gap in gaps)) for gaps in distances)


def fresh(objectives):
    return Individual.unevaluated(tuple(random.randrange(10) for _ in range(GENES)), "random", objectives)


def toolbox_of(objectives):
    toolbox = base.Toolbox()
    toolbox.register("mate", mate)
    toolbox.register("mutate", mutate)
    toolbox.register("evaluate", evaluate)
    return toolbox


def start(toolbox, objectives, count=24):
    made = [fresh(objectives) for _ in range(count)]
    for one, values in zip(made, toolbox.map(toolbox.evaluate, made), strict=True):
        one.fitness.values = values
    return made


@pytest.fixture(autouse=True)
def _seeded():
    random.seed(3)
    np.random.seed(3)


def evolved(name, toolbox, objectives, generations=25, **params):
    """Return the first population and the last one."""
    algorithm = default_registry().build("algorithm", name, params, toolbox)
    first = population = algorithm.first_population(start(toolbox, objectives))
    for generation in range(generations):
        held = [(one.genome, one.objectives) for one in population]
        after = algorithm.step(population)
        assert [(one.genome, one.objectives) for one in population] == held, "a step changed the population"
        assert all(one.fitness.valid and one.objectives == evaluate(one) for one in after)
        population = Population(after, generation + 1, after.memory)
    return first, population


def least(population):
    return min(one.objectives for one in population)[0]


def dominated(population):
    """Return the hypervolume that a population dominates."""
    values = np.array([one.objectives for one in population])
    return moocore.hypervolume(values, ref=np.full(values.shape[1], 81.0 * GENES))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("parent-child", {}),
        ("generational", {}),
        ("steady-state", {}),
        ("hill-climbing", {"mutants": 20}),
        ("nsga2", {}),
        ("racing", {"population": 8}),
    ],
)
def test_a_search_for_the_best_finds_better_ones(name, params):
    first, last = evolved(name, toolbox_of(1), 1, **params)
    assert least(last) < 0.6 * least(first)


@pytest.mark.parametrize("name", ["islands"])
def test_algorithms_made_of_others_are_given_these(name):
    toolbox = toolbox_of(1)
    toolbox.register("algorithm", lambda inner, params: default_registry().build("algorithm", inner, params, toolbox))
    first, last = evolved(name, toolbox, 1, islands=3, interval=5)
    assert least(last) < 0.6 * least(first)


@pytest.mark.parametrize("name", ["nsga2", "nsga3", "spea2", "sms-emoa", "moead", "racing"])
@pytest.mark.parametrize("objectives", [2, 3])
def test_a_search_for_a_front_dominates_more(name, objectives):
    first, last = evolved(name, toolbox_of(objectives), objectives, generations=20)
    assert dominated(last) > 1.05 * dominated(first)


@pytest.mark.parametrize("draws", ["mutants", "fresh"])
def test_random_search_has_its_candidates_evaluated(draws):
    toolbox, seen = toolbox_of(1), []

    def watched(one):
        seen.append(evaluate(one))
        return seen[-1]

    toolbox.register("evaluate", watched)
    toolbox.register("individual", fresh, 1)
    first, last = evolved("random-search", toolbox, 1, draws=draws, candidates=30)
    assert list(last) == list(first)
    assert len(seen) == 24 + 25 * 30
    assert min(seen)[0] < least(first)


def test_a_selection_of_ones_own_chooses_the_parents():
    toolbox, asked = toolbox_of(1), []

    def select(individuals, count):
        asked.append(count)
        return tools.selTournament(individuals, count, tournsize=3)

    toolbox.register("select", select)
    for name in ("parent-child", "generational", "nsga2"):
        first, last = evolved(name, toolbox, 1)
        assert least(last) < least(first)
        assert len(asked) == 25
        asked.clear()


def of_deap(objectives, select):
    toolbox = toolbox_of(objectives)
    toolbox.register("select", select)
    return toolbox, start(toolbox, objectives, 32)


def checked(population, logbook):
    assert len(population) == 32
    assert len(logbook) == 21
    for one in population:
        assert one.objectives == evaluate(one)
        assert one.key == Individual.unevaluated(one.genome, "again").key, "the key is that of the genome"
    return population


def test_the_simple_algorithm_of_deap_runs_on_individuals():
    toolbox, population = of_deap(1, lambda among, count: tools.selTournament(among, count, tournsize=3))
    hall, before = tools.HallOfFame(3), least(population)
    after = checked(*algorithms.eaSimple(population, toolbox, 0.5, 0.4, 20, halloffame=hall, verbose=False))
    assert least(after) < 0.6 * before
    assert hall[0].objectives[0] <= least(after)


@pytest.mark.parametrize("vary", [algorithms.eaMuPlusLambda, algorithms.eaMuCommaLambda])
def test_the_evolution_strategies_of_deap_run_on_individuals(vary):
    toolbox, population = of_deap(2, tools.selNSGA2)
    front, before = tools.ParetoFront(), dominated(population)
    after = checked(*vary(population, toolbox, 32, 64, 0.5, 0.4, 20, halloffame=front, verbose=False))
    assert dominated(front) > 1.05 * before
    assert dominated(front) >= dominated(after)


def test_copies_of_copies_keep_no_line_of_ancestors():
    toolbox, population = of_deap(1, tools.selBest)
    after, _ = algorithms.eaSimple(population, toolbox, 0.5, 0.4, 20, verbose=False)
    for one in after:
        line = 0
        while one.parent is not None:
            one, line = one.parent, line + 1
        assert line <= 2
