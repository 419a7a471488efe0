"""Neighbours as a column of a table, so that measures and methods which want them find them like any attribute.

Each user has a text of their own: their number, a colon, and the numbers of their neighbours, such as ``4: 0 2 7``.
Numbers count the nodes of the file from 0. The own number keeps the text right where records are left out, or stand in
another order. Where edges have directions, are repeated or are self-loops, two numbers follow each neighbour: how many
edges lead there and how many back, such as ``4: 0.1.1 2.0.1 7.2.0``; self-loops stand under the own number.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Generic, TypeVar

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Fitted, Measure, Microdata, Parameters
from evosdc.table.table import Table
from evosdc_social.graph import Neighbours, neighbours_of

F = TypeVar("F", bound=Fitted)

NEIGHBOURS = "neighbours"
"""What the column is called."""


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
    """Return who is connected to whom among the records of a table, by its column of neighbours.

    Neighbours that are not among the records do not count.

    Raises
    ------
    ParameterError
        The table has no such column, or one that holds something else.
    """
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
    told = 3 if any("." in tail for _, _, tail in cut) else 1
    lists = [np.array(tail.replace(".", " ").split(), dtype=np.int64).reshape(-1, told) for _, _, tail in cut]
    if len(np.unique(own)) < len(own):
        raise ValueError("a number twice")
    entries = np.concatenate(lists) if lists else np.empty((0, told), dtype=np.int64)
    others = entries[:, 0]
    users = np.repeat(np.arange(len(own)), [len(each) for each in lists])
    order = np.argsort(own)
    found = np.searchsorted(own, others, sorter=order)
    known = order[np.minimum(found, len(own) - 1)]
    here = (found < len(own)) & (own[known] == others)
    users, known, entries = users[here].astype(np.int64), known[here].astype(np.int64), entries[here]
    neighbours = neighbours_of(len(own), users, known)
    if told == 1:
        return neighbours
    apart = users != known
    ties, loops = np.zeros((len(neighbours.ends), 2), dtype=np.int64), np.zeros(len(own), dtype=np.int64)
    ties[neighbours.places(users[apart], known[apart])] = entries[apart, 1:]
    loops[users[~apart]] = entries[~apart, 1]
    return replace(neighbours, ties=ties, loops=loops)


def without_neighbours(table: Table, name: str = NEIGHBOURS) -> Table:
    """Return a table without its column of neighbours, where it has one."""
    return table.select([other for other in table.schema.names if other != name]) if name in table.schema else table


class AmongNeighbours(Measure, Generic[F]):
    """A measure of users that reads their neighbours besides what it judges."""

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
        """Return the measure of a table that holds the neighbours besides."""
        return self.fit_in(Microdata(original, original.schema.names))

    def fit_in(self, microdata: Microdata) -> F:
        """Return the measure, with the neighbours of the whole file.

        Raises
        ------
        ParameterError
            The file has no column of neighbours.
        """
        judged = without_neighbours(microdata.original, self.params.neighbours)
        self.require_support(judged)
        return self.fit_among(judged, neighbours_in(microdata.table, self.params.neighbours))
