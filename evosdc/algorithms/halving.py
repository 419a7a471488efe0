"""Which start a search stays with: successive halving of the best files of each kind (Karnin, Koren & Somekh 2013)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Individual

RATES, RIVALS, WAITING = "rates", "rivals", "waiting"
"""Names in the memory: progress of each member in a round, slots of the starting files in the race, and of those that
have a round in this rung of it yet."""

_NOBODY: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

OVER: dict[str, NDArray[Any]] = {RIVALS: _NOBODY, WAITING: _NOBODY}
"""Memory of a race that is over; checkpoints of versions without one have none."""

MEMORY = 0.5
"""Weight of the last round in the progress of a member."""

WITHIN = 2.5
"""How many times the best score another kind's best may have to be tried: what is farther off hardly catches up."""

FORESIGHT = 10
"""Rounds of recent progress after which those that stay in the race would be the best."""

MENDED = ("labels", "kept")
"""First words of what a label says after the methods: of labels put right, and of kept values moved."""


def begun(individuals: Sequence[Individual], kinds: int) -> dict[str, NDArray[Any]]:
    """Return the memory before the first round, of a race of so many kinds at most."""
    rivals = best_of_kinds(individuals, kinds)
    return {RATES: np.full(len(individuals), np.nan), RIVALS: rivals, WAITING: rung(rivals, kinds)}


def turn(memory: Mapping[str, NDArray[Any]]) -> int | None:
    """Return the slot of who has the next round of the race; None where it is over."""
    waiting = memory.get(WAITING, _NOBODY)
    return int(waiting[0]) if len(waiting) else None


def after_round(
    memory: Mapping[str, NDArray[Any]], members: Sequence[Individual], slot: int, gain: float, kinds: int
) -> dict[str, NDArray[Any]]:
    """Return the progress of the members, and the race, after a round of one of them.

    Where one is left in the race, what is known of the others is forgotten: they are tried again as any member is,
    after the doublings of the rounds. To go on with several would cost the best of them most of its rounds.

    Parameters
    ----------
    memory : mapping
        Before the round.
    members : sequence of Individual
        After it.
    slot : int
        Of the member that was improved.
    gain : float
        By how much.
    kinds : int
        Rounds in a rung.
    """
    rates = memory[RATES].copy()
    rates[slot] = gain if np.isnan(rates[slot]) else (1.0 - MEMORY) * rates[slot] + MEMORY * gain
    rivals, waiting = memory.get(RIVALS, _NOBODY), memory.get(WAITING, _NOBODY)
    if len(waiting) != 1:
        return {RATES: rates, RIVALS: rivals, WAITING: waiting[1:]}
    left = survivors(rivals, members, rates)
    if len(left) == 1:
        rates[np.arange(len(rates)) != left[0]] = np.nan
    return {RATES: rates, RIVALS: left, WAITING: rung(left, kinds)}


def kind_of(origin: str) -> tuple[str, ...]:
    """Return the methods that a file was made by, each once, from its label without their parameters."""
    first_words = (step.split(" ", 1)[0] for step in origin.split(", then "))
    return tuple(dict.fromkeys(word for word in first_words if word not in MENDED))


def best_of_kinds(individuals: Sequence[Individual], most: int) -> NDArray[np.int64]:
    """Return the slots of the best individual of each kind, the best first, at most so many.

    Kinds whose best is more than `WITHIN` times as bad as the best of all, or breaks constraints further, are left out.
    """
    order = sorted(range(len(individuals)), key=lambda slot: (individuals[slot].precedence, slot))
    best = individuals[order[0]]
    bound = WITHIN * sum(best.objectives)
    first: dict[tuple[str, ...], int] = {}
    for slot in order:
        individual = individuals[slot]
        if individual.infeasibility <= best.infeasibility and sum(individual.objectives) <= bound:
            first.setdefault(kind_of(individual.origin), slot)
    return np.array(list(first.values())[:most], dtype=np.int64)


def rung(rivals: NDArray[np.int64], rounds: int) -> NDArray[np.int64]:
    """Return whose turn it is in each round of a rung: rivals have equally many, one at least, so many together.

    Where one is left, or none, there are no rounds.
    """
    return np.repeat(rivals, max(1, rounds // len(rivals))) if len(rivals) > 1 else rivals[:0]


def survivors(
    rivals: NDArray[np.int64], members: Sequence[Individual], rates: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return the half of the rivals that is expected to get best, the best first, by their progress a round."""
    order = sorted(rivals.tolist(), key=lambda slot: (expected(members[slot], float(rates[slot]), FORESIGHT), slot))
    return np.array(order[: (len(order) + 1) // 2], dtype=np.int64)


def expected(member: Individual, rate: float, rounds: int) -> tuple[float, float]:
    """Return where a member would be after some rounds, by its progress in one: infeasibility, then objectives."""
    return member.infeasibility, sum(member.objectives) - rounds * rate
