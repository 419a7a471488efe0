"""Information loss of given analyses: clusterings, classifiers, regressions.

This module holds what the package offers and imports nothing heavy.
"""

from __future__ import annotations

from evosdc.specs import MeasureSpec

SPECS: tuple[MeasureSpec, ...] = ()
