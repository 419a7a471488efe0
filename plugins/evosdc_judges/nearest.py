"""Exact search for the nearest records, by costs that are whole numbers so that ties are ties."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc.table.table import Numbers
from evosdc_judges.classes import Codes, Keys

_UNIT = 1 << 32
"""What a cost of 1 is as a whole number."""


@dataclass(frozen=True)
class Costs:
    """Costs of pairs of classes, attribute by attribute, summed over the attributes of a pair of records.

    Parameters
    ----------
    flat : ndarray of int64
        The matrices one after the other, by row of the asked record's class.
    offsets, widths : ndarray of int64, shape (V,)
        Where each matrix begins, and the length of its rows.
    """

    flat: Keys
    offsets: Keys
    widths: Keys


def costs_of(matrices: Sequence[Numbers]) -> Costs:
    """Return costs by the asked record's class (rows) and the searched record's class (columns), not negative."""
    parts = [np.rint(matrix * _UNIT).astype(np.int64) for matrix in matrices]
    widths = np.array([part.shape[1] for part in parts], dtype=np.int64)
    ends = np.cumsum([part.size for part in parts])
    return Costs(
        np.concatenate([part.ravel() for part in parts]), np.concatenate(([0], ends[:-1])).astype(np.int64), widths
    )


@dataclass(frozen=True)
class Distinct:
    """The distinct records of a file.

    Parameters
    ----------
    records : ndarray of int32, shape (D, V)
    counts : ndarray of int64, shape (D,)
        How often each one stands in the file.
    of_record : ndarray of int64, shape (n,)
        Position of each record of the file among them.
    """

    records: Codes
    counts: Keys
    of_record: Keys


def distinct(codes: Codes, keys: Keys) -> Distinct:
    """Return the distinct records of a file, whose records have these keys (`evosdc_judges.classes.keys_of`)."""
    _, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    return Distinct(np.ascontiguousarray(codes[first]), counts.astype(np.int64), inverse.reshape(-1).astype(np.int64))


def linked(asked: Codes, own: Keys, searched: Distinct, costs: Costs) -> Numbers:
    """Return for each asked record the chance that linking it at least cost finds its own one, shape (m,).

    Where t of the searched records tie at the least cost and the own one is among them it is 1/t, else 0.

    Parameters
    ----------
    asked : ndarray of int32, shape (m, V)
    own : ndarray of int64, shape (m,)
        Position of each one's own record among the distinct ones.
    searched : Distinct
    costs : Costs
    """
    return _linked(asked, own, searched.records, searched.counts, costs.flat, costs.offsets, costs.widths)


@kernel
def _linked(
    asked: Codes, own: Keys, records: Codes, counts: Keys, flat: Keys, offsets: Keys, widths: Keys
) -> NDArray[np.float64]:
    attributes = asked.shape[1]
    base = np.empty(attributes, dtype=np.int64)
    matches = np.zeros(len(asked))
    for i in range(len(asked)):
        least = 0
        for v in range(attributes):
            base[v] = offsets[v] + asked[i, v] * widths[v]
            least += flat[base[v] + records[own[i], v]]
        tied = 0
        for d in range(len(records)):
            cost = 0
            for v in range(attributes):
                cost += flat[base[v] + records[d, v]]
                if cost > least:
                    break
            if cost < least:
                tied = 0
                break
            if cost == least:
                tied += counts[d]
        if tied > 0:
            matches[i] = 1.0 / tied
    return matches


def guessed(asked: Codes, truth: Codes, records: Codes, answers: Codes, costs: Costs) -> Numbers:
    """Return for each asked record the share of right answers among the records nearest to it, shape (m,).

    Parameters
    ----------
    asked : ndarray of int32, shape (m, V)
    truth : ndarray of int32, shape (m,)
    records : ndarray of int32, shape (r, V)
    answers : ndarray of int32, shape (r,)
    costs : Costs
    """
    return _guessed(asked, truth, records, answers, costs.flat, costs.offsets, costs.widths)


@kernel
def _guessed(
    asked: Codes, truth: Codes, records: Codes, answers: Codes, flat: Keys, offsets: Keys, widths: Keys
) -> NDArray[np.float64]:
    attributes = asked.shape[1]
    share = np.zeros(len(asked))
    for i in range(len(asked)):
        least, tied, right = np.int64(1) << 62, 0, 0
        for r in range(len(records)):
            cost = np.int64(0)
            for v in range(attributes):
                cost += flat[offsets[v] + asked[i, v] * widths[v] + records[r, v]]
                if cost > least:
                    break
            if cost < least:
                least, tied, right = cost, 0, 0
            if cost == least:
                tied += 1
                right += answers[r] == truth[i]
        share[i] = right / tied
    return share


def met(asked: Codes, records: Codes, costs: Costs, first: NDArray[np.bool_]) -> Numbers:
    """Return for each asked record the chance that both of its parts find the same record, shape (m,).

    Each part looks for a nearest record on its own, one of those that tie, drawn at random.

    Parameters
    ----------
    asked : ndarray of int32, shape (m, V)
    records : ndarray of int32, shape (r, V)
    costs : Costs
    first : ndarray of bool, shape (V,)
        Which attributes are in the first part.
    """
    return _met(asked, records, costs.flat, costs.offsets, costs.widths, first)


@kernel
def _met(
    asked: Codes, records: Codes, flat: Keys, offsets: Keys, widths: Keys, first: NDArray[np.bool_]
) -> NDArray[np.float64]:
    attributes = asked.shape[1]
    chance = np.zeros(len(asked))
    one, two = np.empty(len(records), dtype=np.int64), np.empty(len(records), dtype=np.int64)
    for i in range(len(asked)):
        nearest_one, nearest_two = np.int64(1) << 62, np.int64(1) << 62
        for r in range(len(records)):
            one[r], two[r] = 0, 0
            for v in range(attributes):
                cost = flat[offsets[v] + asked[i, v] * widths[v] + records[r, v]]
                if first[v]:
                    one[r] += cost
                else:
                    two[r] += cost
            nearest_one, nearest_two = min(nearest_one, one[r]), min(nearest_two, two[r])
        in_one, in_two, in_both = 0, 0, 0
        for r in range(len(records)):
            in_one += one[r] == nearest_one
            in_two += two[r] == nearest_two
            in_both += one[r] == nearest_one and two[r] == nearest_two
        chance[i] = in_both / (float(in_one) * float(in_two))
    return chance
