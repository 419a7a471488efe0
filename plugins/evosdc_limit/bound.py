"""The limit of a file: the function to call from Python, and what it returns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from time import monotonic
from typing import Any, Literal

from evosdc.errors import DataError, Fault
from evosdc.model.scales import require_scales
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_limit.attribute import attribute_terms
from evosdc_limit.curve import Line, envelope, least_dr, value_at
from evosdc_limit.generation import TOLERANCE, Generation
from evosdc_limit.objective import LOSSES, Objective, objective_of

LINES = 21
"""Weights t of the supporting lines, from 0 to 1 at equal distances, unless others are asked for."""

_FEW = 5
"""Weights with greater denominators come after the least maximum where the curve comes first."""


@dataclass(frozen=True)
class Limit:
    """Lower bounds of information loss and disclosure risk that hold for every masked file of one original.

    Parameters
    ----------
    max : float
        No masked file has a lower max(IL, DR).
    t : float
        The weight of IL whose line gives it.
    gap : float
        How much greater the bound might be; infinite where the search for it was stopped too early to tell.
    lines : tuple of Line
        By rising t.
    guess : {"guess", "guess-gain"}
    losses : tuple of str
        Whose mean is IL.
    linkage : bool
        Whether DR is half of the guess, the other half being a linkage of at least 0; otherwise it is the guess.
    attributes : tuple of str
    records : int
    missing_rule : str
    """

    max: float
    t: float
    gap: float
    lines: tuple[Line, ...]
    guess: str
    losses: tuple[str, ...]
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
        """Return by how many per cent the fitness of a file lies above the limit; None where the limit is 0.

        Parameters
        ----------
        il, dr : float
            Of the file, by the losses and the guess of this limit, and linkages if it has them.
        fitness : {"max", "mean"}
            max(IL, DR), or the mean of both.
        """
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
    """Return the limit of a file.

    Parameters
    ----------
    table : Table
        The protected attributes, nominal or ordinal, of the original.
    guess : {"guess", "guess-gain"}
        What DR is made of beside linkages: the measure `best-guess`, or `guess-gain`.
    losses : sequence of {"dbil", "ctbil", "ebil", "ctbil-across"}
        Whose mean is IL.
    linkage : bool
        Whether DR is the mean of the guess and of record linkages, which are bounded by 0.
    lines : int
        Supporting lines at so many weights, at least 2; the line of the least maximum comes in addition.
    order : int
        K of `ctbil`.
    tolerance : float
        The bound may be lower by so much than the program's optimum.
    seconds : float, optional
        Begin no further round after that time: lines that were not reached are left out, those stopped early are
        lower than they might be. All stay valid.
    curve_first : bool
        Whether a curve of few lines, in half of the time, comes before the least maximum, which on large files may take
        all of it. Without time for the maximum the greatest line bounds it.

    Raises
    ------
    DataError
        No record.
    ParameterError
        Numeric attributes, or unknown names.
    EvaluationError
        The solver gave up.
    """
    objective = objective_for(table, guess, losses, linkage, order)
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


def objective_for(
    table: Table, guess: str = "guess", losses: Sequence[str] = LOSSES, linkage: bool = True, order: int = 2
) -> Objective:
    """Return the objective of a file; arguments and errors are those of `limit_of`."""
    advice = "Name the nominal and ordinal ones by --protect A,B, or group numbers into ordered categories first."
    require_scales({Scale.NOMINAL, Scale.ORDINAL}, table, "the limit", advice)
    if len(table) == 0:
        raise DataError(Fault("data", "no record", "at least one record"))
    return objective_of(attribute_terms(table), guess, losses, linkage, order)
