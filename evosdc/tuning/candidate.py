"""What may be tried in tuning, and how much trying may cost."""

import json
from dataclasses import dataclass, replace
from math import inf

from evosdc.model import Masking
from evosdc.tuning.arm import Arm, Point


@dataclass(frozen=True)
class Candidate:
    """An arm at a point."""

    arm: Arm
    point: Point
    masking: Masking
    key: str

    @classmethod
    def at(cls, arm: Arm, point: Point) -> "Candidate | None":
        """Return what stands at a point of an arm; None where nothing would be masked."""
        masking = arm.masking(point)
        return None if masking is None else cls.of(arm, point, masking)

    @classmethod
    def of(cls, arm: Arm, point: Point, masking: Masking) -> "Candidate":
        """Return a masking that stands at a point of an arm, as it is written: 5 rather than 5.0."""
        return cls(arm, point, masking, json.dumps(masking.to_json(), sort_keys=True))


Wanted = tuple[Candidate, int]
"""A candidate and the number of one of its draws."""


@dataclass(frozen=True)
class Budget:
    """How much tuning may cost; the first limit reached ends it.

    Parameters
    ----------
    evaluations : int, optional
    seconds : float, optional
        With it, the result depends on the speed of the machine.
    """

    evaluations: int | None = None
    seconds: float | None = None

    def part(self, share: float) -> "Budget":
        """Return a share of the budget."""
        evaluations = None if self.evaluations is None else max(1, round(share * self.evaluations))
        return Budget(evaluations, None if self.seconds is None else share * self.seconds)

    def without(self, evaluations: int, seconds: float) -> "Budget":
        """Return what is left when so much was spent; one evaluation is."""
        left = None if self.evaluations is None else max(1, self.evaluations - evaluations)
        return Budget(left, None if self.seconds is None else max(0.0, self.seconds - seconds))

    def spent(self, evaluations: int, seconds: float) -> float:
        """Return the share that is spent, 1 or more where nothing is left."""
        shares = [0.0]
        if self.evaluations is not None:
            shares.append(evaluations / self.evaluations)
        if self.seconds is not None:
            shares.append(seconds / self.seconds if self.seconds > 0.0 else inf)
        return max(shares)


def renamed(candidate: Candidate, name: str) -> Candidate:
    """Return a candidate whose arm has another name."""
    return replace(candidate, arm=replace(candidate.arm, name=name))
