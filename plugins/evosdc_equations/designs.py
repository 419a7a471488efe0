"""The standard PRAM designs as equations."""

from collections.abc import Iterator
from functools import cache

from evosdc.model import Masking
from evosdc.randomisation.equations.equation import Equation
from evosdc.randomisation.equations.infix import numeral, parse_infix

_TENTHS = tuple(tenth / 10 for tenth in range(1, 10))

# The quotient stands alone: with two categories it is 0 / 0, which is 1, and the rule for two categories comes out.
DESIGN_A = "{change} * ((N - ta - tb) / ((c - 2) * (N - ta)))"
DESIGN_B = "{theta} * tmin / (ta * (c - 1))"


def design_a(p: float) -> Equation:
    """Return the equation of De Wolf and Van Gelder's off-diagonal probabilities, which keep a value with p."""
    return parse_infix(DESIGN_A.format(change=numeral(round(1.0 - p, 12))))


def design_b(theta: float) -> Equation:
    """Return the equation of the invariant design's off-diagonal probabilities, with perturbation theta."""
    return parse_infix(DESIGN_B.format(theta=numeral(theta)))


@cache
def standard_designs() -> tuple[tuple[Masking, Equation], ...]:
    """Return both designs for p and theta in 0.1..0.9, with the masking that each is equal to."""
    return tuple(_designs())


def _designs() -> Iterator[tuple[Masking, Equation]]:
    for p in _TENTHS:
        yield Masking("pram", {"design": "a", "p": p}), design_a(p)
    for theta in _TENTHS:
        yield Masking("pram", {"design": "b", "theta": theta}), design_b(theta)
