"""The Fellegi-Sunter model with a known share of matches, for eight tables of counts at once.

Most of what a candidate costs in a search is this. Each lane of the processor's vector unit has a table of its own,
whose numbers go through the operations of `evosdc_measures.linkage.known_share.converged` in the same order, so that
the estimates are the same to the last bit.

In flat arrays the numbers of the eight lanes stand side by side, which `evosdc_measures.lanes` calls a place.
"""

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc_measures.domains import Integers
from evosdc_measures.lanes import LANES, alike, greater, lesser, load, root, size_of, store
from evosdc_measures.linkage.known_share import CLAMP, CONVERGED, CYCLES, LEAST, ROUNDING, grid_of, likelihood

Numbers = NDArray[np.float64]


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
    tables, patterns, size = len(counts), counts.shape[1], 2 * attributes
    _, height, width = grid_of(attributes)
    m, u = np.empty((tables, attributes)), np.empty((tables, attributes))
    numbers, room = np.empty(patterns * LANES), np.empty((4 * width + 4 * height) * LANES)
    theta, first, second = np.empty(size * LANES), np.empty(size * LANES), np.empty(size * LANES)
    further, reached = np.empty(size * LANES), np.empty(size * LANES)
    chances, beyond = np.empty(patterns * LANES), np.empty(patterns * LANES)
    # Greatest change and squared bend of a cycle; the bounds of what it gains; what rounding may come to.
    judged, slack = np.empty(4 * LANES), np.empty(LANES)
    for begin in range(0, tables, LANES):
        for lane in range(LANES):
            # Lanes to spare hold the last table once more.
            table = min(begin + lane, tables - 1)
            total = 0.0
            for pattern in range(patterns):
                numbers[LANES * pattern + lane] = counts[table, pattern]
                total += counts[table, pattern]
            slack[lane] = ROUNDING * patterns * total
            for i in range(size):
                theta[LANES * i + lane] = 0.9 if i < attributes else 0.1
        for _ in range(CYCLES):
            _step(numbers, attributes, share, theta, first, room, chances)
            _step(numbers, attributes, share, first, second, room, beyond)
            _extrapolate(size, theta, first, second, further, judged)
            _step(numbers, attributes, share, further, reached, room, beyond)
            _bound(numbers, attributes, chances, beyond, room, judged)
            moving = False
            for lane in range(LANES):
                # Where nothing moved, nothing moves in further cycles.
                if judged[lane] > CONVERGED:
                    moving = True
                    _choose(lane, numbers, width, slack[lane], chances, beyond, second, reached, judged, theta)
            if not moving:
                break
        for lane in range(min(LANES, tables - begin)):
            for v in range(attributes):
                m[begin + lane, v] = theta[LANES * v + lane]
                u[begin + lane, v] = theta[LANES * (attributes + v) + lane]
    return m, u


@kernel
def _step(
    numbers: Numbers, attributes: int, share: float, theta: Numbers, after: Numbers, room: Numbers, chances: Numbers
) -> None:
    """Write the chance of each pattern by the estimates, and the estimates after a step.

    The room holds, by column and then by row, the probabilities of matches and of others, and their sums.
    """
    low, height, width = grid_of(attributes)
    column_m, column_u, below_m, below_u = 0, width, 2 * width, 3 * width
    row_m = 4 * width
    row_u, beside_m, beside_u = row_m + height, row_m + 2 * height, row_m + 3 * height
    _spread(theta, 0, low, 1.0, room, column_m)
    _spread(theta, attributes, low, 1.0, room, column_u)
    _spread(theta, low, attributes - low, share, room, row_m)
    _spread(theta, attributes + low, attributes - low, 1.0 - share, room, row_u)
    nothing = alike(0.0)
    for column in range(width):
        store(room, below_m + column, nothing)
        store(room, below_u + column, nothing)
    for row in range(height):
        of_m, of_u = load(room, row_m + row), load(room, row_u + row)
        together_m, together_u = nothing, nothing
        for column in range(width):
            pattern = row * width + column
            match, other = of_m * load(room, column_m + column), of_u * load(room, column_u + column)
            chance = match + other
            store(chances, pattern, chance)
            each = load(numbers, pattern) / chance
            match, other = match * each, other * each
            store(room, below_m + column, load(room, below_m + column) + match)
            store(room, below_u + column, load(room, below_u + column) + other)
            together_m, together_u = together_m + match, together_u + other
        store(room, beside_m + row, together_m)
        store(room, beside_u + row, together_u)
    _fold(room, below_m, low, after, 0)
    _fold(room, below_u, low, after, attributes)
    _fold(room, beside_m, attributes - low, after, low)
    _fold(room, beside_u, attributes - low, after, attributes + low)
    lowest, highest = alike(CLAMP), alike(1.0 - CLAMP)
    matched, remaining = greater(load(room, beside_m), alike(LEAST)), greater(load(room, beside_u), alike(LEAST))
    for v in range(attributes):
        store(after, v, lesser(greater(load(after, v) / matched, lowest), highest))
        coincided = load(after, attributes + v) / remaining
        store(after, attributes + v, lesser(greater(coincided, lowest), highest))


@kernel
def _spread(theta: Numbers, first: int, count: int, factor: float, room: Numbers, place: int) -> None:
    """Write the probability of each pattern of some attributes, times a factor; doubled attribute by attribute."""
    store(room, place, alike(factor))
    filled = 1
    for v in range(count):
        agree = load(theta, first + v)
        disagree = alike(1.0) - agree
        for pattern in range(filled):
            before = load(room, place + pattern)
            store(room, place + filled + pattern, before * agree)
            store(room, place + pattern, before * disagree)
        filled *= 2


@kernel
def _fold(room: Numbers, place: int, count: int, agreed: Numbers, first: int) -> None:
    """Write for some attributes the sum over patterns that agree on it; the sum of all is left at the first place."""
    filled = 1 << count
    for v in range(count - 1, -1, -1):
        filled //= 2
        total = alike(0.0)
        for pattern in range(filled):
            above = load(room, place + filled + pattern)
            total = total + above
            store(room, place + pattern, load(room, place + pattern) + above)
        store(agreed, first + v, total)


@kernel
def _extrapolate(size: int, theta: Numbers, first: Numbers, second: Numbers, further: Numbers, judged: Numbers) -> None:
    """Write the estimates beyond two steps, the greatest change of the first, and how bent the way is."""
    straight, bent, change, one = alike(0.0), alike(0.0), alike(0.0), alike(1.0)
    for i in range(size):
        r = load(first, i) - load(theta, i)
        v = load(second, i) - load(first, i) - r
        straight, bent, change = straight + r * r, bent + v * v, greater(size_of(r), change)
    store(judged, 0, change)
    store(judged, 1, bent)
    # Where it is not bent at all, the second step counts, whatever this gives.
    length = greater(root(straight / greater(bent, alike(5e-324))), one)
    single, double = alike(2.0) * length, length * length
    lowest, highest = alike(CLAMP), alike(1.0 - CLAMP)
    for i in range(size):
        r = load(first, i) - load(theta, i)
        v = load(second, i) - load(first, i) - r
        store(further, i, lesser(greater(load(theta, i) + single * r + double * v, lowest), highest))


@kernel
def _bound(numbers: Numbers, attributes: int, before: Numbers, after: Numbers, room: Numbers, judged: Numbers) -> None:
    """Write what a cycle gains at most, and how far below that its least gain may be.

    The bounds are those of `evosdc_measures.linkage.known_share.as_likely`, summed in its order.
    """
    _, height, width = grid_of(attributes)
    most, apart, one, half, three = alike(0.0), alike(0.0), alike(1.0), alike(0.5), alike(3.0)
    for column in range(width):
        upper, below = alike(0.0), alike(0.0)
        for row in range(height):
            pattern = row * width + column
            number, was, now = load(numbers, pattern), load(before, pattern), load(after, pattern)
            gain = now - was
            e = gain / was
            square = gain * gain / (was * was)
            upper = upper + number * e * (one - e * (half - e / three))
            below = below + number * square * square * greater(was / now, one)
        most, apart = most + upper, apart + below
    store(judged, 2, most)
    store(judged, 3, alike(0.25) * apart)


@kernel
def _choose(
    lane: int,
    numbers: Numbers,
    width: int,
    slack: float,
    before: Numbers,
    after: Numbers,
    second: Numbers,
    reached: Numbers,
    judged: Numbers,
    theta: Numbers,
) -> None:
    """Set the estimates of one lane: those from beyond where the likelihood has not fallen, else the second step's."""
    bent, most, apart = judged[LANES + lane], judged[2 * LANES + lane], judged[3 * LANES + lane]
    jumps = bent > 0.0 and most - apart > slack
    if bent > 0.0 and not jumps and most >= -slack:
        shape = len(numbers) // LANES // width, width
        pairs, was, now = np.empty(shape), np.empty(shape), np.empty(shape)
        for pattern in range(len(numbers) // LANES):
            row, column, place = pattern // width, pattern % width, LANES * pattern + lane
            pairs[row, column], was[row, column], now[row, column] = numbers[place], before[place], after[place]
        jumps = likelihood(pairs, now) >= likelihood(pairs, was)
    for i in range(len(theta) // LANES):
        place = LANES * i + lane
        theta[place] = reached[place] if jumps else second[place]
