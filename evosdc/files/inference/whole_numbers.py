"""Telling codes from counts and grades among whole numbers with few values."""

from collections.abc import Sequence
from math import sqrt

MOST_CODES = 12
"""More distinct whole numbers are quantities, unless their name says otherwise."""

FEWEST_CODES = 4
"""Of fewer nothing can be seen."""

_DEEP = 0.5
_DEVIATIONS = 4.0


def seem_codes(values: Sequence[float], counts: Sequence[int]) -> bool:
    """Return whether whole numbers are codes rather than counts or grades, to judge by how often each occurs.

    Counts, grades and ages have one peak, or fall from the start: neighbours are about equally frequent. Codes stand in
    the order of a questionnaire, and their frequencies go up and down. Numbers are called codes where there are from
    `FEWEST_CODES` to `MOST_CODES` of them, from 0 or 1 on, and a valley between two peaks is less than half as high as
    the lower one, by more than chance would make it.

    Parameters
    ----------
    values : sequence of float
        Distinct whole numbers.
    counts : sequence of int
        How many records have each.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    if not FEWEST_CODES <= len(values) <= MOST_CODES or values[order[0]] not in (0.0, 1.0):
        return False
    heights = [counts[position] for position in order]
    return any(_deep(max(heights[:j]), heights[j], max(heights[j + 1 :])) for j in range(1, len(heights) - 1))


def _deep(before: int, valley: int, after: int) -> bool:
    peak = min(before, after)
    return valley < _DEEP * peak and peak - valley > _DEVIATIONS * sqrt(peak + valley)
