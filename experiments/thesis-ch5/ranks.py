"""Signed rank tests over seeds: where clustering before protection is better or worse, and by how much."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import ArrayLike
from protections import LOST, LOST_OF_FEWER, Protection
from scipy.stats import rankdata

from evosdc.engine.archive import hypervolume

LEVEL = 0.05
"""Chance, over all comparisons of the study together, to call a difference one that is none."""


def _mean(figure: str) -> Callable[[Sequence[Protection]], float]:
    return lambda files: sum(one.figures[figure] for one in files) / len(files)


def _least(figure: str) -> Callable[[Sequence[Protection]], float]:
    return lambda files: min(one.figures[figure] for one in files)


QUANTITIES: Mapping[str, Callable[[Sequence[Protection]], float]] = {
    "mean, same k": _mean("mean"),
    "max, same k": _mean("max"),
    "mean, best k": _least("mean"),
    "max, best k": _least("max"),
    "not dominated": lambda files: 100.0 - hypervolume(one.point for one in files),
    "informed max, same k": _mean("informed-max"),
    "not dominated, informed": lambda files: 100.0 - hypervolume(one.informed_point for one in files),
    "lost clusters, same k": _mean(LOST),
    "not dominated, lost clusters": lambda files: 100.0 - hypervolume(one.clusters_point for one in files),
}
"""What is compared, of one file for each k: the score averaged over k; the score of the best k; the share of the
box of IL and DR that no file dominates, DR by the thesis or informed; and the same with lost clusters as IL. All are
0..100, less is better. Both sides have as many files to choose from."""

BESIDE: Mapping[str, Callable[[Sequence[Protection]], float]] = {
    "IL": _mean("il"), "DR": _mean("dr"), "informed linkage": _mean("informed-linkage"),
    LOST_OF_FEWER: _mean(LOST_OF_FEWER),
}  # fmt: skip
"""Differences that are shown and not tested: they say where the others come from."""


@dataclass(frozen=True)
class Comparison:
    """One quantity of one method with c clusters, against the same method without.

    Parameters
    ----------
    method, quantity : str
    c : int
    differences : tuple of float
        Clustered less plain, one for each seed; below 0 clustering is better.
    p : float
        Two-sided, exact.
    """

    method: str
    c: int
    quantity: str
    differences: tuple[float, ...]
    p: float

    @property
    def difference(self) -> float:
        """The median difference."""
        return median(self.differences)

    @property
    def better(self) -> int:
        """Seeds whose clustered files are better."""
        return sum(one < 0.0 for one in self.differences)


def compared(files: Sequence[Protection], quantities: Mapping[str, Callable[[Sequence[Protection]], float]]) -> list[
    Comparison
]:  # fmt: skip
    """Compare all clustered files of one method with those of the method alone."""
    plain = [one for one in files if one.c == 1]
    found = []
    for c in sorted({one.c for one in files} - {1}):
        seeds = sorted({one.seed for one in files if one.c == c})
        by_seed = [[one for one in files if one.c == c and one.seed == seed] for seed in seeds]
        for name, quantity in quantities.items():
            base = quantity(plain)
            # Rounded, so that equal files are ties whatever the last bits say.
            differences = tuple(round(quantity(chosen) - base, 9) + 0.0 for chosen in by_seed)
            found.append(Comparison(files[0].method, c, name, differences, signed_rank_p(differences)))
    return found


def signed_rank_p(differences: ArrayLike) -> float:
    """Return the two-sided p of Wilcoxon's signed rank test, exact with ties; differences of 0 are left out.

    scipy's exact distribution does not allow ties, and many seeds give the same clusters. All ways to set the signs are
    counted, so there may be some twenty differences at most.
    """
    known = np.asarray(differences, dtype=np.float64)
    known = known[known != 0.0]
    if known.size == 0:
        return 1.0
    ranks = rankdata(np.abs(known))
    signs = (np.arange(1 << known.size)[:, None] >> np.arange(known.size)) & 1
    expected = ranks.sum() / 2
    far = np.abs(signs @ ranks - expected)
    return float(np.mean(far >= abs(ranks[known > 0.0].sum() - expected) - 1e-9))


def rank_biserial(differences: ArrayLike) -> float:
    """Return the matched-pairs rank-biserial correlation: 1 where all differences are positive, -1 where none is."""
    known = np.asarray(differences, dtype=np.float64)
    known = known[known != 0.0]
    if known.size == 0:
        return 0.0
    ranks = rankdata(np.abs(known))
    return float((ranks * np.sign(known)).sum() / ranks.sum())


def holm(ps: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's step-down."""
    order = np.argsort(ps, kind="stable")
    corrected = np.empty(len(ps))
    stepped = np.asarray(ps, dtype=np.float64)[order] * np.arange(len(ps), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return [float(p) for p in corrected]
