"""Graphs as GraphML, by networkx."""

import io
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from evosdc.errors import DataError, Fault
from evosdc_social.graph import Graph, Value, graph_of
from evosdc_social.graph_file import GraphFile, graph_file, with_lists, with_texts

if TYPE_CHECKING:
    import networkx as nx


def parse_graphml(content: bytes, where: str) -> GraphFile:
    """Read a GraphML document of one graph.

    GraphML knows no lists: texts with ``|`` between members are taken for such. Ids of edges, and attributes of edges
    that are texts, are not kept.

    Raises
    ------
    DataError
        The document cannot be read, or has edges whose ends are no nodes; or networkx is not installed.
    """
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
    keys = list(dict.fromkeys(name for *_, data in edges for name in data if name != "id"))
    columns: dict[str, list[Any]] = {name: [data.get(name) for *_, data in edges] for name in keys}
    weights = {n: c for n, c in columns.items() if all(v is None or isinstance(v, int | float) for v in c)}
    graph = graph_of(where, ids, with_lists(values), ends, weights, bool(found.is_directed()))
    return graph_file(graph, where, ".graphml", graphml)


def graphml(graph: Graph) -> bytes:
    """Return a graph as GraphML."""
    buffer = io.BytesIO()
    required_networkx("GraphML").write_graphml(networkx_graph(graph), buffer, encoding="utf-8")
    return buffer.getvalue()


def networkx_graph(graph: Graph) -> "nx.Graph":
    """Return a graph as one of networkx; what is missing is left out, lists are texts with ``|`` between members."""
    networkx = required_networkx("GraphML")
    pairs = list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    several = len({(min(p), max(p)) for p in pairs} if not graph.directed else {*pairs}) < len(pairs)
    kinds = {
        (False, False): "Graph",
        (True, False): "DiGraph",
        (False, True): "MultiGraph",
        (True, True): "MultiDiGraph",
    }
    made = getattr(networkx, kinds[graph.directed, several])()
    values = with_texts(graph.values)
    for place, name in enumerate(graph.ids):
        made.add_node(name, **{a: column[place] for a, column in values.items() if column[place] is not None})
    for edge, (one, other) in enumerate(pairs):
        data = {name: w[edge] for name, w in graph.weights.items() if w[edge] is not None}
        made.add_edge(graph.ids[one], graph.ids[other], **data)
    return made


def required_networkx(where: str) -> Any:
    """Return networkx; raises `DataError` where it is not installed."""
    try:
        import networkx
    except ImportError:
        advice = "Install it: pip install networkx."
        raise DataError(Fault(where, "a graph in GraphML", "networkx to read and write it with", advice)) from None
    return networkx


def xml_of(content: bytes, where: str) -> ElementTree.Element:
    """Return the root of an XML document; one that declares entities is refused, as it could be an attack.

    Raises
    ------
    DataError
        It is no XML, or declares entities.
    """
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise DataError(Fault(where, "an XML file that declares entities", "one without a DOCTYPE"))
    try:
        return ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise DataError(Fault(where, f"text that is not XML ({error})", "a whole XML file")) from None
