"""Operators on whole matrices that never break a sum, nor the bounds of a diagonal.

The first ones are for matrices with rows of constant sum, `moved` and `midpoint` for flows: their row and column sums
are the frequencies. The matrix of a flow M is ``p_kl = M_kl / T_k``, invariant by construction and reversible or not.
All are a reconstruction: of the operators of the thesis only the captions "mutating a transition matrix" and
"crossover in the transition matrix" are at hand.
"""

import numpy as np

from evosdc_pram.coding import Coding, Genes, largest_remainder, locked

_TRIES = 16  # random picks before a mutation is given up: every cell may be stuck at a bound
_TRIES_OF_FLOWS = 32


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


def moved(genes: Genes, coding: Coding, rng: np.random.Generator) -> Genes:
    """Move a random amount around a rectangle: two cells lose it, the other two corners gain it, no margin changes."""
    occurring = coding.occurring
    cells = np.argwhere(genes[np.ix_(occurring, occurring)] > 0)
    for _ in range(_TRIES_OF_FLOWS):
        first, second = rng.integers(0, len(cells), 2)
        (i, down), (j, across) = occurring[cells[first]], occurring[cells[second]]
        if i == j or down == across:
            continue
        most = _most(genes, coding, int(i), int(j), int(down), int(across))
        if most > 0:
            amount = int(rng.integers(1, most + 1))
            changed = genes.copy()
            changed[i, down] -= amount
            changed[i, across] += amount
            changed[j, across] -= amount
            changed[j, down] += amount
            return locked(changed)
    return genes


def _most(genes: Genes, coding: Coding, i: int, j: int, down: int, across: int) -> int:
    """Return how much can be moved without a negative flow or a diagonal out of its bounds."""
    most = int(min(genes[i, down], genes[j, across]))
    for row, column in ((i, down), (j, across)):
        if row == column:
            most = min(most, int(genes[row, row] - coding.low[row]))
    for row, column in ((i, across), (j, down)):
        if row == column:
            most = min(most, int(coding.high[row] - genes[row, row]))
    return most


def midpoint(a: Genes, b: Genes) -> tuple[Genes, Genes]:
    """Return two whole matrices next to the mean of two flows, which together make up ``a + b``; margins are kept."""
    # Cells of an odd sum have a mean that ends in one half. Every row and column has an even number of them, so they
    # lie on closed walks that turn at each cell. Rounding up and down in turns along a walk keeps all margins.
    total = a + b
    half = total // 2
    odd = (total & 1).astype(np.bool_)
    up = np.zeros_like(odd)
    rows: list[list[int]] = [np.flatnonzero(row).tolist() for row in odd]
    columns: list[list[int]] = [np.flatnonzero(column).tolist() for column in odd.T]
    for start in range(len(rows)):
        while rows[start]:
            row = start
            while True:  # a walk ends where it began: everywhere else an odd number of cells is left to leave by
                column = rows[row].pop()
                columns[column].remove(row)
                up[row, column] = True
                row = columns[column].pop()
                rows[row].remove(column)
                if row == start:
                    break
    first = half + up
    return locked(first), locked(total - first)
