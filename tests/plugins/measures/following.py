"""Trackers of linkage measures led through edits, against scores from scratch."""

from __future__ import annotations

from evosdc.testing.tables import changes_of
from tests.plugins.measures.cases import edited

CHAIN = (*[1] * 40, 3, 20, 60, 1, 2, 1)
"""Most changed cells of each edit in turn."""


def nothing(tracker, masked):
    """Look at nothing besides."""


def assert_tracker_follows(measure, masked, rng, mosts, look=nothing):
    """Try some children and take one of them, again and again: each score has to be that of its table, to the bit."""
    tracker = measure.track(masked)
    look(tracker, masked)
    for most in mosts:
        children = [edited(masked, rng, size) for size in (1, most, 2, most, 1)]
        found = tracker.tries(changes_of(masked, children)).tolist()
        assert found == [measure.score(child) for child, _ in children]
        look(tracker, masked)
        child, rows = children[int(rng.integers(len(children)))]
        tracker.take(changes_of(masked, [(child, rows)]))
        masked = child
        assert tracker.score == measure.score(masked)
        look(tracker, masked)
