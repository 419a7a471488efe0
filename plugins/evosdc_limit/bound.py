"""The limit of a file: the function to call from Python, its curve, and what it returns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import inf
from time import monotonic
from typing import Any, Literal

import numpy as np

from evosdc.errors import DataError, Fault
from evosdc.table.table import Table
from evosdc_limit.generation import TOLERANCE, Generation
from evosdc_limit.objective import LOSSES, objective_of

_GREATEST = 100.0


@dataclass(frozen=True)
class Line:
    """A supporting line: every masked file has ``t IL + (1 - t) DR >= value``."""

    t: float  # weight of IL, in [0, 1]
    value: float  # on the scale 0..100
    gap: float = 0.0  # how much higher the line might be drawn: 0, up to the tolerance, where it was found to its end

    def dr(self, il: float) -> float:
        """Return the least DR at an IL; only for t < 1."""
        return (self.value - self.t * il) / (1.0 - self.t)


def least_dr(lines: Sequence[Line], il: float) -> float:
    """Return the DR below which no masked file with that IL, or a lower one, can lie."""
    return max([0.0, *(line.dr(il) for line in lines if line.t < 1.0)])


def envelope(lines: Sequence[Line]) -> tuple[tuple[float, float], ...]:
    """Return the corners of the limit curve as points (IL, DR), from IL = 0 to IL = 100."""
    # No masked file lies below the straight lines between them. DR falls along the curve and the curve is convex.
    found: list[Line] = []
    known = [Line(0.0, 0.0), *(line for line in lines if line.t < 1.0)]
    for line in sorted(known, key=lambda line: (-line.t, -line.value)):
        if found and found[-1].t == line.t:
            continue
        while len(found) > 1 and _crossing(found[-2], line) <= _crossing(found[-2], found[-1]):
            found.pop()
        found.append(line)
    crossings = [_crossing(steep, flat) for steep, flat in pairwise(found)]
    places = [0.0, *(il for il in crossings if 0.0 < il < _GREATEST), _GREATEST]
    return tuple((il, least_dr(found, il)) for il in places)


def value_at(lines: Sequence[Line], t: float) -> float:
    """Return a bound of ``t IL + (1 - t) DR`` for any t between the least and the greatest of the lines."""
    # The best bound is a concave function of t, so that it lies above the chord of two neighbouring lines.
    best = {line.t: line.value for line in sorted(lines, key=lambda line: line.value)}
    places = sorted(best)
    return float(np.interp(t, places, [best[place] for place in places]))


def _crossing(steep: Line, flat: Line) -> float:
    """Return the IL where two lines of different weights meet."""
    slope = flat.t / (1.0 - flat.t) - steep.t / (1.0 - steep.t)
    return (flat.value / (1.0 - flat.t) - steep.value / (1.0 - steep.t)) / slope


LINES = 21  # weights t of the supporting lines, from 0 to 1 at equal distances, by default
_FEW = 5  # weights with greater denominators come after the least maximum where the curve comes first


@dataclass(frozen=True)
class Limit:
    """Lower bounds of information loss and disclosure risk that hold for every masked file of one original."""

    max: float  # no masked file has a lower max(IL, DR)
    t: float  # the weight of IL whose line gives it
    gap: float  # how much greater the bound might be; infinite where the search for it was stopped too early to tell
    lines: tuple[Line, ...]  # by rising t
    guess: str
    losses: tuple[str, ...]  # whose mean is IL
    # Whether DR is half of the guess, the other half being a linkage of at least 0; otherwise it is the guess
    linkage: bool
    attributes: tuple[str, ...]
    records: int
    missing_rule: str

    @cached_property
    def curve(self) -> tuple[tuple[float, float], ...]:
        """Corners (IL, DR) of the curve below which no masked file lies, from IL = 0 to IL = 100."""
        return envelope(self.lines)

    def least_dr(self, il: float) -> float:
        """Return the DR below which no masked file with that IL lies."""
        return least_dr(self.lines, il)

    def above(self, il: float, dr: float, fitness: Literal["max", "mean"] = "max") -> float | None:
        """Return by how many per cent the fitness of a file lies above the limit; None where the limit is 0."""
        least = self.max if fitness == "max" else value_at(self.lines, 0.5)
        found = max(il, dr) if fitness == "max" else (il + dr) / 2.0
        return 100.0 * (found / least - 1.0) if least > 0.0 else None

    def document(self) -> dict[str, Any]:
        """Return the limit as JSON has it."""
        return {
            "max": self.max,
            "lines": [{"t": line.t, "value": line.value} for line in self.lines],
            "curve": [{"il": il, "dr": dr} for il, dr in self.curve],
            "t": self.t,
            "gap": self.gap if self.gap < inf else None,
            "dr": self.guess,
            "il": list(self.losses),
            "linkage": self.linkage,
            "attributes": list(self.attributes),
            "records": self.records,
            "missing_rule": self.missing_rule,
        }


def limit_of(
    table: Table,
    guess: str = "guess",
    *,
    losses: Sequence[str] = LOSSES,
    linkage: bool = True,
    lines: int = LINES,
    order: int = 2,
    tolerance: float = TOLERANCE,
    seconds: float | None = None,
    curve_first: bool = False,
) -> Limit:
    """Return the limit of a file."""
    objective = objective_of(table, guess, losses, linkage, order)
    if lines < 2:
        raise DataError(Fault("lines", str(lines), "2 or more"))
    generation = Generation(objective, tolerance, seconds=seconds)
    weights = [Fraction(place, lines - 1) for place in range(lines)]
    # Coarse weights first: they are worth most where time ends before all are done.
    ahead = sorted(weights, key=lambda fraction: (fraction.denominator, fraction))
    found: list[Line] = []
    if curve_first:
        half = inf if seconds is None else monotonic() + seconds / 2.0
        # The line of no weight on IL is known without a program.
        found, few = [Line(0.0, objective.least_risk, 0.0)], [weight for weight in ahead if weight.denominator <= _FEW]
        for weight in few:
            if weight > 0 and (monotonic() <= half or weight.denominator <= 2):
                found.append(_line(generation, weight))
        begun = {line.t for line in found}
        ahead = [weight for weight in ahead if float(weight) not in begun]
    best = _best(generation, found)
    found.append(best)
    for weight in ahead:
        if not (generation.late and weight.denominator > 1):
            found.append(_line(generation, weight))
    return Limit(
        best.value,
        best.t,
        best.gap,
        tuple(sorted(found, key=lambda line: line.t)),
        objective.guess,
        objective.losses,
        linkage,
        table.schema.names,
        len(table),
        str(table.schema.na),
    )


def _best(generation: Generation, known: Sequence[Line]) -> Line:
    """Return the line of the least maximum: it is no less than any mean of IL and DR, where there is no more time."""
    greatest = max(known, key=lambda line: line.value, default=None)
    if greatest is not None and generation.late:
        return replace(greatest, gap=inf)
    one = generation.optimum(None)
    if greatest is not None and greatest.value > one.value:
        return replace(greatest, gap=max(one.value + one.gap - greatest.value, 0.0))
    return Line(one.t, one.value, one.gap)


def _line(generation: Generation, weight: Fraction) -> Line:
    one = generation.optimum(float(weight))
    return Line(float(weight), one.value, one.gap)
