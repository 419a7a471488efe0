"""People of the file and people who are not in it: what judges by members and others have in common.

Both kinds are drawn from one population and attacked alike, by their true values. What an attack reaches of others it
learned of the population; only what it reaches of members beyond that was given away by the file.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.model import Estimate, Estimated, Microdata
from evosdc.table.schema import Role
from evosdc.table.table import Numbers, Table
from evosdc_judges.analysis import NOT_ANALYSED, WholeFileJudge
from evosdc_judges.people import Draw, drawn, sampled

DRAWS = 1000  # bootstrap samples of the people, from which an interval is taken
FEWEST = 20  # members, and others, below which no result is given


@dataclass(frozen=True, eq=False)
class Population:
    """A file's people, and others of the same population who are not in it."""

    members: Table  # all attributes, true values
    others: Table
    # What an intruder knows of a person: quasi-identifiers, masked or not, and whatever else is masked and not
    # sensitive
    known: tuple[str, ...]

    def published(self, masked: Table) -> Table:
        """Return the published file with all its attributes, shape (n, V)."""
        return self.members.with_columns(masked)

    def sensitive(self) -> tuple[str, ...]:
        """Return what an intruder wants to learn."""
        return self.members.schema.with_role(Role.SENSITIVE)

    def queried(self, most: int, seed: int) -> tuple[Table, Table]:
        """Return at most `most` members, and at most as many others, drawn at random."""
        rows = [
            sampled(len(table), most, drawn(seed, Draw.SAMPLE, 11, at))
            for at, table in enumerate((self.members, self.others))
        ]
        return self.members.take(rows[0]), self.others.take(rows[1])


class MembersJudge(WholeFileJudge):
    """Common to judges by members and others."""

    chance: ClassVar[float | None] = 0.0
    name: ClassVar[str] = ""

    def fit_in(self, microdata: Microdata) -> Estimated:
        """Take in the people."""
        self.require_support(microdata.original)
        where, others, schema = f"measure {self.name}", microdata.others, microdata.table.schema
        if others is None:
            given, wanted = "no people who are not in the file", "some of the same population"
            advice = "Judge a RUN, which protects one half by its own plan, or name a file of other people by --others."
            raise ParameterError(Fault(where, given, wanted, advice))
        least = min(len(microdata.table), len(others))
        if least < FEWEST:
            raise ParameterError(Fault(where, f"{least} people", f"at least {FEWEST} members, and others"))
        secret = schema.with_role(Role.SENSITIVE)
        known = [a.name for a in schema.attributes if a.name in microdata.protect and a.name not in secret]
        known += [name for name in schema.with_role(Role.QUASI_IDENTIFIER) if name not in {*known, *secret}]
        if not known:
            raise ParameterError(Fault(where, "nothing that an intruder knows", "at least one quasi-identifier"))
        names = [a.name for a in schema.attributes if a.role not in NOT_ANALYSED]
        members = microdata.table.select(names)
        return self.fitted(Population(members, others.select(names), tuple(known)))

    @abstractmethod
    def fitted(self, people: Population) -> "FittedOnMembers":
        """Return the attack on these people."""


class FittedOnMembers(Estimated):
    """An attack on members and others."""

    range: ClassVar[tuple[float, float]] = (-100.0, 100.0)

    def __init__(self, people: Population, seed: int) -> None:
        self._people, self._seed = people, seed

    @abstractmethod
    def details(self, masked: Table) -> tuple[Estimate, Mapping[str, float]]:
        """Return the figure with its bootstrap interval, and those that stand beside it."""

    def estimate(self, masked: Table) -> Estimate:
        """Return the figure with its bootstrap interval."""
        return self.details(masked)[0]


def difference(members: Numbers, others: Numbers, seed: int, unit: float = 100.0) -> Estimate:
    """Return the mean of members minus that of others, times `unit`, with the bootstrap's 95 per cent interval."""
    rng = drawn(seed, Draw.SHUFFLE, 12)
    draws = _resampled(members, rng) - _resampled(others, rng)
    low, high = np.quantile(draws, [0.025, 0.975]) * unit
    return Estimate(float(members.mean() - others.mean()) * unit, float(low), float(high))


def _resampled(values: Numbers, rng: np.random.Generator) -> Numbers:
    """Return the means of bootstrap samples, shape (DRAWS,), a hundred samples at a time."""
    n = len(values)
    means = [values[rng.integers(0, n, (100, n))].mean(axis=1) for _ in range(DRAWS // 100)]
    return np.concatenate(means)


def area(members: Numbers, others: Numbers) -> float:
    """Return the chance that a member has a greater score than another one, ties counting half: the AUC, 0..1."""
    from scipy.stats import rankdata  # slow to load, and searches read this file

    m, k = len(members), len(others)
    return float((rankdata(np.concatenate((members, others)))[:m].sum() - m * (m + 1) / 2.0) / (m * k))


def tenth(values: Numbers) -> NDArray[np.intp]:
    """Return the positions of the tenth with the greatest values, one at least; ties by position."""
    return np.argsort(-values, kind="stable")[: max(1, len(values) // 10)]
