"""Record linkage by an informed intruder who looks from the published records, or from the people, as he finds more."""

from collections.abc import Sequence

import numpy as np

from evosdc.model import Changes, Fitted, Measure, Tracker
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc_measures.linkage.informed import InformedLinkage, RankedLinkage


class TwoWayLinkage(Measure):
    """The greater share of records linked as `ranked-linkage` does, in either direction, times 100.

    `ranked-linkage` looks for the person of each published record. An intruder who knows people looks for each
    person's published record: the same with original and masked file in each other's place. A search that lowers one
    direction alone leaves the other one higher. Of more than ``records`` records, of which `ranked-linkage` places a
    sample, `informed-linkage` of all records also counts, in both directions. Range 0..100, smaller is better.
    A verdict goes by no more than it, where no linkage of another kind finds more.

    After Torra (2017), as `ranked-linkage`; that both directions count is a design decision.
    """

    supports = frozenset(Scale)

    class Params(RankedLinkage.Params):
        """Those of `ranked-linkage`."""

    params: Params

    def fit(self, original: Table) -> "FittedTwoWay":
        """Build the trees of the originals."""
        self.require_support(original)
        measures: list[Measure] = [RankedLinkage(self.params)]
        if len(original) > self.params.records:
            measures.append(InformedLinkage(InformedLinkage.Params(bins=self.params.bins)))
        return FittedTwoWay(original, measures)


class FittedTwoWay(Fitted):
    """`TwoWayLinkage` of one original."""

    def __init__(self, original: Table, measures: Sequence[Measure]) -> None:
        self._original, self._measures = original, tuple(measures)
        self._forwards = [measure.fit(original) for measure in measures]

    def score(self, masked: Table) -> float:
        """Return the greatest risk, 0..100; a search for each linked record, in each direction."""
        return max(*(fitted.score(masked) for fitted in self._forwards), self.from_people(masked))

    def track(self, masked: Table) -> Tracker:
        """Return a tracker that follows the direction from published records."""
        return TwoWayTracker(self, [fitted.track(masked) for fitted in self._forwards], masked)

    def from_people(self, masked: Table) -> float:
        """Return the greatest risk from person to record in a table, 0..100."""
        return max(measure.fit(masked).score(self._original) for measure in self._measures)

    def contributions_of_people(self, masked: Table) -> Numbers | None:
        """Return what each record adds to that risk, shape (n,)."""
        backwards = [measure.fit(masked).track(self._original) for measure in self._measures]
        return max(backwards, key=lambda tracker: tracker.score).contributions()


class TwoWayTracker(Tracker):
    """Trackers from published records; the direction that starts from people is judged from scratch."""

    def __init__(self, fitted: FittedTwoWay, trackers: list[Tracker], masked: Table) -> None:
        self._fitted, self._trackers, self._masked = fitted, trackers, masked
        self._from_people: float | None = None

    @property
    def score(self) -> float:
        """The greatest risk, 0..100."""
        return max(*(tracker.score for tracker in self._trackers), self.score_of_people)

    @property
    def score_of_people(self) -> float:
        """The risk of people searched for in the table; computed on first use."""
        if self._from_people is None:
            self._from_people = self._fitted.from_people(self._masked)
        return self._from_people

    def take(self, change: Changes) -> None:
        """Update to a child."""
        for tracker in self._trackers:
            tracker.take(change)
        self._masked, self._from_people = change.applied_to(self._masked), None

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children."""
        children = (changes.part(child, child + 1).applied_to(self._masked) for child in range(len(changes.ends)))
        people = np.array([self._fitted.from_people(child) for child in children], dtype=np.float64)
        scores: Numbers = np.max([people, *(tracker.tries(changes) for tracker in self._trackers)], axis=0)
        return scores

    def estimates(self, changes: Changes) -> Numbers:
        """Return about what children score: from people the risk is taken to change as in the other direction."""
        people, forwards = self.score_of_people, np.max([tracker.tries(changes) for tracker in self._trackers], axis=0)
        now = max(tracker.score for tracker in self._trackers)
        about = people * forwards / now if now > 0.0 else np.full(len(forwards), people)
        scores: Numbers = np.maximum(forwards, np.minimum(about, 100.0))
        return scores

    def contributions(self) -> Numbers | None:
        """Return each record's expected match where the risk is greatest, as a share of the score."""
        first = max(self._trackers, key=lambda tracker: tracker.score)
        return (
            first.contributions() if first.score == self.score else self._fitted.contributions_of_people(self._masked)
        )
