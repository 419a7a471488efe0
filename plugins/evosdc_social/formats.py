"""Graphs as node-link JSON, as GraphML, and as two CSV files in a ZIP archive."""

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from evosdc.errors import DataError, Fault
from evosdc.files.column import Column
from evosdc.files.delimited_file import parse_delimited, plain_text
from evosdc.files.encoding import decode
from evosdc.table.numerals import number
from evosdc_social.graph import Graph, Value, counted, graph_of
from evosdc_social.graph_file import GraphFile, cells_of, graph_file, with_lists, with_texts

_LINKS = ("links", "edges")


def parse_node_link(content: bytes, where: str) -> GraphFile | None:
    """Read a node-link document; None where a document has neither nodes nor links."""
    # A list as the value of an attribute holds its members in their order. Edges whose attributes are texts lose these.
    # Ids are compared as texts, so that 1 and "1" are one id, and are written with the types that nodes have; nodes
    # without any are numbered from 0, as their edges name them.
    try:
        document = json.loads(decode(content, where)[0])
    except ValueError as error:
        raise DataError(Fault(where, f"text that is no JSON ({error})", "a graph in the node-link form")) from None
    listed = [key for key in _LINKS if isinstance(document, dict) and key in document]
    if all(document[key] for key in listed) and len(listed) > 1:
        raise DataError(Fault(where, 'edges under both "links" and "edges"', "one of the two"))
    key = next((key for key in listed if document[key]), listed[0] if listed else None)
    if not isinstance(document, dict) or (key is None) == ("nodes" in document):
        absent = "links" if key is None else "nodes"
        given = f"a graph without {absent}" if isinstance(document, dict) else "JSON that is no graph"
        advice = 'Edges are "links" or "edges"; a graph without any has an empty list.'
        raise DataError(Fault(where, given, 'a graph in the node-link form: {"nodes": [...], "links": [...]}', advice))
    if key is None:
        return None
    nodes, links = _objects(document["nodes"], f"{where}: nodes"), _objects(document[key], f"{where}: {key}")
    named = any(node.get("id") is not None for node in nodes)
    lacking = sum(node.get("id") is None for node in nodes) if named else 0
    unended = sum(link.get("source") is None or link.get("target") is None for link in links)
    faults = []
    if lacking:
        faults.append(Fault(f"{where}: nodes", f"{counted(lacking, 'node')} without an id", "an id for every node"))
    if unended:
        faults.append(
            Fault(f"{where}: {key}", f"{counted(unended, 'edge')} without a source or a target", "both for every edge")
        )
    if faults:
        raise DataError(faults)
    typed = [node["id"] for node in nodes] if named else list(range(len(nodes)))
    names = list(dict.fromkeys(name for node in nodes for name in node if name != "id"))
    values = {name: _values(nodes, name, where) for name in names}
    ends = [str(link["source"]) for link in links], [str(link["target"]) for link in links]
    weights, directed = _weights(links, ("source", "target", "key")), bool(document.get("directed", False))
    graph = replace(graph_of(where, [*map(str, typed)], values, ends, weights, directed), typed_ids=typed)
    return graph_file(graph, where, ".json", lambda published: node_link(published, key))


def node_link(graph: Graph, key: str = "links") -> bytes:
    """Return a graph as a node-link document, one line a node and an edge."""
    ids = graph.typed_ids or graph.ids
    nodes = [
        {"id": name} | {attribute: column[place] for attribute, column in graph.values.items()}
        for place, name in enumerate(ids)
    ]
    pairs = list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    links = [
        {"source": ids[one], "target": ids[other]} | {name: w[edge] for name, w in graph.weights.items()}
        for edge, (one, other) in enumerate(pairs)
    ]
    several = json.dumps(len({*pairs}) < len(pairs))
    head = f'"directed": {json.dumps(graph.directed)}, "multigraph": {several}, "graph": {{}}'
    return f'{{{head}, "nodes": [{_lines(nodes)}], "{key}": [{_lines(links)}]}}\n'.encode()


def _lines(entries: Iterable[Mapping[str, Any]]) -> str:
    """Return entries as JSON, without what is missing."""
    known = ({name: value for name, value in entry.items() if value is not None} for entry in entries)
    return ",".join(f"\n{json.dumps(entry, ensure_ascii=False)}" for entry in known) + "\n"


def _objects(given: Any, where: str) -> list[dict[str, Any]]:
    if not isinstance(given, list) or not all(isinstance(entry, dict) for entry in given):
        raise DataError(Fault(where, "something else than a list of objects", '[{"id": ...}, ...]'))
    return given


def _values(nodes: Sequence[Mapping[str, Any]], name: str, where: str) -> list[Value]:
    values: list[Value] = []
    for node in nodes:
        value = node.get(name)
        if isinstance(value, list) and not any(isinstance(member, list | dict) for member in value):
            values.append(tuple(None if member is None else str(member) for member in value))
        elif isinstance(value, list | dict):
            given = f"values of {name} that are objects, or lists of lists"
            raise DataError(Fault(where, given, "texts, numbers, or lists of texts", "Split them into attributes."))
        else:
            values.append(value)
    return values


def _weights(links: Sequence[Mapping[str, Any]], apart: Sequence[str]) -> dict[str, list[Any]]:
    """Return the numeric attributes of edges."""
    names = dict.fromkeys(name for link in links for name in link if name not in apart)
    columns = {name: [link.get(name) for link in links] for name in names}
    return {n: column for n, column in columns.items() if all(isinstance(v, int | float | None) for v in column)}


if TYPE_CHECKING:
    import networkx as nx


def parse_graphml(content: bytes, where: str) -> GraphFile:
    """Read a GraphML document of one graph."""
    # GraphML knows no lists: texts with ``|`` between members are taken for such. Ids of edges, and attributes of edges
    # that are texts, are not kept.
    networkx = required_networkx(where)
    root = xml_of(content, where)
    declared = {node.get("id") for node in root.iter() if node.tag.rpartition("}")[2] == "node"}
    try:
        found = networkx.parse_graphml(content)
    except Exception as error:  # networkx has no error of its own for most of what can be wrong
        given = f"GraphML that cannot be read ({type(error).__name__})"
        raise DataError(Fault(where, given, "one graph of nodes and edges, without ports or nested graphs")) from None
    ids = [str(name) for name in found if name in declared]
    names = list(dict.fromkeys(name for _, data in found.nodes(data=True) for name in data))
    values: dict[str, list[Value]] = {name: [found.nodes[node].get(name) for node in ids] for name in names}
    edges = list(found.edges(data=True))
    ends = [str(edge[0]) for edge in edges], [str(edge[1]) for edge in edges]
    weights = _weights([data for *_, data in edges], ("id",))
    graph = graph_of(where, ids, with_lists(values), ends, weights, bool(found.is_directed()))
    return graph_file(graph, where, ".graphml", graphml)


def graphml(graph: Graph) -> bytes:
    """Return a graph as GraphML; what is missing is left out, lists are texts with ``|`` between members."""
    networkx = required_networkx("GraphML")
    pairs = list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    several = len({(min(p), max(p)) for p in pairs} if not graph.directed else {*pairs}) < len(pairs)
    kinds = (networkx.Graph, networkx.DiGraph), (networkx.MultiGraph, networkx.MultiDiGraph)
    made: nx.Graph = kinds[several][graph.directed]()
    values = with_texts(graph.values)
    for place, name in enumerate(graph.ids):
        made.add_node(name, **{a: column[place] for a, column in values.items() if column[place] is not None})
    for edge, (one, other) in enumerate(pairs):
        data = {name: w[edge] for name, w in graph.weights.items() if w[edge] is not None}
        made.add_edge(graph.ids[one], graph.ids[other], **data)
    buffer = io.BytesIO()
    networkx.write_graphml(made, buffer, encoding="utf-8")
    return buffer.getvalue()


def required_networkx(where: str) -> Any:
    """Return networkx; raises `DataError` where it is not installed."""
    try:
        import networkx
    except ImportError:
        advice = "Install it: pip install networkx."
        raise DataError(Fault(where, "a graph in GraphML", "networkx to read and write it with", advice)) from None
    return networkx


def xml_of(content: bytes, where: str) -> ElementTree.Element:
    """Return the root of an XML document; one that declares entities is refused, as it could be an attack."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise DataError(Fault(where, "an XML file that declares entities", "one without a DOCTYPE"))
    try:
        return ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise DataError(Fault(where, f"text that is not XML ({error})", "a whole XML file")) from None


_TEXT = (".csv", ".tsv", ".tab", ".txt")
_MOST_ENDS = 0.9  # share of ends from which a column may be the ids though some stand twice
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
        return None  # the reader of archives reports it
    way = _best(files, where)
    return graph_file(_graph(way, where), where, ".zip", zipped) if way.share else None


def join_files(files: Sequence[tuple[str, bytes]], where: str, encoding: str | None = None) -> Graph:
    """Return the graph of a file of nodes and a file of edges, in whatever order."""
    # The edges are the file whose first two columns hold the ends, as ids that a column of the other file holds once
    # each. Numeric columns of the edges are kept.
    way = _best(files, where, encoding)
    if not way.share:
        given = "two files of which neither has a column with the ids that are the first two columns of the other"
        raise DataError(Fault(where, given, "a file of nodes, with ids, and a file of edges: from,to,..."))
    return _graph(way, where)


def _columns(content: bytes, where: str, encoding: str | None) -> Sequence[Column]:
    """Return the columns of a file; one with a header line alone has no edges."""
    lines = [line for line in decode(content, where, encoding=encoding)[0].splitlines() if line.strip()]
    if len(lines) != 1:
        return parse_delimited(content, where, encoding=encoding).columns
    names = next(csv.reader(lines, delimiter=max(",;\t", key=lines[0].count)))
    return [Column(name.strip(), (), np.empty(0, dtype=np.int32)) for name in names]


def _best(files: Sequence[tuple[str, bytes]], where: str, encoding: str | None = None) -> _Way:
    """Return the better way to take one of two files for the nodes."""
    tables = [(name, _columns(content, f"{where}, {name}", encoding)) for name, content in files]
    ways = [_way(nodes, *edges) for (_, nodes), edges in (tables, tables[::-1])]
    return max(ways, key=lambda way: (way.share, way.named))


def _graph(way: _Way, where: str) -> Graph:
    ids, edges = way.nodes[way.column], way.edges
    values = {c.name: [t or None for t in cells_of(c)] for place, c in enumerate(way.nodes) if place != way.column}
    names, *ends = ([text or "" for text in cells_of(column)] for column in (ids, edges[0], edges[1]))
    weights = {c.name: cells_of(c) for c in edges[2:] if all(number(t, c.mark) is not None for t in c.texts if t)}
    made = graph_of(where, names, with_lists(values), (ends[0], ends[1]), weights, True, ids.name)
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
        for name, text in (("nodes.csv", nodes), ("edges.csv", edges)):
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
    """Return the share of ends that are values of a column; duplicate ids are reported later."""
    # A column with repetitions fits half as well, and not at all where they are common or ends are missing: it is no
    # column of ids then.
    if not ends:  # edges that are a header line alone
        return float(len(column.texts) == len(column) > 0)
    share = len(ends & {*column.texts}) / len(ends)
    if len(column.texts) == len(column):
        return share
    return share / 2 if share >= _MOST_ENDS and 2 * len(column.texts) >= len(column) else 0.0


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
