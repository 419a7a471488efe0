"""The masking of a large file: a first pass counts, a second one changes and writes row by row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from evosdc.errors import Fault, ParameterError
from evosdc.files.atomic import atomic, require_unused
from evosdc.plugins.registry import default_registry
from evosdc.secret import Seed, chosen_seed
from evosdc_large.blocks import Block, blocks_of, opened
from evosdc_large.counting import whole
from evosdc_large.description import description_of
from evosdc_large.planning import METHODS, planned
from evosdc_large.plans import Plan
from evosdc_large.workers import Workers

# Added to the report of every file masked here.
IN_ORDER = (
    "The rows keep the order of the original. Anyone who knows that order identifies each person by the row number. "
    "Before a release sort the rows, for example by their published values."
)


@dataclass(frozen=True)
class Task:
    """A block to mask, and what its random numbers are drawn from."""

    # A task stays in the memory of its worker. A cluster's workers may write what all tasks share to disk.

    block: Block
    seed: Seed


def mask_parquet(
    path: Path | str,
    method: str,
    output: Path | str,
    attributes: Sequence[str],
    *,
    schema: Path | None = None,
    seed: int | None = None,
    key: Path | str | None = None,
    params: Mapping[str, Any] | None = None,
    by: Workers | None = None,
    force: bool = False,
) -> dict[str, int]:
    """Mask some columns of a Parquet file of any length, and write it beside; all other columns as they are.

    The same key gives the same file with any workers. The file is complete or absent; only its owner can read it.
    Without key and seed it is drawn from a fresh key, which is not kept.

    Parameters
    ----------
    path : Path
    method : {"pram", "global-recoding", "local-suppression", "rank-swapping"}
    output : Path
    attributes : sequence of str
        Columns that are masked.
    schema : Path, optional
    seed : int, optional
        A public seed, for studies and tests: what it draws is not for release.
    key : Path, optional
        Key file, made where there is none: keep it secret, and apart from what is published.
    params : mapping, optional
        Of the method, as of ``evosdc mask``.
    by : Workers, optional
    force : bool
        Whether a file that exists may be written over.

    Returns
    -------
    dict of str to int
        How many values of each column changed.

    Raises
    ------
    InputError
        The file, the method, its parameters or the output cannot be used.
    """
    path, output = Path(path), Path(output)
    if method not in METHODS:
        raise ParameterError(Fault("method", repr(method), f"one of {', '.join(METHODS)}"))
    if output.exists() and path.exists() and path.samefile(output):
        raise ParameterError(Fault("output", str(output), "another file than the data"))
    if key is not None and Path(key).resolve() == output.resolve():
        raise ParameterError(Fault("key", str(key), "another file than the output"))
    require_unused(output, replace=force, advice="Choose another file, or add --force.")
    by, built = by or Workers(), default_registry().build("masking-method", method, params or {})
    first_pass, description = blocks_of(path, attributes), description_of(schema, list(attributes))
    drawn = chosen_seed(seed, None if key is None else Path(key))
    plan = planned(method, built, first_pass, description, drawn, by)
    tasks = [Task(replace(block, coded=tuple(attributes)), drawn) for block in blocks_of(path)]
    changed = dict.fromkeys(attributes, 0)
    with opened(path) as file:
        target = file.schema_arrow
    _write(output, by.each(masked_rows, tasks, (plan, target)), changed)
    return changed


def masked_rows(task: Task, shared: tuple[Plan, Any]) -> Iterator[tuple[Any, Mapping[str, int]]]:
    """Yield the rows of a block as they are published, and how many values of each column changed."""
    import pyarrow as pa

    plan, target = shared
    for first, rows in task.block.batches():
        columns = {name: whole(rows.column(name)) for name in plan.values}
        published = plan.masked(first, columns, task.seed)
        arrays, fields, changed = [], [], {}
        for field in target:
            name = field.name
            if name in published:
                kind = field.type if _same_kind(published[name].type, field.type) else published[name].type
                changed[name] = _changes(columns[name], published[name])
                arrays.append(published[name].cast(kind))
                fields.append(pa.field(name, kind, True, field.metadata))
            else:
                arrays.append(whole(rows.column(name)).cast(field.type))
                fields.append(field)
        # What pandas stored of types need not hold any more.
        kept = {key: text for key, text in (target.metadata or {}).items() if key != b"pandas"}
        yield pa.Table.from_arrays(arrays, schema=pa.schema(fields, kept or None)), changed


def _write(output: Path, parts: Iterator[tuple[Any, Mapping[str, int]]], changed: dict[str, int]) -> None:
    """Write parts as they come, a row group each, and add up what changed."""
    import pyarrow.parquet as pq

    with atomic(output) as temporary:
        first = next(parts)
        with pq.ParquetWriter(temporary, first[0].schema) as writer:
            for rows, counts in chain([first], parts):
                writer.write_table(rows)
                for name, count in counts.items():
                    changed[name] += count


def _same_kind(published: Any, original: Any) -> bool:
    """Whether published values are of the original's type, dictionaries apart."""
    import pyarrow as pa

    plain = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in (published, original)]
    return bool(plain[0] == plain[1])


def _changes(before: Any, after: Any) -> int:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(before.type):
        before = before.dictionary_decode()
    if pa.types.is_dictionary(after.type):
        after = after.dictionary_decode()
    if before.type != after.type:
        before = before.cast(after.type)
    same = pc.fill_null(pc.equal(before, after), False)
    both = pc.and_(pc.is_null(before), pc.is_null(after))
    return len(before) - int(pc.sum(pc.or_(same, both)).as_py() or 0)
