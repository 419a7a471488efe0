"""From an equation to a transition matrix: one pass of a stack over whole matrices.

The three decodings and the treatment of a row without weight are a reconstruction; the thesis does not show how values
become probabilities.
"""

from typing import Literal, get_args

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.randomisation.equations.equation import Constants, Equation, Tokens
from evosdc.randomisation.equations.quantities import Quantities
from evosdc.randomisation.equations.symbols import ARITY, CODE, CONSTANT, LIMIT
from evosdc.randomisation.transition import Matrix

Decoding = Literal["raw", "offdiag", "full"]
DECODINGS: tuple[str, ...] = get_args(Decoding)

_RAW, _OFFDIAG = DECODINGS.index("raw"), DECODINGS.index("offdiag")
_PLUS, _MINUS, _TIMES, _OVER = CODE["+"], CODE["-"], CODE["*"], CODE["/"]
_MIN, _MAX, _NEG, _ABS = CODE["min"], CODE["max"], CODE["neg"], CODE["abs"]
_SQRT, _LOG = CODE["sqrt"], CODE["log"]


def values(equation: Equation, cells: Quantities) -> NDArray[np.float64]:
    """Return an equation's value in every cell over the categories that occur, shape (n, n), all finite."""
    n = cells.occurring.size
    found: NDArray[np.float64] = _values(equation.tokens, equation.constants, cells.planes, ARITY).reshape(n, n)
    return found


def matrix_of(equation: Equation, cells: Quantities, decoding: Decoding = "raw") -> Matrix:
    """Return the transition matrix that an equation g makes of an attribute.

    - ``raw``: p_kl = g(k, l) clipped to [0, 1] for l != k; a row that sums to more than 1 is scaled to 1; the diagonal
      is the rest.
    - ``offdiag``: p_kk is the user's parameter p; the rest of the row is shared in proportion to max(0, g(k, l)), and
      equally where that is 0 throughout.
    - ``full``: the whole row, its diagonal too, is shared in proportion to max(0, g(k, l)), equally where that is 0.

    A category that does not occur has an identity row and an otherwise zero column; a single one stays as it is.

    Returns
    -------
    ndarray of float64, shape (c, c)
        Rows sum to 1, entries in [0, 1].
    """
    n = cells.occurring.size
    if n < 2:
        return np.identity(cells.size)
    mode = DECODINGS.index(decoding)
    inner: Matrix = _matrix(equation.tokens, equation.constants, cells.planes, ARITY, n, mode, cells.p)
    if n == cells.size:
        return inner
    matrix = np.identity(cells.size)
    matrix[np.ix_(cells.occurring, cells.occurring)] = inner
    return matrix


@njit(cache=True)
def _values(
    tokens: Tokens, constants: Constants, planes: NDArray[np.float64], arity: NDArray[np.int64]
) -> NDArray[np.float64]:
    cells = planes.shape[1]
    need, height = 1, 0
    for token in tokens:
        height += 1 - arity[token]
        need = max(need, height)
    stack = np.empty((need, cells))
    top = 0
    for i in range(tokens.size):
        token = tokens[i]
        taken = arity[token]
        if taken == 0:
            target = stack[top]
            for j in range(cells):
                target[j] = constants[i] if token == CONSTANT else planes[token, j]
            top += 1
        elif taken == 1:
            _unary(token, stack[top - 1])
        elif taken == 2:
            top -= 1
            _binary(token, stack[top - 1], stack[top])
        else:
            top -= 3
            x, y, u, v = stack[top - 1], stack[top], stack[top + 1], stack[top + 2]
            for j in range(cells):
                x[j] = u[j] if x[j] < y[j] else v[j]
    result: NDArray[np.float64] = stack[0].copy()
    return result


@njit(cache=True)
def _closed(value: float) -> float:
    """Return the value within the limits; with finite operands only an overflow could leave them."""
    if value != value:
        return 0.0
    return min(max(value, -LIMIT), LIMIT)


@njit(cache=True)
def _unary(token: int, x: NDArray[np.float64]) -> None:
    if token == _NEG:
        for j in range(x.size):
            x[j] = -x[j]
    elif token == _ABS:
        for j in range(x.size):
            x[j] = abs(x[j])
    elif token == _SQRT:
        for j in range(x.size):
            x[j] = np.sqrt(abs(x[j]))
    else:
        for j in range(x.size):
            x[j] = np.log1p(abs(x[j]))


@njit(cache=True)
def _binary(token: int, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
    if token == _PLUS:
        for j in range(x.size):
            x[j] = _closed(x[j] + y[j])
    elif token == _MINUS:
        for j in range(x.size):
            x[j] = _closed(x[j] - y[j])
    elif token == _TIMES:
        for j in range(x.size):
            x[j] = _closed(x[j] * y[j])
    elif token == _OVER:
        for j in range(x.size):
            x[j] = 1.0 if y[j] == 0.0 else _closed(x[j] / y[j])
    elif token == _MIN:
        for j in range(x.size):
            x[j] = min(x[j], y[j])
    else:
        for j in range(x.size):
            x[j] = max(x[j], y[j])


@njit(cache=True)
def _matrix(
    tokens: Tokens,
    constants: Constants,
    planes: NDArray[np.float64],
    arity: NDArray[np.int64],
    n: int,
    mode: int,
    p: float,
) -> Matrix:
    matrix = _values(tokens, constants, planes, arity).reshape(n, n)
    highest = 1.0 if mode == _RAW else LIMIT
    for k in range(n):
        row = matrix[k]
        own = min(max(row[k], 0.0), highest)
        total = 0.0
        for j in range(n):
            row[j] = min(max(row[j], 0.0), highest)
            if j != k:
                total += row[j]
        if mode == _RAW:
            scale = 1.0 / total if total > 1.0 else 1.0
            total = 0.0
            for j in range(n):
                row[j] *= scale
                if j != k:
                    total += row[j]
            row[k] = max(0.0, 1.0 - total)
        elif mode == _OFFDIAG:
            for j in range(n):
                row[j] = (1.0 - p) * (row[j] / total if total > 0.0 else 1.0 / (n - 1))
            row[k] = p
        else:
            total += own
            for j in range(n):
                row[j] = row[j] / total if total > 0.0 else 1.0 / n
    return matrix
