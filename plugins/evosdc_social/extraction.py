"""A microdata file of a graph: one row a user (thesis, section 6.2.2)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault
from evosdc.files.coding import Origin, encode
from evosdc.files.original import Original
from evosdc.files.source import Source, widened
from evosdc.printing import printable
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import MISSING, Codes, Table
from evosdc_social.graph import NEIGHBOURS, Neighbours, neighbours_in
from evosdc_social.graph_file import cells_of

DEGREE = "degree"  # name of the column with the number of neighbours


def name_around(attribute: str) -> str:
    """Return what the column is called that aggregates an attribute of the neighbours."""
    return f"{NEIGHBOURS}_{attribute}"


def most_frequent_around(codes: Codes, neighbours: Neighbours) -> NDArray[np.int64]:
    """Return each user's most frequent value among neighbours, the first of several; missing where there is none."""
    around = codes[neighbours.ends]
    known = around != MISSING
    width = int(codes.max(initial=0)) + 1
    pairs, counts = np.unique(neighbours.users[known].astype(np.int64) * width + around[known], return_counts=True)
    order = np.lexsort((pairs, -counts))
    users, first = np.unique(pairs[order] // width, return_index=True)
    found = np.full(len(codes), MISSING, dtype=np.int64)
    found[users] = pairs[order][first] % width
    return found


def extracted(source: Source, around: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return the names and the rows of the microdata file of a graph."""
    # A row has the published values of a user, the degree, the most frequent value of some attributes among the
    # neighbours, and the neighbours themselves (`evosdc_social.graph`), which measures of graphs read.
    table, schema = source.table, source.table.schema
    schema.require(around, "neighbours")
    numeric = [name for name in around if not schema[name].categorical]
    if numeric:
        raise DataError(Fault("neighbours", f"numbers: {', '.join(numeric)}", "nominal or ordinal attributes"))
    edges = neighbours_in(table)
    published = [column for column in source.original.columns if schema[column.name].role.published]
    rows = source.rows.tolist()
    cells = [[texts[row] or "" for row in rows] for texts in map(cells_of, published)]
    names = [column.name for column in published] + [DEGREE, *map(name_around, around), NEIGHBOURS]
    cells.append([str(degree) for degree in edges.degrees.tolist()])
    for name in around:
        labels = [*schema[name].categories, ""]
        column = np.asarray(table.column(name), dtype=np.int32)
        cells.append([labels[code] for code in most_frequent_around(column, edges).tolist()])
    own = schema[NEIGHBOURS].categories
    cells.append([own[code] for code in table.column(NEIGHBOURS).tolist()])
    return names, [list(row) for row in zip(*cells, strict=True)]


def extracted_schema(source: Source, around: Sequence[str]) -> Schema:
    """Return the schema of `extracted`: that of the graph, and of what is added, which an intruder may know."""
    schema = source.table.schema
    own = [attribute for attribute in schema.attributes if attribute.role.published]
    added = [replace(schema[name], name=name_around(name), role=Role.QUASI_IDENTIFIER) for name in around]
    degree = Attribute(DEGREE, Role.QUASI_IDENTIFIER, Scale.NUMERIC)
    return replace(schema, attributes=(*own, degree, *added, schema[NEIGHBOURS]))


def written_back(source: Source, masked: Original, path: str) -> tuple[Table, tuple[str, ...]]:
    """Return the values of a masked microdata file as columns of its graph, and the columns that the graph has not."""
    schema, n = source.table.schema, len(source.table)
    columns = [c for c in masked.columns if c.name in schema and schema[c.name].role.published]
    size = len(masked.columns[0])
    if size != n:
        raise DataError(Fault(printable(path), f"{size} records", f"{n}, as many as the graph has nodes"))
    if _resorted(source, masked):
        advice = "Put the rows back in the order of the graph: by the first number of its column neighbours."
        raise DataError(
            Fault(printable(path), "rows in another order than the graph's nodes", "the same order", advice)
        )
    if not columns:
        wanted = f"some of {', '.join(a.name for a in schema.attributes if a.role.published)}"
        raise DataError(Fault(printable(path), "no column that the graph has", wanted))
    table = encode(columns, widened(schema, columns).select([c.name for c in columns]), Origin(path, masked.place))
    return table, tuple(c.name for c in masked.columns if c not in columns)


def _resorted(source: Source, masked: Original) -> bool:
    """Whether a file with the column of neighbours has its rows in another order than the graph."""
    own = source.table.schema[NEIGHBOURS].categories
    wanted = [own[code].partition(":")[0] for code in source.table.column(NEIGHBOURS).tolist()]
    columns = [column for column in masked.columns if column.name == NEIGHBOURS]
    return any([(text or "").partition(":")[0] for text in cells_of(column)] != wanted for column in columns)
