"""Small random tables that a plugin should handle, and possible published versions of them."""

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np
from numba.extending import is_jitted

from evosdc.model import Changes, Microdata
from evosdc.secret import Purpose, stream
from evosdc.table.generalisation import LabelReader
from evosdc.table.schema import Attribute, MissingRule, Role, Scale, Schema
from evosdc.table.table import MISSING, Numbers, Rows, Table


@dataclass(frozen=True)
class TableShape:
    """How a table of the suites is made.

    Parameters
    ----------
    records : int
    attributes : int
    categories : tuple of int
        Categories of the attributes, in turn.
    unused : int
        Further categories of each attribute that no record has.
    missing : float
        Share of missing values.
    constant : bool
        Whether all records are the same.
    na : MissingRule
    """

    records: int = 60
    attributes: int = 5
    categories: tuple[int, ...] = (4, 7, 2, 12, 5)
    unused: int = 0
    missing: float = 0.0
    constant: bool = False
    na: MissingRule = MissingRule.CATEGORY


SHAPES: dict[str, TableShape] = {
    "ordinary": TableShape(),
    "many-records": TableShape(records=250, categories=(9, 30, 12, 40, 25)),
    "one-attribute": TableShape(attributes=1),
    "one-record": TableShape(records=1),
    "two-records": TableShape(records=2),
    "same-records": TableShape(constant=True),
    "one-category": TableShape(categories=(1, 6, 3)),
    "unused-categories": TableShape(unused=3),
    "missing-values": TableShape(missing=0.15),
    "one-missing-value": TableShape(missing=0.002),
    "wildcards": TableShape(missing=0.15, na=MissingRule.WILDCARD),
}
"""Tables by the name that the suites' tests show."""

ORDINARY = ("ordinary", "many-records")
"""Tables that nothing may refuse; a plugin may refuse the others with a `ParameterError`."""

INTERPRETED = ("one-record", "ordinary", "missing-values")
"""Tables that are small enough for kernels that are not compiled."""

_NUMERIC_STEP = 7.5


def sample_table(name: str, scales: Collection[Scale] = frozenset(Scale)) -> Table:
    """Return one of the tables of `SHAPES`; the same name and scales always give the same table.

    Attributes depend on each other, as in real files; their scales alternate among those wanted.

    Parameters
    ----------
    name : str
    scales : collection of Scale
        Scales that attributes may have, at least one.
    """
    shape = SHAPES[name]
    rng = stream(0, Purpose.GENERATE, list(SHAPES).index(name))
    wanted = [scale for scale in Scale if scale in scales]
    latent = rng.random(shape.records) if not shape.constant else np.full(shape.records, 0.4)
    attributes: list[Attribute] = []
    codes: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
    for position in range(shape.attributes):
        scale = wanted[position % len(wanted)]
        used = shape.categories[position % len(shape.categories)]
        noise = 0.0 if shape.constant else 0.35 * rng.standard_normal(shape.records)
        codes.append(np.clip((latent + noise) * used, 0, used - 1).astype(np.int64))
        labels = tuple(f"{chr(97 + position)}{code:02d}" for code in range(used + shape.unused))
        attributes.append(
            Attribute(
                f"{scale}{position}",
                Role.QUASI_IDENTIFIER,
                scale,
                labels if scale is not Scale.NUMERIC else (),
                decimals=1 if scale is Scale.NUMERIC else 0,
            )
        )
    matrix = np.column_stack(codes)
    if shape.missing:
        holes = rng.random(matrix.shape) < shape.missing
        holes[shape.records // 2, 0] = True
        matrix[holes] = MISSING
    return _table(Schema(tuple(attributes), na=shape.na), matrix)


def _table(schema: Schema, matrix: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> Table:
    numeric = [not a.categorical for a in schema.attributes]
    categorical = [a.categorical for a in schema.attributes]
    numbers: Numbers = (matrix[:, numeric] * _NUMERIC_STEP + 10.0).astype(np.float64)
    numbers[matrix[:, numeric] == MISSING] = np.nan
    return Table(schema, matrix[:, categorical].astype(np.int32), numbers)


def sample_microdata(name: str, scales: Collection[Scale] = frozenset(Scale)) -> Microdata:
    """Return a whole file: a table of `sample_table` to protect, and one more attribute that is not protected."""
    protected = sample_table(name, scales)
    ward = Attribute("ward", Role.OTHER, Scale.NOMINAL, ("north", "south"))
    schema = replace(protected.schema, attributes=(ward, *protected.schema.attributes))
    wards = (np.arange(len(protected)) % 2).astype(np.int32)[:, None]
    return Microdata(Table(schema, np.hstack([wards, protected.codes]), protected.numbers), protected.schema.names)


def edited(table: Table, rng: np.random.Generator, share: float = 0.1) -> tuple[Table, Rows]:
    """Return the table with some values replaced by others of the same domain, and the records concerned.

    Parameters
    ----------
    table : Table
    rng : numpy.random.Generator
    share : float
        Share of records to edit; at least one is edited.

    Returns
    -------
    edited : Table
    rows : ndarray of intp, shape (m,)
        Shuffled; some of the records may not differ after all.
    """
    n = len(table)
    rows = rng.permutation(n)[: max(1, round(share * n))].astype(np.intp)
    codes, numbers = table.codes.copy(), table.numbers.copy()
    for column, attribute in enumerate(table.schema.categorical):
        lowest = MISSING if table.absent(attribute.name).any() else 0
        hit = rows[rng.random(rows.size) < 0.5]
        codes[hit, column] = rng.integers(lowest, len(attribute.categories), hit.size)
    for column in range(numbers.shape[1]):
        hit = rows[rng.random(rows.size) < 0.5]
        numbers[hit, column] = table.numbers[rng.integers(0, n, hit.size), column]
    return Table(table.schema, codes, numbers), rows


def shuffled(table: Table, rng: np.random.Generator) -> Table:
    """Return the table with the values of each attribute permuted over the records, apart from the others."""
    codes, numbers = rng.permuted(table.codes, axis=0), rng.permuted(table.numbers, axis=0)
    return Table(table.schema, codes, numbers)


def changes_of(parent: Table, children: Sequence[tuple[Table, Rows]]) -> Changes:
    """Return the changes of children of a table, each given with its changed rows."""
    parts = [np.sort(rows) for _, rows in children]
    rows = np.concatenate([np.zeros(0, dtype=np.intp), *parts])
    listed = [table.take(own) for (table, _), own in zip(children, parts, strict=True)]
    after = Table(
        parent.schema,
        np.concatenate([parent.codes[:0], *(table.codes for table in listed)]),
        np.concatenate([parent.numbers[:0], *(table.numbers for table in listed)]),
    )
    ends = np.cumsum([len(own) for own in parts], dtype=np.int64)
    return Changes(ends, rows, parent.take(rows), after)


def assert_same_attributes(original: Schema, published: Schema) -> None:
    """Assert that a generalised table has the original's attributes in their order, with their roles and its rules."""
    assert published.names == original.names, "the masked table has other attributes, or in another order"
    roles = [a.name for a, b in zip(original.attributes, published.attributes, strict=True) if a.role is not b.role]
    assert not roles, f"the roles of {', '.join(roles)} are others in the masked table"
    assert (published.na, published.missing) == (original.na, original.missing), "missing values count otherwise"


def label_misses(table: Table, masked: Table, name: str) -> tuple[float, float]:
    """Return the shares of records whose published label does not cover their own value, and those of all records.

    Labels are read by `evosdc.table.generalisation`; what cannot be read, a user's own name for merged categories for
    one, counts as covering everything, as does a suppressed value. An attribute that is still numeric has no labels.
    """
    original, published = table.schema[name], masked.schema[name]
    if not published.categorical:
        return 0.0, 0.0
    distinct, position = np.unique(table.column(name), return_inverse=True)
    absent = distinct == MISSING if original.categorical else np.isnan(distinct)
    values, labels = position.reshape(-1), masked.column(name)
    reader, own, of_any = LabelReader(original), 0.0, 0.0
    for label in np.unique(labels[labels != MISSING]).tolist():
        extent = reader.read(published.categories[int(label)])
        if extent is not None:
            covered = [
                extent.missing if gone else extent.covers(float(value))
                for value, gone in zip(distinct, absent, strict=True)
            ]
            missed = ~np.array(covered, dtype=bool)[values]
            rows = labels == label
            own += float(missed[rows].sum())
            of_any += float(rows.sum() * missed.mean())
    return own / len(table), of_any / len(table)


@contextmanager
def interpreted() -> Iterator[None]:
    """Run kernels uncompiled within the block.

    Compiled code does not check indices: one that is too great reads what lies beside the array, or breaks it, and the
    result may still look right. Interpreted, it raises an ``IndexError``. Slow: meant for small tables.
    """
    replaced = [
        (module, name, value)
        for module in list(sys.modules.values())
        for name in _names_of_kernels(module)
        if (value := getattr(module, name, None)) is not None and is_jitted(value)
    ]
    for module, name, value in replaced:
        setattr(module, name, value.py_func)
    try:
        # Compiled integers wrap around and divisions by zero give infinity, both without a word.
        with np.errstate(all="ignore"):
            yield
    finally:
        for module, name, value in replaced:
            setattr(module, name, value)


_scanned: dict[str, tuple[int, int, tuple[str, ...]]] = {}
"""By module: which object, of how many names, and those of kernels: a thousand modules are not searched each time."""


def _names_of_kernels(module: ModuleType) -> tuple[str, ...]:
    """Return the names of kernels in a module, searched again when it has other names than before."""
    own = getattr(module, "__dict__", {})
    key = getattr(module, "__name__", "")
    known = _scanned.get(key)
    if known is None or known[:2] != (id(module), len(own)):
        known = id(module), len(own), tuple(name for name, value in list(own.items()) if is_jitted(value))
        _scanned[key] = known
    return known[2]
