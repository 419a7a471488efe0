"""How measures are asked in a search: followed through changes, read from another one's states, or from scratch."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.tracked import as_incremental
from evosdc.model import Changes, Expected, Fitted, Incremental
from evosdc.processors import side_by_side
from evosdc.table.table import Rows, Table
from evosdc.time_limit import check_time

ReadTogether = Callable[[Any, Changes], tuple[NDArray[np.float64], NDArray[np.float64]]]
"""How children are judged by a measure and by one that is read from its states; `Incremental.read_together_from`."""

StatesOfTable = tuple[Any, ...]
"""Of one table, by followed measure."""

Burdens = NDArray[np.float64]
"""What each record adds to a score, shape (n,)."""


class Reading(NamedTuple):
    """A measure whose score is read from the state of another one, by its place among those followed."""

    name: str
    place: int
    score: Callable[[Any], float]
    together: ReadTogether | None


def told_apart(
    listed: Sequence[tuple[str, Incremental[Any]]],
) -> tuple[tuple[tuple[str, Incremental[Any]], ...], tuple[Reading, ...]]:
    """Return the measures that have to be followed, and those whose scores are read from their states."""
    sources: dict[str, tuple[str, Callable[[Any], float], ReadTogether | None]] = {}
    for name, fitted in listed:
        if any(name == source[0] for source in sources.values()):
            continue  # others are read from it
        for other, source in listed:
            score = fitted.read_from(source) if other != name and other not in sources else None
            if score is not None:
                sources[name] = other, score, fitted.read_together_from(source)
                break
    followed = tuple((name, fitted) for name, fitted in listed if name not in sources)
    places = {name: place for place, (name, _) in enumerate(followed)}
    read = (Reading(name, places[other], score, together) for name, (other, score, together) in sources.items())
    return followed, tuple(read)


class Roads(NamedTuple):
    """The measures of a problem, by how they are asked.

    Parameters
    ----------
    names : tuple of str
        Of all measures, in the order of the scores.
    followed : tuple of (str, Incremental)
    read : tuple of Reading
        Whose scores are read from the states of followed ones.
    others : tuple of (str, Fitted)
        Asked about each table from scratch.
    of_matrices : tuple of (str, Expected)
        Figures of transition matrices rather than of tables.
    """

    names: tuple[str, ...]
    followed: tuple[tuple[str, Incremental[Any]], ...]
    read: tuple[Reading, ...]
    others: tuple[tuple[str, Fitted], ...]
    of_matrices: tuple[tuple[str, Expected], ...]

    def scored(
        self, masked: Table, known: StatesOfTable | None = None, rows: Rows | None = None
    ) -> tuple[StatesOfTable, dict[str, float]]:
        """Return the states and scores of a table, from those of a relative where at most half of the records differ.

        Parameters
        ----------
        masked : Table
        known : tuple, optional
            States of the relative.
        rows : ndarray of intp, optional
            In which records they may differ.
        """
        if known is not None and rows is not None and 2 * len(rows) <= len(masked):
            pairs = zip(self.followed, known, strict=True)
            states = tuple(fitted.update(state, masked, rows) for (_, fitted), state in pairs)
        else:
            started = [partial(fitted.start, masked) for _, fitted in self.followed]
            states = tuple(side_by_side(len(masked), started))
        return states, self.scores(masked, states)

    def scores(self, masked: Table, states: StatesOfTable) -> dict[str, float]:
        """Return the scores of a table by its states; figures of matrices are 0."""
        scores = dict.fromkeys(self.names, 0.0)
        for (name, fitted), state in zip(self.followed, states, strict=True):
            scores[name] = fitted.value(state)
            check_time()
        for reading in self.read:
            scores[reading.name] = reading.score(states[reading.place])
        for name, other in self.others:
            scores[name] = other.score(masked)
            check_time()
        return scores

    def burdens(self, measures: Mapping[str, Fitted], masked: Table, states: StatesOfTable) -> list[Burdens]:
        """Return what each record adds to the score of each measure that can tell, by the states of a table, in order.

        Parameters
        ----------
        measures : mapping of str to Fitted
        masked : Table
        states : tuple
            Empty where they are not known.
        """
        known = {name: (fitted, state) for (name, fitted), state in zip(self.followed, states, strict=False)}
        found = []
        for name, fitted in measures.items():
            burdens = None
            if name in known:
                follower, state = known[name]
                burdens = follower.burdens_of_state(state)
            burdens = fitted.burdens(masked) if burdens is None else burdens
            if burdens is not None:
                found.append(burdens)
        return found


def roads_of(measures: Mapping[str, Fitted], follows: bool, randomises: bool) -> Roads:
    """Return how measures are asked.

    Parameters
    ----------
    measures : mapping of str to Fitted
    follows : bool
        Whether it is known in which records genomes differ.
    randomises : bool
        Whether genomes are transition matrices.
    """
    of_matrices = tuple(
        (name, fitted)
        for name, fitted in measures.items()
        if randomises and isinstance(fitted, Expected) and fitted.of_matrices
    )
    apart = {name for name, _ in of_matrices}
    listed = [(name, as_incremental(fitted)) for name, fitted in measures.items() if name not in apart]
    followed, read = told_apart([(n, f) for n, f in listed if follows and isinstance(f, Incremental)])
    others = tuple((name, fitted) for name, fitted in listed if not (follows and isinstance(fitted, Incremental)))
    return Roads(tuple(measures), followed, read, others, of_matrices)
