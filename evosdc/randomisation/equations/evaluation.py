"""From an equation to a transition matrix: quantities of cells, and one pass of a stack over whole matrices.

The three decodings and the treatment of a row without weight are a reconstruction; the thesis does not show how values
become probabilities.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evosdc.randomisation.equations.equation import CODE, CONSTANT, LIMIT, TERMINALS, Equation, frozen
from evosdc.randomisation.transition import Frequencies, Matrix
from evosdc.table.distance import category_distance
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import Codes


@dataclass(frozen=True, eq=False)
class Quantities:
    """The terminals' values for one attribute, over the categories that occur."""

    planes: NDArray[np.float64]  # row t holds terminal t in the cells (k, l) of the matrix, row by row; row 0 is unused
    occurring: NDArray[np.intp]  # codes of the categories that occur
    size: int  # number of all categories, c
    p: float  # the user's parameter


def quantities(frequencies: Frequencies, distance: NDArray[np.float64], ordinal: bool, p: float) -> Quantities:
    """Return the terminals' values."""
    occurring = np.flatnonzero(frequencies)
    n = occurring.size
    T = frequencies[occurring].astype(np.float64)
    position = occurring.astype(np.float64) if ordinal else np.zeros(n)
    planes = np.zeros((1 + len(TERMINALS), n, n))
    planes[CODE["ta"]] = T[:, None]
    planes[CODE["tb"]] = T[None, :]
    planes[CODE["N"]] = T.sum()
    planes[CODE["c"]] = n
    planes[CODE["tmin"]] = T.min(initial=np.inf) if n else 0.0
    planes[CODE["tmax"]] = T.max(initial=0.0)
    planes[CODE["a"]] = position[:, None]
    planes[CODE["b"]] = position[None, :]
    planes[CODE["d"]] = distance[np.ix_(occurring, occurring)]
    planes[CODE["p"]] = p
    return Quantities(frozen(planes.reshape(len(planes), n * n), np.float64), occurring, frequencies.size, p)


def quantities_of(column: Codes, attribute: Attribute, p: float) -> Quantities:
    """Return the terminals' values for an attribute's column; missing values are not counted."""
    c = len(attribute.categories)
    T = np.bincount(column[column >= 0], minlength=c).astype(np.int64)
    distance = category_distance(attribute).matrix[:c, :c]
    return quantities(T, distance, attribute.scale is Scale.ORDINAL, p)


Decoding = Literal["raw", "offdiag", "full"]
DECODINGS: tuple[str, ...] = get_args(Decoding)

Values = NDArray[np.float64]


def _quotient(x: Values, y: Values) -> Values:
    return np.divide(x, y, out=np.ones_like(x), where=y != 0.0)


def _if_less(x: Values, y: Values, u: Values, v: Values) -> Values:
    return np.where(x < y, u, v)


ARITHMETIC = {CODE[name] for name in "+-*/"}
OPERATIONS: dict[int, Callable[..., Values]] = {
    CODE["+"]: np.add,
    CODE["-"]: np.subtract,
    CODE["*"]: np.multiply,
    CODE["/"]: _quotient,
    CODE["min"]: np.minimum,
    CODE["max"]: np.maximum,
    CODE["neg"]: np.negative,
    CODE["abs"]: np.abs,
    CODE["sqrt"]: lambda x: np.sqrt(np.abs(x)),
    CODE["log"]: lambda x: np.log1p(np.abs(x)),
    CODE["if_less"]: _if_less,
}


def values(equation: Equation, cells: Quantities) -> Values:
    """Return an equation's value in every cell over the categories that occur, shape (n, n), all finite."""
    size, n = cells.planes.shape[1], cells.occurring.size

    def leaf(token: int, number: float) -> Values:
        return np.full(size, number) if token == CONSTANT else cells.planes[token]

    def node(token: int, operands: Sequence[Values]) -> Values:
        found = OPERATIONS[token](*operands)
        # With finite operands only an overflow could leave the limits.
        return np.clip(found, -LIMIT, LIMIT, out=found) if token in ARITHMETIC else found

    return equation.fold(leaf, node).reshape(n, n).copy()


def matrix_of(equation: Equation, cells: Quantities, decoding: Decoding = "raw") -> Matrix:
    """Return the transition matrix that an equation g makes of an attribute."""
    # ``raw``: p_kl = g(k, l) clipped to [0, 1] for l != k; a row that sums to more than 1 is scaled to 1; the
    # diagonal is the rest. ``offdiag``: p_kk is the user's parameter p; the rest of the row is shared in proportion to
    # max(0, g(k, l)), and equally where that is 0 throughout. ``full``: as ``offdiag``, for the whole row.
    # A category that does not occur has an identity row and an otherwise zero column; a single one stays as it is.
    n = cells.occurring.size
    if n < 2:
        return np.identity(cells.size)
    inner = _decoded(values(equation, cells), decoding, cells.p)
    if n == cells.size:
        return inner
    matrix = np.identity(cells.size)
    matrix[np.ix_(cells.occurring, cells.occurring)] = inner
    return matrix


def _decoded(matrix: Matrix, decoding: Decoding, p: float) -> Matrix:
    """Return the transition matrix of an equation's values, shape (n, n); running sums add in the order of columns."""
    n = len(matrix)
    weights = np.clip(matrix, 0.0, 1.0 if decoding == "raw" else LIMIT)
    own = np.diagonal(weights).copy()
    np.fill_diagonal(weights, 0.0)
    others = weights.cumsum(axis=1)[:, -1:]
    if decoding == "raw":
        weights *= np.where(others > 1.0, 1.0 / np.maximum(others, 1.0), 1.0)
        np.fill_diagonal(weights, np.maximum(0.0, 1.0 - weights.cumsum(axis=1)[:, -1]))
        return weights
    if decoding == "offdiag":
        total, equal = others, 1.0 / (n - 1)
    else:
        np.fill_diagonal(weights, own)
        total, equal = others + own[:, None], 1.0 / n
    shares: Matrix = np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), equal)
    if decoding == "offdiag":
        shares *= 1.0 - p
        np.fill_diagonal(shares, p)
    return shares
