"""How far a figure may be from the stored one."""

import math
import re
from dataclasses import dataclass

_PER_CENT = re.compile(r"(\d+(?:\.\d+)?(?:e-?\d+)?) ?%")


@dataclass(frozen=True)
class Tolerance:
    """A figure holds where it differs by no more than one of both.

    Parameters
    ----------
    absolute : float
        In the figure's unit, at least 0.
    relative : float
        As a share of the stored figure, at least 0.
    """

    absolute: float = 0.0
    relative: float = 1e-9

    @classmethod
    def of(cls, given: float | str) -> "Tolerance":
        """Return the tolerance that a declaration states: a number, ``"2 %"``, or ``"any"``; raises `ValueError`."""
        if isinstance(given, str):
            if given == "any":
                return ANY
            if found := _PER_CENT.fullmatch(given):
                return cls(relative=float(found[1]) / 100.0)
        elif given >= 0.0:
            return cls(absolute=given)
        raise ValueError(f'a number of at least 0, a share like "2 %", or "any", unlike {given!r}')

    def holds(self, stored: float, found: float) -> bool:
        """Whether a figure is near enough to the stored one."""
        if math.isnan(stored) or math.isnan(found):
            return math.isnan(stored) and math.isnan(found)
        return stored == found or abs(found - stored) <= max(self.absolute, self.relative * abs(stored))

    def __str__(self) -> str:
        if self.absolute:
            return f"{self.absolute:g}"
        return f"{100.0 * self.relative:g} %" if self.relative > SAME.relative else "nothing"


SAME = Tolerance()
"""The last bits of a sum may differ between processors and versions of libraries."""
ANY = Tolerance(math.inf, math.inf)
"""Of times, and of whatever hangs on them."""
