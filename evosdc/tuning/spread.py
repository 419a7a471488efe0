"""The order in which a portfolio is gone through where time may end before all of it was: a good spread first."""

from collections.abc import Iterator, Sequence

from evosdc.model import Masking


def spread(portfolio: Sequence[Masking], tuned: Sequence[Masking] = ()) -> list[Masking]:
    """Return the entries of a portfolio so that the first ones stand for all: methods in turn, the midst of each first.

    Entries of a method stand in the order of their parameters as a rule. They are taken by bisection, so that any
    number of them is spread over the whole range. Where methods were tuned, the second of them has half as many turns
    as the first one, the third a third, and so on.

    Parameters
    ----------
    portfolio : sequence of Masking
    tuned : sequence of Masking
        Methods at their best, in whose order they stand; what they do not name comes after them, as the portfolio
        lists it.
    """
    methods: dict[tuple[str, ...], list[Masking]] = {masking.methods: [] for masking in (*tuned, *portfolio)}
    for masking in portfolio:
        methods[masking.methods].append(masking)
    keyed = []
    for rank, entries in enumerate(filter(None, methods.values()), 1):
        weight = rank if tuned else 1
        keyed += [(turn * weight, rank, entries[place]) for turn, place in enumerate(bisected(len(entries)), 1)]
    return [masking for *_, masking in sorted(keyed, key=lambda one: one[:2])]


def bisected(size: int) -> list[int]:
    """Return all positions of a sequence, its middle first, then those of both halves, and so on."""

    def halves() -> Iterator[int]:
        waiting = [(0, size)]
        for first, end in waiting:
            if first < end:
                middle = (first + end) // 2
                yield middle
                waiting.extend([(first, middle), (middle + 1, end)])

    return list(halves())
