"""Estimates beyond two steps, and bounds of what is gained there, for several tables: see `estimates_together`."""

from evosdc.kernel import inner_kernel
from evosdc_measures.lanes import alike, greater, lesser, load, nearly, root, size_of, store
from evosdc_measures.linkage.known_share import CLAMP
from evosdc_measures.linkage.steps_together import Layout, Numbers, spread


@inner_kernel
def extrapolate(work: Numbers, at: Layout) -> None:
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
def bound_roughly(work: Numbers, at: Layout, share: float) -> None:
    """Write the bounds of `bound` without a division, where the least gain is bounded for chances that at most halve.

    The roundings are others, and which ones depends on the processor: `ROUGH` is for that.
    """
    width, height = at.width, at.height
    spread(work, at, share, at.further)
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
def bound_from_below(work: Numbers, at: Layout) -> None:
    """Write what a cycle gains at least, whatever the chances grow or shrink by; what `bound_roughly` spread is read.

    Of a ratio r the logarithm is no less than the lesser of ``2 (r - 1) / (r + 1)`` and ``(r - 1) / sqrt(r)``: the
    former where r > 1, the latter where r < 1.
    """
    width, height = at.width, at.height
    row_m, one, tiny, gained = at.room + 4 * width, alike(1.0), alike(1e-300), alike(0.0)
    for row in range(height):
        of_m, of_u = load(work, row_m + row), load(work, row_m + height + row)
        pattern = row * width
        for column in range(width):
            now = nearly(of_m, load(work, at.room + column), of_u * load(work, at.room + width + column))
            # Patterns that do not occur have the ratio 0.
            ratio = greater(now * load(work, at.once + pattern + column), tiny)
            gain = ratio - one
            least = lesser((gain + gain) / (ratio + one), gain / root(ratio))
            gained = nearly(load(work, at.numbers + pattern + column), least, gained)
    store(work, at.judged + 3, gained)


@inner_kernel
def bound(work: Numbers, at: Layout) -> None:
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
