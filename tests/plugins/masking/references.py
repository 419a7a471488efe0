"""The methods again in plain Python: slow, and written from the definitions alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import Table

Record = tuple[Any, ...]


def matrix_a(T: Sequence[int], p: Fraction) -> list[list[Fraction]]:
    """Eq. 2.3 over the categories that occur."""
    N, n = sum(T), sum(t > 0 for t in T)
    rows = []
    for k in range(len(T)):
        row = []
        for m in range(len(T)):
            if T[k] == 0 or n == 1:
                row.append(Fraction(k == m))
            elif k == m:
                row.append(p)
            elif T[m] == 0:
                row.append(Fraction(0))
            elif n == 2:
                row.append(1 - p)
            else:
                row.append((1 - p) * Fraction(N - T[k] - T[m], (n - 2) * (N - T[k])))
        rows.append(row)
    return rows


def matrix_b(T: Sequence[int], theta: Fraction) -> list[list[Fraction]]:
    """Eq. 2.4 and 2.5 over the categories that occur."""
    n = sum(t > 0 for t in T)
    least = min((t for t in T if t > 0), default=0)
    rows = []
    for k in range(len(T)):
        row = [Fraction(0)] * len(T)
        if T[k] == 0 or n == 1:
            row[k] = Fraction(1)
        else:
            stay = 1 - theta * Fraction(least, T[k])
            row = [stay if k == m else (1 - stay) / (n - 1) if T[m] > 0 else Fraction(0) for m in range(len(T))]
        rows.append(row)
    return rows


def draw(row: Sequence[float], u: float) -> int:
    """First category whose cumulative probability exceeds u."""
    total = 0.0
    for category, probability in enumerate(row):
        total += probability
        if total > u:
            return category
    return max(category for category, probability in enumerate(row) if probability > 0)


def swap_ranks(uniforms: Sequence[float], D: int) -> list[int]:
    """The partner of each rank, by scanning left and then right for a free one."""
    n = len(uniforms)
    partner = list(range(n))
    done = [False] * n
    for i in range(n - 1 if D >= 1 else 0):
        if done[i]:
            continue
        k = i + 1 + math.floor(uniforms[i] * D)
        j = min(k, n - 1)
        while done[j] and j > i + 1:
            j -= 1
        if done[j]:
            j = min(k, n - 1)
            while done[j] and j < n - 1 and j < i + D:
                j += 1
        if not done[j]:
            partner[i], partner[j] = j, i
            done[i] = done[j] = True
    return partner


def records_of(table: Table) -> list[Record]:
    """Records with None for a missing value, attributes in the order categorical, numeric."""
    return [
        tuple(None if c < 0 else int(c) for c in codes) + tuple(None if math.isnan(x) else float(x) for x in numbers)
        for codes, numbers in zip(table.codes.tolist(), table.numbers.tolist(), strict=True)
    ]


def distance_of(table: Table) -> Callable[[Record, Record], Fraction | float]:
    """Distance between records: exact for categorical files, Euclidean squared for numeric ones, mixed else."""
    attributes = (*table.schema.categorical, *table.schema.numeric)
    all_numeric = not table.schema.categorical
    wildcard = table.schema.na is MissingRule.WILDCARD
    moments = []
    for j in range(len(attributes)):
        present = [r[j] for r in records_of(table) if r[j] is not None]
        if attributes[j].scale is Scale.NUMERIC and present:
            mean = math.fsum(present) / len(present)
            sd = math.sqrt(math.fsum((x - mean) ** 2 for x in present) / len(present))
            moments.append((sd or 1.0, (max(present) - min(present)) or 1.0))
        else:
            moments.append((1.0, 1.0))

    def one(j: int, a: Any, b: Any) -> Fraction | float:
        scale = attributes[j].scale
        if a is None or b is None:
            if wildcard or (a is None and b is None):
                return Fraction(0)
            return 2.0 if all_numeric else Fraction(1)
        if scale is Scale.NOMINAL:
            return Fraction(a != b)
        if scale is Scale.ORDINAL:
            return Fraction(abs(a - b), len(attributes[j].categories))
        return ((a - b) / moments[j][0]) ** 2 if all_numeric else abs(a - b) / moments[j][1]

    def distance(a: Record, b: Record) -> Fraction | float:
        return sum((one(j, x, y) for j, (x, y) in enumerate(zip(a, b, strict=True))), start=Fraction(0))

    return distance


def average_of(table: Table, rows: Sequence[int]) -> Record:
    """Lower median, mode or mean of the records at `rows`; None where missing values have it."""
    attributes = (*table.schema.categorical, *table.schema.numeric)
    wildcard = table.schema.na is MissingRule.WILDCARD
    records = records_of(table)
    averages: list[Any] = []
    for j, attribute in enumerate(attributes):
        values = [records[r][j] for r in rows]
        present = sorted(v for v in values if v is not None)
        missing = 0 if wildcard else len(values) - len(present)
        if attribute.scale is Scale.NOMINAL:
            counts = Counter(present)
            best = min(counts, key=lambda v: (-counts[v], v), default=None)
            averages.append(None if best is None or missing > counts[best] else best)
        elif not present or missing > len(present):
            averages.append(None)
        elif attribute.scale is Scale.ORDINAL:
            averages.append(present[(len(present) - 1) // 2])
        else:
            averages.append(sum(present) / len(present))
    return tuple(averages)


def mdav(table: Table, k: int) -> list[set[int]]:
    """ClassNumbers of MDAV-generic, in the order of their formation, ties by position."""
    records, distance = records_of(table), distance_of(table)
    left = list(range(len(records)))
    classes: list[set[int]] = []

    def farthest(point: Record) -> int:
        return min(left, key=lambda r: (-distance(point, records[r]), r))

    def form(pole: int) -> None:
        others = sorted((r for r in left if r != pole), key=lambda r: (distance(records[pole], records[r]), r))
        classes.append({pole, *others[: k - 1]})
        left[:] = [r for r in left if r not in classes[-1]]

    while len(left) >= 3 * k:
        r = farthest(average_of(table, left))
        form(r)
        form(farthest(records[r]))
    if len(left) >= 2 * k:
        form(farthest(average_of(table, left)))
    if left:
        classes.append(set(left))
    return classes


def sum_of_squares(values: Sequence[Sequence[float]], classes: Sequence[set[int]]) -> float:
    """Within-class sum of squares of numeric records."""
    total = 0.0
    for members in classes:
        for j in range(len(values[0])):
            column = [values[r][j] for r in members]
            mean = math.fsum(column) / len(column)
            total += math.fsum((x - mean) ** 2 for x in column)
    return total
