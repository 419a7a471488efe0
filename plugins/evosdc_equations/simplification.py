"""Cleaning up equations for people, by rules that change no value of any cell of any file: not even by rounding."""

from collections.abc import Sequence
from math import inf, log1p, nextafter, sqrt

import numpy as np

from evosdc.randomisation.equations.equation import CODE, CONSTANT, LIMIT, SYMBOLS, Equation, applied, terminal
from evosdc.randomisation.equations.evaluation import Decoding, quantities, values

_COMMUTATIVE = {CODE[name] for name in ("+", "*", "min", "max")}
_ANY_FILE = quantities(np.array([1, 1]), np.zeros((2, 2)), False, 0.0)


class SharedNodes:
    """Nodes by number; operands have smaller numbers than their results."""

    def __init__(self) -> None:
        self._nodes: list[tuple[int, float, tuple[int, ...]]] = []
        self._numbers: dict[tuple[int, float, tuple[int, ...]], int] = {}
        self.intervals: dict[int, tuple[float, float]] = {}

    def terminal(self, token: int, number: float) -> int:
        """Return the node of a terminal."""
        return self._node(token, number + 0.0, ())

    def constant(self, number: float) -> int:
        """Return the node of a constant."""
        return self.terminal(CONSTANT, number)

    def applied(self, token: int, operands: Sequence[int]) -> int:
        """Return the node of a function of nodes."""
        return self._node(token, 0.0, tuple(operands))

    def token(self, node: int) -> int:
        """Return a node's symbol."""
        return self._nodes[node][0]

    def operands(self, node: int) -> tuple[int, ...]:
        """Return a node's operands."""
        return self._nodes[node][2]

    def number(self, node: int) -> float | None:
        """Return a constant's number; None for any other node."""
        return self._nodes[node][1] if self._nodes[node][0] == CONSTANT else None

    def value(self, node: int) -> float:
        """Return the value of a function of constants, by the evaluator itself, so that folding changes no bit."""
        token, _, operands = self._nodes[node]
        equation = applied(token, [terminal(CONSTANT, self._nodes[operand][1]) for operand in operands])
        return float(values(equation, _ANY_FILE)[0, 0])

    def equation(self, root: int) -> Equation:
        """Return the tree below a node as an equation."""
        tokens: list[int] = []
        numbers: list[float] = []
        pending = [root]
        while pending:
            token, number, operands = self._nodes[pending.pop()]
            tokens.append(token)
            numbers.append(number)
            pending.extend(operands)
        # A walk from the root, last operand first, is the postorder vector backwards.
        return Equation(np.array(tokens[::-1], dtype=np.int16), np.array(numbers[::-1]))

    def _node(self, token: int, number: float, operands: tuple[int, ...]) -> int:
        shared = tuple(sorted(operands)) if token in _COMMUTATIVE else operands
        known = self._numbers.get((token, number, shared))
        if known is None:
            known = self._numbers[token, number, shared] = len(self._nodes)
            self._nodes.append((token, number, operands))
        return known


Interval = tuple[float, float]

_EVERYTHING: Interval = (-LIMIT, LIMIT)
# Matrices of fewer than two categories are identities without any evaluation, so c >= 2 and N >= 2.
_BOUNDS: dict[str, Interval] = {
    "ta": (1.0, LIMIT),
    "tb": (1.0, LIMIT),
    "N": (2.0, LIMIT),
    "c": (2.0, LIMIT),
    "tmin": (1.0, LIMIT),
    "tmax": (1.0, LIMIT),
    "a": (0.0, LIMIT),
    "b": (0.0, LIMIT),
    "d": (0.0, 1.0),
    "p": (0.0, 1.0),
}

_ASCENDING = (("tmin", "ta", "tmax", "N"), ("tmin", "tb", "tmax", "N"), ("c", "N"))
_ORDERED = {
    (CODE[chain[i]], CODE[chain[j]])
    for chain in _ASCENDING
    for i in range(len(chain))
    for j in range(i + 1, len(chain))
}


def never_greater(pool: SharedNodes, x: int, y: int) -> bool:
    """Whether the first value is at most the second one in every cell of every file, as far as is known."""
    return (pool.token(x), pool.token(y)) in _ORDERED or interval(pool, x)[1] <= interval(pool, y)[0]


def interval(pool: SharedNodes, node: int) -> Interval:
    """Return bounds of a node's value; those of its operands are cached since their creation."""
    known = pool.intervals.get(node)
    if known is None:
        number = pool.number(node)
        name = SYMBOLS[pool.token(node)].name
        if number is not None:
            known = (number, number)
        elif name in _BOUNDS:
            known = _BOUNDS[name]
        else:
            known = _of(name, [interval(pool, operand) for operand in pool.operands(node)])
        pool.intervals[node] = known
    return known


def _of(name: str, operands: list[Interval]) -> Interval:
    (low, high), other = operands[0], operands[-1]
    match name:
        case "+":
            return _clipped(low + other[0], high + other[1])
        case "-":
            return _clipped(low - other[1], high - other[0])
        case "*":
            corners = [x * y for x in (low, high) for y in other]
            return _clipped(min(corners), max(corners))
        case "/":
            if other[0] <= 0.0 <= other[1]:
                return _EVERYTHING
            corners = [x / y for x in (low, high) for y in other]
            return _clipped(min(corners), max(corners))
        case "min":
            return min(low, other[0]), min(high, other[1])
        case "max":
            return max(low, other[0]), max(high, other[1])
        case "neg":
            return -high, -low
        case "if_less":
            return min(operands[2][0], other[0]), max(operands[2][1], other[1])
    least = 0.0 if low <= 0.0 <= high else min(abs(low), abs(high))
    greatest = max(abs(low), abs(high))
    if name == "abs":
        return least, greatest
    if name == "sqrt":
        return sqrt(least), sqrt(greatest)
    # Libraries differ in the last bits of a logarithm.
    return max(0.0, log1p(least) * (1 - 1e-12)), nextafter(log1p(greatest) * (1 + 1e-12), inf)


def _clipped(low: float, high: float) -> Interval:
    return min(max(low, -LIMIT), LIMIT), min(max(high, -LIMIT), LIMIT)


_PLUS, _MINUS, _TIMES, _OVER = CODE["+"], CODE["-"], CODE["*"], CODE["/"]
_MIN, _MAX, _NEG, _ABS = CODE["min"], CODE["max"], CODE["neg"], CODE["abs"]
_SQRT, _LOG, _IF_LESS = CODE["sqrt"], CODE["log"], CODE["if_less"]


def simplify(equation: Equation, decoding: Decoding | None = None) -> Equation:
    """Return a shorter equation of the same value in every cell of every file, bit for bit (but for the sign of 0)."""
    # Constants are folded with the evaluator's own arithmetic; what is neutral, double or never chosen goes. Whether
    # one value is never greater than another is read off intervals that hold for every file. Frequencies are at least 1
    # and at most N; distances and p lie in [0, 1].
    # decoding: where given, bounds at the root that the decoding sets anyway go too; then values may differ and
    # matrices not.
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
    if token in (_PLUS, _MINUS):
        found = _sum(pool, token, *operands)
    elif token in (_TIMES, _OVER):
        found = _product(pool, token, *operands)
    elif token in (_MIN, _MAX):
        found = _extreme(pool, token, *operands)
    else:
        found = _choice(pool, *operands) if token == _IF_LESS else _unary(pool, token, operands[0])
    if found is not None:
        return found
    node = pool.applied(token, operands)
    if all(pool.token(operand) == CONSTANT for operand in operands):
        return pool.constant(pool.value(node))
    low, high = interval(pool, node)
    return pool.constant(low) if low == high else node


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
