"""Fitnesses: from information loss and disclosure risk to the figure that is minimised."""

from __future__ import annotations

from collections.abc import Mapping

from evosdc.model import Fitness


class Mean(Fitness):
    """Mean of information loss and disclosure risk, ``(il + dr) / 2`` in 0..100 (thesis, Eq. 3.2)."""

    def combine(self, scores: Mapping[str, float]) -> tuple[float, ...]:
        """Return the one objective."""
        return ((scores["il"] + scores["dr"]) / 2.0,)


class Max(Fitness):
    """Greater of information loss and disclosure risk, ``max(il, dr)`` in 0..100 (thesis, Eq. 3.4).

    A file that is good in one respect only gains nothing, so the search is drawn to balanced files.
    """

    def combine(self, scores: Mapping[str, float]) -> tuple[float, ...]:
        """Return the one objective."""
        return (max(scores["il"], scores["dr"]),)
