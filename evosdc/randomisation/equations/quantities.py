"""What an equation is told of an attribute: the terminals' values in every cell of its matrix."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.randomisation.equations.equation import frozen
from evosdc.randomisation.equations.symbols import CODE, TERMINALS
from evosdc.randomisation.transition import Frequencies
from evosdc.table.distance import category_distance
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import Codes


@dataclass(frozen=True, eq=False)
class Quantities:
    """The terminals' values for one attribute, over the categories that occur.

    Parameters
    ----------
    planes : ndarray of float64, shape (1 + terminals, n * n)
        Row t holds terminal t in the cells (k, l) of the matrix, row by row; row 0 is unused.
    occurring : ndarray of intp, shape (n,)
        Codes of the categories that occur.
    size : int
        Number of all categories, c.
    p : float
        The user's parameter.
    """

    planes: NDArray[np.float64]
    occurring: NDArray[np.intp]
    size: int
    p: float


def quantities(frequencies: Frequencies, distance: NDArray[np.float64], ordinal: bool, p: float) -> Quantities:
    """Return the terminals' values.

    Parameters
    ----------
    frequencies : ndarray of int64, shape (c,)
        T, how often each category occurs.
    distance : ndarray of float64, shape (c, c)
        Between categories, in [0, 1].
    ordinal : bool
        Whether positions of categories mean anything; where not, `a` and `b` are 0.
    p : float
        In [0, 1].
    """
    occurring = np.flatnonzero(frequencies)
    n = occurring.size
    T = frequencies[occurring].astype(np.float64)
    position = occurring.astype(np.float64) if ordinal else np.zeros(n)
    planes = np.zeros((1 + len(TERMINALS), n, n))
    planes[CODE["ta"]] = T[:, None]
    planes[CODE["tb"]] = T[None, :]
    planes[CODE["N"]] = T.sum()
    planes[CODE["c"]] = n
    planes[CODE["tmin"]] = T.min(initial=np.inf) if n else 0.0
    planes[CODE["tmax"]] = T.max(initial=0.0)
    planes[CODE["a"]] = position[:, None]
    planes[CODE["b"]] = position[None, :]
    planes[CODE["d"]] = distance[np.ix_(occurring, occurring)]
    planes[CODE["p"]] = p
    return Quantities(frozen(planes.reshape(len(planes), n * n), np.float64), occurring, frequencies.size, p)


def quantities_of(column: Codes, attribute: Attribute, p: float) -> Quantities:
    """Return the terminals' values for an attribute's column; missing values are not counted."""
    c = len(attribute.categories)
    T = np.bincount(column[column >= 0], minlength=c).astype(np.int64)
    distance = category_distance(attribute).matrix[:c, :c]
    return quantities(T, distance, attribute.scale is Scale.ORDINAL, p)
