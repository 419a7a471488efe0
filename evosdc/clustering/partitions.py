"""Comparison of two partitions of the same records: indices of agreement by pairs of records and by entropy.

With n11 pairs of records together in both partitions, n10 in the first only, n01 in the second only and n00 in neither,
out of M = n(n-1)/2: the formulas of the literature on clustering, as the thesis (section 2.5) uses them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from evosdc.clustering.geometry import Integers
from evosdc.secret import Seed

Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Agreement:
    """Counts and entropies of two partitions; counts are exact integers."""

    n: int  # records
    n11: int
    n10: int
    n01: int
    n00: int
    first: float
    second: float
    mutual: float


def agreement_of(first: Labels, second: Labels) -> Agreement:
    """Return how two partitions agree, given the cluster of each record, shape (n,), n >= 1."""
    n = len(first)
    _, a = np.unique(first, return_inverse=True)
    _, b = np.unique(second, return_inverse=True)
    joint = np.bincount(a * (int(b.max()) + 1) + b).astype(np.int64)
    rows, columns = np.bincount(a).astype(np.int64), np.bincount(b).astype(np.int64)
    together = _pairs(joint)
    in_first, in_second = _pairs(rows), _pairs(columns)
    n10, n01 = in_first - together, in_second - together
    h_first, h_second, h_joint = _entropy(rows, n), _entropy(columns, n), _entropy(joint, n)
    mutual = max(h_first + h_second - h_joint, 0.0)
    return Agreement(n, together, n10, n01, n * (n - 1) // 2 - together - n10 - n01, h_first, h_second, mutual)


def _pairs(sizes: NDArray[np.int64]) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def _entropy(sizes: NDArray[np.int64], n: int) -> float:
    # In order of size, so that equal partitions have equal entropies to the last bit.
    shares = np.sort(sizes[sizes > 0]) / n
    return float(-(shares * np.log(shares)).sum())


def _share(part: float, whole: float) -> float:
    """Return a share of pairs; 1 where there is no pair that could be lost."""
    return part / whole if whole else 1.0


def _adjusted(x: Agreement) -> float:
    total = x.n11 + x.n10 + x.n01 + x.n00
    a, b = x.n11 + x.n10, x.n11 + x.n01
    expected = a * b / total if total else 0.0
    greatest = (a + b) / 2
    return (x.n11 - expected) / (greatest - expected) if greatest != expected else 1.0


def _normalised(x: Agreement) -> float:
    if x.first == 0.0 or x.second == 0.0:
        return 1.0 if x.first == x.second else 0.0
    return min(x.mutual / sqrt(x.first * x.second), 1.0)


def _wallace(x: Agreement) -> float:
    return _share(x.n11, x.n11 + x.n10)


def _reversed_wallace(x: Agreement) -> float:
    return _share(x.n11, x.n11 + x.n01)


def _kept(x: Agreement) -> float:
    return min(x.mutual / x.first, 1.0) if x.first > 0.0 else 1.0


def variation(x: Agreement) -> float:
    """Return the variation of information, H1 + H2 - 2 MI, in nats; 0 for equal partitions, at most log n."""
    return max(x.first + x.second - 2.0 * x.mutual, 0.0)


# Agreement by name, 1 for equal partitions. Wallace: share of the first partition's pairs that are kept; reversed: of
# the second's. Mutual information is taken as ``MI / H1``, the share of what the first partition tells that the second
# tells too; 1 for any second one that only splits clusters of the first. Normalised mutual information is divided by
# ``sqrt(H1 H2)``; the variation of information is taken as ``1 - VI / log n``, ``log n`` being the greatest possible.
# The adjusted Rand index may fall below 0.
INDICES: Mapping[str, Callable[[Agreement], float]] = {
    "rand": lambda x: _share(x.n11 + x.n00, x.n11 + x.n10 + x.n01 + x.n00),
    "adjusted-rand": _adjusted,
    "jaccard": lambda x: _share(x.n11, x.n11 + x.n10 + x.n01),
    "wallace": _wallace,
    "wallace-reversed": _reversed_wallace,
    "fowlkes-mallows": lambda x: sqrt(_wallace(x) * _reversed_wallace(x)),
    "mi": _kept,
    "nmi": _normalised,
    "variation-of-information": lambda x: 1.0 - (variation(x) / log(x.n) if x.n > 1 else 0.0),
}


def loss_of(index: str, agreement: Agreement) -> float:
    """Return ``100 (1 - index)``, cut to 0..100."""
    return min(max(100.0 * (1.0 - INDICES[index](agreement)), 0.0), 100.0)


@dataclass(frozen=True)
class Stability:
    """Losses between clusterings of the same file by different seeds: the loss without any masking."""

    # A yardstick: a masked file whose clusters are no farther from those of the original loses nothing that another
    # seed would not lose as well.

    seeds: tuple[Seed, ...]
    # By index of `evosdc.clustering.partitions`, ``100 (1 - index)``, the mean over all pairs of seeds and, since not
    # all indices are symmetric, both directions; 0 where all clusterings are equal.
    losses: Mapping[str, float]
    greatest: Mapping[str, float]  # of the pair that differs most

    @classmethod
    def of(cls, seeds: Sequence[Seed], labels: Sequence[Integers]) -> "Stability":
        """Compare clusterings, two at least, given the cluster of each record by each seed."""
        pairs = [agreement_of(a, b) for x, y in combinations(labels, 2) for a, b in ((x, y), (y, x))]
        by_index = {index: [loss_of(index, pair) for pair in pairs] for index in INDICES}
        means = {index: sum(losses) / len(losses) for index, losses in by_index.items()}
        return cls(tuple(seeds), means, {index: max(losses) for index, losses in by_index.items()})
