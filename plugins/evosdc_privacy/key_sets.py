"""What the sets of so many quasi-identifiers tell of a file, gone through once for all models that ask."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from evosdc.model import IntruderView
from evosdc_privacy.distinct_keys import distinct_keys, part_of

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class KeySet:
    """What one set of quasi-identifiers tells.

    Parameters
    ----------
    names : tuple of str
    classes : int
        Its distinct keys.
    alike : float
        Pairs of records that match on it.
    frequencies, cells : ndarray of int64
        How many records match a key, ascending, and of how many keys that is so.
    """

    names: tuple[str, ...]
    classes: int
    alike: float
    frequencies: Integers
    cells: Integers


@dataclass(frozen=True)
class KeySets:
    """What all sets of a size tell.

    Parameters
    ----------
    sets : tuple of KeySet
        In the order of `itertools.combinations`.
    least : ndarray of int64, shape (n,)
        The smallest frequency of each record over all sets.
    """

    sets: tuple[KeySet, ...]
    least: Integers


_found: WeakKeyDictionary[IntruderView, dict[int, KeySets]] = WeakKeyDictionary()


def key_sets(view: IntruderView, size: int) -> KeySets:
    """Return what the sets of `size` quasi-identifiers tell; of one view it is found once."""
    known = _found.setdefault(view, {})
    if size not in known:
        known[size] = _key_sets(view, size)
    return known[size]


def frequencies_by_set(view: IntruderView, size: int) -> Iterator[tuple[KeySet, Integers]]:
    """Yield what each set tells, and how many records match each record of a view on it, shape (n,)."""
    for names in combinations(view.quasi_identifiers, size):
        part = part_of(view, names)
        matching, counts = part.frequencies[0], part.classes.counts
        alike = float((counts * (matching - 1)).sum()) / 2.0
        cells = np.bincount(matching)
        present = np.flatnonzero(cells)
        yield KeySet(names, len(part.classes), alike, present, cells[present]), matching[part.classes.of]


def _key_sets(view: IntruderView, size: int) -> KeySets:
    distinct, of = distinct_keys(view)
    sets, least = [], np.full(len(distinct.table), np.iinfo(np.int64).max)
    for one, found in frequencies_by_set(distinct, size):
        sets.append(one)
        np.minimum(least, found, out=least)
    return KeySets(tuple(sets), least[of])
