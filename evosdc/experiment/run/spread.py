"""The order in which a portfolio is gone through where time may end before all of it was: a good spread first."""

from collections.abc import Iterator, Sequence

from evosdc.model import Masking


def spread(portfolio: Sequence[Masking]) -> list[Masking]:
    """Return the entries of a portfolio so that the first ones stand for all: methods in turn, the midst of each first.

    Entries of a method stand in the order of their parameters as a rule. They are taken by bisection, so that any
    number of them is spread over the whole range.
    """
    methods: dict[tuple[str, ...], list[Masking]] = {}
    for masking in portfolio:
        methods.setdefault(tuple(step.method for step in masking.steps), []).append(masking)
    turns = [[entries[place] for place in bisected(len(entries))] for entries in methods.values()]
    longest = max(map(len, turns), default=0)
    return [entries[turn] for turn in range(longest) for entries in turns if turn < len(entries)]


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
