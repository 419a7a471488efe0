"""DEAP beside evosdc: operators of a DEAP toolbox in a search, and a search's problem for DEAP's algorithms."""

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from deap import base, tools

from evosdc.engine.failures import ErrorRule, evaluate_or_penalise
from evosdc.engine.problem import Problem
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.start import starting_individual
from evosdc.experiment.workers import problem_for_workers, problem_of
from evosdc.model import Genotype, Individual, SharedFiles
from evosdc.model.individual import Values
from evosdc.model.operators import GeneList, Genes, crossover_of, mutation_of
from evosdc.model.toolbox import register_operators
from evosdc.secret import Seed

OPERATORS = ("mate", "mutate")


def with_operators(toolbox: base.Toolbox, genotype: Genotype[Any], given: base.Toolbox) -> None:
    """Have a search vary genomes by the ``mate`` and ``mutate`` of a DEAP toolbox, as they are."""
    # They draw from the search's own streams, so that the same seed gives the same result.
    mate, mutate = (getattr(given, name, None) for name in OPERATORS)
    crossover = None if mate is None else crossover_of(genotype, mate)
    register_operators(toolbox, crossover, None if mutate is None else mutation_of(genotype, mutate))


class Evaluation:
    """An evaluator of lists of genes: here, or in the process to which ``toolbox.map`` sends it."""

    # It pickles as the place of the problem's files, which it writes when it is first sent; these end with the toolbox.

    # With a dictionary, DEAP's toolbox would copy all attributes into what is pickled.
    __slots__ = ("_assembly", "_folder", "_like", "_lists", "_shared")

    def __init__(self, assembly: Assembly, folder: "TemporaryDirectory[str]") -> None:
        self._assembly, self._folder = assembly, folder
        self._lists = GeneList(assembly.problem.genotype, assembly.problem.fitness.objectives)
        self._shared: SharedFiles | None = None
        self._like: Any = None

    @property
    def like(self) -> Any:
        """A genome of the same shape."""
        if self._like is None:
            rule = self._assembly.experiment.on_error.rule
            self._like = starting_individual(self._assembly.problem, self._assembly.plan, 0, rule).genome
        return self._like

    def __call__(self, genes: Genes) -> Values:
        """Return the objectives of a list of genes, with its scores; constraints are kept by the fitness."""
        return evaluated(self._assembly.problem, self._assembly.experiment.on_error.rule, self._lists, genes, self.like)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._shared is None:
            self._shared = problem_for_workers(self._assembly, Path(self._folder.name) / "problem")
        return evaluation_elsewhere, (self._shared, self._assembly.seed)


def evaluated(problem: Problem, rule: ErrorRule, lists: GeneList, genes: Genes, like: Any) -> Values:
    """Return the objectives of a list of genes, with its scores."""
    individual = Individual.unevaluated(lists.genome(genes, like), "", problem.fitness.objectives)
    individual.key = problem.genotype.key(individual.genome)
    return evaluate_or_penalise(rule, problem, individual)


def evaluation_elsewhere(shared: SharedFiles, seed: Seed) -> Callable[[Genes], Values]:
    """Return an evaluator of lists of genes in another process, which builds the problem once."""
    own = problem_of(shared, seed)
    lists = GeneList(own.problem.genotype, own.problem.fitness.objectives)
    return partial(evaluated, own.problem, own.rule, lists, like=own.first_genome)


def deap_toolbox(assembly: Assembly, folder: "TemporaryDirectory[str]") -> base.Toolbox:
    """Return a toolbox for DEAP's algorithms: ``eaSimple``, ``eaMuPlusLambda``, your own.

    ``individual()`` makes a random individual (`Genes`) and ``population(n)`` the first n of the experiment's start,
    all by default. ``mate`` and ``mutate`` are the genotype's, ``select`` a tournament, with several objectives
    NSGA-II; any can be replaced, ``map`` too: by that of a pool of processes or of SCOOP.
    ``evaluate(individual)`` returns the objectives, which keep constraints by the individual's fitness.
    ``table(individual)`` is the protected file. Draws come from Python's `random`, as DEAP's do.

    Parameters
    ----------
    assembly : Assembly
    folder : TemporaryDirectory
        Where the problem is written for other processes; the toolbox keeps it.
    """
    problem, plan = assembly.problem, assembly.plan
    genotype, rule = problem.genotype, assembly.experiment.on_error.rule
    objectives = problem.fitness.objectives
    lists, evaluation = GeneList(genotype, objectives), Evaluation(assembly, folder)

    def rng() -> np.random.Generator:
        return np.random.default_rng(random.getrandbits(64))

    def genome(one: Genes) -> Any:
        return lists.genome(one, evaluation.like)

    def individual() -> Genes:
        return lists.genes(genotype.random(rng()))

    def population(n: int | None = None) -> list[Genes]:
        places = range(plan.candidates if n is None else min(n, plan.candidates))
        return [lists.genes(starting_individual(problem, plan, place, rule).genome) for place in places]

    def mate(a: Genes, b: Genes) -> tuple[Genes, Genes]:
        a[:], b[:] = map(lists.genes, genotype.crossover(genome(a), genome(b), rng()))
        return a, b

    def mutate(one: Genes) -> tuple[Genes]:
        one[:] = lists.genes(genotype.mutate(genome(one), rng()))
        return (one,)

    def table(one: Genes) -> Any:
        made = genome(one)
        return problem.decode(made, genotype.key(made))

    toolbox = base.Toolbox()
    for function in (individual, population, mate, mutate, table):
        toolbox.register(function.__name__, function)
    toolbox.register("evaluate", evaluation)
    if objectives > 1:
        toolbox.register("select", tools.selNSGA2)
    else:
        toolbox.register("select", tools.selTournament, tournsize=3)
    return toolbox
