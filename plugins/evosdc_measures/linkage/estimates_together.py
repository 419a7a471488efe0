"""The Fellegi-Sunter model with a known share of matches, for several tables of counts at once.

Most of what a candidate costs in a search is this. Each lane of the processor's vector unit has a table of its own,
whose numbers go through the operations of `evosdc_measures.linkage.known_share.converged` in the same order, so that
the estimates are the same to the last bit. A lane whose estimates have converged takes the next table.

Nearly all extrapolations are rejected, since the likelihood falls. A bound that costs little tells that, and the step
from there is not taken.

All numbers are in one flat array, where those of the lanes stand side by side, which `evosdc_measures.lanes` calls a
place.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import inner_kernel, kernel
from evosdc_measures.domains import Integers
from evosdc_measures.lanes import LANES, alike, greater, lesser, load, nearly, root, size_of, store
from evosdc_measures.linkage.known_share import CLAMP, CONVERGED, CYCLES, LEAST, ROUNDING, grid_of

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

COLUMNS = 4
"""Of a grid that are summed at a time."""
ROUGH, ROUGH_BY_PATTERN = 5e-14, 2e-15
"""What the two ways to compute the bounds may differ by, for each pair: some twenty roundings of terms that are at most
four times the pairs in all where the bound is negative, and those of the sum."""


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


@kernel
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


@kernel
def converged_together(
    counts: Integers, attributes: int, share: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what `converged` returns for each table.

    Parameters
    ----------
    counts : ndarray of int64, shape (k, 2**V)
        Pairs of records by agreement pattern.
    attributes : int
    share : float
        Of matches among all pairs.

    Returns
    -------
    m, u : ndarray of float64, shape (k, V)
    """
    tables, size = len(counts), 2 * attributes
    at = layout_of(attributes)
    work = np.empty(at.end * LANES)
    m, u = np.empty((tables, attributes)), np.empty((tables, attributes))
    # The table that each lane has, -1 for none; its cycles so far; whether it jumps; what rounding may come to.
    own, cycles, jumps = np.empty(LANES, np.int64), np.zeros(LANES, np.int64), np.empty(LANES, np.bool_)
    slack, spare = np.empty(LANES), np.empty(LANES)
    for lane in range(LANES):
        # Lanes to spare hold the last table once more.
        slack[lane], spare[lane] = _enter(counts, min(lane, tables - 1), lane, work, at)
        own[lane] = lane if lane < tables else -1
    following = left = min(tables, LANES)
    while left > 0:
        _step(work, at, share, at.theta, at.first, True)
        _step(work, at, share, at.first, at.second, False)
        _extrapolate(work, at)
        _bound_roughly(work, at, share)
        _judge(work, at, share, own, slack, spare, jumps)
        for lane in range(LANES):
            if own[lane] < 0:
                continue
            # Where nothing moved, nothing moves in further cycles.
            moving = work[LANES * at.judged + lane] > CONVERGED
            if moving:
                chosen = at.reached if jumps[lane] else at.second
                for i in range(size):
                    work[LANES * (at.theta + i) + lane] = work[LANES * (chosen + i) + lane]
                cycles[lane] += 1
            if not moving or cycles[lane] == CYCLES:
                for v in range(attributes):
                    m[own[lane], v] = work[LANES * (at.theta + v) + lane]
                    u[own[lane], v] = work[LANES * (at.theta + attributes + v) + lane]
                if following < tables:
                    slack[lane], spare[lane] = _enter(counts, following, lane, work, at)
                    own[lane], cycles[lane] = following, 0
                    following += 1
                else:
                    own[lane] = -1
                    left -= 1
    return m, u


@inner_kernel
def _judge(
    work: Numbers, at: Layout, share: float, own: Integers, slack: Numbers, spare: Numbers, jumps: Flags
) -> None:
    """Tell for each lane whether the likelihood has not fallen from the estimates to those beyond.

    If so, what a step from there reaches is written. What `converged` decides by its own bounds and by logarithms is
    told by rougher ones where they leave no doubt.
    """
    doubtful = False
    for lane in range(LANES):
        moving = own[lane] >= 0 and work[LANES * at.judged + lane] > CONVERGED
        bent, most = work[LANES * (at.judged + 1) + lane] > 0.0, work[LANES * (at.judged + 2) + lane]
        apart, least = work[LANES * (at.judged + 3) + lane], work[LANES * (at.judged + 4) + lane]
        enough = slack[lane] + spare[lane]
        jumps[lane] = moving and bent and least >= -0.5 and most - apart > enough
        doubtful |= moving and bent and not jumps[lane] and not most < -enough
    if doubtful:
        _chances(work, at, share, at.theta, at.before)
        _chances(work, at, share, at.further, at.after)
        _bound(work, at)
        for lane in range(LANES):
            if own[lane] >= 0 and not jumps[lane] and work[LANES * (at.judged + 1) + lane] > 0.0:
                jumps[lane] = _jumps(work, at, lane, slack[lane])
    any_jumps = False
    for lane in range(LANES):
        any_jumps |= jumps[lane]
    if any_jumps:
        _step(work, at, share, at.further, at.reached, False)


@inner_kernel
def _jumps(work: Numbers, at: Layout, lane: int, slack: float) -> bool:
    """Decide as `evosdc_measures.linkage.known_share.as_likely`."""
    most, apart = work[LANES * (at.judged + 2) + lane], work[LANES * (at.judged + 3) + lane]
    if most - apart > slack:
        return True
    if most < -slack:
        return False
    before = after = 0.0
    for pattern in range(at.height * at.width):
        number = work[LANES * (at.numbers + pattern) + lane]
        before += number * np.log(work[LANES * (at.before + pattern) + lane])
        after += number * np.log(work[LANES * (at.after + pattern) + lane])
    return bool(after >= before)


@inner_kernel
def _enter(counts: Integers, table: int, lane: int, work: Numbers, at: Layout) -> tuple[float, float]:
    """Write a table and its first estimates to a lane, and return what rounding may come to.

    The first is what `as_likely` allows for, the second what the rough bounds may differ by from the bounds there.
    """
    patterns, total = counts.shape[1], 0.0
    for pattern in range(patterns):
        number = float(counts[table, pattern])
        work[LANES * (at.numbers + pattern) + lane] = number
        work[LANES * (at.inverse + pattern) + lane] = 1.0 / number if number > 0.0 else 0.0
        total += number
    for i in range(2 * at.attributes):
        work[LANES * (at.theta + i) + lane] = 0.9 if i < at.attributes else 0.1
    return ROUNDING * patterns * total, (ROUGH_BY_PATTERN * patterns + ROUGH) * total


@inner_kernel
def _spread(work: Numbers, at: Layout, share: float, theta: int) -> None:
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
def _chances(work: Numbers, at: Layout, share: float, theta: int, chances: int) -> None:
    """Write the chance of each pattern by some estimates."""
    width, height = at.width, at.height
    _spread(work, at, share, theta)
    row_m = at.room + 4 * width
    for row in range(height):
        of_m, of_u = load(work, row_m + row), load(work, row_m + height + row)
        for column in range(width):
            match, other = of_m * load(work, at.room + column), of_u * load(work, at.room + width + column)
            store(work, chances + row * width + column, match + other)


@inner_kernel
def _step(work: Numbers, at: Layout, share: float, theta: int, after: int, kept: bool) -> None:
    """Write the estimates after a step; and about one divided by the chances of patterns that occur, where kept."""
    _spread(work, at, share, theta)
    if at.width < COLUMNS:
        _expect(work, at, kept)
    else:
        _expect_by_four(work, at, kept)
    _fold(work, at, after)


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


@inner_kernel
def _extrapolate(work: Numbers, at: Layout) -> None:
    """Write the estimates beyond two steps, the greatest change of the first, and how bent the way is."""
    straight, bent, change, one = alike(0.0), alike(0.0), alike(0.0), alike(1.0)
    for i in range(2 * at.attributes):
        r = load(work, at.first + i) - load(work, at.theta + i)
        v = load(work, at.second + i) - load(work, at.first + i) - r
        straight, bent, change = straight + r * r, bent + v * v, greater(size_of(r), change)
    store(work, at.judged, change)
    store(work, at.judged + 1, bent)
    # Where it is not bent at all, the second step counts, whatever this gives.
    length = greater(root(straight / greater(bent, alike(5e-324))), one)
    single, double = alike(2.0) * length, length * length
    lowest, highest = alike(CLAMP), alike(1.0 - CLAMP)
    for i in range(2 * at.attributes):
        r = load(work, at.first + i) - load(work, at.theta + i)
        v = load(work, at.second + i) - load(work, at.first + i) - r
        beyond = load(work, at.theta + i) + single * r + double * v
        store(work, at.further + i, lesser(greater(beyond, lowest), highest))


@inner_kernel
def _bound_roughly(work: Numbers, at: Layout, share: float) -> None:
    """Write the bounds of `_bound` without a division, where the least gain is bounded for chances that at most halve.

    The roundings are others, and which ones depends on the processor: `ROUGH` is for that.
    """
    width, height = at.width, at.height
    _spread(work, at, share, at.further)
    row_m = at.room + 4 * width
    one, lost, half, third = alike(1.0), alike(-1.0), alike(-0.5), alike(1.0 / 3.0)
    most, apart, least = alike(0.0), alike(0.0), one
    for row in range(height):
        of_m, of_u = load(work, row_m + row), load(work, row_m + height + row)
        pattern = row * width
        for column in range(width):
            now = nearly(of_m, load(work, at.room + column), of_u * load(work, at.room + width + column))
            e = nearly(now, load(work, at.once + pattern + column), lost)
            number, square = load(work, at.numbers + pattern + column), e * e
            most = nearly(number * e, nearly(e, nearly(e, third, half), one), most)
            apart = nearly(number * square, square, apart)
            least = lesser(e, least)
    store(work, at.judged + 2, most)
    store(work, at.judged + 3, half * lost * apart)
    store(work, at.judged + 4, least)


@inner_kernel
def _bound(work: Numbers, at: Layout) -> None:
    """Write what a cycle gains at most, and how far below that its least gain may be.

    The bounds are those of `evosdc_measures.linkage.known_share.as_likely`, summed in its order.
    """
    most, apart, one, half, three = alike(0.0), alike(0.0), alike(1.0), alike(0.5), alike(3.0)
    for column in range(at.width):
        upper, below = alike(0.0), alike(0.0)
        for row in range(at.height):
            pattern = row * at.width + column
            number = load(work, at.numbers + pattern)
            was, now = load(work, at.before + pattern), load(work, at.after + pattern)
            gain = now - was
            e = gain / was
            square = gain * gain / (was * was)
            upper = upper + number * e * (one - e * (half - e / three))
            below = below + number * square * square * greater(was / now, one)
        most, apart = most + upper, apart + below
    store(work, at.judged + 2, most)
    store(work, at.judged + 3, alike(0.25) * apart)
