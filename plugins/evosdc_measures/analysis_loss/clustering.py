"""Information loss of cluster analysis: how far the clusters of the masked file are from those of the original."""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.clustering.c_median import c_median
from evosdc.clustering.geometry import geometry_of
from evosdc.clustering.partitions import agreement_of, loss_of
from evosdc.errors import Fault, ParameterError
from evosdc.model import Fitted, Measure
from evosdc.model.parameters import Parameters
from evosdc.seeds import Purpose, stream
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_measures.analysis_loss.k_means import Standardisation, k_means
from evosdc_measures.domains import require_aligned

Index = Literal[
    "rand", "adjusted-rand", "jaccard", "wallace", "wallace-reversed", "fowlkes-mallows", "mi", "nmi",
    "variation-of-information",
]  # fmt: skip


class ClusterAgreement(Measure):
    """Loss of agreement between the clusters of the original and those of the masked file, ``100 (1 - index)``.

    Both files are clustered in the same way and by the same random numbers; the partitions of the records are compared
    by an index of `evosdc.clustering.partitions` (thesis, section 2.5; which indices it uses is not known).
    Range 0..100, smaller is better; 0 for the original itself. Negative values of the adjusted Rand index count as 0.

    ``c-median`` looks at all attributes, numbers by the original's ranges, and missing values count by the schema's
    rule. ``k-means`` looks at the numeric ones alone, standardised by the original's means and standard deviations; a
    missing number stands at the mean.

    A clustering depends on its random starts. The loss between clusterings of one file by different seeds is a
    yardstick of what a loss is worth (`evosdc.clustering.stability`).
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
        seed: int = Field(1, ge=0, description="of the starts; the same for all files")

    params: Params

    def fit(self, original: Table) -> "FittedClusterAgreement":
        """Cluster the original.

        Raises
        ------
        ParameterError
            The method is k-means, and no attribute is numeric.
        """
        self.require_support(original)
        method = self.params.method or ("c-median" if original.schema.categorical else "k-means")
        if method == "k-means" and not original.schema.numeric:
            given = "k-means for a file without numeric attributes"
            raise ParameterError(Fault("measure cluster-agreement: method", given, "c-median, or none"))
        return FittedClusterAgreement(original, method, self.params)


class FittedClusterAgreement(Fitted):
    """`ClusterAgreement` of one original."""

    def __init__(self, original: Table, method: str, params: ClusterAgreement.Params) -> None:
        self._original = original
        self._method = method
        self._params = params
        self._standardisation = Standardisation.of(original)
        self._known = geometry_of(original)
        self._partition = self.partition(original)

    def partition(self, table: Table) -> NDArray[np.int64]:
        """Return the cluster of each record, shape (n,)."""
        params = self._params
        rng = stream(params.seed, Purpose.EVALUATE)
        if self._method == "c-median":
            return c_median(table, params.clusters, rng, params.starts, known=self._known).labels
        return k_means(self._standardisation.points(table), params.clusters, rng, params.starts)

    def score(self, masked: Table) -> float:
        """Return the loss, 0..100."""
        require_aligned(self._original, masked)
        return loss_of(self._params.index, agreement_of(self._partition, self.partition(masked)))
