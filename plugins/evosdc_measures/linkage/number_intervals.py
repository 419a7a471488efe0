"""Numbers, and dates of many days, in classes of about equal frequency, for measures that compare categories.

Where hardly two records have the same value, the frequencies with which each one was published as which other one are
the file itself: whoever were taken to know them would know who is who, however the file was masked.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np

from evosdc.model import Batched, Changes, Fitted, Incremental
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import MISSING, Codes, Numbers, Rows, Table
from evosdc_measures.linkage.numeric_dbrl import require_same_shape

State = tuple[Table, Any]
"""The masked table in classes, and the state of the measure fitted on classes."""


def limits_of(column: Numbers, bins: int) -> Numbers:
    """Return the different inner quantiles of a column, ascending: the limits between its classes.

    A value that is a limit belongs to the class above it. Frequent values make some classes one, so there may be fewer
    than `bins`.
    """
    known = column[~np.isnan(column)]
    if not known.size:
        return known
    limits = np.unique(np.quantile(known, np.arange(1, bins) / bins))
    inner: Numbers = limits[limits > known.min()]
    return inner


def by_classes(schema: Schema, bins: int, but: Collection[str] = ()) -> tuple[str, ...]:
    """Return the attributes that are taken by classes: numbers, and dates of more than `bins` days; not those in `but`.

    That dates are taken so is a reconstruction.
    """
    return tuple(
        a.name
        for a in schema.attributes
        if not a.categorical or (a.date_format and len(a.categories) > bins and a.name not in but)
    )


def classed(original: Table, bins: int) -> Table:
    """Return an original whose numbers and dates are taken by classes of its own quantiles."""
    limits = _all_limits(original, bins)
    schema = _schema_of_classes(original.schema, limits)
    return Table(schema, _codes_of(original, limits, slice(None)), np.empty((len(original), 0)))


class FittedOnIntervals(Batched[State]):
    """A measure of categories, fitted on an original of which `by_classes` are taken by classes of its quantiles."""

    def __init__(
        self, original: Table, bins: int, fit: Callable[[Table], Incremental[Any]], but: Collection[str] = ()
    ) -> None:
        self._original = original
        self._limits = _all_limits(original, bins, but)
        self._schema = _schema_of_classes(original.schema, self._limits)
        self._fitted = fit(self._classed(original))

    @property
    def schema(self) -> Schema:
        """The schema of tables in classes."""
        return self._schema

    def _classed(self, table: Table) -> Table:
        return Table(self._schema, _codes_of(table, self._limits, slice(None)), np.empty((len(table), 0)))

    def start(self, masked: Table) -> State:
        """Return the state of a table."""
        require_same_shape(self._original, masked)
        classed = self._classed(masked)
        return classed, self._fitted.start(classed)

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change."""
        classed = self._followed(state[0], masked, rows)
        return classed, self._fitted.update(state[1], classed, rows)

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; the measure of classes may alter its old one."""
        classed = self._followed(state[0], masked, rows)
        return classed, self._fitted.follow(state[1], classed, rows)

    def _followed(self, classed: Table, masked: Table, rows: Rows) -> Table:
        codes = classed.codes.copy()
        codes[rows] = _codes_of(masked, self._limits, rows)
        return Table(self._schema, codes, np.empty((len(codes), 0)))

    @property
    def together(self) -> bool:
        """Whether the measure of classes judges children together."""
        return isinstance(self._fitted, Batched) and self._fitted.together

    @property
    def beside(self) -> bool:
        """Whether the measure of classes is worth a thread."""
        return isinstance(self._fitted, Batched) and self._fitted.beside

    @property
    def divisible(self) -> bool:
        """Whether the measure of classes judges parts of the children at the same time."""
        return isinstance(self._fitted, Batched) and self._fitted.divisible

    def values(self, state: State, changes: Changes) -> Numbers:
        """Return the risks of several children."""
        assert isinstance(self._fitted, Batched)
        return self._fitted.values(state[1], self._classed_changes(changes))

    def _classed_changes(self, changes: Changes) -> Changes:
        return changes._replace(before=self._classed(changes.before), after=self._classed(changes.after))

    def burdens(self, masked: Table) -> Numbers | None:
        """Return what each record adds to the risk, where the measure of classes can tell."""
        require_same_shape(self._original, masked)
        return self._fitted.burdens(self._classed(masked))

    def burdens_of_state(self, state: State) -> Numbers | None:
        """Return what each record adds to the risk, where the measure of classes can tell by a state."""
        return self._fitted.burdens_of_state(state[1])

    def value(self, state: State) -> float:
        """Return the risk, 0..100."""
        return self._fitted.value(state[1])

    def read_from(self, other: Fitted) -> Callable[[Any], float] | None:
        """Return how the score is read from the states of another measure that takes numbers by the same classes."""
        read = self._fitted.read_from(other._fitted) if isinstance(other, FittedOnIntervals) else None
        return None if read is None else lambda state: read(state[1])

    def read_together_from(self, other: Fitted) -> Callable[[Any, Changes], tuple[Numbers, Numbers]] | None:
        """Return how children are judged by another measure that takes numbers by the same classes, and by this."""
        read = self._fitted.read_together_from(other._fitted) if isinstance(other, FittedOnIntervals) else None
        return None if read is None else lambda state, changes: read(state[1], self._classed_changes(changes))


def _all_limits(original: Table, bins: int, but: Collection[str] = ()) -> dict[str, Numbers]:
    return {name: limits_of(_values(original.column(name)), bins) for name in by_classes(original.schema, bins, but)}


def _values(column: Codes | Numbers) -> Numbers:
    """Return a column as numbers, NaN where there is none: a date by its place among all."""
    values = np.asarray(column, dtype=np.float64)
    return values if column.dtype.kind == "f" else np.where(column < 0, np.nan, values)


def _codes_of(table: Table, limits: dict[str, Numbers], rows: Rows | slice) -> Codes:
    columns = []
    for attribute in table.schema.attributes:
        column = table.column(attribute.name)[rows]
        if attribute.name in limits:
            column = _values(column)
            classes = np.searchsorted(limits[attribute.name], column, side="right")
            column = np.where(np.isnan(column), MISSING, classes).astype(np.int32)
        columns.append(column)
    return np.column_stack(columns).astype(np.int32)


def _schema_of_classes(schema: Schema, limits: dict[str, Numbers]) -> Schema:
    return replace(schema, attributes=tuple(_class_attribute(a, limits) for a in schema.attributes))


def _class_attribute(attribute: Attribute, limits: dict[str, Numbers]) -> Attribute:
    if attribute.name not in limits:
        return attribute
    categories = tuple(str(place) for place in range(len(limits[attribute.name]) + 1))
    return replace(attribute, scale=Scale.ORDINAL, categories=categories, hierarchy=None, date_format="")
