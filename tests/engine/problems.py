"""Small problems for the tests of the engine: genotypes and measures that tell how they were asked."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from evosdc.engine.problem import Problem
from evosdc.model import Aggregation, Fitness, Incremental, Individual, Microdata, Randomised
from evosdc.secret import Streams
from evosdc.table.schema import Scale
from evosdc.table.table import MISSING, Table
from evosdc.testing.tables import sample_microdata
from tests.testing.genotypes import Copies, Levels, Swaps

SCALES = frozenset({Scale.NOMINAL, Scale.ORDINAL})
SEED = 5


def microdata() -> Microdata:
    return sample_microdata("ordinary", SCALES)


def levels(cls=Levels, file=None):
    return cls(cls.Params(), file or microdata())


class Counts(Incremental[np.ndarray]):
    """Percentage of cells that differ from the original; its state is which do."""

    def __init__(self, original: Table) -> None:
        self._original = original

    def start(self, masked):
        return self._original.codes != masked.codes

    def update(self, state, masked, rows):
        followed = state.copy()
        followed[rows] = self._original.codes[rows] != masked.codes[rows]
        return followed

    def value(self, state):
        return 100.0 * int(state.sum()) / max(state.size, 1)


@dataclass
class Asked:
    """How often each method of a measure was called."""

    start: int = 0
    update: int = 0
    rows: list[int] = field(default_factory=list)


class Followed(Counts):
    """Counts the calls; the state is that of `Counts`."""

    def __init__(self, original: Table) -> None:
        super().__init__(original)
        self.asked = Asked()

    def start(self, masked):
        self.asked.start += 1
        return super().start(masked)

    def update(self, state, masked, rows):
        self.asked.update += 1
        self.asked.rows.append(len(rows))
        return super().update(state, masked, rows)


class Suppressed(Incremental[tuple[int, np.ndarray]]):
    """Percentage of values of the first attribute that are missing; its state is unlike that of `Counts`."""

    def start(self, masked):
        missing = masked.codes[:, 0] == MISSING
        return int(missing.sum()), missing

    def update(self, state, masked, rows):
        count, missing = state[0], state[1].copy()
        now = masked.codes[rows, 0] == MISSING
        count += int(now.sum()) - int(missing[rows].sum())
        missing[rows] = now
        return count, missing

    def value(self, state):
        return 100.0 * state[0] / len(state[1])


class Mean(Fitness):
    """Mean of IL and DR."""

    def combine(self, scores):
        return ((scores["il"] + scores["dr"]) / 2,)


class Both(Fitness):
    """IL and DR apart."""

    @property
    def objectives(self):
        return 2

    def combine(self, scores):
        return scores["il"], scores["dr"]


def problem_of(genotype, measures=None, fitness=None):
    """Return a problem: the first measure is of information loss, the others of disclosure risk."""
    original = genotype.microdata.original
    fitted = measures or {"changed": Followed(original), "suppressed": Suppressed()}
    il, *dr = fitted
    aggregation = Aggregation((il,), disclosure=tuple(dr))
    return Problem(genotype, fitted, aggregation, fitness or Mean(Mean.Params()), Streams(SEED))


def evaluated(problem, genome, origin="random") -> Individual:
    """Return an individual with its states."""
    key = problem.genotype.key(genome)
    scores, objectives, states = problem.evaluate(genome, key)
    return Individual(genome, key, scores, objectives, origin, states)


class Speckled(Copies, Randomised):
    """A whole file whose published version lacks some values, other ones in each draw; changed records are known."""

    shared = True

    @property
    def draws(self):
        return 3

    @property
    def common_random_numbers(self):
        return self.shared

    def decode(self, g, rng):
        original = self.microdata.original
        codes = np.where(rng.random(g.shape) < 0.3, MISSING, g).astype(np.int32)
        return Table(original.schema, codes, original.numbers)


class OwnSpeckles(Speckled):
    """The same without common random numbers: files differ in records that did not change, too."""

    shared = False


class OwnNumbers(Swaps):
    """Random decoding without common random numbers."""

    @property
    def common_random_numbers(self):
        return False


class Decoded(Levels):
    """Keeps a list of the keys of what it decodes."""

    def __init__(self, params, file):
        super().__init__(params, file)
        self.decoded: list[bytes] = []

    def decode(self, g, rng):
        self.decoded.append(self.key(g))
        return super().decode(g, rng)


class Unfollowed(Decoded):
    """Knows no changed records of any child."""

    def changed_rows(self, parent, child):
        return None
