"""The informed intruder of files that publish labels above the categories."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_social.tree import Nodes

Integers = NDArray[np.int64]

_SCALE = 2.0**32
"""What logarithms are multiplied by before they are rounded once, so that ties are ties."""


def informed_credit(leaves: Nodes, published: Nodes) -> NDArray[np.float64]:
    """Return for each published record the chance that the original taken for it, one of the likeliest, is its own.

    The intruder knows J_v(a, b), how often value a was published as b, and all originals. Record y is linked to the
    originals x of greatest sum over attributes of log(J_v(x_v, y_v) / J_v(x_v, .)). Equal originals and equal records
    are looked at once, and only those originals that the record's rarest label admits.

    Parameters
    ----------
    leaves, published : ndarray of int32, shape (n, V)
        Row r of both is the same user.
    """
    originals, counts = np.unique(leaves, axis=0, return_counts=True)
    records, of = np.unique(published, axis=0, return_inverse=True)
    attributes = leaves.shape[1]
    most = int(max(leaves.max(), published.max())) + 1 if leaves.size else 1
    begins = np.zeros((attributes, most + 1), dtype=np.int64)
    holders = np.zeros((attributes, most + 1), dtype=np.int64)
    values, logarithms, holding = [], [], np.empty((attributes, len(originals)), dtype=np.int64)
    admitted = np.zeros((attributes, len(records)), dtype=np.int64)
    own = np.zeros(len(leaves), dtype=np.int64)
    for v in range(attributes):
        # Pairs of a label and a value that it was published for, label by label.
        pairs, place, often = np.unique(
            published[:, v].astype(np.int64) * most + leaves[:, v], return_inverse=True, return_counts=True
        )
        of_value = np.bincount(leaves[:, v], minlength=most)
        likely = np.rint(np.log(often / of_value[pairs % most]) * _SCALE).astype(np.int64)
        own += likely[place.reshape(-1)]
        values.append(pairs % most)
        logarithms.append(likely)
        begins[v] = np.searchsorted(pairs // most, np.arange(most + 1)) + sum(map(len, values[:-1]))
        holding[v] = np.argsort(originals[:, v], kind="stable")
        holders[v] = np.searchsorted(originals[holding[v], v], np.arange(most + 1))
        held = np.bincount(pairs // most, weights=np.diff(holders[v])[pairs % most], minlength=most)
        admitted[v] = held[records[:, v]]
    best, ties = _likeliest(
        originals, counts, records, admitted.argmin(axis=0), begins, np.concatenate(values), np.concatenate(logarithms),
        holders, holding,
    )  # fmt: skip
    found: NDArray[np.float64] = np.where(own == best[of.reshape(-1)], 1.0 / ties[of.reshape(-1)], 0.0)
    return found


@njit(cache=True)
def _likeliest(
    originals: Nodes,
    counts: Integers,
    records: Nodes,
    rarest: Integers,
    begins: Integers,
    values: Integers,
    logarithms: Integers,
    holders: Integers,
    holding: Integers,
) -> tuple[Integers, Integers]:
    """Return the greatest sum of logarithms of each record, and how many originals have it."""
    impossible = np.int64(1)
    likely = np.full((originals.shape[1], begins.shape[1]), impossible)
    best = np.empty(records.shape[0], dtype=np.int64)
    ties = np.empty(records.shape[0], dtype=np.int64)
    for record in range(records.shape[0]):
        for v in range(records.shape[1]):
            label = records[record, v]
            for pair in range(begins[v, label], begins[v, label + 1]):
                likely[v, values[pair]] = logarithms[pair]
        reached, tied = np.int64(-(2**62)), 0
        v = rarest[record]
        label = records[record, v]
        for pair in range(begins[v, label], begins[v, label + 1]):
            value = values[pair]
            for place in range(holders[v, value], holders[v, value + 1]):
                original = holding[v, place]
                total = np.int64(0)
                for w in range(records.shape[1]):
                    one = likely[w, originals[original, w]]
                    if one == impossible:
                        total = np.int64(1)
                        break
                    total += one
                if total == 1:
                    continue
                if total > reached:
                    reached, tied = total, 0
                if total == reached:
                    tied += counts[original]
        best[record], ties[record] = reached, tied
        for v in range(records.shape[1]):
            label = records[record, v]
            for pair in range(begins[v, label], begins[v, label + 1]):
                likely[v, values[pair]] = impossible
    return best, ties
