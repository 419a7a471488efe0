"""How much of the space of objectives a front dominates."""

from collections.abc import Iterable

import numpy as np

REFERENCE = 100.0
"""Every coordinate of the reference point: the worst value of IL, DR and any measure on the 0..100 scale."""


def hypervolume(points: Iterable[tuple[float, ...]], reference: float = REFERENCE) -> float:
    """Return the share of the box between 0 and the reference point that a front dominates, in percent.

    Exact, by moocore. Points at or beyond the reference in any coordinate count nothing; negative coordinates add to
    what lies in the box.

    Parameters
    ----------
    points : iterable of tuple of float
        Each of the same length d, all coordinates minimised; they may dominate each other.
    reference : float
        Positive.

    Returns
    -------
    float
        0 for an empty front; 100 for one that holds the origin.
    """
    import moocore  # late: it takes a while, and a search by one number has no front

    front = np.array(list(points), dtype=np.float64)
    return 100.0 * float(moocore.hypervolume(front, ref=reference)) / reference ** front.shape[1] if front.size else 0.0
