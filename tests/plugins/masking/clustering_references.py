"""Clusterings again in plain Python, written from the definitions alone: slow, exact for categorical files."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import Table
from tests.plugins.masking.references import Record, records_of

Distance = Callable[[Record, Record], Any]


def partitions(items: Sequence[int], k: int) -> Iterator[list[list[int]]]:
    """All partitions in sets of at least k."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for size in range(k - 1, len(rest) + 1):
        for chosen in combinations(rest, size):
            left = [item for item in rest if item not in chosen]
            for more in partitions(left, k):
                yield [[first, *chosen], *more]


def compositions(n: int, k: int) -> Iterator[list[list[int]]]:
    """All partitions of 0 .. n - 1 in runs of at least k."""
    if n == 0:
        yield []
    for size in range(k, n + 1):
        for more in compositions(n - size, k):
            yield [*more, list(range(n - size, n))]


def attribute_distances(table: Table) -> list[Callable[[Any, Any], Any]]:
    """The distance of clustering, attribute by attribute."""
    wildcard = table.schema.na is MissingRule.WILDCARD
    found: list[Callable[[Any, Any], Any]] = []
    for j, attribute in enumerate((*table.schema.categorical, *table.schema.numeric)):
        present = [r[j] for r in records_of(table) if r[j] is not None]
        width = (max(present) - min(present) or 1.0) if attribute.scale is Scale.NUMERIC and present else 1.0

        def distance(a: Any, b: Any, attribute: Any = attribute, width: float = width) -> Any:
            if a is None or b is None:
                return Fraction(int(not wildcard and (a is None) != (b is None)))
            if attribute.scale is Scale.NUMERIC:
                return abs(a - b) / width
            if attribute.hierarchy is not None:
                paths = [attribute.hierarchy.path(attribute.categories[c]) for c in (a, b)]
                level = next(i for i, pair in enumerate(zip(*paths, strict=True)) if pair[0] == pair[1])
                return Fraction(level, attribute.hierarchy.height)
            return Fraction(abs(a - b), len(attribute.categories)) if attribute.scale is Scale.ORDINAL else int(a != b)

        found.append(distance)
    return found


def record_distance(table: Table) -> Distance:
    parts = attribute_distances(table)
    return lambda a, b: sum(part(x, y) for part, x, y in zip(parts, a, b, strict=True))


def k_member(table: Table, k: int, first: int) -> list[set[int]]:
    """Clusters in the order of their formation, all losses taken anew from the records each time."""
    records, parts, distance = records_of(table), attribute_distances(table), record_distance(table)

    def loss(members: Sequence[int]) -> Any:
        spreads = (
            max(part(records[a][j], records[b][j]) for a in members for b in members) for j, part in enumerate(parts)
        )
        return len(members) * sum(spreads)

    left = list(range(len(records)))
    clusters: list[list[int]] = []
    seed = first
    while len(left) >= k:
        seed = min(left, key=lambda r: (-distance(records[seed], records[r]), r))
        cluster = [seed]
        left.remove(seed)
        while len(cluster) < k:
            best = min(left, key=lambda r: (loss([*cluster, r]), r))
            cluster.append(best)
            left.remove(best)
        clusters.append(cluster)
    for record in left:
        number = min(range(len(clusters)), key=lambda i: (loss([*clusters[i], record]) - loss(clusters[i]), i))
        clusters[number].append(record)
    return [set(cluster) for cluster in clusters]


def least_radius(table: Table, r: int) -> float:
    """The least greatest distance from a member of a cluster to its best centre among all records."""
    records, distance = records_of(table), record_distance(table)
    table_of = [[float(distance(a, b)) for b in records] for a in records]
    everyone = range(len(records))
    return min(
        max(min(max(table_of[c][m] for m in members) for c in everyone) for members in partition)
        for partition in partitions(list(everyone), r)
    )


def gather_is_possible(table: Table, r: int, centres: Sequence[int], diameter: float) -> bool:
    """Whether r records within the diameter can be given to each centre (Hall's condition, centre by centre)."""
    records, distance = records_of(table), record_distance(table)
    within = [{m for m, b in enumerate(records) if float(distance(records[c], b)) <= diameter} for c in centres]
    return all(
        len(set().union(*chosen)) >= r * size
        for size in range(1, len(centres) + 1)
        for chosen in combinations(within, size)
    )


def squares(values: Sequence[Sequence[float]]) -> float:
    total = 0.0
    for column in zip(*values, strict=True):
        mean = math.fsum(column) / len(column)
        total += math.fsum((x - mean) ** 2 for x in column)
    return total
