"""Cleaning up equations for people, by rules that change no value of any cell of any file: not even by rounding.

Rules that only algebra over the reals allows (cancelling, factoring) are in `evosdc_equations.algebra`.
"""

from evosdc.randomisation.equations.equation import Equation
from evosdc.randomisation.equations.evaluation import Decoding
from evosdc.randomisation.equations.symbols import CODE
from evosdc_equations.intervals import interval, never_greater
from evosdc_equations.sharing import SharedNodes

_PLUS, _MINUS, _TIMES, _OVER = CODE["+"], CODE["-"], CODE["*"], CODE["/"]
_MIN, _MAX, _NEG, _ABS = CODE["min"], CODE["max"], CODE["neg"], CODE["abs"]
_SQRT, _LOG, _IF_LESS = CODE["sqrt"], CODE["log"], CODE["if_less"]


def simplify(equation: Equation, decoding: Decoding | None = None) -> Equation:
    """Return a shorter equation with the same value in every cell of every file, bit for bit (but for the sign of 0).

    Constants are folded with the evaluator's own arithmetic; what is neutral, double or never chosen goes. Whether one
    value is never greater than another is read off intervals that hold for every file. Frequencies are at least 1 and
    at most N; distances and p lie in [0, 1].

    Parameters
    ----------
    equation : Equation
    decoding : {"raw", "offdiag", "full"}, optional
        Where given, bounds at the root that the decoding sets anyway go too; then values may differ and matrices not.
    """
    pool = SharedNodes()
    root = equation.fold(
        lambda token, number: pool.terminal(token, number),
        lambda token, operands: _applied(pool, token, list(operands)),
    )
    if decoding is not None:
        root = _unbounded(pool, root, decoding)
    return pool.equation(root)


def _unbounded(pool: SharedNodes, root: int, decoding: Decoding) -> int:
    """Return the root without a lower bound up to 0, or an upper one from 1 where probabilities are cut there."""
    while True:
        token, operands = pool.token(root), pool.operands(root)
        numbers = [pool.number(operand) for operand in operands]
        for number, other in zip(numbers, reversed(operands), strict=True) if token in (_MIN, _MAX) else ():
            lower = token == _MAX and number is not None and number <= 0.0
            upper = token == _MIN and number is not None and number >= 1.0 and decoding == "raw"
            if lower or upper:
                root = other
                break
        else:
            return root


def _applied(pool: SharedNodes, token: int, operands: list[int]) -> int:
    """Return the shortest node known to be equal to a function of nodes that are simplified already."""
    found = _rewritten(pool, token, operands)
    if found is not None:
        return found
    node = pool.applied(token, operands)
    if pool.all_constant(operands):
        return pool.constant(pool.value(node))
    low, high = interval(pool, node)
    return pool.constant(low) if low == high else node


def _rewritten(pool: SharedNodes, token: int, operands: list[int]) -> int | None:
    if token in (_PLUS, _MINUS):
        return _sum(pool, token, *operands)
    if token in (_TIMES, _OVER):
        return _product(pool, token, *operands)
    if token in (_MIN, _MAX):
        return _extreme(pool, token, *operands)
    if token == _IF_LESS:
        return _choice(pool, *operands)
    return _unary(pool, token, operands[0])


def _sum(pool: SharedNodes, token: int, x: int, y: int) -> int | None:
    if pool.number(y) == 0.0:
        return x
    if pool.number(x) == 0.0:
        return y if token == _PLUS else _applied(pool, _NEG, [y])
    if token == _MINUS and x == y:
        return pool.constant(0.0)
    if pool.token(y) == _NEG:
        return _applied(pool, _MINUS if token == _PLUS else _PLUS, [x, *pool.operands(y)])
    if token == _PLUS and pool.token(x) == _NEG:
        return _applied(pool, _MINUS, [y, *pool.operands(x)])
    return None


def _product(pool: SharedNodes, token: int, x: int, y: int) -> int | None:
    for one, other in ((y, x), (x, y)) if token == _TIMES else ((y, x),):
        if pool.number(one) == 1.0:
            return other
        if pool.number(one) == -1.0:
            return _applied(pool, _NEG, [other])
    if token == _OVER and x == y:
        return pool.constant(1.0)  # 0 / 0 is 1, too
    if token == _OVER and pool.number(y) == 0.0:
        return pool.constant(1.0)
    if pool.token(x) == _NEG and pool.token(y) == _NEG:
        return _applied(pool, token, [*pool.operands(x), *pool.operands(y)])
    return None


def _extreme(pool: SharedNodes, token: int, x: int, y: int) -> int | None:
    if x == y or never_greater(pool, x, y):
        return x if token == _MIN else y
    if never_greater(pool, y, x):
        return y if token == _MIN else x
    for one, other in ((x, y), (y, x)):
        # min(min(a, b), a) and max(min(a, b), a), and the same with both exchanged
        if pool.token(other) in (_MIN, _MAX) and one in pool.operands(other):
            return other if pool.token(other) == token else one
    return None


def _choice(pool: SharedNodes, x: int, y: int, u: int, v: int) -> int | None:
    if u == v or x == y or never_greater(pool, y, x):
        return v
    if interval(pool, x)[1] < interval(pool, y)[0]:
        return u
    if (u, v) == (x, y):
        return _applied(pool, _MIN, [x, y])
    if (u, v) == (y, x):
        return _applied(pool, _MAX, [x, y])
    return None


def _unary(pool: SharedNodes, token: int, x: int) -> int | None:
    inner = pool.token(x)
    if token == _NEG:
        if inner == _NEG:
            return pool.operands(x)[0]
        if inner == _MINUS:
            return _applied(pool, _MINUS, [pool.operands(x)[1], pool.operands(x)[0]])
        return None
    if inner == _NEG or (inner == _ABS and token in (_SQRT, _LOG)):
        return _applied(pool, token, [pool.operands(x)[0]])
    if token == _ABS:
        low, high = interval(pool, x)
        if low >= 0.0:
            return x
        if high <= 0.0:
            return _applied(pool, _NEG, [x])
    return None
