"""What all columns that are published as they are tell together: who is unique by them, and who is found with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.release.classes import classed
from evosdc.release.uniques import keys_of
from evosdc.table.exact_values import known_of
from evosdc.table.schema import WITHHELD, Role
from evosdc.table.table import Numbers, Rows, Table

ASKED = 2000
"""Records that the intruder is asked about, at most; they are spread evenly over the file."""

ROOM = 4_000_000
"""Likelihoods that are held at once."""

TIED = 1e-9
"""Difference of two log-likelihoods below which they are the same product of counts."""

_UNKNOWABLE = (*WITHHELD, Role.SENSITIVE, Role.WEIGHT, Role.HOUSEHOLD)
"""Roles of columns that an intruder is not taken to know of a person."""


@dataclass(frozen=True)
class Together:
    """What unchanged columns tell together.

    Parameters
    ----------
    columns : tuple of str
        Published as they are, and such that somebody may know them of a person.
    unique : float
        People who are alone with their values in them, in per cent.
    found : float
        People whom an informed intruder is expected to find who knows them besides the masked ones, in per cent.
    """

    columns: tuple[str, ...]
    unique: float
    found: float

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"columns": list(self.columns), "unique_percent": self.unique, "found_percent": self.found}


def unchanged_together(
    original: Table, published: Table, protect: Sequence[str], unchanged: Sequence[str]
) -> Together | None:
    """Return what unchanged columns tell together; None where there is none that an intruder may know.

    The intruder is that of `informed-linkage`: of the originals who are alike in all unchanged columns he takes the
    likeliest, by the frequencies with which each category was published as which. Numbers of masked columns are taken
    by ten classes. Where values were made coarser, and so are true, he takes any person who is alike throughout.

    Parameters
    ----------
    original, published : Table
        All attributes; record r of both is the same respondent.
    protect : sequence of str
        The masked attributes.
    unchanged : sequence of str
        The columns that are published as they are.
    """
    columns = tuple(name for name in unchanged if original.schema[name].role not in _UNKNOWABLE)
    if not columns or not len(original):
        return None
    (groups,) = keys_of(original.select(columns))
    unique = 100.0 * float((np.bincount(groups)[groups] == 1).mean())
    known = [name for name in known_of(original, protect) if name not in columns]
    masked = [name for name in known if name in published.schema]
    pairs = [classed(original, published, name, len(original) + 1) for name in masked]
    if not all(pair.comparable for pair in pairs):
        (keys,) = keys_of(published.select([*columns, *masked]))
        return Together(columns, unique, 100.0 * len(np.unique(keys)) / len(original))
    costs = [(pair.original, pair.published, _log_rates(pair.joint)) for pair in pairs]
    return Together(columns, unique, 100.0 * _found(groups, costs))


def _log_rates(joint: NDArray[np.int64]) -> Numbers:
    """Return the logarithms of the frequencies with which a category (row) was published as which (column)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rates: Numbers = np.log(joint / joint.sum(axis=1, keepdims=True))
    return rates


def _found(groups: Rows, costs: Sequence[tuple[NDArray[np.int64], NDArray[np.int64], Numbers]]) -> float:
    """Return the expected share of masked records that are linked to their own original within its group."""
    asked = np.unique(np.linspace(0, len(groups) - 1, min(ASKED, len(groups))).astype(np.intp))
    order = np.argsort(groups, kind="stable")
    ends = np.searchsorted(groups[order], np.arange(int(groups.max()) + 2))
    matched = 0.0
    for group in np.unique(groups[asked]).tolist():
        members = order[ends[group] : ends[group + 1]]
        if len(members) == 1:
            matched += 1.0
            continue
        own = asked[groups[asked] == group]
        for part in np.array_split(own, max(1, -(-len(own) * len(members) // ROOM))):
            matched += _matched(part, members, costs)
    return matched / len(asked)


def _matched(
    asked: Rows, members: Rows, costs: Sequence[tuple[NDArray[np.int64], NDArray[np.int64], Numbers]]
) -> float:
    """Return how many of some masked records are expected to be linked to their own among the members of a group."""
    likelihoods, own = np.zeros((len(asked), len(members))), np.zeros(len(asked))
    for before, after, rates in costs:
        likelihoods += rates[before[members][None, :], after[asked][:, None]]
        own += rates[before[asked], after[asked]]
    first = own >= likelihoods.max(axis=1) - TIED
    ties = (likelihoods >= own[:, None] - TIED).sum(axis=1)
    return float((first / ties).sum())
