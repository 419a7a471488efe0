"""Privacy models as their definitions read, record against record; slow and plain."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import exp, factorial, log

import numpy as np

from evosdc.model import IntruderView, MissingMatch
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table


def table_of(codes, sensitive=None, scale=Scale.NOMINAL, hierarchy=None) -> Table:
    """Return a table of attributes a0, a1, ... and, where given, a sensitive attribute s."""
    codes = np.asarray(codes, dtype=np.int32)
    attributes = [
        Attribute(f"a{v}", Role.QUASI_IDENTIFIER, Scale.NOMINAL, tuple(map(str, range(codes[:, v].max(initial=0) + 1))))
        for v in range(codes.shape[1])
    ]
    if sensitive is not None:
        sensitive = np.asarray(sensitive, dtype=np.int32)
        labels = hierarchy.leaves if hierarchy else tuple(map(str, range(sensitive.max(initial=0) + 1)))
        attributes.append(Attribute("s", Role.SENSITIVE, scale, labels, hierarchy))
        codes = np.column_stack((codes, sensitive))
    return Table(Schema(tuple(attributes)), codes, np.empty((len(codes), 0)))


def release_of_codes(codes, missing=MissingMatch.CATEGORY, sensitive=None, **more) -> IntruderView:
    scale, hierarchy = more.pop("scale", Scale.NOMINAL), more.pop("hierarchy", None)
    table = table_of(codes, sensitive, scale, hierarchy)
    names = tuple(f"a{v}" for v in range(np.asarray(codes).shape[1]))
    return IntruderView(table, names, ("s",) if sensitive is not None else (), missing=missing, **more)


def equal(a: int, b: int, missing: MissingMatch) -> bool:
    if missing is MissingMatch.WILDCARD and (a < 0 or b < 0):
        return True
    if missing is MissingMatch.NEVER and (a < 0 or b < 0):
        return False
    return a == b


def neighbours(codes, missing: MissingMatch, attributes=None) -> list[list[int]]:
    """Return for each record the records that it matches on the attributes, itself always among them."""
    codes = np.asarray(codes).tolist()
    chosen = range(len(codes[0])) if attributes is None else attributes
    return [
        [j for j in range(len(codes)) if i == j or all(equal(codes[i][v], codes[j][v], missing) for v in chosen)]
        for i in range(len(codes))
    ]


def msus(codes, missing: MissingMatch, most: int) -> list[set[tuple[int, ...]]]:
    """Return each record's minimal sample uniques, by trying all sets."""
    columns = np.asarray(codes).shape[1]
    found: list[set[tuple[int, ...]]] = [set() for _ in codes]
    for size in range(1, most + 1):
        for attributes in combinations(range(columns), size):
            for i, near in enumerate(neighbours(codes, missing, attributes)):
                if len(near) == 1 and not any(set(smaller) <= set(attributes) for smaller in found[i]):
                    found[i].add(attributes)
    return found


def suda_scores(codes, missing: MissingMatch) -> list[int]:
    columns = np.asarray(codes).shape[1]
    return [sum(factorial(columns - len(s)) for s in sets) for sets in msus(codes, missing, columns)]


def shares(values, domain) -> list[Fraction]:
    return [Fraction(list(values).count(value), len(values)) for value in domain]


def domain_of(sensitive) -> list[int]:
    """Values that occur in order, a missing one last."""
    return sorted(set(np.asarray(sensitive).tolist()), key=lambda value: (value < 0, value))


def nominal(p, q) -> Fraction:
    return sum((abs(a - b) for a, b in zip(p, q, strict=True)), Fraction(0)) / 2


def ordinal(p, q) -> Fraction:
    total, moved = Fraction(0), Fraction(0)
    for a, b in zip(p, q, strict=True):
        moved += a - b
        total += abs(moved)
    return total / max(len(p) - 1, 1)


def hierarchical(p, q, paths) -> Fraction:
    """Return the distance by definition: at each inner node min(surplus, shortage) of its children moves through it."""
    height, total = len(paths[0]) - 1, Fraction(0)
    for level in range(1, height + 1):
        for node in {path[level] for path in paths}:
            extra: dict[object, Fraction] = {}
            for path, a, b in zip(paths, p, q, strict=True):
                if path[level] == node:
                    extra[path[level - 1]] = extra.get(path[level - 1], Fraction(0)) + a - b
            surplus = sum((e for e in extra.values() if e > 0), Fraction(0))
            shortage = -sum((e for e in extra.values() if e < 0), Fraction(0))
            total += Fraction(level, height) * min(surplus, shortage)
    return total


def entropy_l(values) -> float:
    counts = [list(values).count(value) for value in set(values)]
    return exp(-sum(c / len(values) * log(c / len(values)) for c in counts))


def recursive_l(values, c: float) -> int:
    counts = sorted((list(values).count(value) for value in set(values)), reverse=True)
    return max((size for size in range(1, len(counts) + 1) if counts[0] < c * sum(counts[size - 1 :])), default=0)


def negative_binomial_mean(f: int, p: float) -> float:
    """Return E(1 / F) by adding up the negative binomial distribution."""
    from scipy.stats import nbinom

    h = np.arange(f, f + int(60 * f / p) + 2000)
    return float((nbinom.pmf(h - f, f, p) / h).sum())
