"""What passes the measure suite, and the faults that it finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evosdc.model import Fitted, Measure
from evosdc.model.tracker import Rescoring
from evosdc.table.table import Table
from evosdc.testing import MeasureConformance
from tests.testing.findings import findings
from tests.testing.measures import Counts, CountsTracker, Found, ShareChanged


class TestShareChanged(MeasureConformance):
    identity = 0.0

    def measure(self):
        return ShareChanged(ShareChanged.Params())


class TestFound(MeasureConformance):
    kind = "dr"
    identity = 100.0

    def measure(self):
        return Found(Found.Params())


class Followed(Counts):
    """Its trackers are of a class that has a fault."""

    tracker = CountsTracker

    def track(self, masked):
        return self.tracker(self, masked)

    def score(self, masked):
        return CountsTracker(self, masked).score


class Rescored(Counts):
    """Followed by the tracker that scores each table from scratch."""

    def track(self, masked):
        return Rescoring(self, masked)


class TestRescored(TestShareChanged):
    def measure(self):
        return type("RescoredShare", (ShareChanged,), {"fitted": Rescored})(ShareChanged.Params())


def with_tracker(tracker):
    """Return a fitted measure with such trackers."""
    return type(tracker.__name__, (Followed,), {"tracker": tracker})


class ForgetsARecord(CountsTracker):
    def take(self, change):
        rows = change.rows[1:]
        self.different[rows] = self.fitted.different(change.after, change.rows)[1:]


class AddsUp(CountsTracker):
    """Adds what changes to a score that was rounded."""

    def __init__(self, fitted, masked):
        super().__init__(fitted, masked)
        self.known = round(super().score, 1)

    @property
    def score(self):
        return self.known

    def take(self, change):
        super().take(change)
        self.known = round(super().score, 1)


class StaysWithAChild(CountsTracker):
    def tries(self, changes):
        scores = super().tries(changes)
        if len(scores):
            self.take(changes.part(0, 1))
        return scores


class ScoresItselfOnly(CountsTracker):
    def tries(self, changes):
        return np.full(len(changes.ends), self.score)


class SharesItsArrays(CountsTracker):
    def __init__(self, fitted, masked):
        super().__init__(fitted, masked)
        self.different = vars(fitted).setdefault("known", self.different)


class ChangesTheChange(CountsTracker):
    def take(self, change):
        super().take(change)
        change.rows.flags.writeable = True
        change.rows[:] = 0


class KnowsOldContributions(CountsTracker):
    def __init__(self, fitted, masked):
        super().__init__(fitted, masked)
        self.known = super().contributions()

    def contributions(self):
        return self.known


class MutatesItsInput(Counts):
    def score(self, masked):
        masked.codes.flags.writeable = True
        masked.codes[0] = self._original.codes[0]
        masked.codes.flags.writeable = False
        return super().score(masked)


class MutatesTheOriginal(Counts):
    def __init__(self, original):
        original.codes.flags.writeable = True
        original.codes.sort(axis=0)
        super().__init__(original)


class Remembers(Counts):
    seen = 0.0

    def score(self, masked):
        self.seen = max(self.seen, super().score(masked))
        return self.seen


class DrawsRandomNumbers(Counts):
    def score(self, masked):
        return min(super().score(masked) + np.random.default_rng().random(), 100.0)


class SeedsTheGlobalGenerator(Counts):
    def score(self, masked):
        np.random.seed(1)
        return super().score(masked)


class DependsOnOrder(Counts):
    def score(self, masked):
        different = self.track(masked).different
        weights = np.arange(len(different), 0, -1)
        return float(100 * (different.mean(axis=1) * weights).sum() / weights.sum())


class IsNotFinite(Counts):
    def score(self, masked):
        return float("nan")


class IsNoFloat(Counts):
    def score(self, masked):
        return int(super().score(masked))


class IsAShare(Counts):
    def score(self, masked):
        return super().score(masked) * 1.5


class GoesTheOtherWay(Counts):
    def score(self, masked):
        return 100.0 - super().score(masked)


def found(fitted: type[Fitted], test: str, base: type[Measure] = ShareChanged) -> str:
    measure_class: Any = type("Faulty", (base,), {"fitted": fitted})

    class Suite(MeasureConformance):
        identity = 0.0

        def measure(self):
            return measure_class(measure_class.Params())

    return findings(Suite, test)[test]


RANGE = "test_scores_are_finite_and_in_range"
TRACKS = "test_a_tracker_has_the_score_of_its_table"
TRIES = "test_children_have_the_scores_of_their_tables"
SHARES = "test_trackers_of_one_measure_share_no_state"
UNCHANGED = "test_tables_are_not_changed"
DECIDES = "test_nothing_but_the_tables_decides"

FAULTS = [
    (with_tracker(ForgetsARecord), TRACKS, "AssertionError"),
    (with_tracker(AddsUp), TRACKS, "AssertionError"),
    (with_tracker(ChangesTheChange), TRACKS, "take changed what was passed to it"),
    (with_tracker(StaysWithAChild), TRIES, "tries moved the score of the table itself"),
    (with_tracker(ScoresItselfOnly), TRIES, "AssertionError"),
    (with_tracker(SharesItsArrays), SHARES, "AssertionError"),
    (with_tracker(KnowsOldContributions), "test_contributions_of_records_are_those_of_the_table", "AssertionError"),
    (MutatesItsInput, UNCHANGED, "score changed what was passed to it"),
    (MutatesTheOriginal, UNCHANGED, "fit changed what was passed to it"),
    (Remembers, "test_earlier_questions_do_not_matter", "the order of questions decides"),
    (DrawsRandomNumbers, DECIDES, "equal generators gave different results"),
    (SeedsTheGlobalGenerator, DECIDES, "global state"),
    (DependsOnOrder, "test_the_order_of_records_does_not_matter", "AssertionError"),
    (IsNotFinite, RANGE, "score returned nan"),
    (IsNoFloat, RANGE, "score returned int, wanted float"),
    (IsAShare, RANGE, "lies outside 0.0..100.0"),
    (GoesTheOtherWay, "test_the_unchanged_file_has_the_declared_score", "100.0"),
    (GoesTheOtherWay, "test_more_masking_moves_the_score_in_the_declared_direction", "must not lose more"),
]


@pytest.mark.parametrize(("fitted", "test", "message"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_the_fault_is_found(fitted: type[Fitted], test: str, message: str) -> None:
    assert message in found(fitted, test)


def test_a_risk_that_grows_with_masking_is_found() -> None:
    class Suite(TestShareChanged):
        kind = "dr"

    name = "test_more_masking_moves_the_score_in_the_declared_direction"
    assert "must not be riskier" in findings(Suite, name)[name]


def test_a_measure_that_refuses_nothing_is_found() -> None:
    class Lax(ShareChanged):
        def require_support(self, table: Table) -> None:
            return None

    class Suite(MeasureConformance):
        def measure(self):
            return Lax(Lax.Params())

    assert "DID NOT RAISE" in findings(Suite)["test_unsupported_scales_are_refused"]


def test_a_measure_without_trackers_of_its_own_passes() -> None:
    assert findings(TestFound) == {}
