"""The losses of generalised files as measures: of any table that a hierarchy can read, and of nodes directly.

A label of the hierarchy counts the leaves below it, whether they occur or not, numbers too: figures then agree with
those of full-domain generalisation. Any other interval of numbers, as local recodings publish them, loses its span
relative to the span of the original (Iyengar, 2002), cut to it. A set or an interval of categories counts them. The
level of a label that the hierarchy does not have is that of the lowest node above all that it stands for: a
reconstruction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import DataError, Fault, FaultCollector, ParameterError
from evosdc.model import Fitted, Measure, Parameters
from evosdc.table.equivalence import equivalence_classes, key_codes
from evosdc.table.generalisation import Extent, LabelReader
from evosdc.table.hierarchy import ROOT
from evosdc.table.numerals import number, numeral
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_lattice import losses
from evosdc_lattice.ladder import Ladder, ladders_of


@dataclass(frozen=True, slots=True)
class LabelCoverage:
    """What a label stands for."""

    leaves: int  # of the hierarchy
    loss: float  # ``leaves - 1``, or what stands for it for an interval of numbers
    records: int  # of the original whose value is among them; 0 for a value that stands for itself alone
    level: int


ITSELF = LabelCoverage(1, 0.0, 0, 0)  # a value that stands for itself alone


class CoverageReader:
    """Reads the labels of one attribute."""

    def __init__(self, ladder: Ladder) -> None:
        assert ladder.attribute.hierarchy is not None
        self._ladder = ladder
        self._hierarchy = ladder.attribute.hierarchy
        self._labels = LabelReader(ladder.attribute)
        self._root = ladder.labels[-1][0]
        self._nodes: dict[str, LabelCoverage] = {}
        for level in range(ladder.height, -1, -1):
            # The least level of a label that stands on several is the one that counts.
            places = zip(ladder.labels[level], ladder.leaves[level], ladder.frequencies[level], strict=True)
            for label, below, records in places:
                if label is not None:
                    found = int(records) if level else 0
                    self._nodes[label] = LabelCoverage(int(below), float(below - 1), found, level)
        leaves = (*self._hierarchy.leaves, *ladder.labels[0])
        self._numbers = {leaf: number(leaf) for leaf in leaves if leaf is not None}

    def is_root(self, label: str) -> bool:
        """Whether a label stands for everything."""
        return label in (self._root, ROOT) and label not in self._ladder.attribute.code

    def read(self, label: str) -> LabelCoverage | None:
        """Return what a label stands for, or None where it is no label of the attribute."""
        if label in self._nodes:
            return self._nodes[label]
        if self.is_root(label):
            domain = self._ladder.domain
            return LabelCoverage(domain, float(domain - 1), len(self._ladder.base), self._ladder.height)
        extent = self._labels.read(label)
        if extent is None or extent.low == extent.high or len(extent.codes) == 1:
            return None if extent is None else ITSELF
        ladder, hierarchy = self._ladder, self._hierarchy
        covered = {ladder.attribute.categories[code] for code in extent.codes}
        below = [at for at, labels in enumerate(hierarchy.levels) if label in labels]
        inside = below or [at for at, leaf in enumerate(hierarchy.leaves) if self._covers(extent, covered, leaf)]
        leaves = max(len(inside), 1)
        loss = float(leaves - 1) if covered or below else self._span(extent) * (ladder.domain - 1)
        occurring = [value is not None and self._covers(extent, covered, value) for value in ladder.labels[0]]
        records = int(ladder.frequencies[0][np.array(occurring, dtype=bool)].sum())
        # The least level at which all leaves inside share a label.
        above = (len({hierarchy.levels[at][level] for at in inside}) for level in range(ladder.height - 1))
        shared = (level + 1 for level, labels in enumerate(above) if labels < 2)
        return LabelCoverage(leaves, loss, records, next(shared, ladder.height))

    def _covers(self, extent: Extent, covered: set[str], leaf: str) -> bool:
        if covered:
            return leaf in covered
        value = self._numbers[leaf]
        return value is not None and extent.covers(value)

    def _span(self, extent: Extent) -> float:
        values = [self._numbers[label] for label in self._ladder.labels[0] if label is not None]
        occurring = [value for value in values if value is not None] or [0.0]
        low, high = min(occurring), max(occurring)
        covered = min(extent.high, high) - max(extent.low, low)
        return max(covered, 0.0) / (high - low) if high > low else 0.0


@dataclass(frozen=True)
class TableSummary:
    """What a published table shows."""

    n: int
    suppressed: int  # records
    sizes: NDArray[np.int64]  # of the classes, suppressed records left out
    # By attribute from here on. Sums over records of leaves - 1; the former takes the span of an interval of numbers in
    # place of its leaves.
    leaf_losses: tuple[float, ...]
    leaf_counts: tuple[float, ...]
    bits: tuple[float, ...]  # non-uniform entropy
    # The same with suppressed records at the level of the others, or as they were where these stand on no one level;
    # and the bits from there to the root among the suppressed records alone.
    generalised_bits: tuple[float, ...]
    suppressed_bits: tuple[float, ...]
    # The least level at which all values stand, suppressed records left out; where they do not stand on one level, the
    # mean level of the values. The highest level where all records are suppressed.
    levels: tuple[float, ...]
    domains: tuple[int, ...]  # leaves of the hierarchy
    heights: tuple[int, ...]  # the highest level


@dataclass(frozen=True, eq=False)
class _ColumnSummary:
    codes: NDArray[np.int64]
    labels: tuple[str | None, ...]
    coverages: tuple[LabelCoverage, ...]
    emptied: NDArray[np.bool_]  # where a value is missing that the original has
    root: NDArray[np.bool_]


def summarise_table(ladders: Sequence[Ladder], masked: Table) -> TableSummary:
    """Return what a published table shows of the original that the ladders were made from."""
    # A value of the attribute itself covers itself alone. A value that is missing in the published table only is
    # suppressed, as the root is; a record all of whose values are suppressed is a suppressed record.
    columns = _columns(ladders, masked)
    suppressed = np.all([column.root for column in columns], axis=0)
    codes = np.stack([column.codes for column in columns], axis=1)[~suppressed]
    sizes = np.unique(codes, axis=0, return_counts=True)[1] if len(codes) else np.zeros(0)
    read = [_read(ladder, column, suppressed) for ladder, column in zip(ladders, columns, strict=True)]
    domains, heights = tuple(ladder.domain for ladder in ladders), tuple(ladder.height for ladder in ladders)
    losses, counts, bits, generalised, gone, levels = zip(*read, strict=True)
    facts = len(masked), int(suppressed.sum()), sizes.astype(np.int64)
    return TableSummary(*facts, losses, counts, bits, generalised, gone, levels, domains, heights)


def covered_leaves(ladders: Sequence[Ladder], masked: Table) -> NDArray[np.float64]:
    """Return how many leaves each published value stands for, shape (n, V); a suppressed one for all of its domain."""
    found = []
    for ladder, column in zip(ladders, _columns(ladders, masked), strict=True):
        leaves = np.array([coverage.leaves for coverage in column.coverages], dtype=np.float64)[column.codes]
        found.append(np.where(column.emptied, float(ladder.domain), leaves))
    return np.column_stack(found)


def _columns(ladders: Sequence[Ladder], masked: Table) -> list[_ColumnSummary]:
    """Return the columns as read; raises `DataError` where labels of attributes stand for nothing in their domain."""
    collect, columns = FaultCollector(), []
    for ladder in ladders:
        with collect.step():
            columns.append(_column(ladder, masked))
    if collect.faults:
        raise DataError(collect.faults)
    return columns


def _column(ladder: Ladder, masked: Table) -> _ColumnSummary:
    attribute = masked.schema[ladder.attribute.name]
    values = masked.column(attribute.name)
    present, codes = np.unique(values, return_inverse=True)
    codes = codes.reshape(-1).astype(np.int64)
    labels: list[str | None]
    if attribute.categorical:
        labels = [None if value < 0 else attribute.categories[int(value)] for value in present]
    else:
        labels = [None if np.isnan(value) else numeral(float(value), attribute.decimals) for value in present]
    reader = CoverageReader(ladder)
    found = [ITSELF if label is None else reader.read(label) for label in labels]
    strange = [label for label, coverage in zip(labels, found, strict=True) if coverage is None]
    if strange:
        given = f"the label {strange[0]!r}" + (f" and {len(strange) - 1} more" if strange[1:] else "")
        wanted = "values of the original, labels of its hierarchy, [a, b], {a, b}, >= a, <= a or *"
        advice = "Give the schema the hierarchy that the labels are of."
        raise DataError(Fault(f"masked: {attribute.name}", given, wanted, advice))
    absent = np.array([label is None for label in ladder.labels[0]], dtype=bool)[ladder.base]
    emptied = np.array([label is None for label in labels], dtype=bool)[codes] & ~absent
    root = np.array([label is not None and reader.is_root(label) for label in labels], dtype=bool)[codes] | emptied
    return _ColumnSummary(codes, tuple(labels), tuple(m for m in found if m is not None), emptied, root)


def _read(ladder: Ladder, column: _ColumnSummary, suppressed: NDArray[np.bool_]) -> tuple[float, ...]:
    """Return the sums of leaf losses and counts, the three kinds of bits and the level of one attribute."""
    top = ladder.domain - 1
    loss, count, wide, level = (
        np.where(column.emptied, whole, np.array(parts, dtype=np.float64)[column.codes])
        for whole, parts in (
            (top, [m.loss for m in column.coverages]),
            (top, [m.leaves - 1 for m in column.coverages]),
            (len(column.codes), [m.records for m in column.coverages]),
            (ladder.height, [m.level for m in column.coverages]),
        )
    )
    own = ladder.frequencies[0][ladder.base]
    each = np.log2(np.maximum(wide, own)) - np.log2(own)
    bits = max(float(each.sum()), 0.0)
    sums = float(loss.sum()), float(count.sum()), bits
    if suppressed.all():  # of a file of nothing but roots no label tells the level
        return *sums, bits, 0.0, float(ladder.height)
    used = {column.labels[code] for code in np.unique(column.codes[~suppressed])}
    joint = next((at for at, labels in enumerate(ladder.labels) if used <= set(labels)), None)
    alike = joint is not None and not column.emptied[~suppressed].any()
    common = float(joint) if joint is not None and alike else float(level[~suppressed].mean())
    at = joint if joint is not None and alike else 0
    codes = ladder.codes[at][ladder.base[suppressed]]
    step = float((np.log2(ladder.frequencies[at][codes]) - np.log2(own[suppressed])).sum())
    present = np.bincount(codes)[codes]
    gone = float((np.log2(len(codes)) - np.log2(present)).sum()) if len(codes) else 0.0
    return *sums, max(float(each[~suppressed].sum()) + step, 0.0), gone, common


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
