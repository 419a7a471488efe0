"""A confidential file that a program holds in memory, written beside its run so that the run can be resumed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from evosdc.errors import ExperimentError, Fault
from evosdc.experiment.run.outputs import csv_text
from evosdc.files.atomic import make_folder, write_text
from evosdc.files.schema.schema_file import dump_schema
from evosdc.runs.layout import DATA, RESOLVED, RunFolder
from evosdc.table.schema import Attribute, Schema
from evosdc.table.table import MISSING, Table

ORIGINAL, SCHEMA = "original.csv", "original.toml"


def with_own_data(document: Mapping[str, Any], table: Table, folder: Path) -> dict[str, Any]:
    """Return an experiment about a table; the table and its schema are written to ``data`` in the run's folder."""
    # Files and folder can be read by their owner alone, as all that a run writes.
    said = document.get("data", {})
    named = [key for key in ("name", "file", "schema") if isinstance(said, Mapping) and said.get(key) is not None]
    if named or not isinstance(said, Mapping):
        given = f"data.{named[0]} besides the data that were passed" if named else "data that are no table"
        raise ExperimentError(Fault("data", given, "one source", "Leave it out of the experiment, or pass no data."))
    RunFolder(folder).require_new()
    target = folder / DATA
    make_folder(folder)
    write_own_data(table, target)
    return {**document, "data": {**said, "file": str(target / ORIGINAL), "schema": str(target / SCHEMA)}}


def write_own_data(table: Table, folder: Path) -> None:
    """Write a table and its schema to a new folder, for its owner alone."""
    make_folder(folder)
    write_text(folder / ORIGINAL, csv_text([list(table.schema.names), *_records(table)]))
    dump_schema(table.schema, folder / SCHEMA)


@contextmanager
def withdrawn_unless_begun(folder: Path) -> Iterator[None]:
    """Remove the copy of the data when the block fails before the run has begun: nobody would look for it there."""
    try:
        yield
    except BaseException:
        if not (folder / RESOLVED).exists():
            for name in (ORIGINAL, SCHEMA):
                (folder / DATA / name).unlink(missing_ok=True)
            with suppress(OSError):  # somebody's files are in it, or it was not made
                (folder / DATA).rmdir()
                folder.rmdir()
        raise


def _records(table: Table) -> list[list[str]]:
    schema, columns = table.schema, {}
    for j, attribute in enumerate(schema.categorical):
        texts = np.array([*attribute.categories, _absent(schema, attribute)], dtype=object)
        codes = table.codes[:, j]
        columns[attribute.name] = texts[np.where(codes == MISSING, len(texts) - 1, codes)].tolist()
    for j, attribute in enumerate(schema.numeric):
        numbers = table.numbers[:, j].tolist()
        absent = _absent(schema, attribute)
        columns[attribute.name] = [absent if x != x else f"{x:.{attribute.decimals}f}" for x in numbers]
    return [list(record) for record in zip(*(columns[name] for name in schema.names), strict=True)]


def _absent(schema: Schema, attribute: Attribute) -> str:
    """Return the text that stands for a missing value of an attribute: an empty one where that does."""
    texts = (*attribute.missing, *schema.missing)
    return "" if "" in texts or not texts else texts[0]
