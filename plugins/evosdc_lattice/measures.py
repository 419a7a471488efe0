"""The losses of generalised files as measures: of any table that a hierarchy can read, and of nodes directly."""

from abc import abstractmethod
from collections.abc import Mapping
from math import fsum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Fitted, Measure, Parameters
from evosdc.table.equivalence import equivalence_classes, key_codes
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_lattice import losses
from evosdc_lattice.ladder import Ladder, ladders_of, with_hierarchy
from evosdc_lattice.table_summary import TableSummary, covered_leaves, summarise_table


class _OfRecords(Fitted):
    """A loss by the leaves that each published value stands for."""

    def __init__(self, original: Table) -> None:
        self._original = original
        columns = [original.column(name) for name in original.schema.names]
        attributes = [
            with_hierarchy(attribute, column)[0]
            for attribute, column in zip(original.schema.attributes, columns, strict=True)
        ]
        self._ladders: tuple[Ladder, ...] = ladders_of(attributes, columns)

    def logarithms(self, masked: Table) -> NDArray[np.float64]:
        """Return the logarithm to base 2 of the original records that each published one may be, shape (n,)."""
        leaves = covered_leaves(self._ladders, masked)
        return np.asarray(np.log2(leaves).sum(axis=1), dtype=np.float64)


class FittedAmbiguity(_OfRecords):
    """Mean, over published records, of the combinations of leaves that they stand for; 1 for the original itself."""

    def score(self, masked: Table) -> float:
        """Return the mean number of combinations; cut at 1e300."""
        sizes = np.sort(np.exp2(np.minimum(self.logarithms(masked), 990.0)))
        return min(fsum(sizes.tolist()) / len(sizes), 1e300)


class FittedDivergence(_OfRecords):
    """Kullback-Leibler divergence, in bits, of the original's records from what the published file lets one assume."""

    def __init__(self, original: Table) -> None:
        super().__init__(original)
        classes = equivalence_classes(key_codes(original, original.schema.names))
        self._own = classes.counts[classes.of].astype(np.float64)

    def score(self, masked: Table) -> float:
        """Return ``mean log2(p / q)``: p the share of the original record, q its class's over the combinations."""
        classes = equivalence_classes(key_codes(masked, self._original.schema.names))
        shown = classes.counts[classes.of].astype(np.float64)
        bits = np.sort(np.log2(self._own) - np.log2(shown) + self.logarithms(masked))
        return max(fsum(bits.tolist()) / len(bits), 0.0)


class FittedLoss(Fitted):
    """A loss that knows the original.

    Parameters
    ----------
    loss : NodeLoss
        How a node is judged.
    original : Table
        Hierarchies are those of its schema; where it has none they are built as the genotype `lattice` builds them.
    """

    def __init__(self, loss: losses.NodeLoss, original: Table, needs_k: bool = False) -> None:
        self.loss = loss
        self.needs_k = needs_k
        self._original = original
        self._ladders: tuple[Ladder, ...] | None = None

    @property
    def ladders(self) -> tuple[Ladder, ...]:
        """The ladders of the original's attributes."""
        if self._ladders is None:
            columns = [self._original.column(name) for name in self._original.schema.names]
            attributes = [
                with_hierarchy(attribute, column)[0]
                for attribute, column in zip(self._original.schema.attributes, columns, strict=True)
            ]
            self._ladders = ladders_of(attributes, columns)
        return self._ladders

    def score(self, masked: Table) -> float:
        """Return the loss of a table; records whose values are all the root or emptied count as suppressed.

        Parameters
        ----------
        masked : Table
            Row-aligned with the original, in its own schema: values of the original, labels of its hierarchies,
            intervals and sets (`evosdc.table.generalisation`).

        Raises
        ------
        DataError
            A label that stands for nothing in its attribute's domain.
        """
        return judged(self.loss, summarise_table(self.ladders, masked))


def judged(loss: losses.NodeLoss, shown: TableSummary) -> float:
    """Return the loss of a published table, the same as that of the node which it was made from."""
    n = shown.n
    match loss:
        case losses.Discernibility(k=k):
            small = [size for size in shown.sizes if size < k]
            return float(shown.kept_squares - sum(size**2 for size in small) + n * (shown.suppressed + sum(small)))
        case losses.MonotoneDiscernibility():
            return float(shown.kept_squares + shown.suppressed**2)
        case losses.AverageClassSize(k=k):
            return n / (shown.kept + (shown.suppressed > 0)) / k
        case losses.LossMetric():
            sums = shown.leaf_counts if isinstance(loss, losses.LeafShare) else shown.leaf_losses
            gone = [float((domain - 1) * shown.suppressed) for domain in shown.domains]
            totals = [loss.weighed(total - of, of) for total, of in zip(sums, gone, strict=True)]
            return loss.combined(totals, n, shown.domains)
        case losses.NonUniformEntropy(weights=weights, suppression=suppression):
            read = shown.bits if suppression is True else shown.generalised_bits
            among = shown.suppressed_bits if suppression == "arx" else (0.0,) * len(weights)
            return sum(weight * (own + gone) for weight, own, gone in zip(weights, read, among, strict=True))
        case losses.Imprecision(weights=weights):
            parts = [level / height for level, height in zip(shown.levels, shown.heights, strict=True)]
            share = shown.suppressed / n
            return losses.aggregated(parts, weights, "mean") * (1.0 - share) + share
        case losses.Height():
            return float(sum(shown.levels))
        case _:
            raise AssertionError(f"no figure of tables for {type(loss).__name__}")


class NodeMeasure(Measure):
    """A loss of generalised files: a figure of its own, not a percentage; less is better."""

    supports: ClassVar[frozenset[Scale]] = frozenset(Scale)
    generalised: ClassVar[bool] = True

    def fit(self, original: Table) -> FittedLoss:
        """Return the loss, knowing the original."""
        return FittedLoss(self.loss(original), original)

    @abstractmethod
    def loss(self, original: Table) -> losses.NodeLoss:
        """Return how nodes are judged."""


class _Weighted(Parameters):
    weights: Mapping[str, float] = Field(
        default_factory=dict, description="weight of each attribute by name; 1 where not given"
    )


def _weights(params: Any, original: Table, where: str) -> tuple[float, ...]:
    original.schema.require(params.weights, f"measure {where}: weights")
    negative = [name for name, weight in params.weights.items() if weight < 0]
    weights = tuple(float(params.weights.get(name, 1.0)) for name in original.schema.names)
    if negative or sum(weights) <= 0:
        given = f"a negative weight of {', '.join(negative)}" if negative else "weights that are all 0"
        raise ParameterError(Fault(f"measure {where}: weights", given, "weights from 0, at least one above 0"))
    return weights


class DiscernibilityMeasure(NodeMeasure):
    """Discernibility: the sum of squared class sizes, plus n for each suppressed record (Bayardo and Agrawal 2005).

    It counts, for every record, those that equal it. With ``k`` records of smaller classes count as suppressed.
    """

    class Params(Parameters):
        """Which classes count as suppressed."""

        k: int | None = Field(
            None, ge=1, description="records of classes of fewer count as suppressed; default: only those that are"
        )

    params: Params

    def loss(self, original: Table) -> losses.NodeLoss:
        """Return DM."""
        return losses.Discernibility(self.params.k or 1)


class MonotoneDiscernibilityMeasure(NodeMeasure):
    """Discernibility over all classes, suppression ignored: the sum of squared class sizes.

    Of a published table the classes before suppression are not known: its suppressed records count as one class.
    """

    def loss(self, original: Table) -> losses.NodeLoss:
        """Return DM*."""
        return losses.MonotoneDiscernibility()


class LossMetricMeasure(NodeMeasure):
    """Loss metric of Iyengar (2002): ``(M - 1) / (|A| - 1)`` for a cell that stands for M of the ``|A|`` leaves.

    A cell of a suppressed record counts as the root; of a number the span of its interval over that of the original
    counts. ``aggregate`` combines attributes: the mean (0..1), or the sum, which is the source's.
    """

    class Params(_Weighted):
        """Aggregate and weights."""

        aggregate: losses.Aggregate = Field(
            "mean", description="how the attributes' losses become one; the source sums them"
        )
        gs_factor: float = Field(
            0.5, ge=0, le=1, description="below 0.5 suppressed records count for less, above it generalised values do"
        )

    params: Params

    def loss(self, original: Table) -> losses.NodeLoss:
        """Return LM."""
        return losses.LossMetric(_weights(self.params, original, "lm"), self.params.aggregate, self.params.gs_factor)


class LeafShareMeasure(LossMetricMeasure):
    """ILoss of Xiao and Tao (2006): ``(M - 1) / |A|`` for a cell that stands for M of the ``|A|`` leaves; 0 for a leaf.

    Parameters are those of ``lm``. That a suppressed cell counts as the root is a reconstruction.
    """

    def loss(self, original: Table) -> losses.NodeLoss:
        """Return ILoss."""
        return losses.LeafShare(_weights(self.params, original, "iloss"), self.params.aggregate, self.params.gs_factor)


class AverageClassSizeMeasure(NodeMeasure):
    """Average class size over k (LeFevre and others 2006); all suppressed records are one class."""

    class Params(Parameters):
        """The divisor."""

        k: int | None = Field(None, ge=1, description="divisor; default: k of the genotype, 1 where it has none")

    params: Params

    def fit(self, original: Table) -> FittedLoss:
        """Return C_AVG."""
        return FittedLoss(self.loss(original), original, self.params.k is None)

    def loss(self, original: Table) -> losses.NodeLoss:
        """Return C_AVG."""
        return losses.AverageClassSize(float(self.params.k or 1))


class PlainClassSizeMeasure(NodeMeasure):
    """Average size of the classes; all suppressed records are one class."""

    def loss(self, original: Table) -> losses.NodeLoss:
        """Return AECS."""
        return losses.AverageClassSize()


class EntropyMeasure(NodeMeasure):
    """Non-uniform entropy in bits: the sum over cells of ``log2(n(published) / n(original))``.

    n counts the records of the original with a value, or below it (Gionis and Tassa 2009). With
    ``suppression = "arx"`` suppressed cells count as in ARX.
    """

    class Params(_Weighted):
        """Weights, and how suppressed records count."""

        suppression: losses.Suppression = Field(
            True,
            description="whether a suppressed value counts as the root; false: as generalised; arx: as generalised, "
            "and its step to the root is taken among the suppressed records alone",
        )

    params: Params

    def loss(self, original: Table) -> losses.NodeLoss:
        """Return the entropy."""
        return losses.NonUniformEntropy(_weights(self.params, original, "entropy"), self.params.suppression)


class ImprecisionMeasure(NodeMeasure):
    """One minus the precision of Sweeney (2002): the mean of level over height; a suppressed cell counts 1."""

    class Params(_Weighted):
        """Weights."""

    params: Params

    def loss(self, original: Table) -> losses.NodeLoss:
        """Return the imprecision."""
        return losses.Imprecision(_weights(self.params, original, "precision"))


class AmbiguityMeasure(Measure):
    """`ambiguity`: mean number of original records that a published one may be (Nergiz and Clifton 2007).

    The product over attributes of the leaves of each published value, averaged over records; a suppressed value stands
    for its whole domain. 1 for the original itself, unbounded.
    """

    supports: ClassVar[frozenset[Scale]] = frozenset(Scale)
    generalised: ClassVar[bool] = True

    def fit(self, original: Table) -> Fitted:
        """Return the loss, knowing the original."""
        return FittedAmbiguity(original)


class DivergenceMeasure(Measure):
    """`kl-divergence`: Kullback-Leibler divergence of the original file from the published one, in bits.

    With p the share of a combination in the original, and q that of its published class divided by the combinations of
    leaves that the class stands for, ``sum p log2(p / q)`` (Kifer and Gehrke 2006): what is lost by one who spreads
    each class evenly over what it may be. 0 for the original itself, unbounded.
    """

    supports: ClassVar[frozenset[Scale]] = frozenset(Scale)
    generalised: ClassVar[bool] = True

    def fit(self, original: Table) -> Fitted:
        """Return the loss, knowing the original."""
        return FittedDivergence(original)


class HeightMeasure(NodeMeasure):
    """Sum of the levels of the attributes (Samarati 2001); of mixed levels the sum of their means."""

    def loss(self, original: Table) -> losses.NodeLoss:
        """Return the height."""
        return losses.Height()
