"""`private-tables`: how far a file is from noisy tables, for experiments of the engine.

The data of such an experiment are a file that `evosdc certify` wrote, never the original: the measure knows the noisy
tables alone, and all that a search does with it has the guarantee of the tables.
"""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Changes, Fitted, Measure, Parameters, Tracker
from evosdc.printing import printable
from evosdc.table.schema import Scale, Schema
from evosdc.table.table import Table
from evosdc_certified.domain import Cells
from evosdc_certified.tables import PrivateTables

Indices = NDArray[np.int64]


class PrivateMisfit(Measure):
    """Misfit to noisy tables, as 100 misfit / (misfit + the one expected of the original): 50 where they are equal."""

    class Params(Parameters):
        """Where the tables are."""

        tables: Path = Field(description="a file private-tables.json that evosdc certify wrote")

    supports: ClassVar[frozenset[Scale]] = frozenset(Scale)

    def fit(self, original: Table) -> "FittedTables":
        """Read the noisy tables; of `original`, a file made of them, only the schema is read."""
        return FittedTables(PrivateTables.read(self.params.tables), original.schema)


class FittedTables(Fitted):
    """Noisy tables that files of a schema are compared with."""

    def __init__(self, tables: PrivateTables, schema: Schema) -> None:
        self.tables = tables
        lacking = [name for name in tables.domain.names if name not in schema]
        if lacking:
            given = f"a file without {printable(', '.join(lacking))}"
            advice = "Protect all attributes of the certified file."
            raise ParameterError(Fault("private-tables", given, "the attributes of the tables", advice))
        self.codes: dict[str, Cells] = {}
        for column in tables.domain.columns:
            attribute = schema[column.name]
            if attribute.categorical is not bool(column.labels):
                given = f"{printable(column.name)} as {attribute.scale}"
                raise ParameterError(Fault("private-tables", given, "the scale that it was measured in"))
            place = {label: cell for cell, label in enumerate(column.labels)}
            unknown = [label for label in attribute.categories if label not in place]
            if unknown:
                given = f"{len(unknown)} categories of {printable(column.name)} that were not measured"
                raise ParameterError(Fault("private-tables", given, "the categories of the tables"))
            last = column.size - 1
            self.codes[column.name] = np.array([*(place[label] for label in attribute.categories), last], np.int32)

    def cells(self, table: Table) -> Cells:
        """Return the cells of records, shape (n, V)."""
        columns = []
        for column in self.tables.domain.columns:
            values: NDArray[Any] = table.column(column.name)
            columns.append(self.codes[column.name][values] if column.labels else column.of(values))
        return np.stack(columns, axis=1)

    def positions(self, table: Table) -> Indices:
        """Return which counts records belong to, shape (n, T)."""
        return self.tables.positions(self.cells(table))

    def changed(self, table: Table, before: Cells, after: Cells, rng: np.random.Generator) -> Table:
        """Return a table whose records have other cells; a number is drawn evenly from those of its new cell."""
        columns = {name: table.column(name).copy() for name in table.schema.names}
        for place, column in enumerate(self.tables.domain.columns):
            if column.labels != table.schema[column.name].categories:
                given = f"{printable(column.name)} with other categories, or in another order"
                advice = "Name the schema of the certified file: schema.toml in its folder."
                raise ParameterError(Fault("private-tables-annealing", given, "the categories of the tables", advice))
            rows = np.flatnonzero(before[:, place] != after[:, place])
            columns[column.name][rows] = column.values(after[rows, place], rng)
        codes, numbers = ([columns[a.name] for a in part] for part in (table.schema.categorical, table.schema.numeric))
        none = np.empty((len(table), 0))
        return Table(table.schema, np.column_stack([none.astype(np.int32), *codes]), np.column_stack([none, *numbers]))

    def score(self, masked: Table) -> float:
        """Return the score of a file."""
        return self.track(masked).score

    def track(self, masked: Table) -> "TablesTracker":
        """Return a tracker, which counts what changes alone."""
        return TablesTracker(self, masked)


class TablesTracker(Tracker):
    """The counts of one file."""

    def __init__(self, fitted: FittedTables, masked: Table) -> None:
        self.fitted, self.records = fitted, len(masked)
        self.counts = fitted.tables.counts(fitted.positions(masked))
        self.misfit = fitted.tables.misfit(self.counts, self.records)

    @property
    def score(self) -> float:
        """The score of the file as it is now."""
        return float(self.fitted.tables.score(self.misfit))

    def tries(self, changes: Changes) -> NDArray[np.float64]:
        """Return the scores of children."""
        tables, children, cells = self.fitted.tables, len(changes.ends), len(self.counts)
        scale = tables.records / max(1, self.records)
        # Each child has counts of its own, one after the other.
        first = np.repeat(np.arange(children), np.diff(changes.ends, prepend=0))[:, None] * cells
        before, after = (
            np.bincount((self.fitted.positions(table) + first).ravel(), minlength=children * cells)
            for table in (changes.before, changes.after)
        )
        added = (after - before).reshape(children, cells) * scale
        change = (tables.weight * added * (2.0 * (self.counts * scale - tables.target) + added)).sum(axis=1)
        found: NDArray[np.float64] = tables.score(self.misfit + change)
        return found

    def take(self, change: Changes) -> None:
        """Update to a child."""
        np.subtract.at(self.counts, self.fitted.positions(change.before).ravel(), 1.0)
        np.add.at(self.counts, self.fitted.positions(change.after).ravel(), 1.0)
        self.misfit = self.fitted.tables.misfit(self.counts, self.records)
