"""The table that everything computes on: read-only matrices of integer codes and of numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault
from evosdc.printing import printable
from evosdc.table.schema import Attribute, MissingRule, Role, Scale, Schema

if TYPE_CHECKING:
    import pandas as pd

Codes = NDArray[np.int32]
Numbers = NDArray[np.float64]
Rows = NDArray[np.intp]
# code of a missing value. As an index it addresses the last entry, which is where tables by category keep it.
MISSING = -1
# A type is turned into one of these at every comparison, and a search makes a table for every candidate.
_CODE, _NUMBER = np.dtype(np.int32), np.dtype(np.float64)


@dataclass(frozen=True, eq=False)
class Table:
    """Records by position; no labels, no index.

    Parameters
    ----------
    schema : Schema
    codes : ndarray of int32, shape (n, C)
        Codes of the categorical attributes, in the schema's order; ``MISSING`` where there is no value.
    numbers : ndarray of float64, shape (n, Q)
        Values of the numeric attributes, in the schema's order; NaN where there is no value.

    Both matrices are made read-only and kept in C order, so a record's codes lie side by side.

    Raises
    ------
    ValueError
        The matrices' shapes do not fit the schema: a mistake of the caller, not of a user.
    """

    schema: Schema
    codes: Codes
    numbers: Numbers

    def __post_init__(self) -> None:
        codes, numbers = self.codes, self.numbers
        wanted = (len(self.schema.categorical), len(self.schema.numeric))
        if codes.ndim != 2 or numbers.ndim != 2 or (codes.shape[1], numbers.shape[1]) != wanted:
            raise ValueError(f"matrices {codes.shape} and {numbers.shape} do not fit {wanted} attributes")
        if codes.shape[0] != numbers.shape[0]:
            raise ValueError(f"{codes.shape[0]} records of codes, {numbers.shape[0]} of numbers")
        object.__setattr__(self, "codes", _frozen(codes, _CODE))
        object.__setattr__(self, "numbers", _frozen(numbers, _NUMBER))

    def __len__(self) -> int:
        return int(self.codes.shape[0])

    @cached_property
    def _position(self) -> Mapping[str, int]:
        return {a.name: i for group in (self.schema.categorical, self.schema.numeric) for i, a in enumerate(group)}

    def column(self, name: str) -> Codes | Numbers:
        """Return one attribute's values, shape (n,): codes or numbers by its scale. A view, read-only."""
        matrix = self.codes if self.schema[name].categorical else self.numbers
        column: Codes | Numbers = matrix[:, self._position[name]]
        return column

    def select(self, names: Sequence[str]) -> "Table":
        """Return the table of the named attributes, in that order."""
        schema = self.schema.select(names)
        return Table(
            schema,
            _columns(self.codes, [self._position[a.name] for a in schema.categorical]),
            _columns(self.numbers, [self._position[a.name] for a in schema.numeric]),
        )

    def take(self, rows: Rows) -> "Table":
        """Return the records at the given positions, in that order."""
        return Table(self.schema, _own(self.codes[rows]), _own(self.numbers[rows]))

    def without(self, rows: Rows | None) -> "Table":
        """Return the records that do not stand at the given positions; the table itself where there are none."""
        if rows is None or not len(rows):
            return self
        return self.take(np.delete(np.arange(len(self)), rows))

    def with_columns(self, part: "Table") -> "Table":
        """Return this table with the columns of `part`, which has the same records, put in place of its own."""
        changed = {a.name: a for a in part.schema.attributes}
        schema = replace(self.schema, attributes=tuple(changed.get(a.name, a) for a in self.schema.attributes))
        codes = np.empty((len(self), len(schema.categorical)), dtype=np.int32)
        numbers = np.empty((len(self), len(schema.numeric)))
        for target, attributes in ((codes, schema.categorical), (numbers, schema.numeric)):
            for position, attribute in enumerate(attributes):
                target[:, position] = (part if attribute.name in changed else self).column(attribute.name)
        return Table(schema, _own(codes), _own(numbers))

    def beside(self, columns: Mapping[str, NDArray[Any]], schema: Schema) -> "Table":
        """Return this table with further columns, whose attributes are in a schema, behind its own."""
        if not columns:
            return self
        added = Schema(tuple(schema[name] for name in columns), schema.missing, schema.na)
        codes = [columns[a.name] for a in added.categorical]
        numbers = [columns[a.name] for a in added.numeric]
        whole = replace(self.schema, attributes=(*self.schema.attributes, *added.attributes))
        both = (self.codes, *(c[:, None] for c in codes)), (self.numbers, *(c[:, None] for c in numbers))
        return Table(whole, _own(np.hstack(both[0]).astype(np.int32)), _own(np.hstack(both[1])))

    def absent(self, name: str) -> NDArray[np.bool_]:
        """Return which records have no value of an attribute, shape (n,)."""
        column = self.column(name)
        return column == MISSING if self.schema[name].categorical else np.isnan(column)

    def to_pandas(self) -> "pd.DataFrame":
        """Return a DataFrame: categories in their order, numbers, and whole numbers where all are."""
        import pandas as pd

        columns: dict[str, Any] = {}
        for attribute in self.schema.attributes:
            column: Any = self.column(attribute.name)
            if attribute.categorical:
                labels, ordered = pd.Index(attribute.categories, dtype=object), attribute.scale is Scale.ORDINAL
                column = pd.Categorical.from_codes(column.astype(np.int64), labels, ordered)
            elif np.array_equal(column, np.rint(column), equal_nan=True):
                column = pd.array(column, dtype="Int64")
            columns[attribute.name] = column
        return pd.DataFrame(columns)

    def to_csv(self, path: Any, index: bool = False, **options: Any) -> None:
        """Write the records as CSV; path and options are those of ``pandas.DataFrame.to_csv``."""
        self.to_pandas().to_csv(path, index=index, **options)

    def verify(self) -> None:
        """Check every code against its attribute's categories and every number for being finite or missing.

        Raises
        ------
        DataError
            Names each attribute with a code outside its domain or an infinite number.
        """
        faults = []
        for attribute in self.schema.attributes:
            column = self.column(attribute.name)
            if attribute.categorical:
                size = len(attribute.categories)
                bad = (column < MISSING) | (column >= size)
                wanted = f"codes -1..{size - 1}"
            else:
                bad = np.isinf(column)
                wanted = "finite numbers"
            if bad.any():
                first = int(np.flatnonzero(bad)[0])
                faults.append(Fault(printable(attribute.name), f"{column[first]} in record {first}", wanted))
        if faults:
            raise DataError(faults)

    def same_records(self, other: "Table") -> bool:
        """Whether both tables hold the same values at the same positions."""
        return (
            self.schema.names == other.schema.names
            and np.array_equal(self.codes, other.codes)
            and np.array_equal(self.numbers, other.numbers, equal_nan=True)
        )


def with_suppressed(table: Table, suppressed: NDArray[np.bool_]) -> Table:
    """Return the table with missing values where `suppressed`, shape (n, V) in the order of the schema, says so."""
    codes, numbers = table.codes.copy(), table.numbers.copy()
    categorical = np.array([a.categorical for a in table.schema.attributes], dtype=np.bool_)
    codes[suppressed[:, categorical]] = MISSING
    numbers[suppressed[:, ~categorical]] = np.nan
    return Table(table.schema, codes, numbers)


def faults_of_missing(table: Table, names: Sequence[str]) -> list[Fault]:
    """Return a fault for each of some attributes with missing values, where the schema's rule is ``error``."""
    if table.schema.na is not MissingRule.ERROR:
        return []
    counts = {name: int(table.absent(name).sum()) for name in names}
    wanted, advice = "none, since the schema says na = 'error'", "Set na = 'category' or fill them in."
    return [Fault(name, f"{count} missing values", wanted, advice) for name, count in counts.items() if count]


def assign_role(table: Table, role: Role, name: str | None) -> Table:
    """Return the table in which the named attribute, and no other, has the role; as it is where no name is given."""
    if name is None:
        return table
    (named,) = table.schema.named([name], str(role))
    return _with_roles(table, lambda a: role if a.name == named else Role.OTHER if a.role is role else a.role)


def only_known(table: Table, names: Sequence[str]) -> Table:
    """Return the table in which no other attributes than the named ones are quasi-identifiers."""
    known = Role.QUASI_IDENTIFIER
    return _with_roles(table, lambda a: Role.OTHER if a.role is known and a.name not in names else a.role)


def assign_known(table: Table, names: Sequence[str]) -> Table:
    """Return the table in which named attributes are quasi-identifiers, except sensitive ones."""
    known, sensitive = Role.QUASI_IDENTIFIER, Role.SENSITIVE
    return _with_roles(table, lambda a: known if a.name in names and a.role is not sensitive else a.role)


def _with_roles(table: Table, role_of: Callable[[Attribute], Role]) -> Table:
    attributes = tuple(replace(a, role=role_of(a)) for a in table.schema.attributes)
    return Table(replace(table.schema, attributes=attributes), table.codes, table.numbers)


def _columns(matrix: NDArray[Any], places: Sequence[int]) -> NDArray[Any]:
    return _own(np.take(matrix, np.array(places, dtype=np.intp), axis=1))


def _own(made: NDArray[Any]) -> NDArray[Any]:
    """Return an array that was just made as a read-only one, without a copy: it has no other owner."""
    if made.base is None:
        made.flags.writeable = False
    return made


def _frozen(matrix: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return `matrix` in C order and read-only; a caller's own writeable array is copied, never locked."""
    flags = matrix.flags
    if not flags.writeable and flags.c_contiguous and matrix.dtype == dtype:
        return matrix
    owned: NDArray[Any] = np.array(matrix, dtype=dtype, order="C")
    owned.flags.writeable = False
    return owned
