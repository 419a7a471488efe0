"""Which designs are worth refining: those that keep the bounds, and those that miss them by little and score better.

At the middle of its range the better method often breaks a bound that it keeps elsewhere in it. So violations up to a
level count as none in every second choice, the epsilon-constrained comparison of Takahama & Sakai (2006).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from evosdc.tuning.trial import Order

TOLERATED = 1.0
"""Infeasibility that counts as none in every second choice: bounds are exceeded by as much again, all together."""

Choice = TypeVar("Choice")


def leaders(choices: Iterable[Choice], order: Callable[[Choice], Order]) -> list[Choice]:
    """Return choices from best to worst, by two orders in turn, each choice once.

    The first, the third and so on are the best of those that are left by infeasibility, then objectives; the others by
    objectives where the infeasibility is tolerated. Where nothing is infeasible these are one order.

    Parameters
    ----------
    choices : iterable
    order : callable
        What a choice is ordered by, as `evosdc.tuning.trial.Trial.order`.
    """
    listed: Sequence[Choice] = list(choices)
    strict = sorted(range(len(listed)), key=lambda place: order(listed[place]))
    tolerant = sorted(strict, key=lambda place: tolerated(order(listed[place])))
    taken: dict[int, Choice] = {}
    waiting = [iter(strict), iter(tolerant)]
    while len(taken) < len(listed):
        place = next(place for place in waiting[0] if place not in taken)
        taken[place] = listed[place]
        waiting.reverse()
    return list(taken.values())


def tolerated(order: Order) -> Order:
    """Return an order in which infeasibility up to `TOLERATED` counts as none."""
    return (max(0.0, order[0] - TOLERATED), *order[1:])
