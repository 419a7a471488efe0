"""Lossy compression of the file as a picture.

This module holds what the package offers and imports nothing heavy.
"""

from __future__ import annotations

from evosdc.specs import MaskingMethodSpec

SPECS: tuple[MaskingMethodSpec, ...] = ()
