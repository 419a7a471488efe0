"""Masked files put in order before they are judged: exchanged labels, kept values, then records that rules forbid."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evosdc.errors import InputError
from evosdc.model import Fitted, Mending, Moving
from evosdc.secret import Purpose, stream
from evosdc.table.corrections import with_moved_values, with_right_labels
from evosdc.table.table import Table

if TYPE_CHECKING:
    from evosdc.engine.problem import Problem


class Mended(NamedTuple):
    """A masked table in order, the attributes whose labels had to be put right, and those whose values were moved."""

    # `unrepaired` is the table before forbidden records were repaired: repeating its masking makes this table.

    table: Table
    right_labels: tuple[str, ...]
    move_values: tuple[str, ...]
    unrepaired: Table


LastStep = Callable[[Table, np.random.Generator], Table]  # carries out the last step of a chain again


def mended(
    problem: "Problem", masked: Table, last: LastStep | None = None, rng: np.random.Generator | None = None
) -> Mended:
    """Return a masked file as a search may start from it, and as a plan is judged and published."""
    # Records that rules forbid are repaired (`evosdc.engine.class_keeping.Repair`). Where that breaks what privacy
    # models ask for, the last step of a chain, which may be there to make sure of it, is carried out again.
    repaired = _repaired(problem, masked, last)
    if repaired is not masked and not _wrongly_labelled(problem, repaired) and not _kept_too_often(problem, repaired):
        return Mended(repaired, (), (), masked)
    righted, right_labels = _with_right_labels(problem, masked)
    moved, move_values = _with_moved_values(problem, righted, rng)
    return Mended(_repaired(problem, moved, last), right_labels, move_values, moved)


def _repaired(problem: "Problem", before: Table, last: LastStep | None) -> Table:
    repaired = problem.repair.repaired(before)
    if last is None or repaired is before:
        return repaired
    missed = problem.repair.missed(repaired)
    if missed <= problem.repair.missed(before):
        return repaired
    rng = stream(problem.streams.seed, Purpose.MASK, 1)  # the same each time, as all else of a file
    while missed:
        try:
            once_more = problem.repair.repaired(last(repaired, rng))
        except InputError:  # it fits the file no longer
            break
        still_missed = problem.repair.missed(once_more)
        if still_missed >= missed:
            break
        repaired, missed = once_more, still_missed
    return repaired


def _with_right_labels(problem: "Problem", masked: Table) -> tuple[Table, tuple[str, ...]]:
    wrong = _wrongly_labelled(problem, masked)
    if not wrong:
        return masked, ()
    righted = with_right_labels(problem.genotype.microdata.original, masked, tuple(wrong))
    # Where missing values were exchanged, nothing can be put right.
    return righted, _changed(masked, righted, wrong)


def _with_moved_values(
    problem: "Problem", masked: Table, rng: np.random.Generator | None
) -> tuple[Table, tuple[str, ...]]:
    kept = _kept_too_often(problem, masked)
    if not kept:
        return masked, ()
    own = stream(problem.streams.seed, Purpose.SHUFFLE, 0) if rng is None else rng.spawn(1)[0]
    moved = with_moved_values(problem.genotype.microdata.original, masked, tuple(kept), own)
    # Records that look alike, as a privacy model wants them, would do so no longer.
    if problem.repair.missed(moved) > problem.repair.missed(masked):
        return masked, ()
    return moved, _changed(masked, moved, kept)


def _wrongly_labelled(problem: "Problem", masked: Table) -> dict[str, None]:
    bounded = [(one, bound) for one, bound in _bounded(problem) if isinstance(one, Mending)]
    return dict.fromkeys(name for one, bound in bounded for name in one.wrongly_labelled(masked, bound))


def _kept_too_often(problem: "Problem", masked: Table) -> dict[str, None]:
    bounded = [(one, bound) for one, bound in _bounded(problem) if isinstance(one, Moving)]
    return dict.fromkeys(name for one, bound in bounded for name in one.kept_too_often(masked, bound))


def _bounded(problem: "Problem") -> list[tuple[Fitted | None, float]]:
    """Return the measures that constraints keep at or below a bound, each with that bound."""
    listed = [one for one in problem.constraints.listed if one.operator == "<="]
    return [(problem.measures.get(one.figure_name), one.bound) for one in listed]


def _changed(before: Table, after: Table, names: dict[str, None]) -> tuple[str, ...]:
    return tuple(name for name in names if not np.array_equal(before.column(name), after.column(name), equal_nan=True))
