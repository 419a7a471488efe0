"""The reflected binary code of Gray: numbers next to each other differ in one bit."""

import numpy as np


def encoded(number: int) -> int:
    """Return the Gray code of a whole number from 0, as an integer whose bits are the code's."""
    return number ^ (number >> 1)


def decoded(code: int) -> int:
    """Return the number of a Gray code: each bit is the parity of the code's bits from there up."""
    number, shift = code, 1
    while code >> shift:
        number ^= code >> shift
        shift += 1
    return number


def flipped(number: int, bits: int, greatest: int, rng: np.random.Generator) -> int:
    """Return a number whose Gray code of some bits differs from that of `number` in one bit, drawn uniformly.

    Bits that would lead above `greatest` are left out of the draw, so every outcome is valid.

    Parameters
    ----------
    number : int
        In 0 .. `greatest`.
    bits : int
        Length of the code; ``2**bits > greatest >= 1``.
    """
    # To flip a bit of the code is to flip it and all below it in the number: they are parities from there up.
    reached = [other for bit in range(bits) if (other := number ^ ((2 << bit) - 1)) <= greatest]
    return reached[int(rng.integers(len(reached)))]
