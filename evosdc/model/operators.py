"""Adapters that make DEAP's variation operators safe: pure, and fed by the stream that they are given.

A genome that is stored as one array is such a list, gene by gene; any other genome is a list of one entry, which only
operators of its own can change.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np

from evosdc.errors import PluginError
from evosdc.model.genotype import Genotype
from evosdc.model.individual import MINIMISED
from evosdc.model.toolbox import Crossover, Mutation
from evosdc.secret import lent


def deap_crossover(operator: Callable[..., tuple[Any, Any]], **arguments: Any) -> Crossover:
    """Return a pure crossover of arrays made of a DEAP operator.

    The operator works on lists of all genes, record by record, since DEAP's slice swaps lose genes on ndarrays (a slice
    is a view). It draws from the lent generator, since it knows only the global `random`.

    Examples
    --------
    >>> from deap import tools
    >>> cross = deap_crossover(tools.cxTwoPoint)
    """
    return crossover_of(None, partial(operator, **arguments))


def deap_mutation(operator: Callable[..., tuple[Any]], **arguments: Any) -> Mutation:
    """Return a pure mutation of arrays made of a DEAP operator."""
    return mutation_of(None, partial(operator, **arguments))


class Genes(list[Any]):
    """A genome as DEAP's operators know it: a list with a ``fitness``."""

    def __init__(self, genes: Any = (), objectives: int = 1) -> None:
        super().__init__(genes)
        self.fitness = MINIMISED[objectives - 1]()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Genes":
        """Return a copy of the list; its items are never changed."""
        copied = Genes(self, len(self.fitness.weights))
        copied.fitness = deepcopy(self.fitness)
        return copied


class GeneList:
    """How genomes become lists of genes and lists become genomes again: those of a genotype, or plain arrays."""

    def __init__(self, genotype: Genotype[Any] | None, objectives: int = 1) -> None:
        self._genotype, self._objectives = genotype, objectives

    def genes(self, genome: Any) -> Genes:
        """Return a genome as a list."""
        arrays = self._arrays(genome)
        if len(arrays) != 1:
            return Genes([genome], self._objectives)
        (array,) = arrays.values()
        return Genes(np.asarray(array).ravel().tolist(), self._objectives)

    def genome(self, genes: Any, like: Any) -> Any:
        """Return the genome that a list represents; raises `PluginError` for one that is not valid."""
        arrays = self._arrays(like)
        if len(arrays) != 1:
            (genome,) = genes
            return genome
        ((name, array),) = arrays.items()
        array = np.asarray(array)
        if len(genes) != array.size:
            raise PluginError(f"an operator made a genome of {len(genes)} genes; wanted {array.size}")
        try:
            made = np.array(genes, dtype=array.dtype).reshape(array.shape)
        except (OverflowError, TypeError, ValueError) as error:
            raise PluginError(f"genes that are not of type {array.dtype}: {error}") from None
        if self._genotype is None:
            made.flags.writeable = False
            return made
        loaded = self._genotype.load({name: made})
        self._genotype.check(loaded)
        return loaded

    def _arrays(self, genome: Any) -> dict[str, Any]:
        return {"genes": genome} if self._genotype is None else dict(self._genotype.dump(genome))


@contextmanager
def blamed(operator: Callable[..., Any]) -> Iterator[None]:
    """Name the operator whose genome is refused."""
    try:
        yield
    except PluginError as error:
        name = getattr(getattr(operator, "func", operator), "__name__", type(operator).__name__)
        raise PluginError(f"the operator {name} made what is no genome of this file: {error}") from None


def crossover_of(genotype: Genotype[Any] | None, mate: Callable[..., Any]) -> Crossover:
    """Return a pure crossover of genomes, or of arrays without a genotype, made of an operator of DEAP on lists."""
    lists = GeneList(genotype)

    def crossover(a: Any, b: Any, rng: np.random.Generator) -> tuple[Any, Any]:
        with lent(rng):
            first, second = mate(lists.genes(a), lists.genes(b))
        with blamed(mate):
            return lists.genome(first, a), lists.genome(second, b)

    return crossover


def mutation_of(genotype: Genotype[Any] | None, mutate: Callable[..., Any]) -> Mutation:
    """Return a pure mutation of genomes made of an operator of DEAP on lists."""
    lists = GeneList(genotype)

    def mutation(genome: Any, rng: np.random.Generator) -> Any:
        with lent(rng):
            (changed,) = mutate(lists.genes(genome))
        with blamed(mutate):
            return lists.genome(changed, genome)

    return mutation
