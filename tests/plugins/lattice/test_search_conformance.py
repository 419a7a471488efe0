"""Every search keeps the contract of algorithms, on a small lattice."""

from functools import cache

import numpy as np
import pytest

from evosdc.engine.evaluation import Evaluator, each_of
from evosdc.engine.generation import evolve
from evosdc.engine.problem import Problem
from evosdc.errors import ParameterError
from evosdc.experiment.start import individual_of
from evosdc.model import Aggregation, Microdata, toolbox_of
from evosdc.model.fitness import SingleMeasure
from evosdc.plugins.registry import default_registry
from evosdc.secret import Streams
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc.testing import AlgorithmConformance
from evosdc_lattice.lattice import Lattice
from evosdc_lattice.tabu import TabuList
from tests.algorithms.stepping import stepped

SEARCHES = (
    "samarati",
    "exhaustive",
    "optimal",
    "genetic",
    "tabu",
    "ga-tabu",
    "random-restarts",
    "bottom-up",
    "top-down",
)


@cache
def problem(suppression=0.05):
    rng = np.random.default_rng(5)
    attributes, columns = [], []
    for j, size in enumerate((8, 6, 4, 9)):
        labels = tuple(f"v{i}" for i in range(size))
        rows = tuple((f"g{i // 2}", f"h{i // 4}", "*") for i in range(size))
        attributes.append(Attribute(f"q{j}", Role.QUASI_IDENTIFIER, Scale.NOMINAL, labels, Hierarchy(labels, rows)))
        columns.append(rng.integers(0, size, 200) * (rng.random(200) < 0.7))
    table = Table(Schema(tuple(attributes)), np.array(columns, dtype=np.int32).T.copy(), np.empty((200, 0)))
    microdata = Microdata(table, tuple(a.name for a in attributes))
    lattice = Lattice(Lattice.Params(k=4, suppression=suppression), microdata)
    measures = {"dm": default_registry().build("measure", "dm", {}).fit(table)}
    return Problem(lattice, measures, Aggregation(()), SingleMeasure("dm"), Streams(1))


def toolbox(own):
    """Return the toolbox of a search, which evaluates by a problem."""
    made = toolbox_of(own.genotype, own.measures, own.fitness)
    Evaluator(own).attach(made)
    return made


def highest(own):
    """Return the individual that a search starts from."""
    return individual_of(own, own.genotype.reference, "generalisation levels=highest")


class LatticeSearchConformance(AlgorithmConformance):
    name = ""

    def algorithm(self, toolbox):
        return default_registry().build("algorithm", self.name, {}, toolbox)

    def toolbox(self):
        return toolbox(problem())

    def start(self):
        return [highest(problem())]

    def test_its_solution_is_within_the_limit(self):
        solution, population, algorithm = walked(self.made(), problem(), 12, 5)
        assert solution.scores["violation"] == 0.0
        described = algorithm.describe(population, solution)
        assert set(described["levels"]) == {"q0", "q1", "q2", "q3"}
        assert all("<svg" in picture for picture in algorithm.pictures(population, solution).values())

    def test_other_genotypes_are_refused(self):
        from evosdc.testing.counting import counting_toolbox

        with pytest.raises(ParameterError):
            self.algorithm(counting_toolbox())


for _name in SEARCHES:
    globals()[f"Test{_name.title().replace('-', '')}"] = type(
        f"Test{_name.title().replace('-', '')}",
        (LatticeSearchConformance,),
        # A heuristic may stand on a worse node after a while: its best one is what the engine remembers.
        {"name": _name, "improves": _name in ("exhaustive", "optimal", "bottom-up"), "__module__": __name__},
    )


def walked(algorithm, own, generations, seed):
    """Return the solution of a search, its population, and the algorithm."""
    evaluator, streams = Evaluator(own), Streams(seed)
    population = algorithm.first_population([highest(own)])
    best = population[0]
    for _ in range(generations):
        generation = evolve(algorithm, evaluator, streams, population)
        if not generation.made:
            break
        best = min([best, *each_of(generation.evaluated)], key=lambda one: one.objectives)
        population = generation.population
    return algorithm.solution(population, best), population, algorithm


def run(name, generations, seed=5, suppression=0.05, params=None):
    own = problem(suppression)
    algorithm = default_registry().build("algorithm", name, params or {}, toolbox(own))
    return walked(algorithm, own, generations, seed)


@pytest.mark.parametrize("suppression", [0, 0.3])
def test_exact_searches_and_heuristics_agree_on_a_small_lattice(suppression):
    optimum, population, _ = run("exhaustive", 10, suppression=suppression)
    again, others, _ = run("optimal", 10, suppression=suppression)
    assert again.objectives == optimum.objectives
    assert {i.key for i in others} == {i.key for i in population}
    for name, generations in (("tabu", 120), ("ga-tabu", 60), ("random-restarts", 300)):
        best = min(run(name, generations, seed, suppression)[0].objectives for seed in range(2))
        assert best == optimum.objectives, name
    top = highest(problem(suppression)).objectives
    assert optimum.objectives <= run("genetic", 300, suppression=suppression)[0].objectives < top


@pytest.mark.parametrize("suppression", [0, 0.05, 0.3])
def test_samarati_ends_at_the_least_height(suppression):
    from evosdc_lattice.space import nodes_of

    solution, population, _ = run("samarati", 100, suppression=suppression)
    lattice = problem(suppression).genotype
    safe = [node for node in nodes_of(lattice.space) if lattice.violation(node) == 0.0]
    least = min(int(node.sum()) for node in safe)
    minimal = {node.tobytes() for node in safe if int(node.sum()) == least}
    assert int(solution.genome.sum()) == least
    assert {i.genome.tobytes() for i in population} == minimal
    facts = lattice.evaluator.facts
    assert solution.objectives[0] == min(
        float(facts(n).kept_squares + lattice.space.n * facts(n).suppressed) for n in safe if int(n.sum()) == least
    )


class TestTabuThatFollowsAllCandidates(LatticeSearchConformance):
    """As the paper has it: the union of the neighbours of all candidates is judged, and all are listed."""

    def algorithm(self, toolbox):
        return default_registry().build("algorithm", "tabu", {"follow": "all", "candidates": 5}, toolbox)

    def test_the_union_of_the_neighbours_of_all_candidates_is_judged_and_all_are_listed(self):
        algorithm = self.made()
        lattice, population = problem().genotype, algorithm.first_population(self.start())
        listed = []
        for cycle in range(9):
            children, following = stepped(algorithm, population)
            followed = [] if cycle == 0 else list({one.parent.key: one.parent for one in children}.values())
            union = {node.tobytes() for one in followed for node in lattice.neighbours(one.genome)}
            assert len(children) == len({one.genome.tobytes() for one in children})
            if cycle > 0:
                assert {one.genome.tobytes() for one in children} == union
                assert len(followed) == (1 if cycle == 1 else 5)
                assert not {one.genome.tobytes() for one in followed} & set(listed)
                nodes, until = following.memory["tabu"], following.memory["until"]
                listed = [node.tobytes() for node, last in zip(nodes, until, strict=True) if last >= cycle + 1]
                assert {one.genome.tobytes() for one in followed} <= set(listed)
                assert len(listed) <= algorithm.params.tabu_size
            population = following


class TestHybridThatFollowsAllCandidates(LatticeSearchConformance):
    """Each of its tabu searches does as `tabu` does: the union of the neighbours of all its candidates is judged."""

    def algorithm(self, toolbox):
        params = {"follow": "all", "candidates": 3, "population": 4, "cycles": 6, "aspiration": True}
        return default_registry().build("algorithm", "ga-tabu", params, toolbox)

    def test_each_search_judges_the_union_of_the_neighbours_of_its_own_candidates_and_lists_them(self):
        algorithm = self.made()
        lattice, population = problem().genotype, algorithm.first_population(self.start())
        for generation in range(7):
            _, following = stepped(algorithm, population)
            if generation >= 2:  # the first draws nodes, the second crosses them
                now, owner = following.memory["stands"], following.memory["owner"]
                assert set(now) == {0, 1, 2, 3}
                for search in range(4):
                    standing = [following[int(slot)] for slot in np.flatnonzero(now == search)]
                    union = {node.tobytes() for one in standing for node in lattice.neighbours(one.genome)}
                    near = [following[int(slot)].genome.tobytes() for slot in np.flatnonzero(owner == search)]
                    assert set(near) == union
                    assert len(near) == len(union)
                    listed = {node.tobytes() for node in following.memory["tabu"][search]}
                    assert {one.genome.tobytes() for one in standing[:6]} <= listed
            population = following


@pytest.mark.parametrize("suppression", [0, 0.05, 0.3])
@pytest.mark.parametrize(("name", "aspiration"), [("tabu", False), ("tabu", True), ("ga-tabu", False)])
def test_tabu_searches_that_follow_all_candidates_find_the_optimum(name, aspiration, suppression):
    optimum = run("exhaustive", 10, suppression=suppression)[0]
    params = {"follow": "all", "candidates": 4, "aspiration": aspiration}
    params |= {"population": 6} if name == "ga-tabu" else {}
    assert run(name, 60, suppression=suppression, params=params)[0].objectives == optimum.objectives


def test_a_neighbour_better_than_all_met_before_is_followed_without_being_drawn():
    own = problem()
    lattice, start = own.genotype, highest(own)
    near = [individual_of(own, node, "neighbour") for node in lattice.neighbours(start.genome)]
    best = min((one for one in near if one.scores["violation"] == 0.0), key=lambda one: one.objectives)
    for aspiration, tabu, met, always in (
        (True, TabuList.empty(1, 4), start.objectives[0], True),
        (True, TabuList.empty(1, 4), best.objectives[0], False),
        (True, TabuList.empty(1, 4).entered([best.genome], 1, 5), start.objectives[0], False),
        (False, TabuList.empty(1, 4), start.objectives[0], False),
    ):
        params = {"candidates": 1, "aspiration": aspiration}
        search = default_registry().build("algorithm", "tabu", params, toolbox(own))
        found = {search.followed(near, tabu, 2, met, np.random.default_rng(seed))[0].key for seed in range(15)}
        assert (found == {best.key}) == always


@pytest.mark.parametrize("crossover", ["one-point", "two-point"])
def test_children_exchange_one_run_of_levels_that_is_never_the_whole_node(crossover):
    lattice = problem().genotype
    other = Lattice(Lattice.Params(k=4, crossover=crossover), Microdata(lattice.microdata.original, lattice.names))
    a, b = np.zeros(4, dtype=np.int16), np.array([3, 3, 3, 3], dtype=np.int16)
    seen = set()
    for seed in range(200):
        child, sibling = other.crossover(a, b, np.random.default_rng(seed))
        assert ((child == 0) != (sibling == 0)).all()
        seen.add("".join("01"[int(level > 0)] for level in child))
    one = {"0111", "0011", "0001"}
    assert seen == (one if crossover == "one-point" else one | {"0100", "0010", "0110"})


del AlgorithmConformance, LatticeSearchConformance
