"""Hierarchies as files, in the form of ARX: one line a leaf, ``value;level 1;level 2;...;*``, without a header."""

import csv
import io
from pathlib import Path

from evosdc.errors import HierarchyError
from evosdc.files.atomic import write_text
from evosdc.files.encoding import read_text
from evosdc.table.hierarchy import Hierarchy


def read_hierarchy(path: Path) -> Hierarchy:
    """Read the ARX form: a line a leaf, from the leaf to the root; separated by semicolon, comma or tab.

    Lines of two cells of which some second one begins another line are read as ``child,parent`` instead.

    Raises
    ------
    HierarchyError
        The file cannot be read, or is no hierarchy; with all that is wrong.
    """
    text = read_text(path, HierarchyError)
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(";,\t", key=first.count)
    rows = [
        tuple(cell.strip() for cell in row)
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        if any(cell.strip() for cell in row)
    ]
    if all(len(row) == 2 for row in rows) and {row[1] for row in rows} & {row[0] for row in rows}:
        return Hierarchy.from_edges(rows, str(path))
    return Hierarchy(tuple(row[0] for row in rows), tuple(row[1:] for row in rows), str(path))


def write_hierarchy(hierarchy: Hierarchy, path: Path) -> None:
    """Write the ARX form, separated by semicolons."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=";", lineterminator="\n")
    writer.writerows((leaf, *labels) for leaf, labels in zip(hierarchy.leaves, hierarchy.levels, strict=True))
    write_text(path, buffer.getvalue())
