"""The measures of numbers as their definitions read: plain loops, to compare the implementations with."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import erf, isnan, sqrt
from statistics import fmean, pstdev, stdev

import numpy as np

from evosdc.table.schema import MissingRule, Scale


def column(table, attribute):
    """Values of an attribute; None for a missing one."""
    values = table.column(attribute.name).tolist()
    if attribute.categorical:
        return [None if x < 0 else x for x in values]
    return [None if isnan(x) else x for x in values]


def known(values):
    return [x for x in values if x is not None]


def il1s(original, masked):
    wild = original.schema.na is MissingRule.WILDCARD
    losses = []
    for attribute in original.schema.numeric:
        x, y = column(original, attribute), column(masked, attribute)
        if len(set(known(x))) < 2:
            continue
        for a, b in zip(x, y, strict=True):
            if a is None or b is None:
                losses.append(0.0 if wild or a is b else 1.0)
            else:
                losses.append(abs(a - b) / (sqrt(2) * stdev(known(x))))
    return min(100 * fmean(losses), 100.0) if losses else 0.0


def moment(x, y, r, s):
    """Central moment of the records that have both values."""
    both = [(a, b) for a, b in zip(x, y, strict=True) if a is not None and b is not None]
    mx, my = fmean(a for a, _ in both), fmean(b for _, b in both)
    return fmean((a - mx) ** r * (b - my) ** s for a, b in both)


def pil(difference, variance, n):
    if n == 0:
        return 1.0
    if variance <= 0:
        return float(difference != 0)
    return erf(abs(difference) / sqrt(variance / n) / sqrt(2))


def correlation(x, y):
    spread = moment(x, x, 1, 1) * moment(y, y, 1, 1)
    return moment(x, y, 1, 1) / sqrt(spread) if spread > 0 else 0.0


def apil(original, masked):
    """Return the five parts, for files whose original attributes vary; missing values are left out by pairs."""
    X = [column(original, a) for a in original.schema.numeric]
    Y = [column(masked, a) for a in original.schema.numeric]
    parts = {part: [] for part in ("means", "variances", "covariances", "correlations", "quantiles")}
    for x, y in zip(X, Y, strict=True):
        m2, m4, n = moment(x, x, 1, 1), moment(x, x, 2, 2), len(known(y))
        x, y = known(x), known(y)
        parts["means"].append(pil(fmean(y) - fmean(x), m2, n))
        parts["variances"].append(pil(moment(y, y, 1, 1) - m2, m4 - m2**2, n))
        width = min(pstdev(x), float(np.subtract(*np.quantile(x, [0.75, 0.25]))) / 1.34 or pstdev(x))
        h = 0.9 * width * len(x) ** -0.2
        for q in range(5, 100, 5):
            at = float(np.quantile(x, q / 100))
            f = fmean(np.exp(-0.5 * ((a - at) / h) ** 2) for a in x) / (h * sqrt(2 * np.pi))
            parts["quantiles"].append(
                pil(float(np.quantile(y, q / 100)) - at, q / 100 * (1 - q / 100) / f**2 if f else np.inf, n)
            )
    for j in range(len(X)):
        for k in range(j):
            x, y = X[j], X[k]
            n = sum(a is not None and b is not None for a, b in zip(Y[j], Y[k], strict=True))
            m11, m22 = moment(x, y, 1, 1), moment(x, y, 2, 2)
            pair = [(a, b) for a, b in zip(x, y, strict=True) if a is not None and b is not None]
            rho, u, v = correlation(x, y), *zip(*pair, strict=True)
            m20, m02, m40, m04 = moment(u, u, 1, 1), moment(v, v, 1, 1), moment(u, u, 2, 2), moment(v, v, 2, 2)
            parts["covariances"].append(pil(moment(Y[j], Y[k], 1, 1) - m11, m22 - m11**2, n))
            variance = (
                m22 / (m20 * m02)
                + rho**2 * (m40 / m20**2 + m04 / m02**2 + 2 * m22 / (m20 * m02)) / 4
                - rho * (moment(x, y, 3, 1) / (m20 * sqrt(m20 * m02)) + moment(x, y, 1, 3) / (m02 * sqrt(m20 * m02)))
            )
            parts["correlations"].append(pil(correlation(Y[j], Y[k]) - rho, variance, n))
    return {part: 100 * fmean(values) for part, values in parts.items() if values}


def blocks(values, places):
    """Return the first and the last rank of each value among some; of another the place where it would stand."""
    wanted = {*values, *known(places)}
    return {c: (1 + sum(v < c for v in values), sum(v <= c for v in values)) for c in wanted}


def interval(original, masked, percents=range(1, 11), by_deviation=False, of_masked=False, whole=False):
    n = len(original)
    inside = 0
    for percent in percents:
        hits = []
        for attribute in original.schema.attributes:
            x, y = column(original, attribute), column(masked, attribute)
            hits.append([False] * n)
            block = blocks(known(y), x)
            for i, (a, b) in enumerate(zip(x, y, strict=True)):
                if a is None or b is None or attribute.scale is Scale.NOMINAL:
                    hits[-1][i] = a == b
                elif attribute.scale is Scale.NUMERIC and by_deviation:
                    values = known(y if of_masked else x)
                    hits[-1][i] = abs(a - b) <= percent / 100 * (stdev(values) if len(values) > 1 else 0.0)
                else:
                    centre, reach = Fraction(sum(block[b]), 2), Fraction(percent * n, 100)
                    hits[-1][i] = block[a][1] >= centre - reach and block[a][0] <= centre + reach
        inside += sum(map(all, zip(*hits, strict=True))) if whole else sum(map(sum, hits))
    return 100 * inside / (n * len(percents) * (1 if whole else len(original.schema)))


def squared_distances(original, masked, each=False):
    """Return squared distances, rows masked and columns original records."""
    n = len(original)
    wild = original.schema.na is MissingRule.WILDCARD
    result = np.zeros((n, n))
    for attribute in original.schema.attributes:
        x, y = column(original, attribute), column(masked, attribute)
        shift = {0: (0.0, 1.0), 1: (0.0, 1.0)}
        if attribute.scale is Scale.NUMERIC:
            for place, values in enumerate((x, y if each else x)):
                spread = pstdev(known(values)) if known(values) else 0.0
                shift[place] = (fmean(known(values)) if known(values) else 0.0, 1 / spread if spread else 0.0)
        for i, b in enumerate(y):
            for j, a in enumerate(x):
                if a is None or b is None:
                    lost = 0.0 if wild else 2.0 if attribute.scale is Scale.NUMERIC else 1.0
                    result[i, j] += 0.0 if a is None and b is None else lost
                elif attribute.scale is Scale.NOMINAL:
                    result[i, j] += a != b
                elif attribute.scale is Scale.ORDINAL:
                    result[i, j] += ((a - b) / len(attribute.categories)) ** 2
                else:
                    (mx, sx), (my, sy) = shift[0], shift[1]
                    result[i, j] += ((a - mx) * sx - (b - my) * sy) ** 2
    return result


def credits(distances, candidates=None):
    """Return the score of linking each row to its nearest column, with the own one on the diagonal."""
    total = 0.0
    for i, row in enumerate(distances):
        slack = 1e-9 * row[i] + 1e-15
        allowed = np.ones(len(row), dtype=bool) if candidates is None else candidates[i]
        if allowed[i] and not (row[allowed] < row[i] - slack).any():
            total += 1 / (row[allowed] <= row[i] + slack).sum()
    return 100 * total / len(distances)


def rsrl(original, masked, p):
    n = len(original)
    wild = original.schema.na is MissingRule.WILDCARD
    candidates = np.ones((n, n), dtype=bool)
    for attribute in original.schema.attributes:
        x, y = column(original, attribute), column(masked, attribute)
        if attribute.scale is Scale.NUMERIC and len(set(known(x))) < 2:
            x, y = [None if a is None else 0 for a in x], [None if b is None else 0 for b in y]
        if attribute.scale is Scale.NOMINAL:
            x, y = ([None if a is None else attribute.categories[a] for a in values] for values in (x, y))
        block = blocks(known(y), x)
        for i, a in enumerate(x):
            for j, b in enumerate(y):
                if a is None or b is None:
                    candidates[i, j] &= wild or a is b
                    continue
                candidates[i, j] &= max(block[b][0] - block[a][1], block[a][0] - block[b][1], 0) * 100 <= p * n
    return credits(squared_distances(original, masked).T, candidates)


def assignment(costs):
    """Return the greatest score of the best assignments, over all permutations; equal records are interchangeable."""
    n = len(costs)
    rows = [[j for j in range(n) if np.allclose(costs[i], costs[j], rtol=0, atol=1e-12)] for i in range(n)]
    columns = [
        [j for j in range(n) if np.allclose(np.array(costs)[:, i], np.array(costs)[:, j], rtol=0, atol=1e-12)]
        for i in range(n)
    ]
    credit = [[len({*rows[i]} & {*columns[j]}) / (len(rows[i]) * len(columns[j])) for j in range(n)] for i in range(n)]
    sums = [
        (sum(costs[i][p[i]] for i in range(n)), sum(credit[i][p[i]] for i in range(n))) for p in permutations(range(n))
    ]
    least = min(cost for cost, _ in sums)
    return 100 * max(links for cost, links in sums if cost <= least + 1e-8) / n
