"""How the records of a masked file are linked: numbers of pairs, and ties under the orders that a search comes to."""

from dataclasses import dataclass

import numpy as np

from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.kept_ties import LENGTH, USED, asked
from evosdc_measures.linkage.ties_by_order import Credits, counted

ORDERS, RANKS = 16, 1 << 15
"""So many orders of patterns are followed, but no more than so many ranks."""
SPARE = 8
"""Room for so many further sizes of ties is provided with that for those that there are."""
NEVER = -1
"""How often a memory had forgotten all when places were found that do not hold."""


@dataclass(slots=True)
class Links:
    """How masked records are linked; altered where a state is.

    Parameters
    ----------
    pairs : ndarray of int64, shape (1, 2**V)
        Pairs of a masked and an original record, by pattern.
    places : ndarray of int32, shape (n,)
        Where the memory of profiles has each record.
    valid : int
        How often that memory had forgotten all when the places were found; they hold until it does so again.
    orders, ranks : ndarray of int64 and of int32, shape (slots, 2**V)
        Orders of patterns that are followed, and the ranks of the patterns; never altered, since copies share them.
    kept, sizes, credits
        The ties of the file under each: see `evosdc_measures.linkage.kept_ties`.
    """

    pairs: Integers
    places: Counts
    valid: int
    orders: Integers
    ranks: Counts
    kept: Integers
    sizes: Counts
    credits: Credits

    def copy(self) -> "Links":
        """Return a copy that shares nothing which changes."""
        return Links(
            self.pairs.copy(),
            self.places.copy(),
            self.valid,
            self.orders,
            self.ranks,
            self.kept.copy(),
            self.sizes.copy(),
            self.credits.copy(),
        )

    def ties_at(self, slot: int) -> tuple[Counts, Counts, Credits]:
        """Return the ties under the order of a slot, as of `counted`."""
        asked(self.ranks[slot], self.ranks, self.kept, self.sizes, self.credits)
        length = int(self.kept[slot, LENGTH])
        return self.sizes[slot, 0, :length], self.sizes[slot, 1, :length], self.credits[slot, : length + 1]

    def provide(self, slots: int, room: int) -> None:
        """Provide at least so many slots with room for at least so many sizes."""
        known, _, before = self.sizes.shape
        slots, room = max(slots, known), max(room, before)
        orders, ranks = (np.zeros((slots, self.pairs.shape[1]), kind) for kind in (np.int64, np.int32))
        kept = np.full((slots, 3), NEVER, dtype=np.int64)
        sizes, credits = np.zeros((slots, 2, room), np.int32), np.zeros((slots, room + 1))
        orders[:known], ranks[:known], kept[:known] = self.orders, self.ranks, self.kept
        sizes[:known, :, :before], credits[:known, : before + 1] = self.sizes, self.credits
        self.orders, self.ranks, self.kept, self.sizes, self.credits = orders, ranks, kept, sizes, credits

    def enter(self, order: Integers, ranks: Counts, ties: Counts) -> int:
        """Follow the ties under one more order, in place of what was asked for longest ago, and return its slot."""
        sizes, numbers, credits = counted(ties)
        length, slots = len(sizes), len(self.kept)
        slot = int(np.lexsort((self.kept[:, USED], self.kept[:, LENGTH] >= 0))[0]) if slots else 0
        most = max(1, min(ORDERS, RANKS // len(ranks)))
        if slots < most and (slots == 0 or self.kept[slot, LENGTH] >= 0):
            slot, slots = slots, min(max(2 * slots, 1), most)
        if slots > len(self.kept) or length > self.sizes.shape[2]:
            self.provide(slots, length + SPARE)
        else:
            self.orders, self.ranks = self.orders.copy(), self.ranks.copy()
        self.orders[slot], self.ranks[slot] = order, ranks
        self.kept[slot] = length, length, self.kept[:, USED].max() + 1
        self.sizes[slot, 0, :length], self.sizes[slot, 1, :length] = sizes, numbers
        self.credits[slot, : length + 1] = credits
        return slot


def unlinked(n: int, patterns: int) -> Links:
    """Return the links of n records that are not linked yet."""
    orders, ranks = np.empty((0, patterns), np.int64), np.empty((0, patterns), np.int32)
    ties = np.empty((0, 3), np.int64), np.empty((0, 2, 0), np.int32), np.empty((0, 1))
    return Links(np.zeros((1, patterns), np.int64), np.empty(n, np.int32), NEVER, orders, ranks, *ties)
