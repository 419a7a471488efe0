"""Children of one parent are judged together, from what they change: most of them are thrown away at once.

So no child needs a table, or a state of each measure, of its own. They are made of a child that has children.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.followed_measures import Roads
from evosdc.engine.judging_threads import Judge, JudgingThreads
from evosdc.engine.travelling import Travellers
from evosdc.model import Batched, Changes, Genotype, Individual, Randomised, RecordDecoded, Siblings
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
        self._unused = np.random.default_rng(0)  # nothing is drawn; to make one takes longer than to decode a table
        self._judges = _judges(roads)
        self._threads = JudgingThreads(self._judges)
        self._whole = _asks_for_tables(roads, self._judges)
        told = [name for judge in self._judges for name in judge.names]
        self._order = [] if self._whole else [told.index(name) for name in roads.names]
        self._apart = [
            (place, *known)
            for place, known in enumerate(roads.followed)
            if all(place != judge.place for judge in self._judges)
        ]
        self._read = [reading for reading in roads.read if reading.name not in told]
        self._most = len(genotype.microdata.original) // 2 if travellers is None else travellers.far

    def use_threads(self, threads: int) -> None:
        """Let measures judge side by side, in up to so many threads; the scores are the same."""
        self._threads.use(threads)

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
        travels = self._travellers is not None
        keys = [self._genotype.key(genomes[place]) for place in places] if travels else []
        columns = self._of_parent(parent, keys, changes)
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

    @property
    def by_columns(self) -> bool:
        """Whether no measure asks for the table of a child, or for its state."""
        return not self._whole

    def columns(self, parent: Individual, genomes: Siblings[Any]) -> dict[str, NDArray[np.float64]] | None:
        """Return the scores of children that need not be made, shape (k,) by measure.

        None where one of them differs in too many records.

        Parameters
        ----------
        parent : Individual
            With its states, unless tables travel.
        genomes : Siblings
            Of the children.
        """
        changes = genomes.changes(self._most)
        if len(changes.children) < len(genomes):
            return None
        columns = self._of_parent(parent, (), changes)
        # Copies: who asks for an individual may do so when the measure has judged others in the same arrays.
        copied = (np.array(column, dtype=np.float64) for column in columns)
        return dict(zip(self._roads.names, copied, strict=True))

    def _of_parent(self, parent: Individual, keys: Sequence[bytes], changes: Changes) -> list[NDArray[np.float64]]:
        """Return the scores of children by their parent's states, which it has or where its table travels."""
        if self._travellers is None:
            return self._columns(parent.states[0], changes)
        return self._travellers.read_family(
            parent.genome, parent.key, keys, lambda states: self._columns(states, changes)
        )

    def _columns(self, states: States, changes: Changes) -> list[NDArray[np.float64]]:
        """Return the scores of all children by each measure that judges them together; by all of them in order."""
        columns = self._threads.columns(states, changes)
        return [columns[place] for place in self._order] if self._order else columns

    def _completed(self, states: States, genome: Any, rows: Rows, values: Sequence[float]) -> dict[str, float]:
        """Return the scores of one child by all measures, of which some ask for its table."""
        scores, masked, own = dict.fromkeys(self._roads.names, 0.0), self._decoded(genome), list(states)
        scores.update(zip((name for judge in self._judges for name in judge.names), values, strict=True))
        for place, name, fitted in self._apart:
            own[place] = fitted.update(states[place], masked, rows)
            scores[name] = fitted.value(own[place])
        for reading in self._read:
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
        return self._genotype.decode(genome, self._unused)


def families_of(genotype: Genotype[Any], roads: Roads, travellers: Travellers | None) -> Families | None:
    """Return what judges children of one parent together, None where that saves nothing or is not possible."""
    if not isinstance(genotype, RecordDecoded) or isinstance(genotype, Randomised):
        return None
    # Rules that the genotype does not keep by itself are kept by repairing whole tables.
    keeps = genotype.keeps_rules or genotype.microdata.rules is None
    judges = _judges(roads)
    if not keeps or roads.of_matrices or not judges:
        return None
    if travellers is not None and _asks_for_tables(roads, judges):
        return None
    return Families(genotype, roads, travellers)


def _judges(roads: Roads) -> list[Judge]:
    """Return the measures that judge children together.

    Where another measure reads a state, each child needs one, unless one call judges by both.
    """
    found = []
    for place, (name, fitted) in enumerate(roads.followed):
        read = [reading for reading in roads.read if reading.place == place]
        if not (isinstance(fitted, Batched) and fitted.together):
            continue
        if not read:
            found.append(Judge(place, (name,), _alone(fitted), fitted.beside, fitted.divisible))
        elif len(read) == 1 and read[0].together is not None:
            found.append(Judge(place, (name, read[0].name), read[0].together, fitted.beside, fitted.divisible))
    return found


def _alone(fitted: Batched[Any]) -> Callable[[Any, Changes], Sequence[NDArray[np.float64]]]:
    return lambda state, changes: (fitted.values(state, changes),)


def _asks_for_tables(roads: Roads, judges: Sequence[Judge]) -> bool:
    """Whether any measure needs the table of each child."""
    return sum(len(judge.names) for judge in judges) < len(roads.names)
