"""Numbers, and dates of many days, in classes of about equal frequency, for measures that compare categories.

Where hardly two records have the same value, the frequencies with which each one was published as which other one are
the file itself: an intruder who knew them would identify everybody, however the file was masked.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np

from evosdc.model import Changes, Fitted, Tracker
from evosdc.model.tracker import CombinedTracker
from evosdc.table.schema import Scale, Schema
from evosdc.table.table import MISSING, Codes, Numbers, Table
from evosdc_measures.domains import require_same_shape


def limits_of(column: Numbers, bins: int) -> Numbers:
    """Return the different inner quantiles of a column, ascending: the limits between its classes."""
    # A value that is a limit belongs to the class above it. Frequent values make some classes one, so there may be
    # fewer than `bins`.
    known = column[~np.isnan(column)]
    if not known.size:
        return known
    limits = np.unique(np.quantile(known, np.arange(1, bins) / bins))
    inner: Numbers = limits[limits > known.min()]
    return inner


def by_classes(schema: Schema, bins: int, but: Collection[str] = ()) -> tuple[str, ...]:
    """Return the attributes taken by classes: numbers, and dates of more than `bins` days."""
    # That dates are taken so is a reconstruction.
    return tuple(
        a.name
        for a in schema.attributes
        if not a.categorical or (a.date_format and len(a.categories) > bins and a.name not in but)
    )


def classed(original: Table, bins: int) -> Table:
    """Return an original whose numbers and dates are taken by classes of its own quantiles."""
    limits = _all_limits(original, bins)
    schema = _schema_of_classes(original.schema, limits)
    return Table(schema, _codes_of(original, limits), np.empty((len(original), 0)))


class FittedOnIntervals(Fitted):
    """A measure of categories, fitted on an original of which `by_classes` are taken by classes of its quantiles."""

    def __init__(self, original: Table, bins: int, fit: Callable[[Table], Fitted], but: Collection[str] = ()) -> None:
        self._original = original
        self._limits = _all_limits(original, bins, but)
        self._schema = _schema_of_classes(original.schema, self._limits)
        self._fitted = fit(self._classed(original))

    @property
    def schema(self) -> Schema:
        """The schema of tables in classes."""
        return self._schema

    def _classed(self, table: Table) -> Table:
        return Table(self._schema, _codes_of(table, self._limits), np.empty((len(table), 0)))

    def score(self, masked: Table) -> float:
        """Return the score of the table in classes."""
        require_same_shape(self._original, masked)
        return self._fitted.score(self._classed(masked))

    def track(self, masked: Table) -> Tracker:
        """Return a tracker of the table in classes."""
        require_same_shape(self._original, masked)
        return recoded(self._fitted.track(self._classed(masked)), self._classed)


def recoded(tracker: Tracker, coded: Callable[[Table], Table]) -> Tracker:
    """Return a tracker of a table in another coding as one of the table itself."""

    def seen(changes: Changes) -> Changes:
        return changes._replace(before=coded(changes.before), after=coded(changes.after))

    return CombinedTracker([(tracker, seen)])


def _all_limits(original: Table, bins: int, but: Collection[str] = ()) -> dict[str, Numbers]:
    return {name: limits_of(_values(original.column(name)), bins) for name in by_classes(original.schema, bins, but)}


def _values(column: Codes | Numbers) -> Numbers:
    """Return a column as numbers, NaN where there is none: a date by its place among all."""
    values = np.asarray(column, dtype=np.float64)
    return values if column.dtype.kind == "f" else np.where(column < 0, np.nan, values)


def _codes_of(table: Table, limits: dict[str, Numbers]) -> Codes:
    columns = []
    for attribute in table.schema.attributes:
        column = table.column(attribute.name)
        if attribute.name in limits:
            column = _values(column)
            classes = np.searchsorted(limits[attribute.name], column, side="right")
            column = np.where(np.isnan(column), MISSING, classes).astype(np.int32)
        columns.append(column)
    return np.column_stack(columns).astype(np.int32)


def _schema_of_classes(schema: Schema, limits: dict[str, Numbers]) -> Schema:
    attributes = list(schema.attributes)
    for at, attribute in enumerate(attributes):
        if attribute.name in limits:
            classes = tuple(map(str, range(len(limits[attribute.name]) + 1)))
            attributes[at] = replace(attribute, scale=Scale.ORDINAL, categories=classes, hierarchy=None, date_format="")
    return replace(schema, attributes=tuple(attributes))
