"""Adapters that make DEAP's variation operators safe: pure, and fed by the stream that they are given."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.secret import lent

Genes = NDArray[Any]


def deap_crossover(
    operator: Callable[..., tuple[Any, Any]], **arguments: Any
) -> Callable[[Genes, Genes, np.random.Generator], tuple[Genes, Genes]]:
    """Return a pure crossover of arrays made of a DEAP operator.

    The operator works on lists of all genes, record by record, since DEAP's slice swaps lose genes on ndarrays (a slice
    is a view). It draws from the lent generator, since it knows only the global `random`.

    Examples
    --------
    >>> from deap import tools
    >>> cross = deap_crossover(tools.cxTwoPoint)
    """

    def crossover(a: Genes, b: Genes, rng: np.random.Generator) -> tuple[Genes, Genes]:
        with lent(rng):
            first, second = operator(a.ravel().tolist(), b.ravel().tolist(), **arguments)
        return _genes(first, a), _genes(second, b)

    return crossover


def deap_mutation(
    operator: Callable[..., tuple[Any]], **arguments: Any
) -> Callable[[Genes, np.random.Generator], Genes]:
    """Return a pure mutation of arrays made of a DEAP operator."""

    def mutation(genes: Genes, rng: np.random.Generator) -> Genes:
        with lent(rng):
            (changed,) = operator(genes.ravel().tolist(), **arguments)
        return _genes(changed, genes)

    return mutation


def _genes(values: list[Any], like: Genes) -> Genes:
    genes = np.array(values, dtype=like.dtype).reshape(like.shape)
    genes.flags.writeable = False
    return genes
