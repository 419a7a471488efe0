"""Fuzzy c-median clustering: records belong to several clusters, by degrees.

The scheme of fuzzy c-means (Bezdek, 1981) with the distances and representatives of c-median. The objective is the sum
of ``u_rk**m d(x_r, v_k)`` over records r and clusters k, where the memberships ``u_rk`` of a record sum to 1. Given the
representatives, ``u_rk`` goes by ``d_rk ** (-1 / (m - 1))``; given the memberships, representatives are weighted lower
medians and modes. Neither step raises the objective. With m near 1 the memberships become those of `c_median`. The
choice of distance and of medians is a reconstruction: the handbook chapter (35.5.2) only names fuzzy clustering.
"""

from dataclasses import dataclass

import numpy as np

from evosdc.clustering.assignment import Order
from evosdc.clustering.geometry import Geometry, geometry_of, records_of
from evosdc.clustering.membership import Memberships, belong, represent_degrees, represent_number_degrees
from evosdc.table.table import Table

MOST_FUZZY = 10.0
"""The greatest fuzziness; above it everything belongs to all clusters alike."""

MOST_ROUNDS = 200
"""Rounds after which a fuzzy clustering ends, settled or not."""


@dataclass(frozen=True, eq=False)
class FuzzyClustering:
    """Degrees to which records belong to clusters.

    Parameters
    ----------
    memberships : ndarray of float64, shape (n, c)
        From 0 to 1; those of a record sum to 1.
    representatives : Table
        One record for each cluster: weighted medians and modes.
    objectives : tuple of float
        After each round, of which none is greater than the one before, unless missing values are wildcards; an
        attribute that differs as much as it can counts 1.
    """

    memberships: Memberships
    representatives: Table
    objectives: tuple[float, ...]

    @property
    def partition_coefficient(self) -> float:
        """Mean over records of the summed squares of memberships (Bezdek): 1 if crisp, 1 / c if all are alike."""
        return float((self.memberships**2).sum() / len(self.memberships))


def fuzzy_c_median(
    table: Table,
    begin: Table,
    fuzziness: float = 2.0,
    rounds: int = MOST_ROUNDS,
    known: Geometry | None = None,
) -> FuzzyClustering:
    """Return fuzzy clusters of a file's records by all of its attributes.

    Parameters
    ----------
    table : Table
    begin : Table
        The representatives to begin with, in the same attributes, such as those that `c_median` finds.
    fuzziness : float
        The exponent m, above 1 and at most `MOST_FUZZY`.
    rounds : int
    known : Geometry, optional
        Distances to go by; by default those of the table.

    Raises
    ------
    ValueError
        The fuzziness is outside its range: a mistake of the caller.
    """
    if not 1.0 < fuzziness <= MOST_FUZZY:
        raise ValueError(f"fuzziness {fuzziness} is not in (1, {MOST_FUZZY}]")
    records, known = records_of(table), known or geometry_of(table)
    centres, means = begin.codes.copy(), begin.numbers.copy()
    order: Order = np.argsort(records.numbers.T, axis=1, kind="stable").astype(np.int32)
    memberships = np.empty((len(records.counts), len(begin)))
    objectives: list[float] = []
    for _ in range(rounds):
        objectives.append(
            belong(records.codes, records.numbers, records.counts, centres, means, known, fuzziness, memberships)
        )
        before = centres.copy(), means.copy()
        weights = records.counts[:, None] * memberships**fuzziness
        represent_degrees(records.codes, weights, known, centres)
        represent_number_degrees(records.numbers, weights, order, known, means)
        if np.array_equal(before[0], centres) and np.array_equal(before[1], means, equal_nan=True):
            break
    else:
        objectives.append(
            belong(records.codes, records.numbers, records.counts, centres, means, known, fuzziness, memberships)
        )
    found = tuple(objective / known.unit for objective in objectives)
    return FuzzyClustering(memberships[records.of], Table(table.schema, centres, means), found)
