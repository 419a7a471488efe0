"""Hierarchies as files, in the form of ARX: one line a leaf, ``value;level 1;level 2;...;*``, without a header."""

import csv
import io
import re
from pathlib import Path

from evosdc.errors import HierarchyError
from evosdc.files.atomic import write_text
from evosdc.files.encoding import read_text
from evosdc.files.schema.code_lists import hierarchy_of_codes
from evosdc.table.hierarchy import ROOT, Hierarchy

_HEADER = ("child", "parent")

_XML = re.compile(r"\s*<(?:\?xml|!--|!DOCTYPE|(?:\w+:)?(?:Structure|codeBook|CodeBook|CodeLists?|Codelists?)\b)")
"""How a code list begins whose file is not called so. Labels such as ``<20`` begin with that sign, too."""


def read_hierarchy(path: Path) -> Hierarchy:
    """Read the ARX form: a line a leaf, from the leaf to the root; separated by semicolon, comma or tab.

    Lines of two cells of which some second one begins another line are read as ``child,parent`` instead, with or
    without a first line that says so. XML is read as a code list of SDMX or DDI-Codebook; which one of several says a
    name behind the path: ``codes.xml#OCCUPATION``.

    Raises
    ------
    HierarchyError
        The file cannot be read, or is no hierarchy; with all that is wrong.
    """
    path, name = _named(Path(path))
    text = read_text(path, HierarchyError)
    if text.lstrip().startswith("<") and (path.suffix.lower() == ".xml" or _XML.match(text)):
        return hierarchy_of_codes(text, str(path), name)
    return hierarchy_of_text(text, str(path))


def _named(path: Path) -> tuple[Path, str]:
    """Return the path of a file and the name behind it, empty where there is none."""
    file, sign, name = path.name.rpartition("#")
    return (path.with_name(file), name) if sign and file and not path.exists() else (path, "")


def hierarchy_of_text(text: str, origin: str, separator: str | None = None, rooted: bool = False) -> Hierarchy:
    """Return the hierarchy that a text in the ARX form, or of edges, writes; raises as `read_hierarchy`.

    Parameters
    ----------
    text, origin : str
        What is read, and its place for messages.
    separator : str, optional
        By default the semicolon, comma or tab, whichever the first line has most of.
    rooted : bool
        Whether a root is put on top of several labels, as ARX does when it suppresses values.
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = separator if separator and separator in first else max(";,\t", key=first.count)
    rows = [
        tuple(cell.strip() for cell in row)
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        if any(cell.strip() for cell in row)
    ]
    if all(len(row) == 2 for row in rows) and {row[1] for row in rows} & {row[0] for row in rows}:
        named = tuple(cell.casefold() for cell in rows[0]) == _HEADER and rows[0][0] not in {row[1] for row in rows}
        return Hierarchy.from_edges(rows[1:] if named else rows, origin)
    if rooted and len({row[-1] for row in rows}) > 1:
        rows = [(*row, ROOT) for row in rows]
    return Hierarchy(tuple(row[0] for row in rows), tuple(row[1:] for row in rows), origin)


def write_hierarchy(hierarchy: Hierarchy, path: Path) -> None:
    """Write the ARX form, separated by semicolons."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=";", lineterminator="\n")
    writer.writerows((leaf, *labels) for leaf, labels in zip(hierarchy.leaves, hierarchy.levels, strict=True))
    write_text(path, buffer.getvalue())
