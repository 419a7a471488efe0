"""How a large masked file compares with its original: measures of joint counts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evosdc.errors import DataError, Fault, FaultCollector, ParameterError
from evosdc.files.coding import Origin, encode
from evosdc.model import JointCounts, OfCounts
from evosdc.plugins.registry import Registry, default_registry
from evosdc.printing import printable
from evosdc.table.schema import Attribute, Schema
from evosdc.table.table import MISSING, Codes
from evosdc_large.blocks import Block, Pair, pairs_of
from evosdc_large.counting import Counted, added_up, counted_rows
from evosdc_large.description import column_of, description_of, table_of
from evosdc_large.workers import Workers

MOST_CATEGORIES = 4000  # categories of an attribute whose pairs are counted in a square table


@dataclass(frozen=True, eq=False)
class CountedPair:
    """The distinct records of both files or of a part of them, and for each attribute the distinct pairs of values."""

    original: Counted
    masked: Counted
    pairs: tuple[Counted, ...]


def counted_pair(pair: Pair) -> CountedPair:
    """Return the counts of a block."""
    return added_pairs(_counted(pair.original, before, after) for before, after in pair.rows())


def added_pairs(parts: Iterable[CountedPair]) -> CountedPair:
    """Return the sum of some parts."""
    waiting: list[CountedPair] = []
    for part in parts:
        waiting.append(part)
        if len(waiting) > 16:
            waiting = [_added(waiting)]
    return _added(waiting)


def joint_counts(
    original: Path,
    masked: Path,
    names: Sequence[str] | None,
    schema: Path | None,
    by: Workers | None,
) -> JointCounts:
    """Return two Parquet files of the same records as counts; raises as `measure_parquet`."""
    tasks = pairs_of(original, masked, names)
    description = description_of(schema, tasks[0].original.names)
    found = (by or Workers()).total(counted_pair, tasks, added_pairs)
    table = table_of(found.original, description, str(original))
    faults = [fault for attribute in table.schema.attributes for fault in _unfit(attribute)]
    if faults:
        raise DataError(faults)
    collect = FaultCollector()
    codes: list[Codes] = []
    for v, attribute in enumerate(table.schema.attributes):
        with collect.step():
            codes.append(_codes(found.masked.values[v], attribute, table.schema, str(masked)))
    collect.settle()
    before = [
        _codes(found.original.values[v], a, table.schema, str(original)) for v, a in enumerate(table.schema.attributes)
    ]
    squares = []
    for v, attribute in enumerate(table.schema.attributes):
        square = np.zeros((len(attribute.categories) + 1,) * 2, dtype=np.int64)
        part = found.pairs[v]
        np.add.at(square, (before[v][part.codes[:, 0]], codes[v][part.codes[:, 1]]), part.counts)
        squares.append(square)
    after = np.stack([codes[v][found.masked.codes[:, v]] for v in range(len(codes))], axis=1)
    return JointCounts(table.schema, tuple(squares), table.codes, found.original.counts, after, found.masked.counts)


def measure_parquet(
    original: Path | str,
    masked: Path | str,
    attributes: Sequence[str] | None = None,
    *,
    schema: Path | None = None,
    measures: Mapping[str, Mapping[str, Any]] | None = None,
    by: Workers | None = None,
) -> dict[str, Any]:
    """Return the scores of a masked Parquet file, as ``evosdc.measure`` gives them to files that fit into memory.

    Parameters
    ----------
    attributes : sequence of str, optional
        Judged columns; by default all columns that both files have.
    schema : Path, optional
        A schema file.
    measures : mapping of str to mapping, optional
        Parameters by registered name; by default all that joint counts tell.
    by : Workers, optional
        Who counts; this process by default.

    Raises
    ------
    InputError
        A file, the schema, a name or a measure cannot be used; an attribute is numeric or has too many categories; the
        masked file has values that the original has not.
    """
    registry = default_registry()
    chosen = {name: {} for name in measures_of_counts(registry)} if measures is None else measures
    built = {name: registry.build("measure", name, params) for name, params in chosen.items()}
    wanted = "one that joint counts tell"
    faults = [Fault("measures", repr(name), wanted) for name, own in built.items() if not isinstance(own, OfCounts)]
    if faults:
        raise ParameterError(faults)
    counts = joint_counts(Path(original), Path(masked), attributes, schema, by)
    scores = {name: own.score_of_counts(counts) for name, own in built.items()}
    return scores | {
        "attributes": list(counts.schema.names),
        "records": counts.records,
        "missing_rule": str(counts.schema.na),
    }


def measures_of_counts(registry: Registry) -> list[str]:
    """Return the names of the measures that joint counts tell."""
    return [
        name for name in registry.names("measure") if issubclass(registry.implementation("measure", name), OfCounts)
    ]


def _counted(block: Block, before: Any, after: Any) -> CountedPair:
    pairs = []
    for name in block.names:
        both = Block(block.path, block.group, block.first, block.rows, (name, f"{name} (masked)"))
        import pyarrow as pa

        columns = [before.column(name), after.column(name)]
        pairs.append(counted_rows(both, pa.table(columns, names=list(both.names))))
    return CountedPair(counted_rows(block, before), counted_rows(block, after), tuple(pairs))


def _added(parts: Sequence[CountedPair]) -> CountedPair:
    return CountedPair(
        added_up(part.original for part in parts),
        added_up(part.masked for part in parts),
        tuple(added_up(part.pairs[v] for part in parts) for v in range(len(parts[0].pairs))),
    )


def _unfit(attribute: Attribute) -> list[Fault]:
    where = printable(attribute.name)
    if not attribute.categorical:
        advice = "Leave it out, recode it, or give it the scale ordinal in a schema."
        return [Fault(where, "a numeric attribute", "categorical ones, whose categories are counted", advice)]
    if len(attribute.categories) > MOST_CATEGORIES:
        given, wanted = f"{len(attribute.categories):,} categories", f"at most {MOST_CATEGORIES:,}"
        return [Fault(where, given, wanted, "Leave it out or recode it.")]
    return []


def _codes(values: Any, attribute: Attribute, schema: Schema, origin: str) -> Codes:
    """Return the code of each of some values, and `MISSING` after them, where the code of a missing one leads."""
    column = column_of(attribute.name, values, np.arange(len(values)))
    alone = Schema((attribute,), schema.missing, schema.na)
    codes = encode([column], alone, Origin(origin, lambda place: "its values")).codes[:, 0]
    return np.append(codes, np.int32(MISSING))
