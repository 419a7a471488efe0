"""What the numeric reference files of the CASC project have in common: a CSV file with a header of their own."""

import csv
from collections.abc import Sequence
from pathlib import Path

from evosdc.datasets.loading import source_from_lines
from evosdc.errors import DatasetError, Fault
from evosdc.files.source import Source
from evosdc.table.schema import Attribute


def load_casc(name: str, attributes: Sequence[Attribute], path: Path) -> Source:
    """Return a reference file; its header, with hyphens for points and in lower case, must name the attributes."""
    with path.open(encoding="utf-8", newline="") as stream:
        header, *lines = csv.reader(stream)
    names = [title.lower().replace(".", "-") for title in header]
    wanted = [attribute.name for attribute in attributes]
    if names != wanted:
        raise DatasetError(Fault(str(path), f"the columns {', '.join(names)}", ", ".join(wanted)))
    return source_from_lines(name, attributes, lines)
