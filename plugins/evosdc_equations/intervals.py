"""Bounds of values that hold for every file, and what follows for the order of two values."""

from math import inf, log1p, nextafter, sqrt

from evosdc.randomisation.equations.symbols import CODE, LIMIT, SYMBOLS
from evosdc_equations.sharing import SharedNodes

Interval = tuple[float, float]

_EVERYTHING: Interval = (-LIMIT, LIMIT)
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
"""Matrices of fewer than two categories are identities without any evaluation, so c >= 2 and N >= 2."""

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
    """Return bounds of a node's value; operands are looked up, since they were asked for when they were made."""
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
            return _corners([x * y for x in (low, high) for y in other])
        case "/":
            if other[0] <= 0.0 <= other[1]:
                return _EVERYTHING
            return _corners([x / y for x in (low, high) for y in other])
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


def _corners(corners: list[float]) -> Interval:
    return _clipped(min(corners), max(corners))


def _clipped(low: float, high: float) -> Interval:
    return min(max(low, -LIMIT), LIMIT), min(max(high, -LIMIT), LIMIT)
