"""Recodings: maps of an attribute's categories, the same for all records."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.data.schema import Attribute, Scale
from evosdc.data.table import Codes
from evosdc.errors import Fault
from evosdc_masking.averages import lower_median, mode

Counts = NDArray[np.int64]


def merged(counts: Counts, categories: Sequence[int] | Counts, scale: Scale) -> Codes:
    """Return the recoding that turns several categories into one of them.

    Parameters
    ----------
    counts : ndarray of int64, shape (c,)
        How often each category occurs.
    categories : sequence of int
        Codes to merge; those that do not occur may be among them.
    scale : Scale
        The representative is their lower median (ordinal) or the most frequent of them (nominal), weighted by `counts`.

    Returns
    -------
    ndarray of int32, shape (c + 1,)
        New code of each old one; the last entry is that of a missing value, which stays missing.
    """
    recoding = np.append(np.arange(counts.size), -1).astype(np.int32)
    chosen = np.asarray(categories, dtype=np.int64)
    if chosen.size:
        weights = np.zeros_like(counts)
        weights[chosen] = counts[chosen]
        average: Callable[[Counts], int] = lower_median if scale is Scale.ORDINAL else mode
        representative = average(weights)
        recoding[chosen] = representative if representative >= 0 else chosen[0]
    return recoding


def too_many(method: str, attribute: Attribute, q: int, occurring: int) -> Fault:
    """Return the fault of merging more categories than an attribute has in the file."""
    return Fault(
        f"method {method}: q for attribute {attribute.name}",
        str(q),
        f"1..{occurring}",
        f"Only {occurring} of its categories occur in the file." if occurring else "All its values are missing.",
    )
