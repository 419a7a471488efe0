"""Losses that compare the contingency tables of the original and the masked file.

Only the cells that the original occupies are counted. The sum of ``|x - y|`` over all cells needs no more: the other
cells have x = 0, and their sum is the number of masked records that fall outside the occupied ones. So sparse tables of
any size cost what the original's distinct combinations cost. All measures here read their figure off the same counts.
"""

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from math import comb, prod
from typing import ClassVar, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import EvaluationError, Fault, ParameterError
from evosdc.model import Changes, Expected, JointCounts, Measure, OfCounts, Tracker
from evosdc.model.parameters import Parameters
from evosdc.randomisation.expectation import Counts as Cells
from evosdc.randomisation.expectation import expected_difference, with_missing
from evosdc.randomisation.transition import Matrix
from evosdc.table.equivalence import tallied
from evosdc.table.table import Codes, Rows, Table
from evosdc_measures.domains import Counts, Integers, require_aligned
from evosdc_measures.records import Tracked

DENSE_CELLS = 1 << 16  # larger tables are looked up by bisection over their occupied cells
MOST_EXPECTED = 1_000_000  # Cells up to which the expectation of a table is computed
MOST_MARGINALS = 20_000


def subsets(attributes: int, most: int) -> list[tuple[int, ...]]:
    """Return all non-empty subsets of at most `most` of the attributes, small ones first."""
    return [chosen for size in range(1, most + 1) for chosen in combinations(range(attributes), size)]


def require_addressable(size: int, most: int) -> None:
    """Refuse a table of at most `most` attributes that has too many cells to be numbered."""
    if size >= 1 << 62:
        raise ParameterError(Fault("K", f"{most}, a table of {size:.0e} cells", "less than 2**62", "Lower K."))


class FittedTables(Tracked):
    """The contingency tables of one original, which those of masked files are compared with."""

    def __init__(self, original: Table, chosen: Sequence[tuple[int, ...]], others: Table | None = None) -> None:
        self.original, self.chosen = original, tuple(chosen)
        self.attributes = (*original.schema.categorical, *(() if others is None else others.schema.categorical))
        self.fixed = original.codes[:, :0] if others is None else others.codes
        self.codes = original.codes if others is None else np.hstack((original.codes, others.codes))
        widths = [len(a.categories) + 1 for a in self.attributes]
        digits: list[tuple[int, int]] = []
        cells, keys, counts = [np.empty(0, np.int32)], [np.empty(0, np.int64)], [np.empty(0, np.intp)]
        layout, lookups, occupied = np.zeros((len(chosen) + 1, 3), dtype=np.int64), 0, 0
        for table, members in enumerate(chosen):
            size = prod(widths[v] for v in members)
            require_addressable(size, max(map(len, chosen)))
            strides = [prod(widths[w] for w in members[place + 1 :]) for place in range(len(members))]
            digits += zip(members, strides, strict=True)
            own, number = np.unique(
                (self.codes[:, list(members)].astype(np.int64) + 1) @ np.array(strides), return_counts=True
            )
            layout[table] = len(digits), lookups if size <= DENSE_CELLS else -1, occupied
            if size <= DENSE_CELLS:
                lookup = np.full(size, -1, dtype=np.int32)
                lookup[own] = np.arange(occupied, occupied + len(own))
                cells.append(lookup)
                lookups += size
            occupied += len(own)
            keys.append(own)
            counts.append(number)
        layout[-1] = len(digits), -1, occupied
        self.counts = np.concatenate(counts)  # Records of the original in each cell that it occupies, table by table
        self.firsts = layout[:, 2]  # Number of each table's first occupied cell, shape (T + 1,)
        self.digits = np.array(digits, dtype=np.int64).reshape(-1, 2)
        self.layout, self.cells, self.keys = layout, np.concatenate(cells), np.concatenate(keys)

    @abstractmethod
    def figure(self, moved: int, differences: Counts) -> float:
        """Return the score from the sum of ``|x - y|`` over all cells, and ``y - x`` of the cells that x occupies."""

    def track(self, masked: Table) -> "TableTracker":
        """Return a tracker of a table; O(n T)."""
        require_aligned(self.original, masked)
        return TableTracker(self, masked)


class TableTracker(Tracker):
    """The counts of one masked file."""

    def __init__(self, fitted: FittedTables, masked: Table) -> None:
        self._fitted, self._moved = fitted, 0
        self._differences = np.zeros(len(fitted.counts), dtype=np.int32)
        # The original does not differ from itself: the masked file is followed as one change of it.
        self.take(Changes.of_one(np.arange(len(masked), dtype=np.intp), fitted.original, masked))

    @property
    def score(self) -> float:
        """The score of the table."""
        return self._fitted.figure(self._moved, self._differences)

    def take(self, change: Changes) -> None:
        """Update to a child; O(m T)."""
        self._moved = int(self._sums(change, True)[0])

    def tries(self, changes: Changes) -> NDArray[np.float64]:
        """Return the scores of children; O(m T) each, and O(cells) where these are looked at."""
        if not isinstance(self._fitted, FittedSum):
            return super().tries(changes)
        return self._sums(changes, False) * self._fitted.factor / self._fitted.unit

    def _sums(self, changes: Changes, stays: bool) -> Integers:
        """Return the sum of ``|x - y|`` of each child; `stays` for one that the tracker goes on to."""
        fitted, before, after = self._fitted, changes.before.codes, changes.after.codes
        found: Integers = sums_of_changes(
            *(before, after, fitted.fixed, changes.rows, changes.ends, stays, self._differences, self._moved),
            *(fitted.digits, fitted.layout, fitted.cells, fitted.keys),
        )
        return found


class FittedSum(FittedTables, Expected):
    """The sum over all cells of all tables of ``|x - y|``, divided by its greatest value and times 100."""

    def __init__(
        self,
        original: Table,
        chosen: Sequence[tuple[int, ...]],
        name: str,
        per_cell: bool = False,
        others: Table | None = None,
    ) -> None:
        super().__init__(original, chosen, others)
        self.name = name
        missing = self.codes < 0
        self.gaps = [bool(missing[:, v].any()) for v in range(missing.shape[1])]
        sizes = [len(a.categories) + gap for a, gap in zip(self.attributes, self.gaps, strict=True)]
        self.shapes = [tuple(sizes[v] for v in members) for members in self.chosen]
        # Without a table nothing is lost.
        greatest = max(2 * len(original) * len(self.chosen), 1)
        self.factor, self.unit = (1.0, sum(map(prod, self.shapes))) if per_cell else (100.0, greatest)

    def figure(self, moved: int, differences: Counts) -> float:
        """Return the loss."""
        return self.factor * moved / self.unit

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expected loss by `evosdc.randomisation.expectation`; attributes that are not masked stay."""
        stay = [np.identity(len(a.categories)) for a in self.attributes[len(transitions) :]]
        matrices = [with_missing(P) if gap else P for P, gap in zip((*transitions, *stay), self.gaps, strict=True)]
        tables = zip(self._dense, self.chosen, strict=True)
        total = sum(expected_difference(table, [matrices[v] for v in members]) for table, members in tables)
        return self.factor * total / self.unit

    @cached_property
    def _dense(self) -> list[Cells]:
        """The counts of each table, one axis an attribute."""
        tables = []
        for members, shape in zip(self.chosen, self.shapes, strict=True):
            if prod(shape) > MOST_EXPECTED:
                given = f"{self.name}: a table of {prod(shape)} cells is too large for expectations; lower K"
                raise EvaluationError(given)
            codes = [self.codes[:, v] % size for v, size in zip(members, shape, strict=True)]
            counts: NDArray[np.intp] = np.bincount(np.ravel_multi_index(codes, shape), minlength=prod(shape))
            tables.append(counts.reshape(shape).astype(np.float64))
        return tables


@njit(cache=True)
def sums_of_changes(
    before: Codes,
    after: Codes,
    fixed: Codes,
    rows: Rows,
    ends: Integers,
    stays: bool,
    differences: Counts,
    moved: int,
    digits: Integers,
    tables: Integers,
    cells: Counts,
    keys: Integers,
) -> Integers:
    """Return the sum of ``|x - y|`` over all cells, of each child; with `stays`, of the child taken."""
    # `fixed` holds the attributes that are not masked of all records, `digits` the attribute and the stride of each
    # digit of all tables.
    width, begin = before.shape[1], 0
    sums = np.empty(len(ends), np.int64)
    for child in range(len(ends)):
        total = moved
        # Each child is followed and taken back, so that no tables are copied.
        for way in range(1 if stays else 2):
            source, target = (before, after) if way == 0 else (after, before)
            for i in range(begin, ends[child]):
                position = 0
                for table in range(len(tables) - 1):
                    left, entered = 0, 0
                    while position < tables[table, 0]:
                        v, stride = digits[position, 0], digits[position, 1]
                        if v < width:
                            left += (source[i, v] + 1) * stride
                            entered += (target[i, v] + 1) * stride
                        else:
                            shared = (fixed[rows[i], v - width] + 1) * stride
                            left += shared
                            entered += shared
                        position += 1
                    if left == entered:
                        continue
                    lookup = tables[table, 1]
                    for step in (-1, 1):
                        key = left if step < 0 else entered
                        if lookup >= 0:
                            cell = int(cells[lookup + key])
                        else:
                            low, high = int(tables[table, 2]), int(tables[table + 1, 2])
                            while low < high:
                                middle = (low + high) // 2
                                if keys[middle] < key:
                                    low = middle + 1
                                else:
                                    high = middle
                            cell = low if low < tables[table + 1, 2] and keys[low] == key else -1
                        if cell < 0:
                            total += step
                        else:
                            total += 1 if differences[cell] * step >= 0 else -1
                            differences[cell] += step
            if way == 0:
                sums[child] = total
        begin = ends[child]
    return sums


class TableComparison(Measure):
    """A loss over all contingency tables of at most K of the categorical attributes."""

    partial: ClassVar[bool] = True

    class Params(Parameters):
        """Which tables are compared."""

        K: int = Field(2, ge=1, description="Greatest number of attributes of a table; more than there are means all.")

    def chosen(self, attributes: int) -> list[tuple[int, ...]]:
        """Return the attributes of each table of a file of `attributes` attributes."""
        return subsets(attributes, min(self.params.K, attributes))


class ContingencyTableLoss(TableComparison, OfCounts):
    """Share of records moved to another cell, over all contingency tables of at most K attributes, times 100.

    ``CTBIL = sum over tables of sum over cells of |x - y|`` (Domingo-Ferrer and Torra, 2001). Each table contributes at
    most 2n, so the score is ``100 * CTBIL / (2 n T)`` with T tables: range 0..100, smaller is better. That
    normalisation is a reconstruction; the source divides by the number of cells (`actbil`), which is not comparable
    with other losses.

    The measure does not see which record changed: a permutation of the file has loss 0. A missing value is a category
    of its own under the rules ``category`` and ``wildcard`` alike, since a count has no wildcards.
    """

    name: ClassVar[str] = "ctbil"
    per_cell: ClassVar[bool] = False  # Whether the sum is divided by the number of cells

    def fit(self, original: Table) -> FittedSum:
        """Count the original's tables."""
        self.require_support(original)
        return FittedSum(original, self.chosen(original.codes.shape[1]), self.name, self.per_cell)

    def score_of_counts(self, counts: JointCounts) -> float:
        """Return the loss from the distinct records of both files."""
        chosen, total = self.chosen(len(counts.pairs)), 0
        widths = [len(a.categories) + 1 for a in counts.schema.categorical]
        changes = np.concatenate((counts.original_counts, -counts.masked_counts))
        both = np.concatenate((counts.original, counts.masked))
        for members in chosen:
            shape = tuple(widths[v] for v in members)
            require_addressable(prod(shape), len(members))
            keys = np.ravel_multi_index(tuple(both[:, list(members)].T + 1), shape)
            total += int(np.abs(tallied(keys, changes)[2]).sum())
        if not self.per_cell:
            return 100.0 * total / (2 * counts.records * len(chosen))
        gaps = [bool(pairs[-1].any()) for pairs in counts.pairs]
        return total / sum(prod(widths[v] - 1 + gaps[v] for v in members) for members in chosen)


class AverageContingencyTableLoss(ContingencyTableLoss):
    """Mean of ``|x - y|`` over all cells of all contingency tables of at most K attributes.

    ACTBIL of the handbook: CTBIL divided by the number of cells, empty ones included, of all tables considered. Range
    0 upwards, smaller is better: a mean number of records, not a percentage, so it is not combined with other losses. A
    missing value is a category of its own.
    """

    name, per_cell = "actbil", True


class KMarginal(Measure):
    """The k-marginal score of NIST as a loss: mean total variation distance of all tables of k attributes, times 100.

    NIST's score of a release is ``1000 (1 - this / 100)`` for k = 3: the mean over marginals of the sum of absolute
    differences of densities, 0 to 2, turned round (NIST PSCR challenge 2018; SDNist). All sets of k attributes count,
    where NIST's programs draw some. With fewer attributes than k it is the table of all. Range 0..100, smaller is
    better.
    """

    partial: ClassVar[bool] = True

    class Params(Parameters):
        """How many attributes a table has."""

        k: int = Field(3, ge=1, description="Attributes of a table.")

    def fit(self, original: Table) -> FittedSum:
        """Count the original's tables."""
        self.require_support(original)
        attributes = original.codes.shape[1]
        k = min(self.params.k, attributes)
        if comb(attributes, k) > MOST_MARGINALS:
            given = f"{comb(attributes, k):,} tables of {k} of {attributes} attributes"
            raise ParameterError(Fault("measure k-marginal: k", given, f"at most {MOST_MARGINALS:,}", "Lower k."))
        return FittedSum(original, list(combinations(range(attributes), k)), "k-marginal")


class CellComparison(TableComparison):
    """A figure of the masked and the original counts of all cells that the original occupies."""

    def fit(self, original: Table) -> "FittedCells":
        """Count the original's tables."""
        self.require_support(original)
        return FittedCells(self, original, self.chosen(original.codes.shape[1]))

    @abstractmethod
    def figure(self, tables: FittedTables, differences: Counts) -> float:
        """Return the score from the masked minus the original count of each cell that the original occupies."""


class FittedCells(FittedTables):
    """A comparison of cells with those of one original."""

    def __init__(self, measure: CellComparison, original: Table, chosen: list[tuple[int, ...]]) -> None:
        super().__init__(original, chosen)
        self._measure = measure

    def figure(self, moved: int, differences: Counts) -> float:
        """Return the figure of the measure; O(cells)."""
        return self._measure.figure(self, differences)


class MeanVariation(CellComparison):
    """Mean relative change of the cells that the original occupies, ``100 * mean of |x - y| / x``, in per cent.

    CTBIL' of the slides, "mean variation" of frequencies, over all contingency tables of at most K attributes; over
    two-way tables the same figure is known as the relative absolute average difference. Cells with x = 0 have no
    relative change and are left out: a reconstruction, the sources say nothing of them. Range 0 upwards, since a
    rare cell may grow many times over; smaller is better. A missing value is a category of its own.
    """

    def figure(self, tables: FittedTables, differences: Counts) -> float:
        """Return the mean relative change in per cent."""
        return 100.0 * float((np.abs(differences) / tables.counts).mean())


class FrequencyChange(MeanVariation):
    """Mean relative change of the categories' frequencies, ``100 * mean of |T' - T| / T``, in per cent.

    Over all categories that the original has, a missing value being one: `MeanVariation` of single attributes. Range 0
    upwards, smaller is better. The name is a caption of the thesis, which does not print the formula: a reconstruction.
    """

    class Params(Parameters):
        """No parameters."""

    def chosen(self, attributes: int) -> list[tuple[int, ...]]:
        """Return each attribute alone."""
        return subsets(attributes, 1)


class HellingerLoss(CellComparison):
    """Mean Hellinger distance between the contingency tables of at most K attributes, times 100.

    ``sqrt(1/2 sum (sqrt(o) - sqrt(m))^2 / n)`` of each table's original counts o and masked counts m (Shlomo and Young,
    2006, for two-way tables; the division by ``sqrt(n)``, tables of other sizes and their mean are reconstructions).
    Range 0..100, smaller is better: 0 for equal tables, 100 where no cell is occupied in both. Permutations of the file
    have loss 0. A missing value is a category of its own.
    """

    def figure(self, tables: FittedTables, differences: Counts) -> float:
        """Return the mean distance, 0..100."""
        # 1/2 sum (sqrt(o) - sqrt(m))^2 is n - sum sqrt(o m), to which only cells occupied in both contribute.
        products = tables.counts * (differences.astype(np.float64) + tables.counts)
        common = np.add.reduceat(np.sqrt(products), tables.firsts[:-1]) / len(tables.original)
        return 100.0 * float(np.sqrt(np.maximum(1.0 - common, 0.0)).mean())


class CellQuantile(CellComparison):
    """A quantile of the changes of the cells that the original occupies, over all tables of at most K attributes.

    Changes are ``|x - y|`` in records, ``|x - y| / x`` or ``|sqrt x - sqrt y|``, as the table of information loss of
    targeted record swapping has them (Eurostat's guidelines; ``infoLoss`` of sdcMicro, which looks at cells that were
    empty before as well). Unbounded, smaller is better; 0 for a permutation of the file. Quantiles are interpolated.
    """

    class Params(TableComparison.Params):
        """Which quantile of which changes."""

        q: float = Field(0.95, ge=0.0, le=1.0, description="The quantile, 1 for the greatest change.")
        change: Literal["absolute", "relative", "roots"] = Field("absolute", description="How changes are taken.")

    def figure(self, tables: FittedTables, differences: Counts) -> float:
        """Return the quantile."""
        changes = np.abs(differences).astype(np.float64)
        if self.params.change == "relative":
            changes /= tables.counts
        elif self.params.change == "roots":
            changes = np.abs(np.sqrt(tables.counts) - np.sqrt(tables.counts + differences))
        return float(np.quantile(changes, self.params.q))


class FalseZeros(CellComparison):
    """Cells that the original occupies and the masked file does not, over all tables of at most K attributes, per cent.

    False zeros: an analyst concludes that such people do not exist. Range 0..100, smaller is better. A missing value is
    a category of its own.
    """

    def figure(self, tables: FittedTables, differences: Counts) -> float:
        """Return the percentage of emptied cells."""
        return 100.0 * float(np.count_nonzero(differences == -tables.counts)) / len(tables.counts)
