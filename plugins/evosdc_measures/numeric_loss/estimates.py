"""The probabilistic losses of a masked file's estimates, one for each, which follow changes of some columns.

They stand one after the other: of means, variances, covariances and correlations, and quantiles by attribute.
"""

from typing import Literal, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import erf

from evosdc.table.table import Numbers, Rows
from evosdc_measures.domains import Integers
from evosdc_measures.numeric_loss.estimators import LEVELS, OriginalStatistics
from evosdc_measures.numeric_loss.moments import Moments

Part = Literal["means", "variances", "covariances", "correlations", "quantiles"]

PARTS: tuple[Part, ...] = ("means", "variances", "covariances", "correlations", "quantiles")

SAME = 1e-9
"""Statistics that differ by less, in units of their scale, are taken to be equal where nothing varies."""


class Population(NamedTuple):
    """`OriginalStatistics` as arrays.

    Parameters
    ----------
    judged : ndarray of int64, shape (q,)
    first, second : ndarray of int64, shape (r,)
        Pairs of attributes.
    means, spreads, of_variances : ndarray of float64, shape (p,), (p,), (q,)
        Means and variances of the original, and sampling variances of the latter.
    covariances, of_covariances, correlations, of_correlations : ndarray of float64, shape (r,)
        Of the pairs, and their sampling variances.
    quantiles, densities : ndarray of float64, shape (q, 19)
    weights : ndarray of float64, shape (19,)
        ``q (1 - q)`` of the levels.
    """

    judged: Rows
    first: Rows
    second: Rows
    means: Numbers
    spreads: Numbers
    of_variances: Numbers
    covariances: Numbers
    of_covariances: Numbers
    correlations: Numbers
    of_correlations: Numbers
    quantiles: Numbers
    densities: Numbers
    weights: Numbers


def population_of(original: OriginalStatistics) -> Population:
    """Return the statistics of an original as arrays."""
    moments, pairs = original.moments, original.pairs
    return Population(
        original.judged,
        *pairs,
        moments.means,
        moments.variances,
        original.variances,
        moments.covariances[pairs],
        original.covariances,
        moments.correlations[pairs],
        original.correlations,
        original.quantiles,
        original.densities,
        LEVELS * (1.0 - LEVELS),
    )


def parts_of(population: Population) -> dict[Part, slice]:
    """Return where the losses of each part stand among all."""
    q, r = len(population.judged), len(population.first)
    ends = np.cumsum([0, q, q, r, r, q * len(LEVELS)]).tolist()
    return {part: slice(ends[place], ends[place + 1]) for place, part in enumerate(PARTS)}


def losses_after(
    population: Population, moments: Moments, quantiles: Numbers, columns: Integers, losses: Numbers
) -> Numbers:
    """Return all losses after a change, of which those that belong to some columns are made anew.

    Parameters
    ----------
    population : Population
    moments : Moments
        Of the masked file.
    quantiles : ndarray of float64, shape (q, 19)
        Of its judged attributes.
    columns : ndarray of int64
        That may have changed, each once.
    losses : ndarray of float64, shape (l,)
        Before the change; not altered.
    """
    places, arguments = _arguments(
        population, moments.counts, moments.means, moments.covariances, moments.varying, quantiles, columns
    )
    losses = losses.copy()
    losses[places] = erf(arguments)
    return losses


def losses_of_children(
    population: Population,
    counts: Numbers,
    means: Numbers,
    covariances: Numbers,
    varying: NDArray[np.bool_],
    quantiles: Numbers,
    differs: NDArray[np.bool_],
    losses: Numbers,
) -> Numbers:
    """Return all losses of several children, shape (k, l), as `losses_after` does of each.

    Parameters
    ----------
    population : Population
    counts, means, covariances, varying : ndarray
        Moments of the children, as of `Moments` with an axis of k before.
    quantiles : ndarray of float64, shape (k, q, 19)
    differs : ndarray of bool, shape (k, p)
        In which columns each may differ from the file whose child it is.
    losses : ndarray of float64, shape (l,)
        Of that file; not altered.
    """
    places, arguments = _arguments_of_children(
        population, counts, means, covariances, varying, quantiles, differs, len(losses)
    )
    every = np.repeat(losses[None], len(counts), axis=0)
    every.reshape(-1)[places] = erf(arguments)
    return every


@njit(cache=True)
def _argument(difference: float, variance: float, count: float, scale: float) -> float:
    """Return z of ``2 P(0 <= Z <= |difference| / sqrt(variance / count))`` over sqrt(2), whose erf is the loss.

    Where nothing varies (variance 0 but for rounding, in units of ``scale**2``) it is 0 if there is no difference and
    infinite otherwise; where there is no masked value it is infinite.
    """
    if not count > 0:
        return np.inf
    difference, least = abs(difference), 1e-7 * scale
    if variance <= least * least:
        return np.inf if difference > SAME * scale else 0.0
    return float(difference * np.sqrt(count / variance) / np.sqrt(2.0))


@njit(cache=True)
def _correlation(covariance: float, a: float, b: float) -> float:
    """Return a correlation from the covariance and two standard deviations, 0 of constants."""
    product = a * b
    return min(max(covariance / product, -1.0), 1.0) if product > 0.0 else 0.0


@njit(cache=True)
def _arguments(
    population: Population,
    counts: Numbers,
    means: Numbers,
    covariances: Numbers,
    varying: NDArray[np.bool_],
    quantiles: Numbers,
    columns: Integers,
) -> tuple[Rows, Numbers]:
    """Return the places of the losses that belong to some columns, and what they are the erf of."""
    judged, first, second = population.judged, population.first, population.second
    q, r, p, levels = len(judged), len(first), len(means), len(population.weights)
    changed, spreads = np.zeros(p, np.bool_), np.zeros(p)
    for v in columns:
        changed[v] = True
    for v in range(p):
        spreads[v] = np.sqrt(covariances[v, v]) if varying[v] else 0.0
    most = 2 * q + 2 * r + q * levels
    places, arguments, filled = np.empty(most, np.intp), np.empty(most), 0
    for at in range(q):
        v = judged[at]
        if not changed[v]:
            continue
        count, variance = counts[v, v], population.spreads[v]
        places[filled], places[filled + 1] = at, q + at
        arguments[filled] = _argument(means[v] - population.means[v], variance, count, np.sqrt(variance))
        arguments[filled + 1] = _argument(covariances[v, v] - variance, population.of_variances[at], count, variance)
        filled += 2
        for level in range(levels):
            places[filled] = 2 * q + 2 * r + at * levels + level
            arguments[filled] = np.inf
            if count > 0:
                stray = abs(quantiles[at, level] - population.quantiles[at, level]) * population.densities[at, level]
                arguments[filled] = stray * np.sqrt(count / population.weights[level]) / np.sqrt(2.0)
            filled += 1
    for pair in range(r):
        a, b = first[pair], second[pair]
        if not (changed[a] or changed[b]):
            continue
        count, covariance = counts[a, b], covariances[a, b]
        scale = np.sqrt(population.spreads[a] * population.spreads[b])
        places[filled], places[filled + 1] = 2 * q + pair, 2 * q + r + pair
        difference = covariance - population.covariances[pair]
        arguments[filled] = _argument(difference, population.of_covariances[pair], count, scale)
        difference = _correlation(covariance, spreads[a], spreads[b]) - population.correlations[pair]
        arguments[filled + 1] = _argument(difference, population.of_correlations[pair], count, 1.0)
        filled += 2
    return places[:filled], arguments[:filled]


@njit(cache=True)
def _arguments_of_children(
    population: Population,
    counts: Numbers,
    means: Numbers,
    covariances: Numbers,
    varying: NDArray[np.bool_],
    quantiles: Numbers,
    differs: NDArray[np.bool_],
    length: int,
) -> tuple[Rows, Numbers]:
    """Return what `_arguments` does for each child, one after the other; so many losses lie between their places."""
    children, filled = len(counts), 0
    places, arguments = np.empty(children * length, np.intp), np.empty(children * length)
    for child in range(children):
        columns = np.flatnonzero(differs[child])
        own, found = _arguments(
            population, counts[child], means[child], covariances[child], varying[child], quantiles[child], columns
        )
        places[filled : filled + len(own)] = own + child * length
        arguments[filled : filled + len(own)] = found
        filled += len(own)
    return places[:filled], arguments[:filled]
