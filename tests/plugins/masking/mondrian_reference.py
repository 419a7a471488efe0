"""Mondrian in plain Python, from the definitions alone: record by record, without ranks or arrays."""

from __future__ import annotations

import math
from typing import Any

from evosdc.table.schema import Attribute
from evosdc.table.table import Table
from tests.plugins.masking.references import records_of

LAST = math.inf


def mondrian(table: Table, k: int, partitioning: str, by_hierarchy: bool = True) -> list[set[int]]:
    """Parts in the order of the cuts."""
    relaxed, at_median = partitioning == "relaxed", partitioning == "median"
    attributes = (*table.schema.categorical, *table.schema.numeric)
    in_file_order = [attributes.index(a) for a in table.schema.attributes]
    records = records_of(table)
    columns = [[r[j] for r in records] for j in range(len(attributes))]

    def tree(j: int) -> Any:
        return attributes[j].hierarchy if by_hierarchy and attributes[j].categories else None

    def path(j: int, value: int | None) -> tuple[str | None, ...]:
        hierarchy = tree(j)
        root = hierarchy.levels[0][-1]
        if value is None:
            return (*[None] * hierarchy.height, root)
        return tuple(hierarchy.path(attributes[j].categories[value]))

    def common(j: int, values: list[int | None]) -> int:
        paths = [path(j, v) for v in values]
        return next(level for level in range(len(paths[0])) if len({p[level] for p in paths}) == 1)

    def key(j: int, value: Any) -> Any:
        """What values of the attribute are ordered by."""
        if value is None:
            return (1,)
        if tree(j) is None:
            return (0, value)
        hierarchy, names = tree(j), attributes[j].categories
        codes = hierarchy.nodes(names)[0]
        return (0, *(int(codes[value, level]) for level in range(hierarchy.height, -1, -1)))

    def span(j: int, rows: list[int]) -> float:
        values = {columns[j][r] for r in rows}
        if len(values) == 1:
            return 0.0
        if None in values:
            return 1.0
        if tree(j) is not None:
            return _leaves(attributes[j], path(j, min(values))[common(j, list(values))], common(j, list(values)))
        everywhere = sorted({v for v in columns[j] if v is not None})
        if attributes[j].categorical:
            at, last = {v: position for position, v in enumerate(everywhere)}, len(everywhere) - 1
        else:
            at, last = {v: v - everywhere[0] for v in everywhere}, everywhere[-1] - everywhere[0]
        # places first and their difference after, so that ties are the same ones in floating point
        return at[max(values)] / last - at[min(values)] / last

    def pieces(j: int, rows: list[int]) -> list[list[int]]:
        if tree(j) is not None:
            level = common(j, [columns[j][r] for r in rows]) - 1
            children: dict[Any, list[int]] = {}
            for r in sorted(rows, key=lambda r: path_key(j, columns[j][r], level)):
                children.setdefault(path(j, columns[j][r])[level], []).append(r)
            if min(map(len, children.values())) >= k:
                return list(children.values())
            if not relaxed:
                return []
        ordered = sorted(rows, key=lambda r: (key(j, columns[j][r]), rows.index(r)))
        if relaxed:
            half = (len(rows) + 1) // 2
            return [[r for r in rows if r in part] for part in (set(ordered[:half]), set(ordered[half:]))]
        values = [key(j, columns[j][r]) for r in ordered]
        median = values[len(values) // 2 if at_median else (len(values) - 1) // 2]
        wanted = len([v for v in values if v <= median])
        allowed = [at for at in range(k, len(rows) - k + 1) if values[at - 1] != values[at]]
        allowed = [at for at in allowed if at == wanted or not at_median]
        if not allowed:
            return []
        left = set(ordered[: min(allowed, key=lambda at: (abs(at - wanted), at))])
        return [[r for r in rows if r in left], [r for r in rows if r not in left]]

    def path_key(j: int, value: int | None, level: int) -> tuple[int, int]:
        if value is None:
            return (1, 0)
        return (0, int(tree(j).nodes(attributes[j].categories)[0][value, level]))

    def cut(rows: list[int]) -> list[set[int]]:
        if len(rows) >= 2 * k:
            spans = [span(j, rows) for j in in_file_order]
            for position in sorted(range(len(spans)), key=lambda at: (-spans[at], at)):
                if spans[position] > 0:
                    found = pieces(in_file_order[position], rows)
                    if found:
                        return [part for piece in found for part in cut(piece)]
        return [set(rows)]

    return cut(list(range(len(records))))


def _leaves(attribute: Attribute, label: str | None, level: int) -> float:
    hierarchy = attribute.hierarchy
    assert hierarchy is not None
    below = sum(hierarchy.path(leaf)[level] == label for leaf in hierarchy.leaves)
    return 1.0 if level == hierarchy.height else (below - 1) / max(len(hierarchy.leaves) - 1, 1)
