"""From the counts of a large file to the plan of its masking, by the registered masking methods."""

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from evosdc.errors import DataError, Fault, ParameterError, PluginError
from evosdc.files.schema.description import SchemaDescription
from evosdc.model import IntruderView, MaskingMethod, MissingMatch
from evosdc.randomisation.transition import Matrix, cumulative
from evosdc.secret import Purpose, Seed, stream
from evosdc.table.table import MISSING, Table, with_suppressed
from evosdc_large.blocks import Block
from evosdc_large.counting import GREATEST, Counted, Integers, added_up, counted, counted_rows, keys_of
from evosdc_large.description import table_of
from evosdc_large.plans import Plan, Randomisation, Recoding, Suppression
from evosdc_large.workers import Workers

# Masking methods that counts tell how to carry out.
METHODS = ("pram", "global-recoding", "local-suppression", "rank-swapping")

MOST_SWAPPED = 2000  # distinct values of an attribute whose ranks are swapped
MOST_COPIES = 3_000_000  # records of the small file that suppression is decided on


def planned(
    name: str, method: MaskingMethod, blocks: Sequence[Block], description: SchemaDescription, seed: Seed, by: Workers
) -> Plan:
    """Return what a masking method does to the records of a file, from a first pass over its blocks."""
    if name == "local-suppression":
        return _suppression(method, by.total(counted, blocks, added_up), description, seed)
    columns = by.total(counted_columns, blocks, added_columns)
    tables = [table_of(column, description, blocks[0].path) for column in columns]
    if name == "rank-swapping":
        return _swapping(method, columns, tables)
    if name == "pram":
        return _randomisation(method, columns, tables)
    return _recoding(method, columns, tables, seed)


def counted_columns(block: Block) -> tuple[Counted, ...]:
    """Return the values of each column of a block, with counts."""
    return added_columns(
        tuple(counted_rows(Block(block.path, block.group, at, block.rows, (name,)), rows.select([name]))
              for name in block.names)
        for at, rows in block.batches()
    )  # fmt: skip


def added_columns(parts: Iterable[tuple[Counted, ...]]) -> tuple[Counted, ...]:
    """Return the sum of some parts."""
    columns = list(zip(*parts, strict=True))
    return tuple(added_up(column) for column in columns)


def _randomisation(method: MaskingMethod, columns: Sequence[Counted], tables: Sequence[Table]) -> Randomisation:
    if not method.weighted or getattr(method.params, "crossed", None) or method.params.structural_zeros:
        given = "an equation, a matrix of one's own, crossed attributes or structural zeros"
        raise ParameterError(Fault("method pram", given, "a design whose matrices counts of values tell: a, b"))
    values, sums = {}, {}
    for column, table in zip(columns, tables, strict=True):
        name = column.names[0]
        present = column.codes[:, 0] != MISSING
        known, weights = table.take(np.flatnonzero(present)), column.counts[present].astype(np.float64)
        if (known.codes == MISSING).any() or known.schema.numeric:
            raise DataError(
                Fault(name, "numbers, or texts that stand for a missing value", "categories", "Recode them before.")
            )
        document = method.account(known, weights)[name]
        place = {str(label): at for at, label in enumerate(document["categories"])}
        attribute = known.schema.attributes[0]
        order = [place[attribute.categories[code]] for code in known.codes[:, 0]]
        matrix = np.array(document["matrix"], dtype=np.float64)[np.ix_(order, order)]
        values[name], sums[name] = column.values[0], cumulative(matrix)
    return Randomisation(values, sums)


def _swapping(method: MaskingMethod, columns: Sequence[Counted], tables: Sequence[Table]) -> Randomisation:
    """Return rank swapping within quantile cells, where each value gets that of a partner drawn from its cell."""
    params = method.params
    if params.top or params.bottom or params.r0 is not None or params.k0 is not None:
        raise ParameterError(Fault("method rank-swapping", "top, bottom, r0 or k0", "p alone"))
    values, sums = {}, {}
    for column, table in zip(columns, tables, strict=True):
        name, attribute = column.names[0], table.schema.attributes[0]
        own = table.column(name)
        ranks = own.astype(np.float64) if attribute.categorical else own
        present = np.flatnonzero((own != MISSING) if attribute.categorical else ~np.isnan(own))
        if present.size < np.count_nonzero(column.codes[:, 0] != MISSING):
            given = "values that stand for a missing one"
            raise DataError(Fault(name, given, "missing values as Parquet has them", "Recode them before."))
        if present.size > MOST_SWAPPED:
            given = f"{present.size:,} distinct values"
            raise DataError(Fault(name, given, f"at most {MOST_SWAPPED:,}", "Round or recode them before."))
        order = np.argsort(ranks[present], kind="stable")
        matrix = np.empty((present.size, present.size))
        matrix[np.ix_(order, order)] = within_cells(column.counts[present][order], params.p)
        values[name], sums[name] = column.values[0], cumulative(matrix)
    return Randomisation(values, sums)


def within_cells(counts: Integers, percent: float) -> Matrix:
    """Return the matrix of partners drawn from the same quantile cell, by ascending value; it keeps the marginal."""
    # Each cell holds `percent` of the ranked records; the records of one value may lie in several.
    # counts (c,): records of each value, positive; percent: 0 changes nothing.
    n, c = int(counts.sum()), counts.size
    size = int(n * percent / 100.0)
    if size < 2:
        return np.identity(c)
    ends = np.cumsum(counts)
    borders = np.append(np.arange(0, n - size + 1, size), n)
    inside = np.minimum(ends[:, None], borders[1:]) - np.maximum((ends - counts)[:, None], borders[:-1])
    inside = np.maximum(inside, 0).astype(np.float64)
    matrix: Matrix = (inside / counts[:, None]) @ (inside / np.diff(borders)).T
    return matrix


def _recoding(method: MaskingMethod, columns: Sequence[Counted], tables: Sequence[Table], seed: Seed) -> Recoding:
    import pyarrow as pa

    params = method.params
    if params.output != "label" or params.q is not None or params.spacing == "quantile":
        wanted = "output=label with level, partition, width or cuts, which no frequencies decide"
        raise ParameterError(Fault("method global-recoding", "groups or representatives by frequency", wanted))
    values, groups = {}, {}
    for column, table in zip(columns, tables, strict=True):
        masked = method.mask(table, stream(seed, Purpose.MASK))
        name, attribute = column.names[0], masked.schema.attributes[0]
        if not attribute.categorical:
            raise ParameterError(Fault(name, "a recoding to numbers", "a recoding to labels"))
        codes = masked.codes[:, 0]
        labels = [None if code == MISSING else attribute.categories[code] for code in codes]
        by_value = [None] * (len(column.values[0]) + 1)
        for code, label in zip(column.codes[:, 0], labels, strict=True):
            by_value[code] = label
        values[name], groups[name] = column.values[0], pa.array(by_value, type=pa.string())
    return Recoding(values, groups)


def _suppression(method: MaskingMethod, found: Counted, description: SchemaDescription, seed: Seed) -> Suppression:
    """Return what is suppressed, decided on a small file that has each distinct record k times at most."""
    # A class that has k records there has as many in the large file; so what is k-anonymous there is so here.
    table, params = table_of(found, description, "file"), method.params
    if params.subsets or params.ghosts:
        raise ParameterError(Fault("method local-suppression", "subsets or ghosts", "k, importance and missing"))
    copies = np.minimum(found.counts, params.k)
    if int(copies.sum()) > MOST_COPIES:
        given = f"{len(copies):,} distinct combinations, which stand for {int(copies.sum()):,} records in the decision"
        raise DataError(Fault("method local-suppression", given, f"at most {MOST_COPIES:,}", "Recode first."))
    rows = np.repeat(np.arange(len(copies)), copies)
    masked = method.mask(table.take(rows), stream(seed, Purpose.MASK))
    firsts = np.cumsum(copies) - copies
    before, after = _absent(table), _absent(masked)
    gone = np.logical_or.reduceat(after, firsts, axis=0) & ~before
    match = MissingMatch(params.missing or MissingMatch.of(table.schema.na))
    kept = with_suppressed(table, gone)
    view = IntruderView(kept, table.schema.names, missing=match, counts=found.counts)
    if int(view.frequencies[0].min()) < params.k:
        raise PluginError("local-suppression: the result is not k-anonymous, which is a defect; report it")
    widths = [len(values) for values in found.values]
    size = prod(width + 1 for width in widths)
    if size >= GREATEST:
        wanted = "less than 2**62 possible combinations"
        raise DataError(Fault("attributes", f"{size:.0e} possible combinations", wanted, "Name fewer attributes."))
    losing = np.flatnonzero(gone.any(axis=1))
    return Suppression(
        dict(zip(found.names, found.values, strict=True)), keys_of(found.codes[losing], widths), gone[losing]
    )


def _absent(table: Table) -> Any:
    """Return which values are missing, shape (n, V), in the order of the schema."""
    return np.stack([table.absent(name) for name in table.schema.names], axis=1)
