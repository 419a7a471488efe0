"""The transition matrix of a block of attributes, by design."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.randomisation.invariance import diluted, retained, two_stage, with_retained
from evosdc.randomisation.preference_matrix import exchanged_weights, preference_matrix
from evosdc.randomisation.transition import Frequencies, Matrix, design_a, design_b
from evosdc.table.distance import category_distance
from evosdc.table.schema import Scale
from evosdc_masking.post_randomisation.crossing import Block
from evosdc_masking.post_randomisation.parameters import PramParameters

MOST_STATES = 2000
MOST_PREFERENCES = 300
"""States that a block may have; a linear program has their square as variables."""

INVARIANT = ("b", "two-stage", "preference")


def designed(block: Block, counts: Frequencies, params: PramParameters, preferences: Matrix | None = None) -> Matrix:
    """Return the matrix of a block with these frequencies of states, shape (m, m).

    Combinations that lack values of different attributes never lead to each other.

    Parameters
    ----------
    block : Block
    counts : ndarray of int64 or float64, shape (m,)
        Sums of weights where the file has them.
    params : PramParameters
        Of a design other than matrix.
    preferences : ndarray of float64, shape (m, m), optional
        The user's weights of changes.

    Raises
    ------
    ParameterError
        Too many states, or no matrix of the design has what is asked for.
    """
    limit = MOST_PREFERENCES if params.design == "preference" else MOST_STATES
    occurring = int(np.count_nonzero(counts))
    where = ", ".join(block.names)
    if occurring > limit:
        given = f"{occurring} {'combinations' if len(block.names) > 1 else 'categories'} that occur"
        raise ParameterError(Fault(where, given, f"at most {limit}", "Cross fewer attributes, or recode first."))
    matrix = np.identity(len(block.states))
    for domain in block.domains():
        own = None if preferences is None else preferences[np.ix_(domain, domain)]
        inner = _inner(block, domain, counts[domain], params, own, where)
        matrix[np.ix_(domain, domain)] = inner
    return matrix


def with_kept(block: Block, matrix: Matrix, kept: Mapping[str, float]) -> Matrix:
    """Return a matrix of one attribute whose diagonal is as given for some categories, their rows scaled to it.

    Parameters
    ----------
    block : Block
        Of one attribute.
    matrix : ndarray of float64, shape (m, m)
    kept : mapping of str to float
        Probability by category.
    """
    result = matrix.copy()
    attribute = block.attributes[0]
    labels = ["" if state[0] < 0 else attribute.categories[int(state[0])] for state in block.states]
    for i, label in enumerate(labels):
        if label in kept:
            rest = 1.0 - result[i, i]
            others = np.delete(np.arange(len(labels)), i)
            if rest > 0.0:
                result[i, others] *= (1.0 - kept[label]) / rest
                result[i, i] = kept[label]
            elif kept[label] < 1.0 and (reachable := others[matrix[:, i][others] > 0.0]).size:
                result[i, reachable] = (1.0 - kept[label]) / reachable.size
                result[i, i] = kept[label]
    return result


def _inner(
    block: Block, domain: NDArray[np.intp], T: Frequencies, params: PramParameters, own: Matrix | None, where: str
) -> Matrix:
    if params.design == "b":
        assert params.theta is not None
        return design_b(T, params.theta)
    if params.design == "preference":
        return _preferred(block, domain, T, params, own, where)
    assert params.p is not None
    if params.design == "a":
        return design_a(T, params.p)
    first = design_a(T, params.p) if params.first == "a" else even(T, params.p)
    invariant = two_stage(first, T)
    if params.unchanged is None:
        assert params.alpha is not None
        return diluted(invariant, params.alpha)
    result = with_retained(invariant, T, params.unchanged)
    reached = retained(result, T)
    if reached > params.unchanged + 1e-9 and np.count_nonzero(T) > 1 and len(block.attributes) == 1:
        advice = "Choose a smaller p, or a larger share."
        wanted = f"at least {np.ceil(reached * 1000) / 1000:.3f}, the least that the matrix allows"
        raise ParameterError(Fault(f"unchanged ({where})", str(params.unchanged), wanted, advice))
    return result


def even(T: Frequencies, p: float) -> Matrix:
    """Return the matrix that keeps a category with probability p and goes to all other occurring ones alike."""
    occurring = np.flatnonzero(T)
    n = occurring.size
    inner = np.full((n, n), (1.0 - p) / max(n - 1, 1))
    np.fill_diagonal(inner, p if n > 1 else 1.0)
    matrix = np.identity(len(T))
    matrix[np.ix_(occurring, occurring)] = inner
    return matrix


def _preferred(
    block: Block, domain: NDArray[np.intp], T: Frequencies, params: PramParameters, own: Matrix | None, where: str
) -> Matrix:
    assert params.least is not None
    assert params.most is not None
    assert params.by_record is not None
    occurring = np.flatnonzero(T)
    weights = np.zeros((len(T), len(T)))
    if own is not None:
        weights[:] = own
    elif occurring.size:
        ordered = len(block.attributes) == 1 and block.attributes[0].scale is Scale.ORDINAL
        distances = _distances(block, domain[occurring])
        weights[np.ix_(occurring, occurring)] = exchanged_weights(distances, ordered)
    try:
        matrix = preference_matrix(T, weights, params.least, params.most, params.by_record)
    except ParameterError as error:
        found = error.faults[0]
        raise ParameterError(Fault(f"{found.where} ({where})", found.given, found.wanted, found.advice)) from None
    movable = np.count_nonzero(T[occurring] - np.ceil(params.least * T[occurring] - 1e-9) > 0)
    if own is not None and movable > 1 and np.array_equal(matrix, np.identity(len(matrix))):
        given = "weights under which keeping every value is best"
        advice = "Give the diagonal larger weights than the changes that you prefer, or set most below 1."
        raise ParameterError(Fault(f"preferences ({where})", given, "weights that prefer some changes", advice))
    return matrix


def _distances(block: Block, states: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return sums over attributes: steps between ordinal categories, levels of a hierarchy, or 1 where they differ."""
    total = np.zeros((states.size, states.size))
    for column, attribute in enumerate(block.attributes):
        codes = block.states[states, column]
        steps = category_distance(attribute, by_hierarchy=attribute.scale is Scale.NOMINAL).numerators
        total += steps[np.ix_(codes, codes)]
    return total
