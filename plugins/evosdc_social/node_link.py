"""Graphs as JSON in the node-link form: ``{"nodes": [{"id": ...}], "links": [{"source": ..., "target": ...}]}``."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evosdc.errors import DataError, Fault
from evosdc.files.encoding import decode
from evosdc_social.graph import Graph, Value, counted, graph_of
from evosdc_social.graph_file import GraphFile, graph_file

_LINKS = ("links", "edges")


def parse_node_link(content: bytes, where: str) -> GraphFile | None:
    """Read a node-link document; None where a document has neither nodes nor links.

    A list as the value of an attribute holds its members in their order. Edges whose attributes are texts lose these.
    Ids are compared as texts, so that 1 and "1" are one id, and are written with the types that nodes have; nodes
    without any are numbered from 0, as their edges name them.

    Raises
    ------
    DataError
        The document cannot be read as a graph.
    """
    try:
        document = json.loads(decode(content, where)[0])
    except ValueError as error:
        raise DataError(Fault(where, f"text that is no JSON ({error})", "a graph in the node-link form")) from None
    listed = [key for key in _LINKS if isinstance(document, dict) and key in document]
    if all(document[key] for key in listed) and len(listed) > 1:
        raise DataError(Fault(where, 'edges under both "links" and "edges"', "one of the two"))
    key = next((key for key in listed if document[key]), listed[0] if listed else None)
    if not isinstance(document, dict) or (key is None) == ("nodes" in document):
        given = "JSON that is no graph" if not isinstance(document, dict) else f"a graph without {_lack(key)}"
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
    ids = [str(node["id"]) if named else str(place) for place, node in enumerate(nodes)]
    names = list(dict.fromkeys(name for node in nodes for name in node if name != "id"))
    values = {name: _values(nodes, name, where) for name in names}
    ends = [str(link["source"]) for link in links], [str(link["target"]) for link in links]
    weights = _weights(links)
    graph = graph_of(where, ids, values, ends, weights, bool(document.get("directed", False)))
    typed = [node["id"] for node in nodes] if named else list(range(len(nodes)))
    graph = replace(graph, typed_ids=typed)
    return graph_file(graph, where, ".json", lambda published: node_link(published, key))


def _lack(key: str | None) -> str:
    return "links" if key is None else "nodes"


def node_link(graph: Graph, key: str = "links") -> bytes:
    """Return a graph as a node-link document, one line a node and an edge."""
    ids = graph.typed_ids or graph.ids
    nodes = [
        {"id": name} | {attribute: _plain(column[place]) for attribute, column in graph.values.items()}
        for place, name in enumerate(ids)
    ]
    nodes = [{name: value for name, value in node.items() if value is not None} for node in nodes]
    pairs = zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)
    several = len({*zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)}) < len(graph.sources)
    links = [
        {"source": ids[one], "target": ids[other]} | {name: w[edge] for name, w in graph.weights.items()}
        for edge, (one, other) in enumerate(pairs)
    ]
    links = [{name: value for name, value in link.items() if value is not None} for link in links]
    head = f'"directed": {json.dumps(graph.directed)}, "multigraph": {json.dumps(several)}, "graph": {{}}'
    return f'{{{head}, "nodes": [{_lines(nodes)}], "{key}": [{_lines(links)}]}}\n'.encode()


def _lines(entries: Sequence[Mapping[str, Any]]) -> str:
    return "".join(f"\n{json.dumps(entry, ensure_ascii=False)}," for entry in entries).rstrip(",") + "\n"


def _plain(value: Value) -> Any:
    return list(value) if isinstance(value, tuple) else value


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


def _weights(links: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = list(dict.fromkeys(name for link in links for name in link if name not in ("source", "target", "key")))
    columns = {name: [link.get(name) for link in links] for name in names}
    return {name: column for name, column in columns.items() if all(_number(value) for value in column)}


def _number(value: Any) -> bool:
    return value is None or isinstance(value, int | float)
