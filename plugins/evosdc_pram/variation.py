"""Operators on matrices with rows of constant sum: they never break a row sum, nor the bounds of a diagonal.

All of them are a reconstruction: of the operators of the thesis only the captions "mutating a transition matrix" and
"crossover in the transition matrix" are at hand.
"""

import numpy as np

from evosdc_pram.coding import Coding, Genes, largest_remainder, locked

_TRIES = 16  # random picks before a mutation is given up: every cell may be stuck at a bound


def transfer(genes: Genes, coding: Coding, rng: np.random.Generator) -> Genes:
    """Move a random amount of probability from one cell of a random row to another cell of it."""
    for _ in range(_TRIES):
        row, source, target = _cells(coding, rng)
        most = int(genes[row, source])
        if source == row:
            most -= int(coding.low[row])
        if target == row:
            most = min(most, int(coding.high[row] - genes[row, row]))
        if most > 0:
            changed = genes.copy()
            amount = int(rng.integers(1, most + 1))
            changed[row, source] -= amount
            changed[row, target] += amount
            return locked(changed)
    return genes


def swap(genes: Genes, coding: Coding, rng: np.random.Generator) -> Genes:
    """Exchange two different values of a random row."""
    for _ in range(_TRIES):
        row, first, second = _cells(coding, rng)
        if genes[row, first] == genes[row, second]:
            continue
        if row in (first, second):
            kept = genes[row, second if first == row else first]
            if not coding.low[row] <= kept <= coding.high[row]:
                continue
        changed = genes.copy()
        changed[row, [first, second]] = genes[row, [second, first]]
        return locked(changed)
    return genes


def _cells(coding: Coding, rng: np.random.Generator) -> tuple[int, int, int]:
    """Return a row and two different columns, of occurring categories."""
    occurring = coding.occurring
    row, first, second = (int(n) for n in rng.integers(0, (occurring.size, occurring.size, occurring.size - 1)))
    second += second >= first
    return int(occurring[row]), int(occurring[first]), int(occurring[second])


def exchanged_rows(a: Genes, b: Genes, points: str, rng: np.random.Generator) -> tuple[Genes, Genes]:
    """Exchange whole rows: after one point, between two points, or each with probability one half."""
    size = len(a)
    taken = np.zeros(size, dtype=np.bool_)
    if points == "uniform":
        taken = rng.random(size) < 0.5
    elif points == "two-point":
        first, last = sorted(int(n) for n in rng.integers(0, size, 2))
        taken[first : last + 1] = True
    else:
        taken[int(rng.integers(1, max(size, 2))) :] = True
    rows = taken[:, None]
    return locked(np.where(rows, b, a)), locked(np.where(rows, a, b))


def blended(a: Genes, b: Genes, rng: np.random.Generator) -> tuple[Genes, Genes]:
    """Return two weighted means of whole matrices, ``w a + (1 - w) b`` rounded and what it leaves of ``a + b``."""
    # Each value is rounded to a neighbour, so it stays between those of the parents, and so does the diagonal.
    weight = rng.random()
    first = largest_remainder(weight * a + (1.0 - weight) * b, a.sum(axis=1))
    return locked(first), locked(a + b - first)
