"""How far ordered values were moved: by how many of the original's different values, up or down."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from evosdc.table.table import Numbers
from evosdc_judges.classes import Codes, Keys

UNIT = 1 << 32
"""What a cost of 1 is as a whole number."""


@dataclass(frozen=True)
class Ordered:
    """The different values of an original column in order, and which one each record has.

    Parameters
    ----------
    values : ndarray of float64, shape (D,)
        Ascending.
    places : ndarray of int32, shape (n,)
        Of each record's value among them; D where it is missing.
    """

    values: Numbers
    places: Codes

    @classmethod
    def of(cls, column: Numbers) -> "Ordered":
        """Return those of a column, shape (n,), NaN where a value is missing."""
        values = np.unique(column[~np.isnan(column)])
        return cls(values, _places(values, column))

    def published(self, column: Numbers) -> Codes:
        """Return for each value of a masked column the place of the nearest one; D where it is missing."""
        return _places(self.values, column)

    def costs(self, published: Codes) -> Keys:
        """Return ``-log`` of the chance to be moved so far, by `published` - `places` + D, shape (2 D + 1,).

        Places moved are counted by direction and power of two, and spread evenly over what each power holds, with one
        further record spread over all. A missing value has a place of its own behind all, where most distances differ
        from those of values.
        """
        most = len(self.values)
        moved = np.arange(-most, most + 1)
        powers = np.where(moved == 0, 0, np.frexp(np.abs(moved).astype(np.float64))[1] * 2 + (moved < 0))
        counts = np.bincount(powers[published.astype(np.int64) - self.places + most], minlength=int(powers.max()) + 1)
        rates = (counts / np.maximum(np.bincount(powers), 1) + 1.0 / len(moved)) / (len(published) + 1.0)
        costs: Keys = np.rint(-np.log(rates[powers]) * UNIT).astype(np.int64)
        return costs


def _places(values: Numbers, column: Numbers) -> Codes:
    if not len(values):
        return np.zeros(len(column), dtype=np.int32)
    right = np.clip(np.searchsorted(values, column), 1, max(len(values) - 1, 1))
    left, right = right - 1, np.minimum(right, len(values) - 1)
    nearest = np.where(column - values[left] <= values[right] - column, left, right)
    return np.where(np.isnan(column), len(values), nearest).astype(np.int32)


@njit(cache=True, nogil=True)
def linked_by_costs(published: Codes, own: Keys, originals: Codes, flat: Keys, offsets: Keys, widths: Keys) -> Numbers:
    """Return for each published record the chance that linking it at least cost finds its own original, shape (m,).

    Parameters
    ----------
    published : ndarray of int32, shape (m, V)
    own : ndarray of int64, shape (m,)
        Positions of their own originals.
    originals : ndarray of int32, shape (n, V)
    flat : ndarray of int64
        Costs by attribute, not negative: of a pair at ``offsets + published * widths + originals``.
    offsets, widths : ndarray of int64, shape (V,)
        A width may be -1: the costs of an ordered column go by a difference.
    """
    n, attributes = originals.shape
    chances, base = np.zeros(len(published)), np.empty(attributes, np.int64)
    for i in range(len(published)):
        least, tied = np.int64(0), 0
        for v in range(attributes):
            base[v] = offsets[v] + published[i, v] * abs(widths[v])
            least += flat[base[v] + originals[own[i], v] * (1 if widths[v] > 0 else -1)]
        for other in range(n):
            cost = np.int64(0)
            for v in range(attributes):
                cost += flat[base[v] + originals[other, v] * (1 if widths[v] > 0 else -1)]
                if cost > least:
                    break
            if cost < least:
                tied = 0
                break
            tied += cost == least
        chances[i] = 1.0 / tied if tied > 0 else 0.0
    return chances
