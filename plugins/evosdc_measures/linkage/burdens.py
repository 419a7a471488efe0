"""What each record adds to a risk of linkage."""

import numpy as np

from evosdc.table.table import Numbers
from evosdc_measures.domains import Counts, SmallCounts


def burdens_of(ties: Counts | SmallCounts) -> Numbers:
    """Return each record's credit as a share of the risk, shape (n,), summing to it; 0..100/n.

    Parameters
    ----------
    ties : ndarray of int, shape (n,)
        Size of the tie that a record's own counterpart is in, 0 where another one is preferred.
    """
    return np.where(ties > 0, 100.0 / len(ties) / np.maximum(ties, 1), 0.0)
