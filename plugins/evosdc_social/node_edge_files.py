"""Graphs as two CSV files, of nodes and of edges, in a ZIP archive."""

import csv
import io
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from evosdc.errors import DataError, Fault
from evosdc.files.column import NO_TEXT, Column
from evosdc.files.delimited_file import parse_delimited, plain_text
from evosdc.files.encoding import decode
from evosdc.table.numerals import number
from evosdc_social.graph import Graph, graph_of
from evosdc_social.graph_file import GraphFile, graph_file, with_lists, with_texts

_TEXT = (".csv", ".tsv", ".tab", ".txt")
_NODES, _EDGES = "nodes.csv", "edges.csv"
_MOST_ENDS = 0.9
"""Share of ends from which a column may be the ids though some stand twice."""

_STAMP = (1980, 1, 1, 0, 0, 0)


class _Way(NamedTuple):
    """Two files taken for nodes and edges: the share of ends that are nodes, and the column of ids."""

    share: float
    named: bool
    column: int
    nodes: Sequence[Column]
    edges: Sequence[Column]


def parse_zipped(content: bytes, where: str) -> GraphFile | None:
    """Read a ZIP archive of two CSV files, of nodes and of edges; None where it holds anything else."""
    if not content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        wanted = "an archive of two CSV files, of nodes and of edges, or of one data file"
        raise DataError(Fault(where, "a file that is no ZIP archive, whatever its name says", wanted))
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/")]
            if len(members) != 2 or not all(m.filename.lower().endswith(_TEXT) for m in members):
                return None
            files = [(m.filename, archive.read(m)) for m in members]
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError):
        return None  # told by what reads archives
    tables = _tables(files, where)
    way = _best(tables)
    return graph_file(_graph(way, where), where, ".zip", zipped) if way.share else None


def join_files(files: Sequence[tuple[str, bytes]], where: str) -> Graph:
    """Return the graph of a file of nodes and a file of edges, in whatever order.

    The edges are the file whose first two columns hold the ends, as ids that a column of the other file holds once
    each. Numeric columns of the edges are kept.

    Parameters
    ----------
    files : sequence of (str, bytes)
        Two names and contents.
    where : str
        For messages.

    Raises
    ------
    DataError
        A file cannot be read, or no column of either holds the ends of the other.
    """
    way = _best(_tables(files, where))
    if not way.share:
        given = "two files of which neither has a column with the ids that are the first two columns of the other"
        raise DataError(Fault(where, given, "a file of nodes, with ids, and a file of edges: from,to,..."))
    return _graph(way, where)


def _tables(files: Sequence[tuple[str, bytes]], where: str) -> list[tuple[str, Sequence[Column]]]:
    return [(name, _columns(content, f"{where}, {name}")) for name, content in files]


def _columns(content: bytes, where: str) -> Sequence[Column]:
    """Return the columns of a file; one with a header line alone has no edges."""
    lines = [line for line in decode(content, where)[0].splitlines() if line.strip()]
    if len(lines) != 1:
        return parse_delimited(content, where).columns
    names = next(csv.reader(lines, delimiter=max(",;\t", key=lines[0].count)))
    return [Column(name.strip(), (), np.empty(0, dtype=np.int32)) for name in names]


def _best(tables: Sequence[tuple[str, Sequence[Column]]]) -> _Way:
    """Return the better way to take one of two files for the nodes."""
    ways = [_way(nodes, *edges) for (_, nodes), edges in (tables, tables[::-1])]
    return max(ways, key=lambda way: (way.share, way.named))


def _graph(way: _Way, where: str) -> Graph:
    ids, edges = way.nodes[way.column], way.edges
    values = {c.name: [t or None for t in _texts(c)] for place, c in enumerate(way.nodes) if place != way.column}
    ends = [text or "" for text in _texts(edges[0])], [text or "" for text in _texts(edges[1])]
    weights = {c.name: _texts(c) for c in edges[2:] if all(number(t, c.mark) is not None for t in c.texts if t)}
    made = graph_of(where, [t or "" for t in _texts(ids)], with_lists(values), ends, weights, True, ids.name)
    return replace(made, end_names=(edges[0].name, edges[1].name))


def zipped(graph: Graph) -> bytes:
    """Return the archive of a graph, ``nodes.csv`` and ``edges.csv``."""
    values = with_texts(graph.values)
    columns = [graph.ids, *values.values()]
    nodes = plain_text([graph.id_name, *values], [[_cell(v) for v in row] for row in zip(*columns, strict=True)])
    ends = [[graph.ids[place] for place in side.tolist()] for side in (graph.sources, graph.targets)]
    rows = zip(*ends, *graph.weights.values(), strict=True)
    edges = plain_text([*graph.end_names, *graph.weights], [[_cell(value) for value in row] for row in rows])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in ((_NODES, nodes), (_EDGES, edges)):
            archive.writestr(zipfile.ZipInfo(name, _STAMP), text, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _way(nodes: Sequence[Column], name: str, edges: Sequence[Column]) -> _Way:
    """Return how well files fit as nodes and edges."""
    if len(edges) < 2:
        return _Way(0.0, False, 0, nodes, edges)
    ends = {*edges[0].texts, *edges[1].texts}
    found = [_fit(c, ends) for c in nodes]
    best = max(range(len(found)), key=lambda place: (found[place], -place))
    named = any(word in name.lower() for word in ("edge", "link", "relation"))
    return _Way(found[best], named, best, nodes, edges)


def _fit(column: Column, ends: set[str]) -> float:
    """Return the share of ends that are values of a column; ids that stand twice are a fault that is told later.

    A column with repetitions fits half as well, and not at all where they are common or ends are missing: it is no
    column of ids then.
    """
    if not ends:  # edges that are a header line alone
        return float(len(column.texts) == len(column) > 0)
    share = len(ends & {*column.texts}) / len(ends)
    if len(column.texts) == len(column):
        return share
    return share / 2 if share >= _MOST_ENDS and 2 * len(column.texts) >= len(column) else 0.0


def _texts(column: Column) -> list[str | None]:
    texts = (*column.texts, None)
    return [texts[NO_TEXT if place == NO_TEXT else place] for place in column.index.tolist()]


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
