"""Suppression of values.

This module holds what the package offers and imports nothing heavy.
"""

from __future__ import annotations

from evosdc.specs import MaskingMethodSpec

SPECS: tuple[MaskingMethodSpec, ...] = ()
