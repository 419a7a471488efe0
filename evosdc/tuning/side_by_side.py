"""Searches that are carried out side by side, so that all workers have something to do."""

from collections.abc import Generator, Sequence
from typing import TypeVar

from evosdc.tuning.candidate import Wanted
from evosdc.tuning.judge import Judge

T = TypeVar("T")

Search = Generator[list[Wanted], None, T]
"""A search that yields the trials that it needs, and goes on when they have been carried out."""


def together(judge: Judge, searches: Sequence[Search[T]]) -> list[T]:
    """Carry out searches side by side, so that all workers have something to do; return what each of them found."""
    found: dict[int, T] = {}
    waiting: dict[int, list[Wanted]] = {}

    def go_on(place: int) -> None:
        try:
            waiting[place] = next(searches[place])
        except StopIteration as ended:
            waiting.pop(place, None)
            found[place] = ended.value

    for place in range(len(searches)):
        go_on(place)
    while waiting:
        judge.judge(want for place in sorted(waiting) for want in waiting[place])
        for place in sorted(waiting):
            go_on(place)
    return [found[place] for place in range(len(searches))]
