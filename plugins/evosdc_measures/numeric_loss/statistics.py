"""The statistics of numeric files whose discrepancies are taken, by content."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Numbers
from evosdc_measures.numeric_loss.exact_moments import moments_of
from evosdc_measures.numeric_loss.moments import Moments


@dataclass(frozen=True, eq=False)
class Reference:
    """What of the original decides how entries of either file are taken.

    Parameters
    ----------
    judged : ndarray of intp, shape (q,)
        Attributes that vary.
    means, deviations : ndarray of float64, shape (q,)
    """

    judged: NDArray[np.intp]
    means: Numbers
    deviations: Numbers


Entries = Callable[[Moments, Reference], Numbers]
"""From the moments of a file and the reference to the entries of a statistic, flat."""


def reference_of(numbers: Numbers) -> tuple[Reference, Moments]:
    """Return the reference and the moments of an original."""
    moments = moments_of(numbers)
    judged = np.flatnonzero(moments.varying)
    return Reference(judged, moments.means[judged], np.sqrt(moments.variances[judged])), moments


def _means(moments: Moments, reference: Reference) -> Numbers:
    return moments.means[reference.judged]


def _variances(moments: Moments, reference: Reference) -> Numbers:
    return moments.variances[reference.judged]


def _covariances(moments: Moments, reference: Reference) -> Numbers:
    judged = reference.judged
    return moments.covariances[np.ix_(judged, judged)][np.triu_indices(len(judged))]


def _correlations(moments: Moments, reference: Reference) -> Numbers:
    judged = reference.judged
    return moments.correlations[np.ix_(judged, judged)][np.triu_indices(len(judged), 1)]


def _eigenvalues(moments: Moments, reference: Reference) -> Numbers:
    judged, deviations = reference.judged, reference.deviations
    matrix = moments.covariances[np.ix_(judged, judged)] / np.outer(deviations, deviations)
    found = np.linalg.eigvalsh(matrix)[::-1]
    # Attributes that depend on each other leave eigenvalues that are zero but for rounding.
    return np.asarray(np.where(found > 1e-9 * found.max(initial=0.0), found, 0.0))


STATISTICS: Mapping[str, Entries] = {
    "means": _means,
    "variances": _variances,
    "covariances": _covariances,
    "correlations": _correlations,
    "eigenvalues": _eigenvalues,
}
"""Statistics by name."""
