"""From genes to the transition matrix that draws: two-stage form, lower bound of the diagonal, share retained."""

from dataclasses import dataclass

import numpy as np

from evosdc.errors import Fault, ParameterError
from evosdc.randomisation.invariance import diluted, two_stage, with_retained
from evosdc.randomisation.preference_matrix import preference_matrix
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Table
from evosdc_pram.coding import Coding, Genes, locked
from evosdc_pram.parameters import PramParameters


@dataclass(frozen=True)
class Phenotype:
    """How genes become a matrix.

    Parameters
    ----------
    two_stage : bool
        Whether genes stand for the first stage of a two-stage invariant matrix.
    least : float
        Lower bound of the diagonal; two-stage matrices are diluted until it holds.
    retained : float or None
        Expected share of unchanged values to dilute to.
    """

    two_stage: bool
    least: float
    retained: float | None

    def of(self, coding: Coding, genes: Genes) -> Matrix:
        """Return the transition matrix of an attribute."""
        matrix = coding.probabilities(genes)
        if self.two_stage:
            matrix = two_stage(matrix, coding.frequencies)
        if self.retained is not None:
            matrix = with_retained(matrix, coding.frequencies, self.retained)
        # Bounded genes keep to the bound by themselves, unless a share to retain has taken from their diagonal.
        return self.raised(matrix) if self.two_stage or self.retained is not None else matrix

    def raised(self, matrix: Matrix) -> Matrix:
        """Return the matrix diluted until no diagonal probability is below the lower bound."""
        lowest = float(np.diagonal(matrix).min(initial=1.0))
        return diluted(matrix, (1.0 - self.least) / (1.0 - lowest)) if lowest < self.least else matrix


def coding_of(original: Table, position: int, params: PramParameters) -> Coding:
    """Return the coding of one attribute.

    Raises
    ------
    ParameterError
        No whole number lies between the bounds of a diagonal, or no flow keeps to them.
    """
    attribute = original.schema.attributes[position]
    column = original.codes[:, position]
    size = len(attribute.categories)
    frequencies = np.bincount(column[column >= 0], minlength=size).astype(np.int64)
    flows = params.invariance == "flow"
    occurs = frequencies > 0
    sums = np.where(occurs, frequencies * params.grain, 1) if flows else np.full(size, params.scale)
    # Two-stage matrices are bounded when they are decoded; their first stage is free.
    bounded = occurs if occurs.sum() > 1 and params.invariance != "two-stage" else np.zeros(size, dtype=np.bool_)
    low = np.where(occurs, 0, sums)
    low = np.where(bounded, np.ceil(params.least * sums - 1e-9), low).astype(np.int64)
    high = np.where(bounded, np.floor(params.most * sums + 1e-9), sums).astype(np.int64)
    if occurs.sum() < 2:
        low = sums.astype(np.int64)
    if (low > high).any():
        given = f"bounds {params.least} and {params.most}"
        wanted = "bounds with a whole number of parts between them"
        advice = "Move the bounds apart, or raise scale (grain for flows)."
        raise ParameterError(Fault(f"genotype pram: diagonal of {attribute.name}", given, wanted, advice))
    sums = sums.astype(np.int64)
    nearest = np.diag(sums)
    if flows and params.most < 1.0:
        away = 1.0 - np.identity(size)
        matrix = preference_matrix(np.where(occurs, sums, 0), away, params.least, params.most, by_record=True)
        nearest = np.rint(matrix * sums[:, None]).astype(np.int64)
    return Coding(frequencies, np.flatnonzero(occurs), sums, flows, low, high, locked(nearest))
