"""Kinds of local changes, and the credit that decides how often each is tried."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.algorithms.variation import LEARNING, LEAST_RATE
from evosdc.model import Genotype, Local

MUTATION = "mutation"  # The move of a genotype that has none of its own, or of a toolbox with its own mutation
Credit = NDArray[np.float64]  # By move, not negative, not all 0


class Move(NamedTuple):
    """A kind of change of the genotype; where `costly`, of records drawn by their contributions."""

    # `extent` is about how many records it changes.

    kind: str
    costly: bool
    extent: float = 1.0

    @property
    def name(self) -> str:
        """Its name in journals."""
        return f"{self.kind} where it costs" if self.costly else self.kind


def moves_of(
    genotype: Genotype[Any] | None, burdened: float, classes: bool = False, own_mutation: bool = False
) -> tuple[Move, ...]:
    """Return the moves of a genotype: at costly records where `burdened` is 1, at any where it is 0, else both."""
    # A genotype without moves of its own is mutated, at records that it draws itself; so is any where the toolbox has a
    # mutation of its own. With `classes`, moves of classes are among them.
    if not isinstance(genotype, Local) or not genotype.moves:
        return (Move(MUTATION, False),)
    further = (Move(MUTATION, False),) if own_mutation else ()
    ways = (False, True) if 0.0 < burdened < 1.0 else (burdened == 1.0,)
    kinds = (*genotype.moves, *(genotype.class_moves if classes else ()))
    return (*(Move(kind, costly, genotype.extent(kind)) for kind in kinds for costly in ways), *further)


def first_credit(moves: Sequence[Move], burdened: float) -> Credit:
    """Return the credit before anything is known: `burdened` of it for moves at costly records if there are others."""
    costly = np.array([move.costly for move in moves])
    if costly.all() or not costly.any():
        return np.full(len(moves), 1.0 / len(moves))
    return np.where(costly, burdened, 1.0 - burdened) * 2.0 / len(moves)


def shares_of(moves: Sequence[Move], credit: Credit) -> Credit:
    """Return how likely each move is tried, by probability matching: a tenth is for all, by the records they change."""
    # A move of thirty records takes as long to be judged as thirty moves of one. So kinds that bring nothing take the
    # same time each.
    least = np.array([1.0 / move.extent for move in moves])
    shares = LEAST_RATE * least / least.sum() + (1.0 - LEAST_RATE) * credit / credit.sum()
    found: Credit = shares / shares.sum()
    return found


def update_credit(moves: Sequence[Move], credit: Credit, tried: Sequence[int], gains: Sequence[float]) -> Credit:
    """Return the credit after a round: a running mean of each move's share of the improvement that one trial makes."""
    # An improvement counts by the record that was changed for it: a move of many records takes many times as long to be
    # judged, and none of them can be left out of it.
    made = np.bincount(tried, minlength=len(credit))
    means = np.bincount(tried, gains, minlength=len(credit)) / np.maximum(made, 1)
    means /= [move.extent for move in moves]
    if means.sum() == 0.0:
        return credit
    # Moves that were not tried keep their credit.
    known = made > 0
    share = credit[known].sum() * means[known] / means[known].sum()
    credit = credit.copy()
    credit[known] = (1.0 - LEARNING) * credit[known] + LEARNING * share
    return credit
