"""Social graphs: users with attributes, the edges between them, and neighbours as a column of a table.

Each user has a text of their own: their number, a colon, and the numbers of their neighbours, such as ``4: 0 2 7``.
Numbers count the nodes of the file from 0. The own number keeps the text right where records are left out, or are in
another order. Where edges have directions, are repeated or are self-loops, two numbers follow each neighbour: how many
edges lead there and how many back, such as ``4: 0.1.1 2.0.1 7.2.0``; self-loops are under the own number.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import DataError, Fault, ParameterError
from evosdc.model import Fitted, Measure, Microdata, Parameters
from evosdc.table.table import Rows, Table

# Of a node's attribute: a text, a number, a truth value, a list of texts or nothings, or nothing
Value = str | int | float | bool | tuple[str | None, ...] | None


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Who is connected to whom, whatever the direction: each neighbour once, nobody a neighbour of their own."""

    starts: NDArray[np.int64]  # shape (n + 1,); where each user's neighbours begin in `ends`
    ends: NDArray[np.int32]  # shape (2 m,); positions of the neighbours, ascending for each user
    # Shape (2 m, 2); how many edges lead to each neighbour and how many from there; without directions how many there
    # are, and 0. None where each tie is one edge without a direction.
    ties: NDArray[np.int64] | None = None
    loops: NDArray[np.int64] | None = None  # shape (n,); edges from each user back to the same, if any

    @property
    def degrees(self) -> NDArray[np.int64]:
        """How many neighbours each user has, shape (n,)."""
        return np.diff(self.starts)

    @cached_property
    def users(self) -> NDArray[np.int32]:
        """The user of each entry of `ends`, shape (2 m,)."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), self.degrees)

    def places(self, users: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return where in `ends` these neighbours of these users stand."""
        n = len(self.starts) - 1
        return np.searchsorted(self.users.astype(np.int64) * n + self.ends, users * n + ends)


def neighbours_of(n: int, sources: Rows, targets: Rows) -> Neighbours:
    """Return the neighbours of n users by edges between positions, shape (m,) each."""
    # Directions are of no account, as the thesis takes its graphs; a self-loop makes no neighbour, and several edges
    # between two users make one.
    apart = sources != targets
    one, other = sources[apart].astype(np.int64), targets[apart].astype(np.int64)
    pairs = np.unique(np.concatenate([one * n + other, other * n + one])) if one.size else np.empty(0, dtype=np.int64)
    starts = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(pairs // n, minlength=n), out=starts[1:])
    return Neighbours(starts, (pairs % n).astype(np.int32))


def with_ties(n: int, sources: Rows, targets: Rows, directed: bool) -> Neighbours:
    """Return the neighbours of n users with all that published edges tell: directions, repetitions and self-loops."""
    found, apart = neighbours_of(n, sources, targets), sources != targets
    one, other = sources[apart].astype(np.int64), targets[apart].astype(np.int64)
    ties = np.zeros((len(found.ends), 2), dtype=np.int64)
    np.add.at(ties[:, 0], found.places(one, other), 1)
    np.add.at(ties[:, 1 if directed else 0], found.places(other, one), 1)
    loops = np.bincount(sources[~apart], minlength=n).astype(np.int64)
    if not directed and not loops.any() and not (ties[:, 0] > 1).any():
        return found
    return replace(found, ties=ties, loops=loops)


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph as a file holds it."""

    ids: tuple[str, ...]  # of the nodes, in the order of the file
    values: Mapping[str, Sequence[Value]]  # by attribute, a value for each node
    sources: Rows  # shape (m,); the ends of the edges, as positions of nodes
    targets: Rows
    # Numeric attributes of the edges, which originals keep; none is published. Texts are not kept at all.
    weights: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    directed: bool = False
    id_name: str = "id"  # what the column of ids is called
    end_names: tuple[str, str] = ("from", "to")  # what the columns of ends are called where edges are a table
    typed_ids: Sequence[Any] = ()  # the ids where the file's format has types: 7 is not "7"; empty where they are texts

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def neighbours(self) -> Neighbours:
        """Who is connected to whom."""
        return with_ties(len(self), self.sources, self.targets, self.directed)

    @cached_property
    def numbered(self) -> bool:
        """Whether ids only count the nodes, in their order, so that they identify nobody."""
        return any(
            all(name == f"{sign}{position + first}" for position, name in enumerate(self.ids))
            for sign in ("", "n")
            for first in (0, 1)
        )


def graph_of(
    where: str,
    ids: Sequence[str],
    values: Mapping[str, Sequence[Value]],
    ends: tuple[Sequence[str], Sequence[str]],
    weights: Mapping[str, Sequence[Any]],
    directed: bool,
    id_name: str = "id",
) -> Graph:
    """Return a graph whose edges are given by ids."""
    faults = []
    position = {name: place for place, name in enumerate(ids)}
    if not ids:
        faults.append(Fault(where, "a graph without nodes", "at least one node"))
    if len(position) < len(ids):
        first: dict[str, int] = {}
        again = next(place for place, name in enumerate(ids) if first.setdefault(name, place) != place)
        given = f"{counted(len(ids) - len(position), 'node')} whose id an earlier one has"
        given += f", the first of them node {again + 1} with the id of node {first[ids[again]] + 1}"
        advice = "Remove or rename the repetitions; ids are compared as texts."
        faults.append(Fault(where, given, "each id once", advice))
    placed = [np.array([position.get(name, -1) for name in side], dtype=np.intp) for side in ends]
    dangling = np.flatnonzero((placed[0] < 0) | (placed[1] < 0))
    if dangling.size and ids:
        given = f"{counted(dangling.size, 'edge')} with an end that is no node"
        given += f", the first of them edge {dangling[0] + 1}"
        faults.append(Fault(where, given, "edges between nodes of the file", "Add the nodes, or remove these edges."))
    if faults:
        raise DataError(faults)
    return Graph(tuple(ids), dict(values), placed[0], placed[1], dict(weights), directed, id_name)


def counted(number: int, noun: str) -> str:
    """Return a number and its noun: ``1 node``, ``2 nodes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


F = TypeVar("F", bound=Fitted)
NEIGHBOURS = "neighbours"  # what the column is called


def adjacency_texts(neighbours: Neighbours) -> tuple[str, ...]:
    """Return the text of each user, all different."""
    numbers = [str(number) for number in range(len(neighbours.starts) - 1)]
    ends, bounds = [numbers[end] for end in neighbours.ends.tolist()], neighbours.starts.tolist()
    loops = [""] * len(numbers)
    if neighbours.ties is not None:
        ends = [f"{end}.{to}.{back}" for end, (to, back) in zip(ends, neighbours.ties.tolist(), strict=True)]
    if neighbours.loops is not None:
        counts = neighbours.loops.tolist()
        loops = [f" {own}.{count}.0" if count else "" for own, count in zip(numbers, counts, strict=True)]
    return tuple(
        f"{own}: {' '.join(ends[begin:stop])}{loop}"
        for own, begin, stop, loop in zip(numbers, bounds, bounds[1:], loops, strict=False)
    )


def neighbours_in(table: Table, name: str = NEIGHBOURS) -> Neighbours:
    """Return who is connected to whom among the records of a table, by its column of neighbours."""
    # Neighbours that are not among the records do not count.
    wanted = "the users of a graph file, or of evosdc graph extract, with this column"
    if name not in table.schema or not table.schema[name].categorical:
        raise ParameterError(Fault(name, "a file without neighbours", wanted, "Give the graph itself."))
    labels, codes = table.schema[name].categories, table.column(name)
    if len(codes) and int(codes.min()) < 0:
        raise ParameterError(Fault(name, "users without a list of neighbours", wanted))
    try:
        return _read([labels[code] for code in codes.tolist()])
    except ValueError:
        raise ParameterError(Fault(name, "texts that are no lists of neighbours", wanted)) from None


def _read(texts: Sequence[str]) -> Neighbours:
    cut = [text.partition(":") for text in texts]
    own = np.array([int(number) for number, _, _ in cut], dtype=np.int64)
    width = 3 if any("." in tail for _, _, tail in cut) else 1
    lists = [np.array(tail.replace(".", " ").split(), dtype=np.int64).reshape(-1, width) for _, _, tail in cut]
    if len(np.unique(own)) < len(own):
        raise ValueError("a number twice")
    entries = np.concatenate(lists) if lists else np.empty((0, width), dtype=np.int64)
    others = entries[:, 0]
    users = np.repeat(np.arange(len(own)), [len(each) for each in lists])
    order = np.argsort(own)
    found = np.searchsorted(own, others, sorter=order)
    known = order[np.minimum(found, len(own) - 1)]
    here = (found < len(own)) & (own[known] == others)
    users, known, entries = users[here].astype(np.int64), known[here].astype(np.int64), entries[here]
    neighbours = neighbours_of(len(own), users, known)
    if width == 1:
        return neighbours
    apart = users != known
    ties, loops = np.zeros((len(neighbours.ends), 2), dtype=np.int64), np.zeros(len(own), dtype=np.int64)
    ties[neighbours.places(users[apart], known[apart])] = entries[apart, 1:]
    loops[users[~apart]] = entries[~apart, 1]
    return replace(neighbours, ties=ties, loops=loops)


class AmongNeighbours(Measure, Generic[F]):
    """A measure of users that also reads their neighbours."""

    class Params(Parameters):
        """Where the edges are."""

        neighbours: str = Field(NEIGHBOURS, description="the column of neighbours")

    params: Params

    @abstractmethod
    def fit_among(self, judged: Table, neighbours: Neighbours) -> F:
        """Do all that depends on the original alone; `judged` is without the column of neighbours."""

    def auxiliary_names(self) -> tuple[str, ...]:
        """Return the column of neighbours."""
        return (self.params.neighbours,)

    def fit(self, original: Table) -> F:
        """Return the measure of a table that also holds the neighbours."""
        return self.fit_in(Microdata(original, original.schema.names))

    def fit_in(self, microdata: Microdata) -> F:
        """Return the measure, with the neighbours of the whole file."""
        name, judged = self.params.neighbours, microdata.original
        if name in judged.schema:
            judged = judged.select([other for other in judged.schema.names if other != name])
        self.require_support(judged)
        return self.fit_among(judged, neighbours_in(microdata.table, name))
