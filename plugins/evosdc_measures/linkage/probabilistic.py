"""Probabilistic record linkage."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Changes, Fitted, Measure, Rescoring, Tracker
from evosdc.table.equivalence import ordered_classes
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import Counts, Integers, require_aligned
from evosdc_measures.linkage.agreement import (
    MEMORY,
    DistinctOriginals,
    Profiles,
    enter,
    pattern_of,
    place_of,
    places_of,
)
from evosdc_measures.linkage.fellegi_sunter import (
    SAME_WEIGHT,
    estimate,
    maximise,
    rank,
    weights_of,
)
from evosdc_measures.linkage.scenarios import Costs, FittedAssignment, LinkageParameters, fitted_by_scenarios
from evosdc_measures.number_intervals import FittedOnIntervals, by_classes

MOST_ATTRIBUTES = 16
PLACE, OWN, BEST, TIED = range(4)
"""Of a masked record: the place of its profile, the pattern of its agreement with its own original, the best pattern
that occurs in its profile, and how many originals are tied with its own one there, 0 where that is not among them."""
PAIRS, ORDER, RANKS = range(3)  # of a pattern: its pairs; patterns by falling weight; its rank
SAME = -1
# A plain False or 0 from kernel to kernel is a type, and a compilation, of its own.
NO: Any = np.bool_(False)
FIRST: Any = np.int64(0)
CREDITS = 1 << 62  # of all records together, whole numbers: the sum does not depend on the way


class ProbabilisticLinkage(Measure):
    """Expected share of records that are linked to their own by the Fellegi-Sunter model, times 100.

    All n**2 pairs of a masked and an original record are reduced to agreement patterns on V attributes, counted exactly
    over distinct records; expectation maximisation estimates the weights (`evosdc_measures.linkage.fellegi_sunter`)
    given the share of matches, 1 / n, which an intruder knows who holds the same n people, until it converges, and each
    masked record is linked to the original of greatest weight (Fellegi and Sunter, 1969; Jaro, 1989; Torra and
    Domingo-Ferrer, 2003). Where t originals have that weight and the own one is among them, the record counts 1/t; that
    credit is a reconstruction. Patterns whose weights, in order of size, differ from the next by at most 1e-9 bits are
    tied. Range 0..100, smaller is better.

    Missing values: they agree with missing values only under the rule ``category``, with everything under ``wildcard``.

    ``direction = "original-to-masked"`` looks each original up in the masked file instead, with the same weights; each
    candidate is scored from scratch.

    Numbers agree where they lie between the same two neighbours of the original's quantiles, ``bins`` classes of about
    equal frequency: a reconstruction. ``scenarios`` lists what several intruders know, each a list of attributes; the
    risk is the mean over them, or the maximum. ``one_to_one`` assigns the records of both files to each other with the
    greatest sum of weights (Jaro, 1989); equal records share the credit, and of assignments that are
    equally good the worst counts. It takes cubic time.

    Work and memory grow with 2**V, so at most 16 attributes are accepted.
    """

    supports = frozenset(Scale)

    class Params(LinkageParameters):
        """Classes of numbers, and what the intruder knows."""

        bins: int = Field(
            10, ge=2, description="Classes of about equal frequency that numbers, and dates of more days, are taken by."
        )

    def fit(self, original: Table) -> Fitted:
        """Find the distinct records of the original."""
        self.require_support(original)
        return fitted_by_scenarios(original, self.params, self._fit)

    def _fit(self, original: Table) -> Fitted:
        if by_classes(original.schema, self.params.bins):
            return FittedOnIntervals(original, self.params.bins, self._fit_categories)
        return self._fit_categories(original)

    def _fit_categories(self, original: Table) -> Fitted:
        attributes = original.codes.shape[1]
        if attributes > MOST_ATTRIBUTES:
            advice = "Leave prl out of the measures, or protect fewer attributes; dbrl has no such limit."
            wanted = f"at most {MOST_ATTRIBUTES}, since work grows with 2**attributes"
            raise ParameterError(Fault("measure prl: attributes", str(attributes), wanted, advice))
        if self.params.one_to_one:
            return FittedAssignment(original, disagreements_of(original), "measure prl: one_to_one")
        if self.params.direction == "original-to-masked":
            return FittedBackward(original)
        return FittedForward(original)


def disagreements_of(original: Table) -> Costs:
    """Return the Fellegi-Sunter weights as costs, those of greatest agreement 0."""
    wildcard = original.schema.na is MissingRule.WILDCARD
    n, attributes = original.codes.shape

    def costs(masked: Table) -> Numbers:
        require_aligned(original, masked)
        patterns = np.zeros((n, n), dtype=np.uint16)
        for v, (y, x) in enumerate(zip(masked.codes.T, original.codes.T, strict=True)):
            agrees = y[:, None] == x[None, :]
            if wildcard:
                agrees |= (y[:, None] < 0) | (x[None, :] < 0)
            patterns |= agrees.astype(np.uint16) << np.uint16(v)
        counts = np.bincount(patterns.ravel(), minlength=1 << attributes).astype(np.int64)
        m, u = estimate(counts, n)
        # Whole numbers for each attribute, so that sums over attributes and links that should be equal are.
        single = 1 << np.arange(attributes)
        weights = weights_of(m, u)
        steps = np.rint((weights[single] - weights[0]) / SAME_WEIGHT)
        sums = (np.arange(1 << attributes)[:, None] & single > 0) @ steps
        return np.asarray((sums.max() - sums)[patterns], dtype=np.float64)

    return costs


class FittedBackward(Fitted):
    """`ProbabilisticLinkage` of originals that are looked up in the masked file."""

    # Agreement is mutual, so the pairs by pattern and the weights are the same: the files change places.

    def __init__(self, original: Table) -> None:
        self._original = original

    def score(self, masked: Table) -> float:
        """Return the risk of a table, 0..100."""
        require_aligned(self._original, masked)
        return FittedForward(masked).score(self._original)


class FittedForward(Fitted):
    """`ProbabilisticLinkage` of masked records that are looked up in the original."""

    # Shapes: codes (n, V): of the original.

    def __init__(self, original: Table) -> None:
        self._original = original
        self.n, self.attributes = original.codes.shape
        self.unit = CREDITS // self.n
        self.codes = original.codes.copy()
        self.originals = DistinctOriginals(original)
        self.profiles = Profiles.for_file(self.n, self.originals)
        self.rows = np.arange(self.n)

    def score(self, masked: Table) -> float:
        """Return the risk of a table, 0..100."""
        tracker = self._tracker_of(masked)
        return self._score_in_parts(masked) if tracker is None else tracker.score

    def track(self, masked: Table) -> Tracker:
        """Return a tracker of a table; one that scores from scratch where the memory of profiles is too small."""
        tracker = self._tracker_of(masked)
        return Rescoring(self, masked) if tracker is None else tracker

    def _tracker_of(self, masked: Table) -> "LinkageTracker | None":
        require_aligned(self._original, masked)
        codes = masked.codes.copy()
        for _ in range(2):
            profiles = self.profiles
            places = profiles.places_of(codes, self.originals)
            if places is not None:
                return LinkageTracker(self, profiles, codes, places)
            self.profiles = Profiles.for_file(self.n, self.originals)
        return None

    def risk(self, credit: NDArray[np.int64]) -> Numbers:
        """Return sums of credits as risks, 0..100."""
        risks: Numbers = np.minimum(100.0 * (credit / float(self.unit * self.n)), 100.0)
        return risks

    def _score_in_parts(self, masked: Table) -> float:
        """Return the risk of a table whose profiles are not kept: each is counted twice."""
        classes = ordered_classes(masked.codes)
        distinct, starts = masked.codes[classes.first], classes.starts
        codes, original = masked.codes[classes.members], self.codes[classes.members]
        places = np.repeat(np.arange(len(classes)), classes.counts).astype(np.int32)
        state, patterns = _nothing_of(self.n, self.attributes)
        wildcard, credit = self.originals.wildcard, 0
        batch = max(1, MEMORY // 4 >> self.attributes)
        for linking in range(2):
            for begin in range(0, len(classes), batch):
                part = slice(int(starts[begin]), int(starts[min(begin + batch, len(classes))]))
                profiles, rows = self.originals.profiles_of(distinct[begin : begin + batch]), state[part]
                if linking:
                    credit += relink(rows, profiles, patterns, patterns, True, True, self.unit)
                else:
                    own, others = codes[part], original[part]
                    numbers = np.arange(len(own))
                    place_records(
                        numbers, own, others, wildcard, places[part] - begin, True, rows, profiles, patterns, 0
                    )
            if not linking:
                reorder(self.n, patterns)
        return float(self.risk(np.array([credit]))[0])


def _nothing_of(n: int, attributes: int) -> tuple[Counts, Integers]:
    """Return arrays for the links of a file: of its records, and of the patterns."""
    return np.zeros((n, 4), dtype=np.int32), np.zeros((3, 1 << attributes), dtype=np.int64)


class LinkageTracker(Tracker):
    """The links of a masked file."""

    # To which originals a record is linked depends on the order of the patterns and not on their weights.
    # Shapes: codes (n, V): the masked records; places (n,): where `profiles` has them.

    def __init__(self, fitted: FittedForward, profiles: Profiles, codes: Codes, places: Counts) -> None:
        self._fitted, self._profiles = fitted, profiles
        self._state, self._patterns = _nothing_of(fitted.n, fitted.attributes)
        wildcard, counts = fitted.originals.wildcard, profiles.counts
        place_records(fitted.rows, codes, fitted.codes, wildcard, places, True, self._state, counts, self._patterns, 0)
        self._credit, self._linked, self._ordered = 0, False, False

    @property
    def score(self) -> float:
        """The risk of the table, 0..100."""
        self._order()
        return float(self._fitted.risk(np.array([self._credit]))[0])

    def _order(self) -> None:
        """Estimate the weights, and link by their order."""
        if self._ordered:
            return
        fitted, patterns = self._fitted, self._patterns.copy()
        reorder(fitted.n, patterns)
        self._credit += relink(
            self._state, self._profiles.counts, self._patterns, patterns, not self._linked, True, fitted.unit
        )
        self._patterns, self._linked, self._ordered = patterns, True, True

    def take(self, change: Changes) -> None:
        """Update to a child: its records are linked by the order of the patterns until the score is needed."""
        self._order()
        fitted, codes = self._fitted, change.after.codes.copy()
        places = self._places_of(codes)
        rows, wildcard, counts = change.rows.copy(), fitted.originals.wildcard, self._profiles.counts
        self._ordered = False
        self._credit += place_records(
            rows, codes, fitted.codes, wildcard, places, False, self._state, counts, self._patterns, fitted.unit
        )

    def tries(self, changes: Changes) -> Numbers:
        """Return the risks of children."""
        if not len(changes.ends):
            return np.empty(0)
        self._order()
        # Copies: arrays that cannot be written to are of another type, for which kernels would be compiled again.
        rows, codes, ends = changes.rows.copy(), changes.after.codes.copy(), changes.ends.copy()
        found = self._tried(rows, codes, ends)
        if not len(found):
            self._places_of(codes)
            found = self._tried(rows, codes, ends)
        return self._fitted.risk(self._credit + found)

    def _tried(self, rows: Rows, codes: Codes, ends: Integers) -> Integers:
        fitted, profiles = self._fitted, self._profiles
        return try_children(
            rows,
            codes,
            ends,
            fitted.codes,
            fitted.originals.wildcard,
            fitted.unit,
            profiles.slots,
            profiles.records,
            profiles.counts,
            self._state,
            self._patterns,
        )

    def _places_of(self, codes: Codes) -> Counts:
        """Return the places of records in the memory of profiles, a new one where the old one is full."""
        originals = self._fitted.originals
        places = self._profiles.places_of(codes, originals)
        while places is None:
            known, own = self._profiles, np.unique(self._state[:, PLACE])
            records, counts = known.records[own], known.counts[own]
            others = self._fitted.profiles
            if others is known or not enter(records, counts, others.slots, others.records, others.counts, others.used):
                others = Profiles(max(len(known.records), 2 * (len(own) + len(codes))), self._fitted.attributes)
                enter(records, counts, others.slots, others.records, others.counts, others.used)
                self._fitted.profiles = others
            moved = np.zeros(len(known.records), dtype=np.int32)
            moved[own] = places_of(records, others.slots, others.records)
            self._state[:, PLACE] = moved[self._state[:, PLACE]]
            self._profiles = others
            places = others.places_of(codes, originals)
        return places

    def contributions(self) -> Numbers:
        """Return each record's credit as a share of the risk, shape (n,)."""
        self._order()
        ties = self._state[:, TIED]
        return np.where(ties > 0, 100.0 / len(ties) / np.maximum(ties, 1), 0.0)


@njit(cache=True)
def link(profile: Counts, own: int, order: Integers, ranks: Integers, begin: int) -> tuple[int, int]:
    """Return the best pattern of a profile, none being before a place in the order, and how many originals are tied."""
    # 0 where the pattern of the own one is not among those of that rank.
    place, tied = begin, 0
    while profile[order[place]] == 0:
        place += 1
    best = int(order[place])
    if ranks[own] == ranks[best]:
        while place < len(order) and ranks[order[place]] == ranks[best]:
            tied += int(profile[order[place]])
            place += 1
    return best, tied


@njit(cache=True)
def place_records(
    rows: Rows,
    codes: Codes,
    original: Codes,
    wildcard: bool,
    places: Counts,
    fresh: bool,
    state: Counts,
    profiles: Counts,
    patterns: Integers,
    unit: int,
) -> int:
    """Let records have other contents, in the state and in the numbers of pairs; return by how much credits change."""
    # Shapes: rows (m,), codes (m, V), original (n, V), places (m,), state (n, 4), profiles (places, 2**V), patterns (3,
    # 2**V).
    credit, pairs, order, ranks = 0, patterns[PAIRS], patterns[ORDER], patterns[RANKS]
    for i in range(len(rows)):
        held, new = state[rows[i]], profiles[places[i]]
        own = pattern_of(codes[i], original[rows[i]], wildcard)
        best, tied, before = 0, 0, int(held[TIED])
        if fresh:
            for pattern in range(len(pairs)):
                pairs[pattern] += new[pattern]
        else:
            old = profiles[held[PLACE]]
            for pattern in range(len(pairs)):
                pairs[pattern] += new[pattern] - old[pattern]
            best, tied = link(new, own, order, ranks, FIRST)
            credit += (unit // tied if tied else 0) - (unit // before if before else 0)
        held[PLACE], held[OWN], held[BEST], held[TIED] = places[i], own, best, tied
    return credit


def reorder(n: int, patterns: Integers) -> None:
    """Estimate the weights by the numbers of pairs and write the order of the patterns."""
    theta = np.empty(2 * (patterns.shape[1].bit_length() - 1))
    maximise(patterns[PAIRS].astype(np.float64), n, theta)
    rank(theta, patterns[ORDER], patterns[RANKS])


@njit(cache=True)
def relink(
    state: Counts, profiles: Counts, patterns: Integers, others: Integers, fresh: bool, keep: bool, unit: int
) -> int:
    """Link records by another order of the patterns, and return by how much credits change."""
    # Where two orders have the same patterns down to a place, in whatever sequence, the patterns between two such
    # places are a block. A record whose best pattern is in a block that is one tie in both orders keeps its links.
    # Shapes: state (n, 4), profiles (places, 2**V), patterns, others (3, 2**V).
    order, ranks, new_order, new_ranks = patterns[ORDER], patterns[RANKS], others[ORDER], others[RANKS]
    size = len(order)
    places, begins = np.empty(size, np.int32), np.zeros(size, np.int32)
    if not fresh:
        for place in range(size):
            places[new_order[place]] = place
        begin = furthest = different = 0
        for place in range(size):
            furthest = max(furthest, places[order[place]])
            if place + 1 < size and (
                furthest > place
                or ranks[order[place]] == ranks[order[place + 1]]
                or new_ranks[new_order[place]] == new_ranks[new_order[place + 1]]
            ):
                continue
            tied = ranks[order[begin]] == ranks[order[place]]
            tied = tied and new_ranks[new_order[begin]] == new_ranks[new_order[place]]
            for i in range(begin, place + 1):
                begins[order[i]] = SAME if tied else begin
            different += not tied
            begin = place + 1
        if different == 0:
            return 0
    credit = 0
    for row in range(len(state)):
        begin = int(begins[state[row, BEST]])
        if begin != SAME:
            best, tied = link(profiles[state[row, PLACE]], int(state[row, OWN]), new_order, new_ranks, begin)
            before = int(state[row, TIED])
            if tied != before:
                credit += (unit // tied if tied else 0) - (unit // before if before else 0)
            if keep:
                state[row, BEST], state[row, TIED] = best, tied
    return credit


@njit(cache=True)
def try_children(
    rows: Rows,
    codes: Codes,
    ends: Integers,
    original: Codes,
    wildcard: bool,
    unit: int,
    slots: Counts,
    records: Counts,
    profiles: Counts,
    state: Counts,
    patterns: Integers,
) -> Integers:
    """Return by how much the credits of children differ from their parent's, shape (k,); empty for unknown profiles."""
    n, size = len(state), profiles.shape[1]
    credits, places = np.empty(len(ends), np.int64), np.empty(len(rows), np.int32)
    for i in range(len(rows)):
        places[i] = place_of(codes[i], slots, records)
        if places[i] < 0:
            return credits[:0]
    held, numbers = np.empty((len(rows), 4), np.int32), np.empty(size)
    pairs, own = patterns[PAIRS].copy(), np.empty((3, size), np.int64)
    theta, begin = np.empty(2 * codes.shape[1]), 0
    for child in range(len(ends)):
        end = ends[child]
        for i in range(begin, end):
            for column in range(4):
                held[i, column] = state[rows[i], column]
        credit = place_records(
            rows[begin:end],
            codes[begin:end],
            original,
            wildcard,
            places[begin:end],
            NO,
            state,
            profiles,
            patterns,
            unit,
        )
        same = True
        for pattern in range(size):
            numbers[pattern] = patterns[PAIRS, pattern]
            same = same and patterns[PAIRS, pattern] == pairs[pattern]
        if not same:
            maximise(numbers, n, theta)
            rank(theta, own[ORDER], own[RANKS])
            credit += relink(state, profiles, patterns, own, NO, NO, unit)
        credits[child] = credit
        for i in range(begin, end):
            for column in range(4):
                state[rows[i], column] = held[i, column]
        for pattern in range(size):
            patterns[PAIRS, pattern] = pairs[pattern]
        begin = end
    return credits
