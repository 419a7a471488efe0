"""Microaggregation by MDAV-generic (Domingo-Ferrer and Torra 2005, corrected), of all attributes or of blocks of them.

While 3k records remain: r is the record farthest from the average record and s the one farthest from r; r with its k
- 1 nearest records is a class, then s with its k - 1 nearest of what remains is another. Should s have been taken by
r's class, the farthest from r among the remaining takes its place. From 2k to 3k - 1 remaining records give one class
around r and one of the rest, fewer are one class. So every class has k to 2k - 1 records whenever there are k at all.
(One source stops at k remaining records and can leave a class of fewer; another takes the nearest to the average
instead of to r.)

Ties, of the farthest and of the nearest, go to the record with the lower position in the file. But for that rule,
records with equal categories are interchangeable. So the loops visit distinct records, each with the queue of its
positions; the classes are the same as if all records were visited.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Annotated

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, field_validator

from evosdc.errors import Fault, ParameterError, did_you_mean
from evosdc.model import Design, Free, Grouping, Range
from evosdc.table.table import Codes, Numbers, Table
from evosdc_masking.averages import CONVEX_MEDIAN, MEAN, MODE, ClassAveraging, ClassNumbers, ClassParameters, aggregated
from evosdc_masking.point_search import farthest, incomplete_columns, measure
from evosdc_masking.space import Metric, Space, space_of
from evosdc_masking.tuning import QUADRATIC, class_sizes

Block = Annotated[tuple[str, ...], Field(min_length=1)]


class BlockParameters(ClassParameters):
    """Least size of the classes, what they publish, and which attributes are masked together."""

    groups: Annotated[tuple[Block, ...], Field(min_length=1)] | None = Field(
        None,
        description="Lists of attributes, each masked on its own: [['a', 'b'], ['c']]. Every masked attribute stands "
        "in one of them.",
    )
    group_size: int | None = Field(
        None, ge=1, description="Number of attributes that are masked together, in the order of the file."
    )

    @field_validator("group_size")
    @classmethod
    def _one_of_two(cls, group_size: int | None, info: ValidationInfo) -> int | None:
        if group_size is not None and info.data.get("groups") is not None:
            raise ValueError("only one of groups (lists of attributes) and group_size (how many to take at a time)")
        return group_size


def block_sizes(table: Table) -> tuple[Free, ...]:
    """Return the useful ranges of k and of the number of attributes that are masked together; none of one record."""
    sizes = class_sizes(len(table))
    return (*sizes, Range("group_size", 1, len(table.schema), whole=True)) if sizes else ()


def blocks_of(table: Table, params: BlockParameters, name: str) -> list[tuple[str, ...]]:
    """Return the blocks of attributes, all of them in one block where the parameters name none."""
    names = table.schema.names
    if params.groups is None:
        size = params.group_size or max(len(names), 1)
        return [names[begin : begin + size] for begin in range(0, len(names), size)]
    where, counts = f"method {name}: groups", Counter(member for group in params.groups for member in group)
    faults = [
        Fault(where, repr(member), f"one of the masked attributes: {', '.join(names)}", did_you_mean(member, names))
        for member in counts
        if member not in names
    ]
    repeated = [member for member, count in counts.items() if count > 1]
    if repeated:
        faults.append(Fault(where, f"{', '.join(repeated)} more than once", "each attribute in one group"))
    lacking = [member for member in names if member not in counts]
    if lacking:
        advice = "Add a group for them, or mask fewer attributes."
        faults.append(Fault(where, f"{', '.join(lacking)} in no group", "every masked attribute in one group", advice))
    if faults:
        raise ParameterError(faults)
    return list(params.groups)


def masked_by_blocks(table: Table, blocks: list[tuple[str, ...]], mask: Callable[[Table], Table]) -> Table:
    """Return the table in which each block of attributes is masked on its own."""
    masked = table
    for block in blocks:
        masked = masked.with_columns(mask(table.select(block)))
    return masked


Integers = NDArray[np.int64]


def mdav_partition(space: Space, k: int) -> Integers:
    """Return the number of each record's class, shape (n,), classes numbered in the order of their formation."""
    points, codes, numbers = space.points, space.codes, space.numbers
    heads, ends = points.starts[:-1].copy(), points.starts[1:].copy()
    incomplete = incomplete_columns(numbers)
    classes = np.full(points.members.size, -1, dtype=np.int64)
    widest = int(space.metric.sizes.max(initial=1))
    group, remaining = 0, points.members.size
    while remaining >= 2 * k:
        # Exhausted points are dropped now and then, and sums taken again before rounding adds up.
        left = heads < ends
        codes, numbers = np.ascontiguousarray(codes[:, left]), np.ascontiguousarray(numbers[:, left])
        heads, ends = heads[left], ends[left]
        counts = np.zeros((len(codes), widest), dtype=np.int64)
        for j, column in enumerate(codes):
            counts[j] = np.bincount(column, ends - heads, widest)
        known = ~np.isnan(numbers)
        sums = np.where(known, numbers, 0.0).cumsum(axis=1)[:, -1].copy()
        group, remaining = _form(
            space.metric, codes, numbers, incomplete, points.members, heads, ends, counts, sums, known.sum(axis=1), k,
            group, remaining, classes,
        )  # fmt: skip
    classes[classes < 0] = group
    return classes


@njit(cache=True)
def _form(
    metric: Metric, codes: Codes, numbers: Numbers, incomplete: NDArray[np.bool_], rows: Integers, heads: Integers,
    ends: Integers, counts: Integers, sums: Numbers, present: Integers, k: int, group: int, remaining: int,
    classes: Integers,
) -> tuple[int, int]:  # fmt: skip
    """Form classes until a sixteenth of the points is exhausted; return the next class and the records left."""
    # ``rows[heads[i]:ends[i]]`` are the records of point i that no class has taken yet; `counts` of categories, `sums`
    # of numbers and how many are `present` are over all of them. All these arrays are updated.
    visited, exhausted = heads.size, 0
    away = np.empty(visited, dtype=np.float64)
    centre_codes = np.empty(codes.shape[0], dtype=np.int32)
    centre_numbers = np.empty(numbers.shape[0], dtype=np.float64)
    hull = np.empty(counts.shape[1], dtype=np.int64)
    points = np.empty(k, dtype=np.int64)
    positions = np.empty(k, dtype=np.int64)
    reach = np.empty(k, dtype=np.float64)
    while remaining >= 2 * k and 16 * exhausted <= visited:
        for step in range(3 if remaining >= 3 * k else 2):
            pole = -1
            if step > 0:
                # The record farthest from the average, then the one farthest from that record.
                pole = farthest(away, rows, heads, ends)
                for j in range(codes.shape[0]):
                    centre_codes[j] = codes[j, pole]
                for j in range(numbers.shape[0]):
                    centre_numbers[j] = numbers[j, pole]
            else:
                # As `evosdc_masking.averages.average_category` has it.
                for j in range(codes.shape[0]):
                    size, rule = metric.sizes[j], metric.averages[j]
                    missing = 0 if metric.wildcard else counts[j, size - 1]
                    total, moment, most, average = 0, 0.0, 0, -1
                    for category in range(size - 1):
                        total += counts[j, category]
                        moment += category * counts[j, category]
                        if counts[j, category] > most and rule == MODE:
                            average, most = category, counts[j, category]
                    if rule == MEAN and total > 0:
                        average = int(np.ceil(moment / total - 0.5))
                    elif rule != MODE and total > 0:
                        most = 0
                        for category in range(size - 1):
                            most = max(most, counts[j, category])
                            hull[category] = most if rule == CONVEX_MEDIAN else counts[j, category]
                        summed, most = 0, 0
                        for category in range(size - 2, -1, -1):
                            most = max(most, counts[j, category])
                            hull[category] = min(hull[category], most)
                            summed += hull[category]
                        average, below = 0, hull[0]
                        while 2 * below < summed:
                            average += 1
                            below += hull[average]
                        most = 0
                    if missing > (most if rule == MODE else total):
                        average = -1
                    centre_codes[j] = average if average >= 0 else size - 1
                for j in range(sums.size):
                    missing = 0 if metric.wildcard else remaining - present[j]
                    absent = present[j] == 0 or missing > present[j]
                    centre_numbers[j] = np.nan if absent else sums[j] / present[j]
            measure(metric, codes, numbers, incomplete, centre_codes, centre_numbers, away)
            if step == 0:
                continue
            # The pole's first record and the k - 1 nearest others, by distance and position.
            points[0] = pole
            filled = 1
            for point in range(visited if k > 1 else 0):
                distance = away[point]
                if filled == k and distance > reach[k - 1]:
                    continue
                for queued in range(heads[point] + (1 if point == pole else 0), ends[point]):
                    position = rows[queued]
                    if filled == k and (
                        distance > reach[k - 1] or (distance == reach[k - 1] and position > positions[k - 1])
                    ):
                        break
                    place = filled if filled < k else k - 1
                    filled = min(filled + 1, k)
                    while place > 1 and (
                        reach[place - 1] > distance
                        or (reach[place - 1] == distance and positions[place - 1] > position)
                    ):
                        reach[place], positions[place] = reach[place - 1], positions[place - 1]
                        points[place] = points[place - 1]
                        place -= 1
                    reach[place], positions[place], points[place] = distance, position, point
            for member in points:
                classes[rows[heads[member]]] = group
                heads[member] += 1
                exhausted += heads[member] == ends[member]
                for j in range(codes.shape[0]):
                    counts[j, codes[j, member]] -= 1
                for j in range(numbers.shape[0]):
                    if not np.isnan(numbers[j, member]):
                        sums[j] -= numbers[j, member]
                        present[j] -= 1
            group += 1
            remaining -= k
    return group, remaining


class Mdav(ClassAveraging, Grouping):
    """Publish in place of each record the average record of a class of at least k similar ones.

    The published file is k-anonymous on the masked attributes, or on those of each group where attributes are masked
    by groups. Nothing is random. Distances are those of `evosdc_masking.space`, averages those of
    `evosdc_masking.averages`; the average record from which classes are formed has the chosen average of categories,
    and always the mean of numbers.

    Source: MDAV-generic, Domingo-Ferrer and Torra (2005), see `evosdc_masking.microaggregation.mdav`.
    """

    class Params(BlockParameters):
        """Size of the classes, groups of attributes, and what is published."""

        destandardise: bool = Field(
            False,
            description="Stretch each masked numeric attribute so that its mean and variance are the original's "
            "(published values can then leave the original range).",
        )
        hierarchies: bool | None = Field(
            None,
            description="Whether categories with a hierarchy are compared by the level of their lowest common "
            "ancestor, and numbers by their difference over the range, as clustering does; not so unless given.",
        )

    name = "mdav"
    promise = 10
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return k and the number of attributes masked together; of numbers with and without destandardising."""
        free = block_sizes(table)
        if not free or len(table) > 10 * QUADRATIC:
            return []
        return (
            [Design({"destandardise": True}, free), Design(free=free)] if table.schema.numeric else [Design(free=free)]
        )

    def require_blocks(self, table: Table) -> None:
        """Raise `ParameterError` when groups do not hold every masked attribute once."""
        blocks_of(table, self.params, self.name)

    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the microaggregated table."""
        blocks = blocks_of(table, self.params, self.name)
        return masked_by_blocks(table, blocks, lambda part: self._microaggregated(part, weights))

    def classes(self, table: Table, rng: np.random.Generator) -> ClassNumbers:
        """Return the number of each record's class, shape (n,), from 0; of all attributes together."""
        if self.params.groups is not None or self.params.group_size is not None:
            advice = "Leave groups and group_size out."
            raise ParameterError(Fault(f"method {self.name}", "attributes in groups", "classes of all of them", advice))
        return mdav_partition(self._space(table), self.params.k)

    def _space(self, part: Table) -> Space:
        return space_of(part, bool(self.params.hierarchies), self.params.average, self.spreads)

    def _microaggregated(self, part: Table, weights: Numbers | None) -> Table:
        masked = aggregated(part, mdav_partition(self._space(part), self.params.k), self.params.average, weights)
        if not self.params.destandardise:
            return masked
        numbers = np.empty_like(masked.numbers)
        for j in range(numbers.shape[1]):
            numbers[:, j] = destandardised(masked.numbers[:, j], part.numbers[:, j], weights)
        return Table(masked.schema, masked.codes, numbers)


def destandardised(masked: Numbers, original: Numbers, weights: Numbers | None = None) -> Numbers:
    """Return masked numbers shifted and stretched to the mean and the variance of the original ones."""
    # Missing values stay missing and are left out; means and variances take the weights. A constant column, or one that
    # is right already, stays as it is. The formula's line is lost in the source, restored from its symbols: a
    # reconstruction.
    known, true = ~np.isnan(masked), ~np.isnan(original)
    if not known.any() or not true.any():
        return masked
    counted = np.ones(masked.size) if weights is None else weights
    wanted_mean = np.average(original[true], weights=counted[true])
    # spreads are taken in units of the greatest deviation: squares of large numbers would overflow
    unit = np.abs(original[true] - wanted_mean).max()
    if unit == 0:
        return masked
    mean, spread = _moments(masked[known], counted[known], unit)
    _, wanted_spread = _moments(original[true], counted[true], unit)
    if spread <= 1e-12 or (mean == wanted_mean and spread == wanted_spread):
        return masked
    return (masked - mean) * (wanted_spread / spread) + wanted_mean


def _moments(values: Numbers, weights: Numbers, unit: float) -> tuple[float, float]:
    """Return the mean, and the standard deviation in the given unit."""
    mean = float(np.average(values, weights=weights))
    return mean, float(np.sqrt(np.average(((values - mean) / unit) ** 2, weights=weights)))
