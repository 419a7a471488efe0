"""The numbers of numpy's default generator in compiled code: those of `numpy.random.Generator`, one after another.

A single number costs numpy half a microsecond, and a few distinct ones thirteen, of which nearly all is the call.
What draws hundreds of them for one generation takes the generator's state, goes on by itself, and puts it back.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Words = NDArray[np.uint64]
"""The state: upper and lower half, those of the increment, whether half a word is left over, and that half."""

_LOW = 2**64 - 1
_FACTOR_HIGH, _FACTOR_LOW = np.uint64(0x2360ED051FC65DA4), np.uint64(0x4385DF649FCCF645)
_HALF, _HALVED, _LEFT = np.uint64(2**32 - 1), np.uint64(32), np.uint64(58)
_MASK, _NONE, _ONE, _FRACTION = np.uint64(63), np.uint64(0), np.uint64(1), np.uint64(11)
_UNIT = 1.0 / 9007199254740992.0


def words_of(rng: np.random.Generator) -> Words | None:
    """Return the state of a generator; None where it is not numpy's default one."""
    generator = rng.bit_generator
    if type(generator) is not np.random.PCG64:
        return None
    state: Any = generator.state
    number, step = state["state"]["state"], state["state"]["inc"]
    halves = [number >> 64, number & _LOW, step >> 64, step & _LOW, state["has_uint32"], state["uinteger"]]
    return np.array(halves, dtype=np.uint64)


def set_back(rng: np.random.Generator, words: Words) -> None:
    """Let a generator go on where compiled code has stopped."""
    high, low, step_high, step_low, left, half = words.tolist()
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": high << 64 | low, "inc": step_high << 64 | step_low},
        "has_uint32": left,
        "uinteger": half,
    }


@njit(cache=True)
def _word(words: Words) -> Any:
    """Return the next 64 bits: PCG XSL RR 128/64 (O'Neill 2014)."""
    high, low = words[0], words[1]
    # The product of both lower halves, in quarters.
    a, b, c, d = low & _HALF, low >> _HALVED, _FACTOR_LOW & _HALF, _FACTOR_LOW >> _HALVED
    between = b * c + ((a * c) >> _HALVED) + ((a * d) & _HALF)
    above = b * d + (between >> _HALVED) + ((a * d) >> _HALVED)
    high = above + high * _FACTOR_LOW + low * _FACTOR_HIGH + words[2]
    low = low * _FACTOR_LOW + words[3]
    if low < words[3]:
        high += _ONE
    words[0], words[1] = high, low
    mixed, turned = high ^ low, high >> _LEFT
    return (mixed >> turned) | (mixed << ((_NONE - turned) & _MASK))


@njit(cache=True)
def _half_word(words: Words) -> Any:
    """Return the next 32 bits: the lower half of a word, then its upper one."""
    if words[4] != _NONE:
        words[4] = _NONE
        return words[5]
    word = _word(words)
    words[4], words[5] = _ONE, word >> _HALVED
    return word & _HALF


@njit(cache=True)
def unit(words: Words) -> float:
    """Return what ``rng.random()`` returns."""
    return np.float64(_word(words) >> _FRACTION) * _UNIT


@njit(cache=True)
def below(words: Words, bound: int) -> Any:
    """Return what ``rng.integers(bound)`` returns, for a bound of 1 to 2**32 - 1 (Lemire 2019)."""
    if bound == 1:
        return 0
    wide = np.uint64(bound)
    product = _half_word(words) * wide
    if (product & _HALF) < wide:
        refused = (_HALF - (wide - _ONE)) % wide
        while (product & _HALF) < refused:
            product = _half_word(words) * wide
    return np.int64(product >> _HALVED)
