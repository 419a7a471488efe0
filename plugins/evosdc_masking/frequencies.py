"""How often categories occur."""

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Codes


def frequencies(column: Codes, size: int) -> NDArray[np.int64]:
    """Return how often each of `size` categories occurs, shape (size,); missing values are not counted."""
    return np.bincount(column[column >= 0], minlength=size)


def occurring(column: Codes) -> int:
    """Return how many categories occur at least once; a missing value is none of them."""
    present = np.unique(column)
    return int((present >= 0).sum())
