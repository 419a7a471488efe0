"""Steps of expectation maximisation for several tables of counts at once: see `estimates_together`."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import inner_kernel, kernel_part
from evosdc_measures.lanes import alike, greater, lesser, load, store
from evosdc_measures.linkage.known_share import CLAMP, LEAST, grid_of

Numbers = NDArray[np.float64]

COLUMNS = 4
"""Of a grid that are summed at a time."""


class Layout(NamedTuple):
    """Where numbers begin in the flat array, in places; and the attributes that the columns of the grid are of."""

    attributes: int
    low: int
    height: int
    width: int
    theta: int
    first: int
    second: int
    further: int
    reached: int
    judged: int
    """Greatest change and squared bend of a cycle; the bounds of what it gains; the least relative gain of a chance."""
    room: int
    """By column and then by row, the probabilities of matches and of others, and their sums."""
    numbers: int
    inverse: int
    """One divided by the numbers, 0 for 0."""
    once: int
    """About one divided by the chances before a cycle; 0 for patterns that do not occur."""
    before: int
    after: int
    end: int


@kernel_part
def layout_of(attributes: int) -> Layout:
    """Return how the numbers are laid out for so many attributes."""
    low, height, width = grid_of(attributes)
    size, patterns = 2 * attributes, height * width
    judged = 5 * size
    room = judged + 5
    numbers = room + 4 * width + 4 * height
    return Layout(
        attributes,
        low,
        height,
        width,
        0,
        size,
        2 * size,
        3 * size,
        4 * size,
        judged,
        room,
        numbers,
        numbers + patterns,
        numbers + 2 * patterns,
        numbers + 3 * patterns,
        numbers + 4 * patterns,
        numbers + 5 * patterns,
    )


@inner_kernel
def step(work: Numbers, at: Layout, share: float, theta: int, after: int, kept: bool) -> None:
    """Write the estimates after a step; and about one divided by the chances of patterns that occur, where kept."""
    spread(work, at, share, theta)
    if at.width < COLUMNS:
        _expect(work, at, kept)
    else:
        _expect_by_four(work, at, kept)
    _fold(work, at, after)


@inner_kernel
def spread(work: Numbers, at: Layout, share: float, theta: int) -> None:
    """Write the probabilities of matches and of others, by column and by row, to the room.

    They are doubled attribute by attribute, those by row times the share. All four tables in one call: kernels that
    call each other pass many numbers.
    """
    one = alike(1.0)
    for part in range(4):
        # Columns of matches, of others; rows of matches, of others.
        of_others, by_row = part & 1, part >> 1
        count = at.attributes - at.low if by_row else at.low
        first = theta + of_others * at.attributes + by_row * at.low
        place = at.room + by_row * 4 * at.width + of_others * (at.height if by_row else at.width)
        factor = alike(1.0)
        if by_row:
            factor = alike(1.0 - share) if of_others else alike(share)
        filled, done = 1, 0
        if count < 3:
            store(work, place, factor)
        else:
            # Three in registers: what was just stored would be waited for.
            a, b, c = load(work, first), load(work, first + 1), load(work, first + 2)
            not_b, not_c = one - b, one - c
            none, alone = factor * (one - a), factor * a
            none, second, alone, both = none * not_b, none * b, alone * not_b, alone * b
            store(work, place, none * not_c)
            store(work, place + 1, alone * not_c)
            store(work, place + 2, second * not_c)
            store(work, place + 3, both * not_c)
            store(work, place + 4, none * c)
            store(work, place + 5, alone * c)
            store(work, place + 6, second * c)
            store(work, place + 7, both * c)
            filled, done = 8, 3
        for v in range(done, count):
            agree = load(work, first + v)
            disagree = one - agree
            for pattern in range(filled):
                before = load(work, place + pattern)
                store(work, place + filled + pattern, before * agree)
                store(work, place + pattern, before * disagree)
            filled *= 2


@inner_kernel
def write_chances(work: Numbers, at: Layout, share: float, theta: int, chances: int) -> None:
    """Write the chance of each pattern by some estimates."""
    width, height = at.width, at.height
    spread(work, at, share, theta)
    row_m = at.room + 4 * width
    for row in range(height):
        of_m, of_u = load(work, row_m + row), load(work, row_m + height + row)
        for column in range(width):
            match, other = of_m * load(work, at.room + column), of_u * load(work, at.room + width + column)
            store(work, chances + row * width + column, match + other)


@inner_kernel
def _expect(work: Numbers, at: Layout, kept: bool) -> None:
    """Write the expected numbers of matches and of others by column and by row."""
    width, height = at.width, at.height
    column_m, below_m, row_m = at.room, at.room + 2 * width, at.room + 4 * width
    nothing = alike(0.0)
    for column in range(width):
        store(work, below_m + column, nothing)
        store(work, below_m + width + column, nothing)
    for row in range(height):
        of_m, of_u = load(work, row_m + row), load(work, row_m + height + row)
        together_m, together_u = nothing, nothing
        pattern = row * width
        for column in range(width):
            match, other = of_m * load(work, column_m + column), of_u * load(work, column_m + width + column)
            each = load(work, at.numbers + pattern + column) / (match + other)
            if kept:
                store(work, at.once + pattern + column, each * load(work, at.inverse + pattern + column))
            match, other = match * each, other * each
            store(work, below_m + column, load(work, below_m + column) + match)
            store(work, below_m + width + column, load(work, below_m + width + column) + other)
            together_m, together_u = together_m + match, together_u + other
        store(work, row_m + 2 * height + row, together_m)
        store(work, row_m + 3 * height + row, together_u)


@inner_kernel
def _expect_by_four(work: Numbers, at: Layout, kept: bool) -> None:
    """Do the same by four columns, whose sums stay in registers; sums by row go on from those of columns before."""
    width, height = at.width, at.height
    row_m, nothing = at.room + 4 * width, alike(0.0)
    for column in range(0, width, COLUMNS):
        column_m = at.room + column
        column_u, below_m = column_m + width, column_m + 2 * width
        m_0, m_1, m_2, m_3 = (
            load(work, column_m),
            load(work, column_m + 1),
            load(work, column_m + 2),
            load(work, column_m + 3),
        )
        u_0, u_1, u_2, u_3 = (
            load(work, column_u),
            load(work, column_u + 1),
            load(work, column_u + 2),
            load(work, column_u + 3),
        )
        of_m_0 = of_m_1 = of_m_2 = of_m_3 = nothing
        of_u_0 = of_u_1 = of_u_2 = of_u_3 = nothing
        for row in range(height):
            of_m, of_u = load(work, row_m + row), load(work, row_m + height + row)
            beside_m, beside_u = row_m + 2 * height + row, row_m + 3 * height + row
            together_m, together_u = nothing, nothing
            if column > 0:
                together_m, together_u = load(work, beside_m), load(work, beside_u)
            pattern = row * width + column
            number = at.numbers + pattern
            match_0, other_0 = of_m * m_0, of_u * u_0
            match_1, other_1 = of_m * m_1, of_u * u_1
            match_2, other_2 = of_m * m_2, of_u * u_2
            match_3, other_3 = of_m * m_3, of_u * u_3
            each_0 = load(work, number) / (match_0 + other_0)
            each_1 = load(work, number + 1) / (match_1 + other_1)
            each_2 = load(work, number + 2) / (match_2 + other_2)
            each_3 = load(work, number + 3) / (match_3 + other_3)
            if kept:
                once, inverse = at.once + pattern, at.inverse + pattern
                store(work, once, each_0 * load(work, inverse))
                store(work, once + 1, each_1 * load(work, inverse + 1))
                store(work, once + 2, each_2 * load(work, inverse + 2))
                store(work, once + 3, each_3 * load(work, inverse + 3))
            match_0, other_0 = match_0 * each_0, other_0 * each_0
            match_1, other_1 = match_1 * each_1, other_1 * each_1
            match_2, other_2 = match_2 * each_2, other_2 * each_2
            match_3, other_3 = match_3 * each_3, other_3 * each_3
            of_m_0, of_u_0 = of_m_0 + match_0, of_u_0 + other_0
            of_m_1, of_u_1 = of_m_1 + match_1, of_u_1 + other_1
            of_m_2, of_u_2 = of_m_2 + match_2, of_u_2 + other_2
            of_m_3, of_u_3 = of_m_3 + match_3, of_u_3 + other_3
            store(work, beside_m, together_m + match_0 + match_1 + match_2 + match_3)
            store(work, beside_u, together_u + other_0 + other_1 + other_2 + other_3)
        store(work, below_m, of_m_0)
        store(work, below_m + 1, of_m_1)
        store(work, below_m + 2, of_m_2)
        store(work, below_m + 3, of_m_3)
        store(work, below_m + width, of_u_0)
        store(work, below_m + width + 1, of_u_1)
        store(work, below_m + width + 2, of_u_2)
        store(work, below_m + width + 3, of_u_3)


@inner_kernel
def _fold(work: Numbers, at: Layout, after: int) -> None:
    """Write the estimates from the expected numbers: sums over patterns that agree, by those over all."""
    width, height, attributes = at.width, at.height, at.attributes
    nothing, lowest, highest = alike(0.0), alike(CLAMP), alike(1.0 - CLAMP)
    everyone = nothing
    for part in range(4):
        # Rows of matches, columns of matches; rows of others, columns of others. All rows together are all.
        of_others, by_column = part >> 1, part & 1
        count = at.low if by_column else attributes - at.low
        first = after + of_others * attributes + (0 if by_column else at.low)
        place = at.room + ((2 + of_others) * width if by_column else 4 * width + (2 + of_others) * height)
        filled, last = 1 << count, 3 if count >= 3 else 0
        for v in range(count - 1, last - 1, -1):
            filled //= 2
            total = nothing
            for pattern in range(filled):
                above = load(work, place + filled + pattern)
                total = total + above
                store(work, place + pattern, load(work, place + pattern) + above)
            store(work, first + v, total)
        if last == 3:
            # The last three in registers: what was just stored would be waited for.
            a, b, c, d = load(work, place + 4), load(work, place + 5), load(work, place + 6), load(work, place + 7)
            store(work, first + 2, nothing + a + b + c + d)
            a, b, c, d = (
                load(work, place) + a,
                load(work, place + 1) + b,
                load(work, place + 2) + c,
                load(work, place + 3) + d,
            )
            store(work, first + 1, nothing + c + d)
            a, b = a + c, b + d
            store(work, first, nothing + b)
            store(work, place, a + b)
        if not by_column:
            everyone = greater(load(work, place), alike(LEAST))
        for v in range(count):
            store(work, first + v, lesser(greater(load(work, first + v) / everyone, lowest), highest))
