"""DEAP beside evosdc: any operator or toolbox of DEAP in a search, and a search's problem for DEAP's algorithms.

Operators of DEAP change lists in place and draw from the global `random`. A genome that is stored as one array is
such a list, gene by gene; any other genome is a list of one entry, which only operators of its own can change.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from deap import base, tools

from evosdc.engine.failures import evaluate_or_penalise
from evosdc.errors import PluginError
from evosdc.experiment.build.assembly import Assembly
from evosdc.experiment.build.start import starting_individual
from evosdc.model import Genotype
from evosdc.model.individual import MINIMISED
from evosdc.secret import lent

OPERATORS = ("mate", "mutate")


class Genes(list[Any]):
    """A genome as DEAP's operators know it: a list with a ``fitness``."""

    def __init__(self, genes: Any, objectives: int = 1) -> None:
        super().__init__(genes)
        self.fitness = MINIMISED[objectives - 1]()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Genes":
        """Return a copy of the list; what is in it is never changed."""
        copied = Genes(self, len(self.fitness.weights))
        copied.fitness = type(self.fitness)(self.fitness.values, self.fitness.infeasibility)
        return copied


class GeneList:
    """How genomes of a genotype become lists of genes and lists become genomes again."""

    def __init__(self, genotype: Genotype[Any], objectives: int = 1) -> None:
        self._genotype, self._objectives = genotype, objectives

    def genes(self, genome: Any) -> Genes:
        """Return a genome as a list."""
        arrays = dict(self._genotype.dump(genome))
        if len(arrays) != 1:
            return Genes([genome], self._objectives)
        ((_, array),) = arrays.items()
        return Genes(np.asarray(array).ravel().tolist(), self._objectives)

    def genome(self, genes: Any, like: Any) -> Any:
        """Return the genome that a list stands for; raises `PluginError` for one that is not valid.

        Parameters
        ----------
        genes : list
        like : object
            A genome of the same shape.
        """
        arrays = dict(self._genotype.dump(like))
        if len(arrays) != 1:
            (genome,) = genes
            return genome
        ((name, array),) = arrays.items()
        array = np.asarray(array)
        if len(genes) != array.size:
            raise PluginError(f"an operator made a genome of {len(genes)} genes; wanted {array.size}")
        made = self._genotype.load({name: np.array(genes, dtype=array.dtype).reshape(array.shape)})
        self._genotype.check(made)
        return made


@contextmanager
def blamed(operator: Callable[..., Any]) -> Iterator[None]:
    """Say which operator it was whose genome is refused."""
    try:
        yield
    except PluginError as error:
        name = getattr(getattr(operator, "func", operator), "__name__", type(operator).__name__)
        raise PluginError(f"the operator {name} made what is no genome of this file: {error}") from None


def with_operators(toolbox: base.Toolbox, genotype: Genotype[Any], given: base.Toolbox) -> None:
    """Have a search vary genomes by the ``mate`` and ``mutate`` of a DEAP toolbox, as they are.

    They draw from the search's own streams, so that the same seed gives the same result.
    """
    lists = GeneList(genotype)

    def mate(a: Any, b: Any, rng: np.random.Generator) -> tuple[Any, Any]:
        with lent(rng):
            first, second = given.mate(lists.genes(a), lists.genes(b))
        with blamed(given.mate):
            return lists.genome(first, a), lists.genome(second, b)

    def mutate(genome: Any, rng: np.random.Generator) -> Any:
        with lent(rng):
            (changed,) = given.mutate(lists.genes(genome))
        with blamed(given.mutate):
            return lists.genome(changed, genome)

    adapted: dict[str, Callable[..., Any]] = {"mate": mate, "mutate": mutate}
    for name in OPERATORS:
        if hasattr(given, name):
            toolbox.register(name, adapted[name])


def deap_toolbox(assembly: Assembly) -> base.Toolbox:
    """Return a toolbox for DEAP's algorithms: ``eaSimple``, ``eaMuPlusLambda``, your own.

    ``individual()`` makes a random individual (`Genes`) and ``population(n)`` the first n of the experiment's start,
    all by default. ``mate`` and ``mutate`` are the genotype's, ``select`` a tournament, with several objectives
    NSGA-II; any can be registered anew. ``evaluate(individual)`` returns the objectives, and keeps constraints by the
    individual's fitness. ``table(individual)`` is the protected file. Draws come from Python's `random`, as DEAP's do.
    """
    problem, plan = assembly.problem, assembly.plan
    genotype, rule = problem.genotype, assembly.experiment.on_error.rule
    objectives = problem.fitness.objectives
    lists = GeneList(genotype, objectives)
    like = starting_individual(problem, plan, 0, rule).genome

    def rng() -> np.random.Generator:
        return np.random.default_rng(random.getrandbits(64))

    def individual() -> Genes:
        return lists.genes(genotype.random(rng()))

    def population(n: int | None = None) -> list[Genes]:
        places = range(plan.candidates if n is None else min(n, plan.candidates))
        return [lists.genes(starting_individual(problem, plan, place, rule).genome) for place in places]

    def mate(a: Genes, b: Genes) -> tuple[Genes, Genes]:
        a[:], b[:] = map(lists.genes, genotype.crossover(lists.genome(a, like), lists.genome(b, like), rng()))
        return a, b

    def mutate(one: Genes) -> tuple[Genes]:
        one[:] = lists.genes(genotype.mutate(lists.genome(one, like), rng()))
        return (one,)

    def evaluate(one: Genes) -> tuple[float, ...]:
        genome = lists.genome(one, like)
        found = evaluate_or_penalise(rule, problem, genome, genotype.key(genome))
        one.fitness.infeasibility = found.scores.get("infeasibility", 0.0)
        return found.objectives

    def table(one: Genes) -> Any:
        genome = lists.genome(one, like)
        return problem.decode(genome, genotype.key(genome))

    toolbox = base.Toolbox()
    for function in (individual, population, mate, mutate, evaluate, table):
        toolbox.register(function.__name__, function)
    if objectives > 1:
        toolbox.register("select", tools.selNSGA2)
    else:
        toolbox.register("select", tools.selTournament, tournsize=3)
    return toolbox
