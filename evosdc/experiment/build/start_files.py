"""A user's own masked files as a start: read by the schema of the original, in its coding."""

from collections import Counter
from collections.abc import Sequence

from evosdc.errors import FaultCollector
from evosdc.experiment.build.start_entries import StartEntry
from evosdc.experiment.config.experiment import Start
from evosdc.files.masked_file import read_masked
from evosdc.files.source import Source
from evosdc.model import Masking, Microdata
from evosdc.table.alignment import align_codes
from evosdc.table.table import Table

FROM_FILE = "file"
"""What stands in the place of a masking method for a file that was read."""


def read_start_files(start: Start | None, source: Source, microdata: Microdata) -> tuple[Table, ...]:
    """Return the protected attributes of the masked files that a start names, in the coding of the original.

    Parameters
    ----------
    start : Start, optional
    source : Source
        The confidential file, cut down to the records that the search works on.
    microdata : Microdata
        Made of it.

    Raises
    ------
    InputError
        Files that cannot be read, have other records in number, lack protected attributes or hold other categories;
        all files at once.
    """
    collect, tables = FaultCollector(), []
    for path in start.files if start is not None else ():
        with collect.step():
            masked = read_masked(path, source, require=microdata.protect)
            tables.append(align_codes(microdata.original, masked.table))
    collect.settle()
    return tuple(tables)


def file_entries(start: Start, tables: Sequence[Table]) -> tuple[StartEntry, ...]:
    """Return the entries of the masked files that a start names, called by name, with the folder where names are alike.

    Parameters
    ----------
    start : Start
    tables : sequence of Table
        What `read_start_files` read.
    """
    alike = Counter(path.name for path in start.files)
    names = [path.name if alike[path.name] == 1 else f"{path.parent.name}/{path.name}" for path in start.files]
    return tuple(
        StartEntry(Masking(FROM_FILE, {"path": name}), table) for name, table in zip(names, tables, strict=True)
    )
