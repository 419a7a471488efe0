"""Releases of one original together: what an intruder finds who holds the earlier ones too."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import EarlierRelease, Estimate, Estimated, Judge, Microdata
from evosdc.table.schema import Role
from evosdc.table.table import Numbers, Rows, Table
from evosdc.time_limit import check_time
from evosdc_judges.analysis import NOT_ANALYSED, WholeFileJudge
from evosdc_judges.classes import classes_of
from evosdc_judges.people import Draw, drawn, sampled

TIED = 1e-9  # difference of two log-likelihoods below which they are equal
_NEVER = -1e9  # logarithm of the likelihood of what never occurs


Places = NDArray[np.int64]


class ReleaseHistory(WholeFileJudge):
    """People re-identified by this file and all earlier releases of the same original together, times 100."""

    # The informed intruder (Torra, 2017) holds every release, and knows of each how often every category was published
    # as which. The rows of releases are in orders of their own, but columns that two releases publish unchanged say
    # which rows can be the same person's. For person x and record j the intruder takes the likelihood of this file
    # times the mean likelihood, in each earlier release, of the records that agree with j in these columns. Looked for
    # are each person's record and, unless people were sampled, each record's person: the greater share counts, 1 / t
    # where t tie. Beside it stand ``alone``, the same by this file alone, and ``attribute``: the points by which the
    # intruder guesses more sensitive values by all releases than by the best single one. Design.

    generalised = True
    chance = 0.0
    intruder = "holds all earlier releases of these people too"
    sentence = "By this file and all earlier releases together {masked} % of the people are re-identified."

    class Params(Judge.Params):
        """Classes of numbers, and size of the sample of people."""

        bins: int = Field(20, ge=2, le=250, description="Classes of a numeric attribute.")
        records: int = Field(3000, ge=20, description="People searched for, at most.")

    params: Params

    def fit_in(self, microdata: Microdata) -> "FittedHistory":
        """Take in the earlier releases."""
        self.require_support(microdata.original)
        if not microdata.earlier:
            advice = "Name them by --earlier FILE."
            raise ParameterError(Fault("measure release-history", "no earlier release", "at least one", advice))
        return FittedHistory(microdata, self.params)


@dataclass(frozen=True, eq=False)
class _Release:
    """A release as the intruder reads it."""

    rows: Rows  # shape (m,); whose each record is
    tokens: Mapping[str, Places]  # shape (m,); by attribute that the intruder knows, what each record publishes
    weights: Mapping[str, Numbers]  # shape (classes, tokens); by attribute ``log(P(token | class) / P(token))``
    # Shape (m,); by sensitive attribute what each record publishes, and P(class | token)
    secrets: Mapping[str, tuple[Places, Numbers]]

    def likelihoods(self, person: Mapping[str, Places], who: int) -> Numbers:
        """Return the log-likelihood that each record is a person's, shape (m,)."""
        found = np.zeros(len(self.rows))
        for name, tokens in self.tokens.items():
            found += self.weights[name][person[name][who]][tokens]
        return found

    def guesses(self, chances: Numbers, name: str) -> Numbers:
        """Return the chance of each class of a sensitive attribute, given that of each record."""
        tokens, shares = self.secrets[name]
        found: Numbers = np.bincount(tokens, weights=chances, minlength=len(shares)) @ shares
        return found


class FittedHistory(Estimated):
    """`ReleaseHistory` of one original and its earlier releases."""

    def __init__(self, microdata: Microdata, params: ReleaseHistory.Params) -> None:
        self._table, schema = microdata.table, microdata.table.schema
        self._secret = schema.with_role(Role.SENSITIVE)
        known = {*microdata.protect, *schema.with_role(Role.QUASI_IDENTIFIER)} - set(self._secret)
        self._names = [a.name for a in schema.attributes if a.role not in NOT_ANALYSED]
        self._known = [name for name in self._names if name in known]
        self._bins = params.bins
        self._classes = {name: self._tokens(name, self._table) for name in {*self._known, *self._secret}}
        self._earlier = microdata.earlier
        self._releases = [self._read(one.table, one.rows) for one in self._earlier]
        everybody: Rows = np.arange(len(self._table), dtype=np.intp)
        self._queries = sampled(everybody, params.records, drawn(params.seed, Draw.SAMPLE, 17))

    def estimate(self, masked: Table) -> Estimate:
        """Return the share of people."""
        return self.details(masked)[0]

    def details(self, masked: Table) -> tuple[Estimate, Mapping[str, float]]:
        """Return the share of people linked, the same by this file alone, and guessed values."""
        everybody: Rows = np.arange(len(self._table), dtype=np.intp)
        whole = self._table.with_columns(masked)
        own = self._read(whole, everybody)
        blocks = [self._blocks(whole, one) for one in self._earlier]
        present = [np.isin(everybody, one.rows) for one in self._releases]
        whom, alone = (_Search(len(everybody), self._queries) for _ in range(2))
        guessed = {name: np.zeros((2 + len(self._releases), len(self._queries))) for name in self._secret}
        for place, who in enumerate(self._queries.tolist()):
            check_time()
            likely = [one.likelihoods(self._classes, who) for one in (own, *self._releases)]
            joint = likely[0].copy()
            for (ours, theirs, counts), earlier, there in zip(blocks, likely[1:], present, strict=True):
                if there[who]:
                    weights = np.bincount(theirs, weights=np.exp(np.maximum(earlier, -700.0)), minlength=len(counts))
                    means = weights / np.maximum(counts, 1)
                    joint += np.log(means, out=np.full(len(means), _NEVER), where=means > 1e-250)[ours]
            whom.look(place, who, joint)
            alone.look(place, who, likely[0])
            for name, rights in guessed.items():
                rights[:, place] = self._guessed(name, who, own, joint, likely)
        share, before = whom.percent(), alone.percent()
        rates = [rights.mean(axis=1) for rights in guessed.values()]
        gains = [100.0 * float(rate[:2].max() - rate[1:].max()) for rate in rates]
        details = {"alone": before} | ({"attribute": max(gains)} if gains else {})
        return Estimate.exact(share), details

    def _guessed(self, name: str, who: int, own: _Release, joint: Numbers, likely: list[Numbers]) -> Numbers:
        """Return whether guesses of a person's value are right: by all releases, this one, each earlier one."""
        truth = self._classes[name][who]
        parts = [
            one.guesses(_chances(log), name) if name in one.secrets else None
            for one, log in zip((own, *self._releases), likely, strict=True)
        ]
        # Votes of the earlier releases, each beyond what their margins say, on top of the rows that fit together.
        votes = own.guesses(_chances(joint), name) if name in own.secrets else np.ones(self._size(name))
        margin = np.bincount(self._classes[name], minlength=self._size(name)) / len(self._table)
        for part in parts[1:]:
            if part is not None:
                votes = votes * np.divide(part, margin, out=np.zeros_like(part), where=margin > 0)
        return np.array([0.0 if part is None else _credit(part, truth) for part in (votes, *parts)])

    def _size(self, name: str) -> int:
        return int(self._classes[name].max()) + 1

    def _tokens(self, name: str, table: Table) -> Places:
        """Return the values of a column as whole numbers from 0: labels as they stand, numbers by classes."""
        part = table.select([name])
        if table.schema[name].categorical:
            codes = part.codes[:, 0]
        else:
            codes = classes_of(self._table.select([name]), self._bins).of(part)[:, 0]
        return np.unique(codes, return_inverse=True)[1].astype(np.int64).reshape(-1)

    def _read(self, table: Table, rows: Rows) -> _Release:
        """Return a release as the intruder reads it who knows how often each class was published as what."""
        tokens, weights, secrets = {}, {}, {}
        for name in (*self._known, *self._secret):
            if name not in table.schema:
                continue
            published, classes = self._tokens(name, table), self._classes[name][rows]
            counts = np.zeros((self._size(name), int(published.max()) + 1))
            np.add.at(counts, (classes, published), 1.0)
            margin = counts.sum(axis=0)
            if name in self._secret:
                secrets[name] = published, (counts / margin).T
                continue
            shares = counts * len(rows) / np.maximum(counts.sum(axis=1, keepdims=True) * margin, 1.0)
            weights[name] = np.log(shares, out=np.full_like(shares, _NEVER), where=shares > 0)
            tokens[name] = published
        return _Release(rows, tokens, weights, secrets)

    def _blocks(self, published: Table, earlier: EarlierRelease) -> tuple[Places, Places, Places]:
        """Return which records of this file and of an earlier one agree in what both publish as it was."""
        # By record of each its block, and how many records of the earlier one a block has.
        keys: list[Places] = []
        for name in self._names:
            if name not in earlier.table.schema or not _same(self._table, published, name, None):
                continue
            if _same(self._table, earlier.table, name, earlier.rows):
                # Exact values, and not classes of numbers: both releases show them.
                keys.append(np.unique(self._table.column(name), return_inverse=True)[1].astype(np.int64).reshape(-1))
        if not keys:
            zeros = np.zeros(len(published), dtype=np.int64)
            return zeros, zeros[: len(earlier.rows)], np.array([len(earlier.rows)])
        ours = np.unique(np.column_stack(keys), axis=0, return_inverse=True)[1].astype(np.int64).reshape(-1)
        theirs = ours[earlier.rows]
        return ours, theirs, np.bincount(theirs, minlength=int(ours.max()) + 1)


class _Search:
    """Who is found by likelihoods that come person by person."""

    def __init__(self, records: int, queries: Rows) -> None:
        self._credits = np.zeros(len(queries))
        self._whole = len(queries) == records
        self._best, self._tied, self._right = np.full(records, -np.inf), np.ones(records), np.zeros(records, np.bool_)

    def look(self, place: int, who: int, likely: Numbers) -> None:
        """Take in how likely each record is one person's."""
        tied = likely >= likely.max() - TIED
        self._credits[place] = tied[who] / tied.sum()
        if self._whole:
            better, same = likely > self._best + TIED, np.abs(likely - self._best) <= TIED
            self._right[better], self._tied[better] = False, 1.0
            self._tied[same] += 1.0
            self._right[who] |= better[who] or same[who]
            np.maximum(self._best, likely, out=self._best)

    def percent(self) -> float:
        """Return the share of people, in the direction that finds more."""
        backwards = float((self._right / self._tied).mean()) if self._whole else 0.0
        return 100.0 * max(float(self._credits.mean()), backwards)


def _same(original: Table, published: Table, name: str, rows: Rows | None) -> bool:
    """Whether a column is published as it was."""
    first, second = original.schema[name], published.schema[name]
    if first.categorical is not second.categorical:
        return False
    before, after = original.column(name), published.column(name)
    before = before if rows is None else before[rows]
    if not first.categorical:
        return np.array_equal(before, after, equal_nan=True)
    places = {label: code for code, label in enumerate(first.categories)}
    coding = np.array([*(places.get(label, -2) for label in second.categories), -1])
    return bool(np.array_equal(before, coding[after]))


def _chances(likely: Numbers) -> Numbers:
    weights = np.exp(np.maximum(likely - likely.max(), -700.0))
    found: Numbers = weights / weights.sum()
    return found


def _credit(votes: Numbers, truth: int) -> float:
    """Return the chance that the greatest vote is the true one."""
    tied = votes >= votes.max() * (1.0 - TIED)
    return float(tied[truth] / tied.sum())
