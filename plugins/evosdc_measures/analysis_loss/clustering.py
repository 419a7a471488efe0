"""Information loss of cluster analysis: how far the k-means clusters of the masked file are from the original's."""

import warnings
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.clustering.c_median import c_median
from evosdc.clustering.fuzzy import MOST_FUZZY, Memberships, fuzzy_c_median, fuzzy_rand
from evosdc.clustering.geometry import geometry_of
from evosdc.clustering.partitions import agreement_of, loss_of
from evosdc.errors import Fault, ParameterError
from evosdc.model import Fitted, Measure
from evosdc.model.parameters import Parameters
from evosdc.secret import Purpose, stream
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc_measures.domains import require_aligned
from evosdc_measures.units import standard_unit, standardised

_ROUNDS, _AT_ONCE = 50, 5  # Lloyd iterations at most, and between two looks whether a centre still moves


def k_means(
    points: Numbers, clusters: int, rng: np.random.Generator, starts: int = 10, begin: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Return the cluster of each point, shape (n,), by scipy's Lloyd iterations from k-means++ starts."""
    # Shapes: points (n, Q), begin (n,).
    from scipy.cluster.vq import vq

    order = np.lexsort(points.T[::-1])
    ranked = np.ascontiguousarray(points[order])
    wanted = min(clusters, len(np.unique(ranked, axis=0)))
    means = None if begin is None else np.array([points[begin == cluster].mean(axis=0) for cluster in np.unique(begin)])
    best: tuple[float, NDArray[np.int64]] | None = None
    for _ in range(1 if means is not None else starts):
        first = means if means is not None else _first(ranked, wanted, rng)
        assigned, distances = vq(ranked, _settled(ranked, first))
        total = float((distances**2).sum())
        if best is None or total < best[0]:
            best = total, assigned.astype(np.int64)
    assert best is not None
    labels = np.empty(len(points), dtype=np.int64)
    labels[order] = best[1]
    return labels


def _settled(points: Numbers, centres: Numbers) -> Numbers:
    """Return the centres after all iterations, of which those that move none are left out."""
    from scipy.cluster.vq import kmeans2

    for _ in range(_ROUNDS // _AT_ONCE):
        with warnings.catch_warnings():
            # A cluster that runs empty keeps its centre: scipy warns and goes on.
            warnings.simplefilter("ignore", UserWarning)
            moved, _ = kmeans2(points, centres, iter=_AT_ONCE, minit="matrix")
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres


def _first(points: Numbers, clusters: int, rng: np.random.Generator) -> Numbers:
    """Return first centres as k-means++ draws them."""
    chosen = [int(rng.integers(len(points)))]
    nearest = np.full(len(points), np.inf)
    while len(chosen) < clusters:
        nearest = np.minimum(nearest, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(rng.choice(len(points), p=nearest / nearest.sum())))
    return points[chosen]


Index = Literal[
    "rand", "adjusted-rand", "jaccard", "wallace", "wallace-reversed", "fowlkes-mallows", "mi", "nmi",
    "variation-of-information", "fuzzy-rand",
]  # fmt: skip


class ClusterAgreement(Measure):
    """Loss of agreement between the clusters of the original and those of the masked file, ``100 (1 - index)``.

    Both files are clustered in the same way and by the same random numbers; the partitions of the records are compared
    by an index of `evosdc.clustering.partitions` (thesis, section 2.5; which indices it uses is not known).
    Range 0..100, smaller is better; 0 for the original itself. Negative values of the adjusted Rand index count as 0.

    ``c-median`` looks at all attributes, numbers by the original's ranges, and missing values count by the schema's
    rule. ``k-means`` looks at the numeric ones alone, standardised by the original's means and standard deviations; a
    missing number stands at the mean.

    ``fuzzy-rand`` compares fuzzy c-median clusters (handbook chapter, 35.5.2, which does not say by what index).

    A clustering depends on its random starts. The loss between clusterings of one file by different seeds is a
    yardstick of what a loss is worth (`evosdc.clustering.partitions`). With ``begin = "original"`` the masked file is
    clustered from the original's clusters on, so that a small change is a small loss: the right choice for a search.
    """

    supports: ClassVar[frozenset[Scale]] = frozenset(Scale)

    class Params(Parameters):
        """How records are clustered, and how partitions are compared."""

        index: Index = Field("adjusted-rand", description="index of agreement of two partitions")
        method: Literal["c-median", "k-means"] | None = Field(
            None, description="clustering; default: c-median where there are categorical attributes, else k-means"
        )
        clusters: int = Field(8, ge=2, description="number of clusters")
        starts: int = Field(10, ge=1, description="random starts, of which the best counts")
        begin: Literal["seeds", "original"] = Field(
            "seeds",
            description="what the masked file's clustering begins with: random starts, or the original's clusters",
        )
        fuzziness: float = Field(
            1.5, gt=1.0, le=MOST_FUZZY, description="exponent m of the fuzzy clusters of fuzzy-rand"
        )
        seed: int = Field(1, ge=0, description="of the starts; the same for all files")

    params: Params

    def fit(self, original: Table) -> "FittedClusterAgreement":
        """Cluster the original."""
        self.require_support(original)
        method = self.params.method or ("c-median" if original.schema.categorical else "k-means")
        if method == "k-means" and not original.schema.numeric:
            given = "k-means for a file without numeric attributes"
            raise ParameterError(Fault("measure cluster-agreement: method", given, "c-median, or none"))
        if method == "k-means" and self.params.index == "fuzzy-rand":
            given = "fuzzy-rand of clusters by k-means"
            advice = 'Say method = "c-median".'
            raise ParameterError(Fault("measure cluster-agreement: index", given, "clusters by c-median", advice))
        return FittedClusterAgreement(original, method, self.params)


class FittedClusterAgreement(Fitted):
    """`ClusterAgreement` of one original."""

    def __init__(self, original: Table, method: str, params: ClusterAgreement.Params) -> None:
        self._original = original
        self._method = method
        self._params = params
        self._unit = standard_unit(original.numbers)
        self._known = geometry_of(original)
        # From where masked files begin; the original does as well, so that nothing is lost where nothing is masked.
        self._begin = self._clusters(original, None) if params.begin == "original" else None
        self._first = self._clusters(original, self._begin)
        self._degrees = self._memberships(original, self._first) if params.index == "fuzzy-rand" else None

    def score(self, masked: Table) -> float:
        """Return the loss, 0..100."""
        require_aligned(self._original, masked)
        found = self._clusters(masked, self._begin)
        if self._degrees is not None:
            return 100.0 * (1.0 - fuzzy_rand(self._degrees, self._memberships(masked, found)))
        return loss_of(self._params.index, agreement_of(self._first.labels, found.labels))

    def _clusters(self, table: Table, begin: "Found | None") -> "Found":
        params = self._params
        rng = stream(params.seed, Purpose.EVALUATE)
        if self._method == "c-median":
            first = None if begin is None else begin.representatives
            found = c_median(table, params.clusters, rng, params.starts, known=self._known, begin=first)
            return Found(found.labels, found.representatives)
        points = standardised(table.numbers, self._unit)
        return Found(
            k_means(points, params.clusters, rng, params.starts, None if begin is None else begin.labels), None
        )

    def _memberships(self, table: Table, found: "Found") -> Memberships:
        assert found.representatives is not None, "fuzzy clusters are those of c-median"
        return fuzzy_c_median(table, found.representatives, self._params.fuzziness, known=self._known).memberships


class Found(NamedTuple):
    """The cluster of each record and, of c-median, the representatives."""

    labels: NDArray[np.int64]
    representatives: Table | None
