"""A confidential file that a program holds in memory, written beside its run so that the run can be resumed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from evosdc.errors import ExperimentError, Fault
from evosdc.experiment.run.outputs import csv_text
from evosdc.files.atomic import make_folder, write_text
from evosdc.files.schema.schema_writer import dump_schema
from evosdc.table.table import MISSING, Table

FOLDER, DATA, SCHEMA = "data", "original.csv", "original.toml"


def with_own_data(document: Mapping[str, Any], table: Table, folder: Path) -> dict[str, Any]:
    """Return an experiment about a table; the table and its schema are written to ``data`` in the run's folder.

    Files and folder can be read by their owner alone, as all that a run writes.

    Parameters
    ----------
    document : mapping
        An experiment as an experiment file says it; under ``data`` only what is to be done with the file
        (``protect``, ``complete``, ``first``, ``hierarchies``).

    Raises
    ------
    ExperimentError
        The experiment names a file or data set of its own, or the folder holds data already.
    """
    said = document.get("data", {})
    named = [key for key in ("name", "file", "schema") if isinstance(said, Mapping) and said.get(key) is not None]
    if named or not isinstance(said, Mapping):
        given = f"data.{named[0]} besides the data that were passed" if named else "data that are no table"
        raise ExperimentError(Fault("data", given, "one source", "Leave it out of the experiment, or pass no data."))
    target = folder / FOLDER
    if target.exists():
        advice = "Go on with it by `evosdc resume`, or choose another folder."
        raise ExperimentError(Fault(str(folder), "a folder that already holds a run", "a new or empty folder", advice))
    make_folder(folder)
    make_folder(target)
    write_text(target / DATA, csv_text([list(table.schema.names), *_records(table)]))
    dump_schema(table.schema, target / SCHEMA)
    return {**document, "data": {**said, "file": str(target / DATA), "schema": str(target / SCHEMA)}}


def _records(table: Table) -> list[list[str]]:
    schema, columns = table.schema, {}
    for j, attribute in enumerate(schema.categorical):
        texts = np.array([*attribute.categories, ""], dtype=object)
        codes = table.codes[:, j]
        columns[attribute.name] = texts[np.where(codes == MISSING, len(texts) - 1, codes)].tolist()
    for j, attribute in enumerate(schema.numeric):
        numbers = table.numbers[:, j].tolist()
        columns[attribute.name] = ["" if x != x else f"{x:.{attribute.decimals}f}" for x in numbers]
    return [list(record) for record in zip(*(columns[name] for name in schema.names), strict=True)]
