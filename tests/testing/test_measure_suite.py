"""What passes the measure suite, and the faults that it finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evosdc.model import Fitted, Measure
from evosdc.table.table import Table
from evosdc.testing import MeasureConformance
from tests.testing.findings import findings
from tests.testing.measures import Counts, Found, ShareChanged


class TestShareChanged(MeasureConformance):
    identity = 0.0

    def measure(self):
        return ShareChanged(ShareChanged.Params())


class TestFound(MeasureConformance):
    kind = "dr"
    identity = 100.0

    def measure(self):
        return Found(Found.Params())


class Rounds(Counts):
    """Adds fractions up as they come, so that the path decides the last bits."""

    def start(self, masked):
        return self._share(masked, np.arange(len(masked))), masked

    def _share(self, masked, rows):
        return self._different(masked, rows).sum() / (3.0 * self._original.codes.size)

    def update(self, state, masked, rows):
        return state[0] - self._share(state[1], rows) + self._share(masked, rows), masked

    def value(self, state):
        return min(max(100.0 * float(state[0]), 0.0), 100.0)


class ForgetsRows(Counts):
    def update(self, state, masked, rows):
        return super().update(state, masked, rows[1:])


class UpdatesInPlace(Counts):
    def update(self, state, masked, rows):
        state[rows] = self._different(masked, rows)
        return state


class ReusesItsBuffer(Counts):
    def __init__(self, original):
        super().__init__(original)
        self._buffer = np.zeros(original.codes.shape, dtype=bool)

    def start(self, masked):
        np.not_equal(self._original.codes, masked.codes, out=self._buffer)
        return self._buffer


class SortsRows(Counts):
    def update(self, state, masked, rows):
        rows.sort()
        return super().update(state, masked, rows)


class ScoresOtherwise(Counts):
    def score(self, masked):
        return super().score(masked) / 2


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
    def value(self, state):
        weights = np.arange(len(state), 0, -1)
        return float(100 * (state.mean(axis=1) * weights).sum() / weights.sum())


class IsNotFinite(Counts):
    def value(self, state):
        return float("nan")


class IsNoFloat(Counts):
    def value(self, state):
        return int(super().value(state))


class IsAShare(Counts):
    def value(self, state):
        return super().value(state) * 1.5


class GoesTheOtherWay(Counts):
    def value(self, state):
        return 100.0 - super().value(state)


def found(fitted: type[Fitted], test: str, base: type[Measure] = ShareChanged) -> str:
    measure_class: Any = type("Faulty", (base,), {"fitted": fitted})

    class Suite(MeasureConformance):
        identity = 0.0

        def measure(self):
            return measure_class(measure_class.Params())

    return findings(Suite, test)[test]


RANGE = "test_scores_are_finite_and_in_range"
UPDATES = "test_updates_equal_starts_to_the_last_bit"
OLD_STATES = "test_old_states_stay_usable"
UNCHANGED = "test_tables_are_not_changed"
DECIDES = "test_nothing_but_the_tables_decides"

FAULTS = [
    (Rounds, UPDATES, "keep integers in the state"),
    (ForgetsRows, UPDATES, "update leads to"),
    (UpdatesInPlace, OLD_STATES, "update changed what was passed to it"),
    (ReusesItsBuffer, "test_a_start_does_not_hold_on_to_earlier_ones", "changed the state of an earlier one"),
    (SortsRows, UPDATES, "update changed what was passed to it"),
    (ScoresOtherwise, UPDATES, "score and value(start) differ"),
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


def test_a_measure_that_is_not_incremental_skips_those_tests() -> None:
    assert findings(TestFound) == {}
