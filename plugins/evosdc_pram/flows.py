"""Operators on flows: matrices of whole numbers whose row and column sums are the frequencies, exactly and always.

The transition matrix of a flow M is ``p_kl = M_kl / T_k``, invariant by construction and reversible or not. Moves and
midpoint are a reconstruction.
"""

import numpy as np

from evosdc_pram.coding import Coding, Genes, locked

_TRIES = 32


def moved(genes: Genes, coding: Coding, rng: np.random.Generator) -> Genes:
    """Move a random amount around a rectangle: two cells lose it, the other two corners gain it, no margin changes."""
    occurring = coding.occurring
    cells = np.argwhere(genes[np.ix_(occurring, occurring)] > 0)
    for _ in range(_TRIES):
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
