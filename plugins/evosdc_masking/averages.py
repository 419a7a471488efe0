"""Averages of classes, and what methods have in common that publish them.

Lower medians of ordinal attributes, modes of nominal ones and means of numbers, unless another is named. With an even
number of values the lower of the two middle categories is taken, so an average is always a category of
the domain; categories of equal frequency are decided by the order of the categories (thesis 2.3; Domingo-Ferrer and
Torra 2005). Three more are offered where a scale has them:

- the convex median of an ordinal attribute: the median of the least frequencies that are no less than the given ones
  and rise to a summit and fall from there, ``min(max(f[:i + 1]), max(f[i:]))``. The literature names the convex median
  and compares it with the median; its definition is not in the sources, so this is a reconstruction;
- the mode of ordinal categories and of numbers;
- the mean of ordinal categories: the category nearest to the mean of their positions, the lower in a tie; it takes the
  steps between categories as equal.

How missing values take part is a choice of evosdc, a reconstruction: under the rule ``category`` a missing value
competes for the mode as the last category, and any other average is missing where more than half of the values are;
under ``wildcard`` an average is missing only where all values are. In a sample with weights a record counts its weight.
"""

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import ClassVar, Final, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.model import Design, Parameters, Tunable
from evosdc.printing import printable
from evosdc.table.numerals import numbers
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.spread import Spreads
from evosdc.table.table import Codes, Numbers, Table
from evosdc_masking.tuning import class_sizes

Counts = NDArray[np.float64] | NDArray[np.int64]
Categories = NDArray[np.int64]
Average = Literal["median", "convex-median", "mode", "mean"]

MODE: Final = 0
MEDIAN: Final = 1
CONVEX_MEDIAN: Final = 2
MEAN: Final = 3
LOWER_MEDIAN: Final = 4

_RULES: dict[Average, int] = {"mode": MODE, "median": MEDIAN, "convex-median": CONVEX_MEDIAN, "mean": MEAN}


def average_rule(scale: Scale, average: Average | None = None) -> int:
    """Return which average an attribute gets."""
    # average: the requested one; None for the scale's own. Nominal categories have no other average than their mode;
    # the convex median of numbers, which have no domain whose gaps could be filled, is their median.
    if scale is Scale.NOMINAL:
        return MODE
    if average is None:
        return MEDIAN if scale is Scale.ORDINAL else MEAN
    rule = _RULES[average]
    return MEDIAN if scale is Scale.NUMERIC and rule == CONVEX_MEDIAN else rule


def lower_median(counts: Counts) -> Categories:
    """Return the least category with half of the values at or below it, of counts (..., c); -1 where all are 0."""
    # Running sums instead of `sum`: they add in the order of the categories, whatever the shape.
    below = counts.cumsum(axis=-1)
    found = np.argmax(2 * below >= below[..., -1:], axis=-1)
    return np.where(below[..., -1] > 0, found, -1)


def mode(counts: Counts) -> Categories:
    """Return the most frequent category, the first of them in a tie; -1 where all counts are 0."""
    return np.where(counts.max(axis=-1) > 0, counts.argmax(axis=-1), -1)


def convex(counts: Counts) -> Counts:
    """Return the least frequencies, none below the given ones, that rise to a summit and fall from there."""
    rising = np.maximum.accumulate(counts, axis=-1)
    falling = np.maximum.accumulate(counts[..., ::-1], axis=-1)[..., ::-1]
    return np.minimum(rising, falling)


def nearest_mean(counts: Counts) -> Categories:
    """Return the category nearest to the mean of the positions, the lower in a tie; -1 where all counts are 0."""
    total = counts.cumsum(axis=-1)[..., -1]
    moment = (np.arange(counts.shape[-1]) * counts).cumsum(axis=-1)[..., -1]
    nearest = np.ceil(moment / np.where(total > 0, total, 1) - 0.5).astype(np.int64)
    return np.where(total > 0, nearest, -1)


def average_category(counts: Counts, rule: int, wildcard: bool) -> Categories:
    """Return the average code by a rule, -1 for missing, of counts (..., c + 1), the last those of missing values."""
    # Missing values that equal anything (`wildcard`) have no say beside present ones.
    present, missing = counts[..., :-1], counts[..., -1]
    if present.shape[-1] == 0:
        return np.full(missing.shape, -1)
    if rule == MODE:
        average, most = mode(present), present.max(axis=-1)
    else:
        most = present.cumsum(axis=-1)[..., -1]
        if rule == MEAN:
            average = nearest_mean(present)
        else:
            average = lower_median(convex(present) if rule == CONVEX_MEDIAN else present)
    return average if wildcard else np.where(missing > most, -1, average)


def average_number(values: Numbers, weights: Numbers, rule: int) -> Numbers:
    """Return the average of each row of numbers, shape (g, m), none of them missing, with positive weights."""
    # Of two middle values the median is the midpoint, `LOWER_MEDIAN` the lower; of equally frequent values the mode is
    # the least. All lie between the least and the greatest value of the row.
    if rule == MEAN:
        with np.errstate(over="ignore", invalid="ignore"):
            means = (weights * values).cumsum(axis=1)[:, -1] / weights.cumsum(axis=1)[:, -1]
        # rounding must not push the mean of equal values off them
        clipped: Numbers = np.clip(means, values.min(axis=1), values.max(axis=1))
        return clipped
    order = np.argsort(values, axis=1, kind="stable")
    ordered, counted = np.take_along_axis(values, order, axis=1), np.take_along_axis(weights, order, axis=1)
    return _most_frequent(ordered, counted) if rule == MODE else _middle(ordered, counted, rule == LOWER_MEDIAN)


def _most_frequent(values: Numbers, weights: Numbers) -> Numbers:
    begins = np.ones(values.shape, dtype=np.bool_)
    begins[:, 1:] = values[:, 1:] != values[:, :-1]
    ends = np.ones(values.shape, dtype=np.bool_)
    ends[:, :-1] = begins[:, 1:]
    runs = np.cumsum(begins) - 1
    totals = np.bincount(runs, weights.ravel())[runs].reshape(values.shape)
    best = np.where(ends, totals, 0.0).argmax(axis=1)
    found: Numbers = values[np.arange(len(values)), best]
    return found


def _middle(values: Numbers, weights: Numbers, lower: bool) -> Numbers:
    below = weights.cumsum(axis=1)
    half = below[:, -1] / 2
    place, rows = np.argmax(below >= half[:, None], axis=1), np.arange(len(values))
    low, high = values[rows, place], values[rows, np.minimum(place + 1, values.shape[1] - 1)]
    with np.errstate(over="ignore"):
        middle = np.where((low < 0) & (high > 0), low / 2 + high / 2, low + (high - low) / 2)
    median: Numbers = np.where((below[rows, place] > half) | lower, low, middle)
    return median


ClassNumbers = NDArray[np.int64]

_MOST_CELLS = 1 << 22  # frequencies, of all categories in some classes, that are counted at a time: 32 megabytes


def aggregated(
    table: Table,
    classes: ClassNumbers,
    average: Average | None = None,
    weights: Numbers | None = None,
    in_domain: bool = False,
) -> Table:
    """Return the table in which every value is the average of its class, equal to the last bit within a class."""
    # Classes (n,) are numbered from 0 without gaps. With `in_domain` numbers get their lower median, whatever `average`
    # says: a value that some record of the class has.
    wildcard = table.schema.na is MissingRule.WILDCARD
    counted = np.ones(len(table)) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    codes = np.empty_like(table.codes)
    for j, attribute in enumerate(table.schema.categorical):
        rule, size = average_rule(attribute.scale, average), len(attribute.categories)
        codes[:, j] = _category_averages(table.codes[:, j], classes, counted, size, rule, wildcard)
    numbers = np.empty_like(table.numbers)
    for j, attribute in enumerate(table.schema.numeric):
        rule = LOWER_MEDIAN if in_domain else average_rule(attribute.scale, average)
        numbers[:, j] = _number_averages(table.numbers[:, j], classes, counted, rule, wildcard)
    return Table(table.schema, codes, numbers)


def _category_averages(
    column: Codes, classes: ClassNumbers, weights: Numbers, size: int, rule: int, wildcard: bool
) -> Codes:
    groups, width = int(classes.max(initial=-1)) + 1, size + 1
    averages = np.empty(groups, dtype=np.int32)
    step = max(_MOST_CELLS // width, 1)
    for begin in range(0, groups, step):
        end = min(begin + step, groups)
        rows = slice(None) if end - begin == groups else np.flatnonzero((classes >= begin) & (classes < end))
        digits = np.where(column[rows] < 0, size, column[rows])
        cells = (classes[rows] - begin) * width + digits
        counts = np.bincount(cells, weights[rows], (end - begin) * width).reshape(-1, width)
        averages[begin:end] = average_category(counts, rule, wildcard)
    return averages[classes]


def _number_averages(column: Numbers, classes: ClassNumbers, weights: Numbers, rule: int, wildcard: bool) -> Numbers:
    groups = int(classes.max(initial=-1)) + 1
    absent = np.isnan(column)
    members = np.argsort(classes, kind="stable")
    members = members[~absent[members]]
    values, counted, sizes = column[members], weights[members], np.bincount(classes[members], minlength=groups)
    begins, averages = np.cumsum(sizes) - sizes, np.full(groups, np.nan)
    by_size = np.argsort(sizes, kind="stable")
    ascending = sizes[by_size]
    # Classes of the same size are rows of a matrix; there are never more than the root of 2n different sizes.
    for size in np.unique(sizes[sizes > 0]).tolist():
        begin, end = np.searchsorted(ascending, (size, size + 1))
        same = by_size[begin:end]
        places = begins[same][:, None] + np.arange(size)
        averages[same] = average_number(values[places], counted[places], rule)
    if absent.any() and not wildcard:
        known = np.bincount(classes[~absent], weights[~absent], groups)
        averages[np.bincount(classes[absent], weights[absent], groups) > known] = np.nan
    return averages[classes]


class SizeParameters(Parameters):
    """Least size of the classes."""

    k: int = Field(3, ge=1, description="Least number of records of a class.")


class ClassParameters(SizeParameters):
    """Least size of the classes, and what they publish."""

    average: Average | None = Field(
        None,
        description="What a class publishes: median, convex-median, mode or mean, where an attribute's scale has it "
        "(nominal attributes always get their mode, and numbers their median for convex-median); if not given, the "
        "median of ordinal attributes, the mode of nominal ones, the mean of numbers.",
    )


class ClassAveraging(Tunable):
    """A method that divides the records in classes of at least k and publishes the average of each."""

    # Sampling weights count in the averages and not in the forming of classes: promises are about records.

    class Params(ClassParameters):
        """Least size of the classes, and what they publish."""

    name: ClassVar[str]  # the registered name, for messages

    weighted: ClassVar[bool] = True
    params: SizeParameters
    spreads: Spreads | None = None  # of the numbers of the whole file, where a part of it is masked

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return k from 2 to a quarter of the file."""
        sizes = class_sizes(len(table))
        return [Design(free=sizes)] if sizes else []

    def remarks(self, table: Table) -> tuple[str, ...]:
        """Return which whole numbers get medians, since they are read as ordered categories."""
        whole = [
            a.name
            for a in table.schema.attributes
            if a.scale is Scale.ORDINAL and not a.date_format and numbers(a.categories) is not None
        ]
        if not whole or getattr(self.params, "average", None) is not None:
            return ()
        return (
            f"{printable(', '.join(whole))}: whole numbers that are read as ordered categories, so that groups publish "
            'their median. The scale "numeric" in the schema publishes their mean.',
        )

    def scaled_by(self, spreads: Spreads) -> Self:
        """Return the method with distances by the whole file's spreads."""
        scaled = copy(self)
        scaled.spreads = spreads
        return scaled

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` telling all at once: k above the number of records, scales, groups of attributes."""
        collect = FaultCollector()
        with collect.step():
            self.require_support(table, f"method {self.name}")
        where, k, n = f"method {self.name}", self.params.k, len(table)
        if n == 0:
            collect.faults.append(Fault(f"{where}: data", "no record", "at least one record"))
        elif k > n:
            advice = f"A class of {k} records cannot be made of {n}."
            collect.faults.append(Fault(f"{where}: k", str(k), f"1..{n}", advice))
        with collect.step():
            self.require_blocks(table)
        collect.settle(ParameterError)

    def require_blocks(self, table: Table) -> None:
        """Raise `ParameterError` when the parameters name blocks of attributes that do not fit the table."""

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table of averages."""
        self.require_fit(table)
        return self.published(table, None, rng)

    def mask_weighted(self, table: Table, weights: Numbers, rng: np.random.Generator) -> Table:
        """Return the table of averages in which each record counts its weight."""
        self.require_fit(table)
        return self.published(table, weights, rng)

    @abstractmethod
    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the averages of the classes of a table that fits; all weights are equal where None is given."""
