"""Channels that exchange labels are annealed anew: putting the labels right in the file would cost its tables."""

from collections.abc import Callable, Sequence

import numpy as np

from evosdc.table.labels import WIDEST, best_labels
from evosdc_limit.annealing import Channels
from evosdc_limit.attribute import AttributeTerms, Integers

MOST = 2.0
"""Per cent of the records that may read right if labels were exchanged, in each attribute; searches accept 3 %."""

TRIES = 8
"""Annealings at most, of which the one counts that exchanges least."""


def in_order(anneal: Callable[[], Channels], attributes: Sequence[AttributeTerms]) -> Channels:
    """Return what annealing gives: the first that exchanges few labels, of `TRIES` the one that exchanges least."""
    best: Channels | None = None
    least = np.inf
    for _ in range(TRIES):
        channels = anneal()
        share = max(map(exchanged, channels.counts, attributes))
        if best is None or share < least:
            best, least = channels, share
        if least <= MOST:
            break
    assert best is not None, "it is annealed once at least"
    return best


def exchanged(counts: Integers, attribute: AttributeTerms) -> float:
    """Return the per cent of the records that would read right besides if labels were exchanged one to one.

    Parameters
    ----------
    counts : ndarray of int64, shape (B, A)
        Records by published and original category.
    attribute : AttributeTerms
    """
    size = len(attribute.published)
    if size > WIDEST:
        return 0.0
    joint = np.zeros((size, size), dtype=np.int64)
    joint[np.searchsorted(attribute.published, attribute.originals)] = counts.T
    right = joint[np.arange(size), best_labels(joint)].sum() - np.trace(joint)
    return float(100.0 * right / max(int(joint.sum()), 1))
