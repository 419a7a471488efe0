"""Shortening equations by the algebra of real numbers, with sympy: cancelling, factoring, collecting.

Protected division and clipping make such steps wrong for some files: x / y * y is not x where y is 0. Each result is
therefore compared with the equation on many matrices, and is taken only where it makes the same ones.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from evosdc.errors import Fault, ParameterError
from evosdc.randomisation.equations.equation import Equation, applied, terminal
from evosdc.randomisation.equations.evaluation import Decoding, matrix_of
from evosdc.randomisation.equations.quantities import Quantities, quantities
from evosdc.randomisation.equations.symbols import CODE, CONSTANT, LIMIT, SYMBOLS
from evosdc_equations.simplification import simplify

TOLERANCE = 1e-12
DEEPEST = 40
"""sympy walks trees by recursion; deeper equations are left to the exact rules."""

_RATIONAL = {"+", "-", "*", "/", "neg"}


def shortened(equation: Equation, decoding: Decoding, own: Sequence[Quantities] = ()) -> Equation:
    """Return the shortest equation found that makes the same matrices, to 1e-12 in every entry.

    Parameters
    ----------
    equation : Equation
    decoding : {"raw", "offdiag", "full"}
    own : sequence of Quantities
        Attributes that must come out the same, besides the 240 made-up ones that every result is checked on.

    Returns
    -------
    Equation
        At most as many nodes as `simplify` leaves. That it is equal on every file whatever is not proven.

    Raises
    ------
    ParameterError
        sympy is not installed.
    """
    best = simplify(equation, decoding)
    attributes = [*own, *sample_attributes()]
    if best.depth > DEEPEST:
        return best
    for candidate in _candidates(best):
        shorter = simplify(candidate, decoding)
        if len(shorter) < len(best) and largest_difference(equation, shorter, decoding, attributes) <= TOLERANCE:
            best = shorter
    return best


def largest_difference(a: Equation, b: Equation, decoding: Decoding, attributes: Sequence[Quantities]) -> float:
    """Return the greatest difference between entries of the matrices that two equations make."""
    differences = (np.abs(matrix_of(a, cells, decoding) - matrix_of(b, cells, decoding)).max() for cells in attributes)
    return float(max(differences, default=0.0))


@cache
def sample_attributes() -> tuple[Quantities, ...]:
    """Return made-up attributes of 2 to 25 categories: even and skewed, ordinal and nominal, p from 0 to 1."""
    rng = np.random.default_rng(20)
    made = []
    for position in range(240):
        c = int(rng.integers(2, 6 if position % 2 else 26))
        T = np.maximum(1, rng.pareto(0.7, c) * 10).astype(np.int64) if position % 3 else rng.integers(1, 6, c)
        codes = np.arange(c)
        ordinal = position % 4 < 2
        distance = np.abs(codes[:, None] - codes) / c if ordinal else 1.0 - np.identity(c)
        p = (0.0, 1.0, 0.5)[position % 5] if position % 5 < 3 else float(rng.random())
        made.append(quantities(np.minimum(T, 10**6).astype(np.int64), distance, ordinal, p))
    return tuple(made)


def _candidates(equation: Equation) -> Iterator[Equation]:
    sympy = _sympy()
    opaque: dict[Any, Equation] = {}
    expression = _expression(sympy, equation, opaque)
    names: dict[Any, Equation] = {_symbol(sympy, s.name): terminal(CODE[s.name]) for s in SYMBOLS[1:] if not s.arity}
    for step in (sympy.cancel, sympy.factor, sympy.together, sympy.expand, sympy.simplify, sympy.horner):
        try:
            yield _equation(sympy, step(expression), names | opaque)
        except (ValueError, sympy.PolynomialError, NotImplementedError):
            continue  # A step that does not apply, or a form without functions of ours.


def _sympy() -> Any:
    try:
        import sympy
    except ImportError:
        raise ParameterError(
            Fault("algebra", "no package sympy", "sympy 1.12 or later", "Install it: pip install sympy.")
        ) from None
    return sympy


def _symbol(sympy: Any, name: str) -> Any:
    # A name of our own: sympy's N and other names would be functions.
    return sympy.Symbol(f"t_{name}", real=True)


def _expression(sympy: Any, equation: Equation, opaque: dict[Any, Equation]) -> Any:
    """Return sympy's form; a subtree that is no rational function becomes a symbol of its own."""

    def leaf(token: int, number: float) -> tuple[Any, Equation]:
        own = terminal(token, number)
        # The shortest decimal text is what a person meant: 0.3 is 3/10, not its nearest binary fraction.
        return (sympy.Rational(repr(number)) if token == CONSTANT else _symbol(sympy, SYMBOLS[token].name)), own

    def node(token: int, operands: Sequence[tuple[Any, Equation]]) -> tuple[Any, Equation]:
        name = SYMBOLS[token].name
        own = applied(token, [o for _, o in operands])
        values = [value for value, _ in operands]
        if name not in _RATIONAL or (name == "/" and values[1] == 0):
            for symbol, known in opaque.items():
                if known == own:
                    return symbol, own
            symbol = sympy.Symbol(f"o_{len(opaque)}", real=True)
            opaque[symbol] = own
            return symbol, own
        if name == "neg":
            return -values[0], own
        x, y = values
        return {"+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "/": lambda: x / y}[name](), own

    return equation.fold(leaf, node)[0]


def _equation(sympy: Any, expression: Any, names: dict[Any, Equation]) -> Equation:
    """Return a rational expression as an equation."""
    if expression in names:
        return names[expression]
    if expression.is_Rational or expression.is_Float:
        return _constant(float(expression))
    if expression.is_Add:
        return _added(sympy, list(expression.args), names)
    if expression.is_Mul:
        above, below = sympy.fraction(expression)
        if below != 1:
            return applied(CODE["/"], [_equation(sympy, above, names), _equation(sympy, below, names)])
        negative = expression.could_extract_minus_sign()
        if negative:
            return applied(CODE["neg"], [_equation(sympy, -expression, names)])
        return _chained("*", [_equation(sympy, factor, names) for factor in expression.args])
    if expression.is_Pow and expression.exp.is_Integer and 1 <= abs(int(expression.exp)) <= 4:
        power = _chained("*", [_equation(sympy, expression.base, names)] * abs(int(expression.exp)))
        return power if expression.exp > 0 else applied(CODE["/"], [_constant(1.0), power])
    raise ValueError(f"{type(expression).__name__} has no counterpart among the functions")


def _added(sympy: Any, terms: list[Any], names: dict[Any, Equation]) -> Equation:
    negative = [term for term in terms if term.could_extract_minus_sign()]
    positive = [term for term in terms if not term.could_extract_minus_sign()]
    if not positive:
        return applied(CODE["neg"], [_chained("+", [_equation(sympy, -term, names) for term in negative])])
    total = _chained("+", [_equation(sympy, term, names) for term in positive])
    for term in negative:
        total = applied(CODE["-"], [total, _equation(sympy, -term, names)])
    return total


def _chained(name: str, parts: Sequence[Equation]) -> Equation:
    total = parts[0]
    for part in parts[1:]:
        total = applied(CODE[name], [total, part])
    return total


def _constant(number: float) -> Equation:
    if not abs(number) <= LIMIT:
        raise ValueError("a constant outside the limits")
    return terminal(CONSTANT, number)
