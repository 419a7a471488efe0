"""The measures as their definitions read: plain double loops over records, to compare the kernels with."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations
from math import log2, prod

import numpy as np

from evosdc.table.schema import MissingRule, Scale


def columns(table):
    return [list(map(int, column)) for column in table.codes.T]


def records(table):
    return [tuple(map(int, record)) for record in table.codes]


def distance(attribute, na, a, b):
    if a == b:
        return Fraction(0)
    if a < 0 or b < 0:
        return Fraction(0) if na is MissingRule.WILDCARD else Fraction(1)
    if attribute.scale is Scale.NOMINAL:
        return Fraction(1)
    between = sum(min(a, b) <= i < max(a, b) for i in range(len(attribute.categories)))
    return Fraction(between, len(attribute.categories))


def apart(schema, x, y):
    return sum((distance(a, schema.na, p, q) for a, p, q in zip(schema.attributes, x, y, strict=True)), Fraction(0))


def dbil(original, masked):
    pairs = list(zip(records(original), records(masked), strict=True))
    total = sum((apart(original.schema, x, y) for x, y in pairs), Fraction(0))
    return float(100 * total / (len(pairs) * len(original.schema)))


def ctbil(original, masked, most=2):
    n, attributes = original.codes.shape
    moved, tables = 0, 0
    for size in range(1, min(most, attributes) + 1):
        for chosen in combinations(range(attributes), size):
            tables += 1
            cells = [[tuple(r[v] for v in chosen) for r in records(t)] for t in (original, masked)]
            moved += sum(abs(cells[0].count(cell) - cells[1].count(cell)) for cell in {*cells[0], *cells[1]})
    return 100 * moved / (2 * n * tables)


def ebil(original, masked):
    n = len(original)
    shares = []
    for attribute, x, y in zip(original.schema.attributes, columns(original), columns(masked), strict=True):
        size = len(attribute.categories) + (-1 in x)
        pairs = list(zip(x, y, strict=True))
        bits = -sum(pairs.count((i, j)) * log2(pairs.count((i, j)) / y.count(j)) for i, j in set(pairs))
        shares.append(bits / (n * log2(size)) if size > 1 else 0.0)
    return 100 * sum(shares) / len(shares)


def interval(original, masked, percents=range(1, 11), by_frequency=False):
    n = len(original)
    inside = 0
    for attribute, x, y in zip(original.schema.attributes, columns(original), columns(masked), strict=True):
        codes = list(range(len(attribute.categories)))
        if attribute.scale is Scale.NOMINAL:
            if not by_frequency:
                inside += len(percents) * sum(a == b for a, b in zip(x, y, strict=True))
                continue
            codes.sort(key=lambda code, x=x: (x.count(code), code))
        blocks, rank = {}, 0
        for code in codes:
            blocks[code] = (rank + 1, rank + y.count(code))
            rank += y.count(code)
        for percent in percents:
            for a, b in zip(x, y, strict=True):
                if a < 0 or b < 0:
                    inside += a == b
                    continue
                centre = Fraction(sum(blocks[b]), 2)
                reach = Fraction(percent * n, 100)
                inside += blocks[a][1] >= centre - reach and blocks[a][0] <= centre + reach
    return 100 * inside / (n * len(original.schema) * len(percents))


def dbrl(original, masked, backward=False):
    asked, searched = (original, masked) if backward else (masked, original)
    credit = Fraction(0)
    for i, y in enumerate(records(asked)):
        distances = [apart(original.schema, x, y) for x in records(searched)]
        if distances[i] == min(distances):
            credit += Fraction(1, distances.count(min(distances)))
    return float(100 * credit / len(original))


def agreement(original, x, y):
    wildcard = original.schema.na is MissingRule.WILDCARD
    return tuple(a == b or (wildcard and (a < 0 or b < 0)) for a, b in zip(x, y, strict=True))


def patterns_of(original, masked):
    return [[agreement(original, x, y) for x in records(original)] for y in records(masked)]


def pairs_by_pattern(original, masked):
    counts = {}
    for row in patterns_of(original, masked):
        for pattern in row:
            counts[pattern] = counts.get(pattern, 0) + 1
    return counts


def converged(counts, attributes, n):
    """Return the estimates for a known share; `test_fellegi_sunter` compares them with their definition."""
    from evosdc_measures.linkage.fellegi_sunter import estimate

    numbers = np.zeros(1 << attributes, dtype=np.int64)
    for pattern, count in counts.items():
        numbers[sum(agrees << v for v, agrees in enumerate(pattern))] = count
    return estimate(numbers, n)


def prl(original, masked, estimates=converged):
    n, attributes = original.codes.shape
    patterns = patterns_of(original, masked)
    counts = pairs_by_pattern(original, masked)
    m, u = estimates(counts, attributes, n)
    agree = [log2(a / b) for a, b in zip(m, u, strict=True)]
    differ = [log2((1 - a) / (1 - b)) for a, b in zip(m, u, strict=True)]
    weight = {g: sum(agree[v] if g[v] else differ[v] for v in range(attributes)) for g in counts}
    credit = 0.0
    for i, row in enumerate(patterns):
        greatest = max(weight[g] for g in row)
        tied = [abs(weight[g] - greatest) <= 1e-9 for g in row]
        credit += tied[i] / sum(tied)
    return 100 * credit / n


def transitions(original, masked):
    """Return for each attribute the numbers of records by (original, masked) category, and by original category."""
    pairs = [Counter(zip(x, y, strict=True)) for x, y in zip(columns(original), columns(masked), strict=True)]
    return pairs, [Counter(x) for x in columns(original)]


def guess_gain(original, masked):
    n, gains = len(original), []
    for pairs, totals in zip(*transitions(original, masked), strict=True):
        guessed = sum(max(c for (_, b), c in pairs.items() if b == shown) for shown in {b for _, b in pairs})
        floor = max(totals.values())
        gains.append(Fraction(guessed - floor, n - floor) if floor < n else Fraction(0))
    return float(100 * sum(gains) / len(gains))


def informed(original, masked, matrices=None):
    """`matrices` maps positions of attributes to known probabilities by (original, masked) category."""
    pairs, totals = transitions(original, masked)
    known = matrices or {}

    def chance(v, a, b):
        return known[v].get((a, b), Fraction(0)) if v in known else Fraction(pairs[v][a, b], totals[v][a])

    credit = Fraction(0)
    for own, y in zip(records(original), records(masked), strict=True):
        chances = {
            x: prod(chance(v, a, b) for v, (a, b) in enumerate(zip(x, y, strict=True))) for x in records(original)
        }
        greatest = max(chances.values())
        if chances[own] == greatest > 0:
            credit += Fraction(1, sum(chances[x] == greatest for x in records(original)))
    return float(100 * credit / len(original))


def ranked(original, masked):
    """Chance that an original drawn from a block of places is the own one, in the mean, for the best block."""
    pairs, totals = transitions(original, masked)
    blocks = [range(1 << k, 2 << k) for k in range(5)]
    matches = [Fraction(0)] * len(blocks)
    for own, y in zip(records(original), records(masked), strict=True):
        chances = [
            prod(Fraction(pairs[v][a, b], totals[v][a]) for v, (a, b) in enumerate(zip(x, y, strict=True)))
            for x in records(original)
        ]
        mine = chances[records(original).index(own)]
        likelier, tied = sum(chance > mine for chance in chances), sum(chance == mine for chance in chances)
        for k, block in enumerate(blocks if likelier < 31 else ()):
            places = sum(place in block for place in range(likelier + 1, likelier + tied + 1))
            matches[k] += Fraction(places, tied * len(block))
    return float(100 * max(matches) / len(original))


def relabelled(original, masked):
    """Records gained by the best permutation of the labels, by attribute: all permutations are tried."""
    gains = []
    for pairs in transitions(original, masked)[0]:
        labels = sorted({label for pair in pairs for label in pair})
        right = [sum(pairs[a, b] for a, b in zip(labels, exchanged, strict=True)) for exchanged in permutations(labels)]
        gains.append(max(right) - sum(pairs[a, a] for a in labels))
    return gains
