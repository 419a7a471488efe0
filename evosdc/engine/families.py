"""Children of one parent are judged together, from what they change: most of them are thrown away at once.

So no child needs a table, or a state of each measure, of its own. They are made of a child that has children.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.followed_measures import Roads
from evosdc.engine.travelling import Travellers
from evosdc.model import Batched, Changes, Fitted, Genotype, Individual, Randomised, RecordDecoded
from evosdc.table.table import Rows, Table

States = tuple[Any, ...]


class Families:
    """Judges the children of one parent.

    Parameters
    ----------
    genotype : RecordDecoded
    roads : Roads
        How these are asked.
    travellers : Travellers, optional
        Where the states of parents are, in large files; else parents have them.
    """

    def __init__(self, genotype: RecordDecoded[Any], roads: Roads, travellers: Travellers | None) -> None:
        self._genotype, self._roads, self._travellers = genotype, roads, travellers
        self._batched = _batched(roads)
        self._whole = _asks_for_tables(roads)
        self._most = len(genotype.microdata.original) // 2 if travellers is None else travellers.far

    def scores(self, parent: Individual, genomes: Sequence[Any]) -> list[tuple[int, dict[str, float]]]:
        """Return the scores of children, with their places; those are left out that differ in too many records.

        Parameters
        ----------
        parent : Individual
            With its states, unless tables travel.
        genomes : sequence
            Of the children.
        """
        changes = self._genotype.changes(parent.genome, genomes, self._most)
        places = changes.children.tolist()
        if not places:
            return []
        if self._travellers is None:
            columns = self._columns(parent.states[0], changes)
        else:
            keys = [self._genotype.key(genomes[place]) for place in places]
            columns = self._travellers.read_family(
                parent.genome, parent.key, keys, lambda states: self._columns(states, changes)
            )
        rows = zip(*(column.tolist() for column in columns), strict=True)
        if not self._whole:
            return [
                (place, dict(zip(self._roads.names, values, strict=True)))
                for place, values in zip(places, rows, strict=True)
            ]
        found, begin = [], 0
        for place, end, values in zip(places, changes.ends.tolist(), rows, strict=True):
            own = changes.rows[begin:end]
            found.append((place, self._completed(parent.states[0], genomes[place], own, values)))
            begin = end
        return found

    def _columns(self, states: States, changes: Changes) -> list[NDArray[np.float64]]:
        """Return the scores of all children, by each measure that judges them together."""
        return [self._batched[place].values(states[place], changes) for place in self._batched]

    def _completed(self, states: States, genome: Any, rows: Rows, values: Sequence[float]) -> dict[str, float]:
        """Return the scores of one child by all measures, of which some ask for its table."""
        scores, masked, own = dict.fromkeys(self._roads.names, 0.0), self._decoded(genome), list(states)
        for place, value in zip(self._batched, values, strict=True):
            scores[self._roads.followed[place][0]] = value
        for place, (name, fitted) in enumerate(self._roads.followed):
            if place not in self._batched:
                own[place] = fitted.update(states[place], masked, rows)
                scores[name] = fitted.value(own[place])
        for reading in self._roads.read:
            scores[reading.name] = reading.score(own[reading.place])
        for name, other in self._roads.others:
            scores[name] = other.score(masked)
        return scores

    def derived(self, basis: Individual, individual: Individual) -> States | None:
        """Return the states of an individual, made from those of a relative; None where they differ too much."""
        rows = self._genotype.changed_rows(basis.genome, individual.genome)
        if rows is None or len(rows) > self._most:
            return None
        masked = self._decoded(individual.genome)
        pairs = zip(self._roads.followed, basis.states[0], strict=True)
        return tuple(fitted.update(state, masked, rows) for (_, fitted), state in pairs)

    def _decoded(self, genome: Any) -> Table:
        return self._genotype.decode(genome, np.random.default_rng(0))


def families_of(genotype: Genotype[Any], roads: Roads, travellers: Travellers | None) -> Families | None:
    """Return what judges children of one parent together, None where that saves nothing or is not possible."""
    if not isinstance(genotype, RecordDecoded) or isinstance(genotype, Randomised):
        return None
    # Rules that the genotype does not keep by itself are kept by repairing whole tables.
    keeps = genotype.keeps_rules or genotype.microdata.rules is None
    if not keeps or roads.of_matrices or not _batched(roads):
        return None
    if travellers is not None and _asks_for_tables(roads):
        return None
    return Families(genotype, roads, travellers)


def _batched(roads: Roads) -> dict[int, Batched[Any]]:
    """Return the measures that judge children together, by their place among those followed.

    Where another measure reads a state, each child needs one.
    """
    read = {reading.place for reading in roads.read}
    return {
        place: fitted
        for place, (_, fitted) in enumerate(roads.followed)
        if place not in read and isinstance(fitted, Batched) and fitted.together
    }


def _asks_for_tables(roads: Roads) -> bool:
    """Whether any measure needs the table of each child."""
    others: Sequence[tuple[str, Fitted]] = roads.others
    return bool(others or roads.read) or len(_batched(roads)) < len(roads.followed)
