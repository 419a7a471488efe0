"""A graph file as what evosdc reads and writes: a table of one row a user, and the edges beside it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from evosdc.errors import DataError, Fault
from evosdc.files.column import NO_TEXT, Column
from evosdc.files.original import Original, Published
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Rows
from evosdc_social.graph import NEIGHBOURS, Graph, Value, adjacency_texts
from evosdc_social.space import built_words

BETWEEN = "|"  # what separates the members of a list where a format knows texts only: ``music|cinema``


class Part(NamedTuple):
    """Where a column of the table is in the graph: an attribute, and a place in its lists or None."""

    attribute: str
    place: int | None = None

    @property
    def name(self) -> str:
        """What the column is called: lists have a column for each place, ``topics_1`` the first."""
        return self.attribute if self.place is None else f"{self.attribute}_{self.place + 1}"


@dataclass(frozen=True, eq=False)
class GraphFile(Original):
    """A graph file that was read."""

    # Its columns are the ids, where they are more than numbers; the attributes of the nodes, in which lists have a
    # column for each place; and the neighbours. Ids are never published: nodes are renumbered, in the order in which
    # they are written. Edges are published as they are, without their attributes, which nothing here protects and no
    # measure sees.

    graph: Graph
    parts: tuple[Part, ...]  # the columns that are attributes of nodes, in order
    bytes_of: Callable[[Graph], bytes]  # gives the bytes of a graph in the file's format

    def remarks(self, schema: Schema) -> tuple[str, ...]:
        """Return what a proposed schema lacks for a graph: topics of users, and trees of what is protected."""
        listed = any(part.place is not None for part in self.parts)
        topics = "Users have no list of topics: evosdc graph topics finds some in a CSV file of what they post."
        return (
            *(() if listed else (topics,)),
            *built_words(a for a in schema.attributes if a.role is Role.QUASI_IDENTIFIER),
        )

    def place(self, record: int) -> str:
        """Return where a record is in the file."""
        return f"node {record + 1}"

    def write(self, columns: Sequence[Published], rows: Rows) -> Iterable[bytes]:
        """Return the bytes of the graph of some nodes, in the order of `rows`, with these columns."""
        # Edges to nodes that are left out are left out, too.
        first = 0 if self.graph.numbered else 1
        kept: dict[str, list[tuple[Part, list[Value]]]] = {}
        for one in columns:
            if first <= one.position < first + len(self.parts):
                part = self.parts[one.position - first]
                values = [_at(self.graph.values[part.attribute][row], part) for row in rows.tolist()]
                kept.setdefault(part.attribute, []).append((part, _masked(values, one) if one.masked else values))
        return [self.bytes_of(_renumbered(self.graph, {name: _joined(parts) for name, parts in kept.items()}, rows))]


def graph_file(graph: Graph, where: str, suffix: str, write: Callable[[Graph], bytes]) -> GraphFile:
    """Return a graph as a file of a format."""
    parts: list[Part] = []
    for name, values in graph.values.items():
        length = max((len(value) for value in values if isinstance(value, tuple)), default=0)
        parts += [Part(name, place) for place in range(length)] if length else [Part(name)]
    names = [part.name for part in parts] + [NEIGHBOURS] + ([] if graph.numbered else [graph.id_name])
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        given = f"several columns with the name {', '.join(twice)}"
        advice = f"Rename the attribute: {NEIGHBOURS} are the edges, and name_1, name_2, ... the members of a list."
        raise DataError(Fault(where, given, "attributes of nodes with names of their own", advice))
    columns = [] if graph.numbered else [_column(graph.id_name, graph.ids)]
    columns += [_column(part.name, [_text(_at(v, part)) for v in graph.values[part.attribute]]) for part in parts]
    columns.append(_column(NEIGHBOURS, adjacency_texts(graph.neighbours)))
    # Ids identify, and neighbours are written as edges; ids that are numbers have no column.
    declared = {NEIGHBOURS: Attribute(NEIGHBOURS, Role.DROP, Scale.NOMINAL, tuple(columns[-1].texts))}
    if graph.id_name not in (part.name for part in parts):
        ids = () if graph.numbered else tuple(columns[0].texts)
        declared[graph.id_name] = Attribute(graph.id_name, Role.IDENTIFIER, Scale.NOMINAL, ids)
    carried = {NEIGHBOURS: "edges are published, without attributes of theirs"}
    return GraphFile(
        graph, tuple(parts), write, columns=tuple(columns), format=suffix, declared=declared, carried=carried
    )


def with_lists(values: Mapping[str, Sequence[Value]]) -> dict[str, Sequence[Value]]:
    """Return attributes in which texts with a ``|`` are lists, for formats that know texts only."""
    # An attribute of which any text has one is a list for all nodes. Nothing between two is a member that is missing;
    # nothing behind the last is none: ``music|`` is a list of one.
    found: dict[str, Sequence[Value]] = {}
    for name, column in values.items():
        listed = any(isinstance(value, str) and BETWEEN in value for value in column)
        found[name] = [_listed(value) for value in column] if listed else column
    return found


def with_texts(values: Mapping[str, Sequence[Value]]) -> dict[str, Sequence[Value]]:
    """Return attributes in which lists are texts again, that `with_lists` takes for the same lists."""
    found: dict[str, Sequence[Value]] = {}
    for name, column in values.items():
        first = next((place for place, value in enumerate(column) if isinstance(value, tuple) and value), None)
        texts: list[Value] = []
        for value in column:
            if isinstance(value, tuple):
                text = BETWEEN.join(member or "" for member in value)
                value = (text if value[-1] else f"{text}{BETWEEN}") if value else None
            texts.append(value)
        if first is not None and not any(isinstance(text, str) and BETWEEN in text for text in texts):
            texts[first] = f"{texts[first]}{BETWEEN}"
        found[name] = texts
    return found


def _listed(value: Value) -> Value:
    if value is None or isinstance(value, tuple):
        return value
    members = [member.strip() or None for member in str(value).split(BETWEEN)]
    return tuple(members if members[-1] else members[:-1])


def cells_of(column: Column) -> list[str | None]:
    """Return the text of each record, None where it has none."""
    texts = (*column.texts, None)  # the last one is at ``NO_TEXT``
    return [texts[place] for place in column.index.tolist()]


def _at(value: Value, part: Part) -> Value:
    """Return what is in a column: the value, or a member of it; nothing behind the end of a list."""
    if part.place is None:
        return value
    members = value if isinstance(value, tuple) else () if value is None else (str(value),)
    return members[part.place] if part.place < len(members) else None


def _text(value: Value) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _column(name: str, texts: Sequence[str | None]) -> Column:
    seen: dict[str, int] = {}
    index = [NO_TEXT if text is None else seen.setdefault(text, len(seen)) for text in texts]
    return Column(name, tuple(seen), np.array(index, dtype=np.int32))


def _masked(values: list[Value], one: Published) -> list[Value]:
    """Return the values of a masked column; as numbers where all values of the attribute are."""
    kinds = {type(value) for value in values if value is not None}
    texts = cells_of(one.column)
    if kinds == {bool}:
        read: Callable[[str], Value] = {"true": True, "false": False}.__getitem__
    elif kinds in ({int}, {float}):
        (read,) = kinds
    else:
        return list(texts)
    try:
        return [None if text is None else read(text) for text in texts]
    except (KeyError, ValueError):  # labels above the values: all are texts then
        return list(texts)


def _joined(columns: Sequence[tuple[Part, list[Value]]]) -> list[Value]:
    """Return an attribute put together from its columns."""
    # A member that is missing before others leaves its gap, so that what is read again is the table that was measured;
    # nothing represents those at the end, but for one node where else the list would be shorter for all.
    if columns[0][0].place is None:
        return columns[0][1]
    texts = [[None if value is None else str(value) for value in values] for _, values in columns]
    rows = list(zip(*texts, strict=True))
    lengths = [max((place + 1 for place, value in enumerate(row) if value is not None), default=0) for row in rows]
    if max(lengths) < len(columns):
        lengths[0] = len(columns)
    return [tuple(row[:length]) or None for row, length in zip(rows, lengths, strict=True)]


def _renumbered(graph: Graph, values: Mapping[str, Sequence[Value]], rows: Rows) -> Graph:
    """Return the graph of some nodes, numbered in their new order, its edges in that order without attributes."""
    number = np.full(len(graph), -1, dtype=np.intp)
    number[rows] = np.arange(len(rows))
    sources, targets = number[graph.sources], number[graph.targets]
    here = np.flatnonzero((sources >= 0) & (targets >= 0))
    if not graph.directed:
        sources, targets = np.minimum(sources, targets), np.maximum(sources, targets)
    order = here[np.lexsort((targets[here], sources[here]))]
    ids = tuple(f"n{place}" for place in range(len(rows)))
    return replace(
        graph, ids=ids, typed_ids=(), values=values, sources=sources[order], targets=targets[order], weights={}
    )
