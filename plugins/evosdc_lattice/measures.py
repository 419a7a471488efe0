"""The losses of generalised files as measures: of any table that a hierarchy can read, and of nodes directly."""

from collections.abc import Mapping
from functools import cached_property
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
from evosdc_lattice.ladder import Ladder, ladders_of
from evosdc_lattice.table_summary import covered_leaves, summarise_table


class FittedAmbiguity(Fitted):
    """Mean, over published records, of the combinations of leaves that they stand for; 1 for the original itself."""

    def __init__(self, original: Table) -> None:
        self.ladders = ladders_of(original)[0]

    def score(self, masked: Table) -> float:
        """Return the mean number of combinations; cut at 1e300."""
        sizes = np.sort(np.exp2(np.minimum(_logarithms(self.ladders, masked), 990.0)))
        return min(fsum(sizes.tolist()) / len(sizes), 1e300)


class FittedDivergence(Fitted):
    """Kullback-Leibler divergence, in bits, of the original's records from what the published file lets one assume."""

    def __init__(self, original: Table) -> None:
        self.ladders, self._names = ladders_of(original)[0], original.schema.names
        self._own = self._counts(original)

    def _counts(self, table: Table) -> NDArray[np.float64]:
        classes = equivalence_classes(key_codes(table, self._names))
        return classes.counts[classes.of].astype(np.float64)

    def score(self, masked: Table) -> float:
        """Return ``mean log2(p / q)``: p the share of the original record, q its class's over the combinations."""
        bits = np.log2(self._own) - np.log2(self._counts(masked)) + _logarithms(self.ladders, masked)
        return max(fsum(np.sort(bits).tolist()) / len(bits), 0.0)


def _logarithms(ladders: tuple[Ladder, ...], masked: Table) -> NDArray[np.float64]:
    """Return the logarithm to base 2 of the original records that each published one may be, shape (n,)."""
    return np.asarray(np.log2(covered_leaves(ladders, masked)).sum(axis=1), dtype=np.float64)


class FittedLoss(Fitted):
    """A loss that knows the original."""

    def __init__(self, loss: losses.NodeLoss, original: Table, needs_k: bool = False) -> None:
        self.loss = loss
        self.needs_k = needs_k
        self._original = original

    @cached_property
    def ladders(self) -> tuple[Ladder, ...]:
        """The ladders of the original's attributes."""
        return ladders_of(self._original)[0]

    def score(self, masked: Table) -> float:
        """Return the loss of a table, the same as that of the node which it was made from."""
        # Records whose values are all the root or emptied count as suppressed.
        shown, loss = summarise_table(self.ladders, masked), self.loss
        n, sizes = shown.n, shown.sizes
        match loss:
            case losses.Discernibility(k=k):
                kept = sizes[sizes >= k]
                return float((kept**2).sum() + n * (shown.suppressed + sizes.sum() - kept.sum()))
            case losses.MonotoneDiscernibility():
                return float((sizes**2).sum() + shown.suppressed**2)
            case losses.AverageClassSize(k=k):
                return n / (len(sizes) + (shown.suppressed > 0)) / k
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
    plain: ClassVar[losses.NodeLoss]  # how nodes are judged where there are no parameters

    def fit(self, original: Table) -> FittedLoss:
        """Return the loss, knowing the original."""
        return FittedLoss(self.loss(original), original)

    def loss(self, original: Table) -> losses.NodeLoss:
        """Return how nodes are judged."""
        return self.plain


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
    """Discernibility: the sum of squared class sizes, plus n for each suppressed record (Bayardo and Agrawal 2005)."""

    # It counts, for every record, those that equal it. With ``k`` records of smaller classes count as suppressed.

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
    """Discernibility over all classes, suppression ignored: the sum of squared class sizes."""

    # Of a published table the classes before suppression are not known: its suppressed records count as one class.
    plain = losses.MonotoneDiscernibility()


class LossMetricMeasure(NodeMeasure):
    """Loss metric of Iyengar (2002): ``(M - 1) / (|A| - 1)`` for a cell that stands for M of the ``|A|`` leaves."""

    # A cell of a suppressed record counts as the root; of a number the span of its interval over that of the original
    # counts. ``aggregate`` combines attributes: the mean (0..1), or the sum, which is the source's.

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
    """ILoss of Xiao and Tao (2006): ``(M - 1) / |A|`` for a cell that stands for M of the ``|A|`` leaves."""

    # That a suppressed cell counts as the root is a reconstruction.

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

    plain = losses.AverageClassSize()


class EntropyMeasure(NodeMeasure):
    """Non-uniform entropy in bits: the sum over cells of ``log2(n(published) / n(original))``."""

    # n counts the records of the original with a value, or below it (Gionis and Tassa 2009). With ``suppression =
    # "arx"`` suppressed cells count as in ARX.

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
    """`ambiguity`: mean number of original records that a published one may be (Nergiz and Clifton 2007)."""

    # The product over attributes of the leaves of each published value, averaged over records; a suppressed value
    # stands for its whole domain. 1 for the original itself, unbounded.

    supports: ClassVar[frozenset[Scale]] = frozenset(Scale)
    generalised: ClassVar[bool] = True

    def fit(self, original: Table) -> Fitted:
        """Return the loss, knowing the original."""
        return FittedAmbiguity(original)


class DivergenceMeasure(Measure):
    """`kl-divergence`: Kullback-Leibler divergence of the original file from the published one, in bits."""

    # With p the share of a combination in the original, and q that of its published class divided by the combinations
    # of leaves that the class stands for, ``sum p log2(p / q)`` (Kifer and Gehrke 2006): what is lost by one who
    # spreads each class evenly over what it may be. 0 for the original itself, unbounded.

    supports: ClassVar[frozenset[Scale]] = frozenset(Scale)
    generalised: ClassVar[bool] = True

    def fit(self, original: Table) -> Fitted:
        """Return the loss, knowing the original."""
        return FittedDivergence(original)


class HeightMeasure(NodeMeasure):
    """Sum of the levels of the attributes (Samarati 2001); of mixed levels the sum of their means."""

    plain = losses.Height()
