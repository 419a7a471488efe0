"""Small problems for the tests of the engine: genotypes and measures that tell how they were asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evosdc.engine.problem import Problem
from evosdc.model import Aggregation, Fitness, Fitted, Individual, Microdata, Stochastic
from evosdc.secret import Streams
from evosdc.table.schema import Scale
from evosdc.table.table import MISSING, Table
from evosdc.testing.tables import sample_microdata
from tests.testing.genotypes import Copies, Levels, Swaps
from tests.testing.measures import Counts, CountsTracker

SCALES = frozenset({Scale.NOMINAL, Scale.ORDINAL})
SEED = 5


def microdata() -> Microdata:
    return sample_microdata("ordinary", SCALES)


def levels(cls=Levels, file=None):
    return cls(cls.Params(), file or microdata())


@dataclass
class Asked:
    """How often a measure was asked for scores from scratch and trackers, and how many children were tried or taken."""

    score: int = 0
    track: int = 0
    tried: int = 0
    taken: int = 0


class Followed(Counts):
    """Counts the calls."""

    def __init__(self, original: Table) -> None:
        super().__init__(original)
        self.asked = Asked()

    def score(self, masked):
        self.asked.score += 1
        return super().score(masked)

    def track(self, masked):
        self.asked.track += 1
        return FollowedTracker(self, masked)


class FollowedTracker(CountsTracker):
    def take(self, change):
        self.fitted.asked.taken += 1
        super().take(change)

    def tries(self, changes):
        self.fitted.asked.tried += len(changes.ends)
        taken = self.fitted.asked.taken
        scores = super().tries(changes)
        self.fitted.asked.taken = taken
        return scores


class Suppressed(Fitted):
    """Percentage of values of the first attribute that are missing."""

    def score(self, masked):
        return 100.0 * int((masked.codes[:, 0] == MISSING).sum()) / len(masked)


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
    """Return an evaluated individual."""
    individual = Individual.unevaluated(genome, origin, problem.fitness.objectives)
    individual.key = problem.genotype.key(genome)
    individual.fitness.values = problem.evaluate(individual)
    return individual


class Speckled(Copies, Stochastic):
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
