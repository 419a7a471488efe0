"""A table published earlier, beside a file about the same people: cells that the file contradicts or completes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evosdc.assess.risk import population_description
from evosdc.errors import DataError, Fault
from evosdc.files.schema.description import AttributeDescription, SchemaDescription
from evosdc.files.source import read_source
from evosdc.table.alignment import recode_like
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table

COUNT = "count"  # the column of a published table that has the numbers of people
SUPPRESSED = ("", "*", "x", "X", ".", "-", "..")  # signs of a suppressed cell


@dataclass(frozen=True)
class PublishedTable:
    """A published table beside a file."""

    attributes: tuple[str, ...]  # what it counts by
    cells: int  # all cells, and the suppressed ones
    suppressed: int
    differing: int  # published cells of which the file has another number
    # half the sum of the differences, in per cent of the people in published cells: the contradiction that users see
    moved: float
    completed: int  # suppressed cells of which the file has the true number
    completed_small: int  # those of them with one to `SMALL` people

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {**vars(self), "attributes": list(self.attributes)}

    def words(self) -> str:
        """Return the finding in words."""
        by = ", ".join(self.attributes)
        said = (
            f"The table by {by} that is out already: the file has another number in {self.differing} of "
            f"{self.cells - self.suppressed} published cells ({self.moved:.1f} % of the people)."
        )
        if self.suppressed:
            said += f" Of {self.suppressed} suppressed cells the file has the true number of {self.completed}"
            said += f", {self.completed_small} of them with one to {SMALL} people." if self.completed_small else "."
        if self.completed_small:
            said += " Mask these columns more, or do not publish the file beside this table."
        return said


SMALL = 10  # people up to which a cell is one that a suppression hides


def published_table(path: Path, original: Table, masked: Table) -> PublishedTable:
    """Compare a file with a table that was published earlier."""
    where, schema = f"--published {path.name}", original.schema
    names = [name for name in read_source(path).table.schema.names if name != COUNT]
    lacking = [name for name in names if name not in masked.schema]
    if not names or lacking:
        given = f"columns {', '.join(lacking)} that the file has not" if lacking else "no column that it counts by"
        raise DataError(Fault(where, given, f"columns of the file, and {COUNT}"))
    numeric = [name for name in names if not schema[name].categorical]
    if numeric:
        advice = "Declare them ordinal in the schema."
        raise DataError(Fault(where, f"{', '.join(numeric)}, a number in the file", "columns of categories", advice))
    described = dict(population_description(schema, names).attributes)
    described[COUNT] = AttributeDescription(scale=Scale.NUMERIC, missing=SUPPRESSED)
    table = read_source(path, SchemaDescription(described, schema.missing, schema.na, where)).table
    if COUNT not in table.schema:
        raise DataError(Fault(where, f"no column {COUNT}", "one with the numbers of people"))
    coded = recode_like(table, schema, names)
    published = np.asarray(table.column(COUNT), dtype=np.float64)
    true, shown = (_counts(coded, recode_like(people, schema, names), names) for people in (original, masked))
    known = ~np.isnan(published)
    away = np.abs(shown - published)[known]
    hidden = ~known & (shown == true)
    return PublishedTable(
        tuple(names),
        len(published),
        int((~known).sum()),
        int((away > 0).sum()),
        50.0 * float(away.sum()) / max(float(published[known].sum()), 1.0),
        int(hidden.sum()),
        int((hidden & (true >= 1) & (true <= SMALL)).sum()),
    )


def _counts(cells: Table, people: Table, names: list[str]) -> Numbers:
    """Return how many people each cell has, shape (cells,)."""
    labels = [np.concatenate((cells.column(name), people.column(name))) for name in names]
    _, places = np.unique(np.column_stack(labels), axis=0, return_inverse=True)
    places = places.reshape(-1)
    counts = np.bincount(places[len(cells) :], minlength=int(places.max()) + 1)
    return counts[places[: len(cells)]].astype(np.float64)
