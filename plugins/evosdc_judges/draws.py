"""What judges draw at random: halves of the people, samples of records, rivals, attributes.

Every draw has an address below the judge's seed, so that a judge says the same of the same two files again, and all
judges of one seed share their halves.
"""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from evosdc.secret import Purpose, stream

Positions = NDArray[np.intp]


class Draw(IntEnum):
    """What is drawn: the second element of an address; never renumbered."""

    HALVES = 0
    SAMPLE = 1
    RIVALS = 2
    SHUFFLE = 3
    SUBSETS = 4
    TARGETS = 5
    TABLES = 6


def drawn(seed: int, draw: Draw, *address: int) -> np.random.Generator:
    """Return the generator of a draw."""
    return stream(seed, Purpose.JUDGE, int(draw), *address)


def halves(n: int, seed: int, repeat: int = 0) -> tuple[Positions, Positions]:
    """Return the positions of two disjoint halves of n records, each ascending; the first has n // 2."""
    order = drawn(seed, Draw.HALVES, repeat).permutation(n).astype(np.intp)
    return np.sort(order[: n // 2]), np.sort(order[n // 2 :])


def sampled(positions: Positions, most: int, rng: np.random.Generator) -> Positions:
    """Return at most so many of the positions, ascending; all of them where there are no more."""
    if len(positions) <= most:
        return positions
    return np.sort(rng.choice(positions, most, replace=False))


def subsets(size: int, most: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Return non-empty subsets of the first `size` whole numbers: all, or `most` of them, each equally likely."""
    whole = (1 << size) - 1 if size < 60 else None
    if whole is not None and whole <= most:
        masks = list(range(1, whole + 1))
    else:
        found: dict[int, None] = {}
        while len(found) < most:
            bits = rng.random(size) < 0.5
            found |= {sum(1 << int(v) for v in np.flatnonzero(bits)): None} if bits.any() else {}
        masks = list(found)
    return [tuple(v for v in range(size) if mask >> v & 1) for mask in masks]
