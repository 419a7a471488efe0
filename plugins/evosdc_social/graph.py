"""Social graphs: users with attributes, and the edges between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault
from evosdc.table.table import Rows

Value = str | int | float | bool | tuple[str | None, ...] | None
"""Of a node's attribute: a text, a number, a truth value, a list of texts or nothings, or nothing."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Who is connected to whom, whatever the direction: each neighbour once, nobody a neighbour of their own.

    Parameters
    ----------
    starts : ndarray of int64, shape (n + 1,)
        Where each user's neighbours begin in `ends`.
    ends : ndarray of int32, shape (2 m,)
        Positions of the neighbours, ascending for each user.
    ties : ndarray of int64, shape (2 m, 2), optional
        How many edges lead to each neighbour and how many from there; without directions how many there are, and 0.
        None where each tie is one edge without a direction.
    loops : ndarray of int64, shape (n,), optional
        How many edges lead from each user back to the same; None where there are none.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int32]
    ties: NDArray[np.int64] | None = None
    loops: NDArray[np.int64] | None = None

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
    """Return the neighbours of n users by edges between positions, shape (m,) each.

    Directions are of no account, as the thesis takes its graphs; a self-loop makes no neighbour, and several edges
    between two users make one.
    """
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
    """A graph as a file holds it.

    Parameters
    ----------
    ids : tuple of str
        Of the nodes, in the order of the file.
    values : mapping of str to sequence of Value
        By attribute, a value for each node.
    sources, targets : ndarray of intp, shape (m,)
        The ends of the edges, as positions of nodes.
    weights : mapping of str to sequence of numbers
        Numeric attributes of the edges, which originals keep; none is published. Texts are not kept at all.
    directed : bool
    id_name : str
        What the column of ids is called.
    end_names : pair of str
        What the columns of ends are called where edges are a table.
    typed_ids : sequence
        The ids as the file has them, where its format has types: 7 is not "7". Empty where ids are texts.
    """

    ids: tuple[str, ...]
    values: Mapping[str, Sequence[Value]]
    sources: Rows
    targets: Rows
    weights: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    directed: bool = False
    id_name: str = "id"
    end_names: tuple[str, str] = ("from", "to")
    typed_ids: Sequence[Any] = ()

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
    """Return a graph whose edges are told by ids.

    Parameters
    ----------
    where : str
        For messages.
    ids, values, weights, directed, id_name
        As of `Graph`.
    ends : pair of sequence of str
        Ids of the edges' sources and of their targets.

    Raises
    ------
    DataError
        No node, two nodes of one id, or edges whose ends are no nodes; ids are not told.
    """
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
    """Return so many of something, in words: ``1 node``, ``2 nodes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
