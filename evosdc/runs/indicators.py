"""How good a front is: hypervolume, IGD+, additive epsilon; and what several fronts attain."""

from collections.abc import Sequence

import moocore
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""Of shape (n, 2): IL and DR, both minimised."""

REFERENCE = 100.0
"""Both coordinates of the reference point of the hypervolume: the worst value of IL and DR."""

INDICATORS = ("hypervolume", "igd_plus", "epsilon")
"""Names of what `indicators_of` returns; of the first more is better, of the others less."""


def united_front(fronts: Sequence[Points]) -> Points:
    """Return the points of all fronts that none of them dominates, each once, by increasing IL."""
    every = np.unique(np.concatenate([np.empty((0, 2)), *fronts]), axis=0)
    return np.asarray(moocore.filter_dominated(every), dtype=np.float64) if len(every) else every


def indicators_of(front: Points, reference: Points) -> dict[str, float]:
    """Return how good a front is.

    Parameters
    ----------
    front : ndarray
        Not empty.
    reference : ndarray
        A front that is at least as good; `united_front` of all that are compared.

    Returns
    -------
    dict
        ``hypervolume``, the share of the box up to (100, 100) that the front dominates, in per cent. ``igd_plus``, the
        mean distance from a point of the reference to where the front dominates (Ishibuchi et al. 2015). ``epsilon``,
        by how much the front must be moved in IL and in DR until it is nowhere behind the reference (additive epsilon
        indicator, Zitzler et al. 2003). The last two are in points of IL and DR; 0 for the reference itself.
    """
    return {
        "hypervolume": 100.0 * float(moocore.hypervolume(front, ref=REFERENCE)) / REFERENCE**2,
        "igd_plus": float(moocore.igd_plus(front, ref=reference)),
        "epsilon": float(moocore.epsilon_additive(front, ref=reference)),
    }


def attainment_surface(fronts: Sequence[Points], share: float) -> Points:
    """Return the corners of the surface that a share of the fronts attains, by increasing IL.

    What lies on it or beyond it is dominated by at least that share of the fronts: of replicates with share 0.5 it is
    the median front (Grunert da Fonseca, Fonseca and Hall 2001).

    Parameters
    ----------
    fronts : sequence of ndarray
        At least one; empty ones attain nothing.
    share : float
        Above 0, at most 1.
    """
    filled = [front for front in fronts if len(front)]
    wanted = max(1, int(np.ceil(share * len(fronts) - 1e-9)))
    if wanted > len(filled):
        return np.empty((0, 2))
    sets = np.repeat(np.arange(1, len(filled) + 1), [len(front) for front in filled])
    surface = moocore.eaf(np.concatenate(filled), sets=sets, percentiles=[100.0 * wanted / len(filled)])
    corners = np.asarray(surface, dtype=np.float64)[:, :2]
    return corners[np.lexsort((-corners[:, 1], corners[:, 0]))]
