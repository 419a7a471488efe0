"""Every search keeps the contract of algorithms, on a small lattice."""

from functools import cache

import numpy as np
import pytest

from evosdc.engine.problem import Problem
from evosdc.errors import ParameterError
from evosdc.model import Aggregation, Individual, Microdata, toolbox_of
from evosdc.model.fitness import SingleMeasure
from evosdc.plugins.registry import default_registry
from evosdc.secret import Streams
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc.testing import AlgorithmConformance
from evosdc_lattice.lattice import Lattice

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


def individual(genome, origin):
    key = problem().genotype.key(genome)
    evaluation = problem().evaluate(genome, key)
    return Individual(genome, key, evaluation.scores, evaluation.objectives, origin)


class LatticeSearchConformance(AlgorithmConformance):
    name = ""

    def algorithm(self, toolbox):
        return default_registry().build("algorithm", self.name, {}, toolbox)

    def toolbox(self):
        return toolbox_of(problem().genotype, problem().measures, problem().fitness)

    def start(self):
        return [individual(problem().genotype.reference, "generalisation levels=highest")]

    def evaluated(self, offspring):
        return [individual(item.genome, item.origin) for item in offspring]

    def test_its_solution_is_within_the_limit(self):
        algorithm = self.made()
        population = algorithm.first_population(self.start())
        best = self.start()[0]
        for _ in range(12):
            offspring = algorithm.propose(population, Streams(5))
            if not offspring:
                break
            evaluated = self.evaluated(offspring)
            best = min([best, *evaluated], key=lambda i: i.objectives)
            following = algorithm.replace(population, offspring, evaluated)
            population = type(following)(following.individuals, population.generation + 1, following.memory)
        solution = algorithm.solution(population, best)
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


def run(name, generations, seed=5, suppression=0.05, params=None):
    from dataclasses import replace

    own = problem(suppression)
    algorithm = default_registry().build(
        "algorithm", name, params or {}, toolbox_of(own.genotype, own.measures, own.fitness)
    )
    top = own.genotype.reference

    def judged(genome, origin):
        key = own.genotype.key(genome)
        return Individual(genome, key, *own.evaluate(genome, key)[:2], origin)

    population = algorithm.first_population([judged(top, "generalisation levels=highest")])
    best = population.individuals[0]
    for generation in range(generations):
        offspring = algorithm.propose(population, Streams(seed))
        if not offspring:
            break
        evaluated = [judged(item.genome, item.origin) for item in offspring]
        best = min([best, *evaluated], key=lambda i: i.objectives)
        population = replace(algorithm.replace(population, offspring, evaluated), generation=generation + 1)
    return algorithm.solution(population, best), population, algorithm


@pytest.mark.parametrize("suppression", [0, 0.05, 0.3])
def test_exact_searches_and_heuristics_agree_on_a_small_lattice(suppression):
    optimum, population, _ = run("exhaustive", 10, suppression=suppression)
    again, others, _ = run("optimal", 10, suppression=suppression)
    assert again.objectives == optimum.objectives
    assert {i.key for i in others.individuals} == {i.key for i in population.individuals}
    for name, generations in (("tabu", 120), ("ga-tabu", 60), ("random-restarts", 300)):
        assert run(name, generations, suppression=suppression)[0].objectives == optimum.objectives, name
    top = problem(suppression).evaluate(problem(suppression).genotype.reference, b"")[1]
    assert optimum.objectives <= run("genetic", 300, suppression=suppression)[0].objectives < top


@pytest.mark.parametrize("suppression", [0, 0.05, 0.3])
def test_samarati_ends_at_the_least_height(suppression):
    from evosdc_lattice.space import exhaustive_nodes

    solution, population, _ = run("samarati", 100, suppression=suppression)
    lattice = problem(suppression).genotype
    safe = [node for node in exhaustive_nodes(lattice.space) if lattice.violation(node) == 0.0]
    least = min(int(node.sum()) for node in safe)
    minimal = {node.tobytes() for node in safe if int(node.sum()) == least}
    assert int(solution.genome.sum()) == least
    assert {i.genome.tobytes() for i in population.individuals} == minimal
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
            offspring = algorithm.propose(population, Streams(3))
            slots = {slot for item in offspring for slot in item.parents}
            followed = [population.individuals[slot] for slot in slots]
            union = {node.tobytes() for one in followed for node in lattice.neighbours(one.genome)}
            assert len(offspring) == len({item.genome.tobytes() for item in offspring})
            if cycle > 0:
                assert {item.genome.tobytes() for item in offspring} == union
                assert len(followed) == (1 if cycle == 1 else 5)
                assert not {one.genome.tobytes() for one in followed} & set(listed)
            following = algorithm.replace(population, offspring, self.evaluated(offspring))
            if cycle > 0:
                nodes, until = following.memory["tabu"], following.memory["until"]
                listed = [node.tobytes() for node, last in zip(nodes, until, strict=True) if last >= cycle + 1]
                assert {one.genome.tobytes() for one in followed} <= set(listed)
                assert len(listed) <= algorithm.params.tabu_size
            population = type(following)(following.individuals, population.generation + 1, following.memory)


@pytest.mark.parametrize("suppression", [0, 0.05, 0.3])
def test_tabu_that_follows_all_candidates_finds_the_optimum(suppression):
    optimum = run("exhaustive", 10, suppression=suppression)[0]
    params = {"follow": "all", "candidates": 4}
    assert run("tabu", 60, suppression=suppression, params=params)[0].objectives == optimum.objectives


del AlgorithmConformance, LatticeSearchConformance
