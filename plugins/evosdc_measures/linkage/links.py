"""How the records of a masked file are linked: numbers of pairs, and ties under the orders that a search comes to."""

from dataclasses import dataclass

import numpy as np

from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.kept_ties import LENGTH, USED, asked, move_ties
from evosdc_measures.linkage.ties_by_order import Credits, Patterns, counted

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
        Orders of patterns that are followed, and the ranks of the patterns; copies share them.
    kept, sizes, credits
        The ties of the file under each: see `evosdc_measures.linkage.kept_ties`.
    reference : int
        A slot whose ties tell those under other orders; -1 where there is none.
    best : ndarray of uint16, shape (n,)
        A best pattern of each record under the order of that slot.
    """

    pairs: Integers
    places: Counts
    valid: int
    orders: Integers
    ranks: Counts
    kept: Integers
    sizes: Counts
    credits: Credits
    reference: int
    best: Patterns

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
            self.reference,
            self.best.copy(),
        )

    def keep_apart(self) -> None:
        """Take orders and ranks of its own, which can be altered."""
        self.orders, self.ranks = self.orders.copy(), self.ranks.copy()

    def forget(self) -> None:
        """Follow no order any more."""
        self.kept[:] = NEVER
        self.reference = NEVER

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

    def enter(self, order: Integers, ranks: Counts, length: int) -> int:
        """Provide a slot for one more order with room for so many sizes, and return it; it has none yet.

        If all are taken it is that of the order that was asked for longest ago; never the reference. Orders and ranks
        are altered: see `keep_apart`.
        """
        slots, most = len(self.kept), max(2, min(ORDERS, RANKS // len(ranks)))
        slot = next((slot for slot in range(slots) if self.kept[slot, LENGTH] < 0), slots)
        if slot == most:
            slot = min((slot for slot in range(slots) if slot != self.reference), key=lambda s: int(self.kept[s, USED]))
        wanted = slots if slot < slots else min(max(2 * slots, 1), most)
        if wanted > slots or length > self.sizes.shape[2]:
            self.provide(wanted, length + SPARE)
        self.orders[slot], self.ranks[slot] = order, ranks
        self.kept[slot] = 0, 0, self.kept[:, USED].max() + 1
        return slot

    def enter_counted(self, order: Integers, ranks: Counts, ties: Counts) -> int:
        """Follow the ties of the file under one more order, by the tie of each record, and return its slot."""
        sizes, numbers, credits = counted(ties)
        length = len(sizes)
        slot = self.enter(order, ranks, length)
        self.kept[slot, :USED] = length
        self.sizes[slot, 0, :length], self.sizes[slot, 1, :length] = sizes, numbers
        self.credits[slot, : length + 1] = credits
        return slot

    def enter_derived(self, order: Integers, ranks: Counts, removed: Counts, added: Counts) -> int:
        """Follow the ties under one more order, by those of some records under the reference and under this one."""
        slot = self.enter(order, ranks, int(self.kept[self.reference, LENGTH]))
        self.kept[slot, :USED] = self.kept[self.reference, :USED]
        self.sizes[slot], self.credits[slot] = self.sizes[self.reference], self.credits[self.reference]
        self.move(removed[None], added[None], slot)
        return slot

    def move(self, removed: Counts, added: Counts, begin: int = 0) -> None:
        """Let records have other ties under some orders: see `move_ties`."""
        wanted = move_ties(removed, added, begin, self.kept, self.sizes)
        if wanted:
            self.provide(0, SPARE + wanted)
            move_ties(removed, added, begin, self.kept, self.sizes)


def unlinked(n: int, patterns: int) -> Links:
    """Return the links of n records that are not linked yet."""
    orders, ranks = np.empty((0, patterns), np.int64), np.empty((0, patterns), np.int32)
    ties = np.empty((0, 3), np.int64), np.empty((0, 2, 0), np.int32), np.empty((0, 1))
    pairs, best = np.zeros((1, patterns), np.int64), np.empty(n, np.uint16)
    return Links(pairs, np.empty(n, np.int32), NEVER, orders, ranks, *ties, NEVER, best)
