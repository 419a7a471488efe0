"""How a transition matrix becomes a genome: whole numbers of constant sum by row, or whole flows with both margins."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import PluginError
from evosdc.randomisation.transition import Frequencies, Matrix

Genes = NDArray[np.int64]


@dataclass(frozen=True)
class Coding:
    """What the matrices of one attribute look like."""

    frequencies: Frequencies  # shape (c,); T, missing values not counted
    # Shape (m,); categories of positive frequency. The others take no part: identity row, otherwise zero column
    occurring: NDArray[np.intp]
    sums: Genes  # shape (c,); row sums: the scale throughout, or the flow out of each category
    flows: bool  # whether column sums equal row sums, too, so that the matrix is invariant
    # low, high: shape (c,); bounds of the diagonal, in the same units as the rows
    low: Genes
    high: Genes
    nearest: Genes  # shape (c, c); the genes nearest to the identity within these bounds

    @property
    def free(self) -> bool:
        """Whether there is anything to vary: at least two categories occur."""
        return self.occurring.size > 1

    def probabilities(self, genes: Genes) -> Matrix:
        """Return the transition matrix that the genes represent, shape (c, c)."""
        return genes / self.sums[:, None]

    def genes_of(self, matrix: Matrix) -> Genes:
        """Return the genes nearest to a matrix: by largest remainders, or for flows by controlled rounding."""
        if not self.free:
            return locked(np.diag(self.sums))
        genes = np.diag(self.sums)
        square = np.ix_(self.occurring, self.occurring)
        exact = matrix[square] * self.sums[self.occurring, None]
        genes[square] = (
            controlled_rounding(exact) if self.flows else largest_remainder(exact, self.sums[self.occurring])
        )
        return locked(genes if self.flows else self.bounded(genes))

    def check(self, genes: Genes) -> None:
        """Raise `PluginError` unless the genes are a read-only matrix of the right sums and within the bounds."""
        size = len(self.sums)
        if genes.shape != (size, size) or genes.dtype != np.int64 or genes.flags.writeable:
            raise PluginError(f"genes of pram are a read-only int64 matrix ({size}, {size}); got {genes.dtype}")
        if (genes < 0).any() or (genes > self.sums.max(initial=0)).any() or (genes.sum(axis=1) != self.sums).any():
            raise PluginError("a row of genes of pram is negative or has a wrong sum")
        if self.flows and (genes.sum(axis=0) != self.sums).any():
            raise PluginError("a column of flows has a wrong sum")
        idle = np.setdiff1d(np.arange(size), self.occurring)
        kept = np.diagonal(genes)
        if (genes[:, idle].sum(axis=0) != kept[idle]).any() or (kept < self.low).any() or (kept > self.high).any():
            raise PluginError("genes of pram lead to a category that does not occur, or leave the diagonal's bounds")

    def bounded(self, genes: Genes) -> Genes:
        """Return genes whose diagonal lies within the bounds; what it lacks is taken from, or given to, its row."""
        genes = genes.copy()
        for row in self.occurring if self.free else ():
            kept = int(np.clip(genes[row, row], self.low[row], self.high[row]))
            if kept == genes[row, row]:
                continue
            others = self.occurring[self.occurring != row]
            rest = genes[row, others].astype(np.float64)
            rest = rest / rest.sum() if rest.any() else np.full(others.size, 1.0 / others.size)
            left = self.sums[row] - kept
            genes[row, others] = largest_remainder((rest * left)[None], np.array([left]))[0]
            genes[row, row] = kept
        return genes


def locked(genes: Genes) -> Genes:
    """Return the genes, made read-only."""
    genes.flags.writeable = False
    return genes


def largest_remainder(exact: Matrix, sums: Genes) -> Genes:
    """Return whole numbers next to `exact` whose rows have the given sums; the largest remainders are rounded up."""
    scaled = exact * (sums / np.maximum(exact.sum(axis=1), 1e-300))[:, None]
    whole = np.floor(scaled + 1e-9).astype(np.int64)
    order = np.argsort(-(scaled - whole), axis=1, kind="stable")
    lacking = sums - whole.sum(axis=1)
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(order.shape[1])[None, :], axis=1)
    rounded: Genes = whole + (rank < lacking[:, None])
    return rounded


def controlled_rounding(exact: Matrix) -> Genes:
    """Return whole numbers, each the floor or ceiling of `exact`, with the same row and column sums."""
    # The sums of `exact` are whole but for rounding. A transportation problem whose bounds are whole has whole
    # vertices, and `exact` itself lies within them, so there is always such a rounding; the one found has the least
    # distance.
    size = len(exact)
    near = np.rint(exact)
    exact = np.where(np.abs(exact - near) < 1e-7, near, exact)
    floor = np.floor(exact)
    remainders = exact - floor
    if not remainders.any():
        return floor.astype(np.int64)
    rows, columns = np.divmod(np.arange(size * size), size)
    entries = np.concatenate((rows, size + columns))
    # Late: these take as long to import as all else that a run needs.
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    margins = csr_array(
        (np.ones(2 * size * size), (entries, np.tile(np.arange(size * size), 2))), shape=(2 * size, size * size)
    )
    sums = np.rint(np.concatenate((remainders.sum(axis=1), remainders.sum(axis=0))))
    bounds = np.column_stack((np.zeros(size * size), np.ceil(remainders).ravel()))
    solved = linprog(1.0 - 2.0 * remainders.ravel(), A_eq=margins, b_eq=sums, bounds=bounds, method="highs-ds")
    if solved.status != 0:
        raise ValueError("the margins of the matrix are not whole")
    rounded: Genes = (floor + np.rint(solved.x.reshape(size, size))).astype(np.int64)
    return rounded
