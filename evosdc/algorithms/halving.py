"""Which start a search stays with: successive halving of the best files of each kind (Karnin, Koren & Somekh 2013)."""

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Individual

RATES, RIVALS, WAITING, BEGAN, DONE, OTHERS = "rates", "rivals", "waiting", "began", "done", "others"
"""Names in the memory: progress of each member in a round, slots of the starting files in the race, and of those that
have a round in this rung of it yet; where each rival stood when the rung began, how many rounds it had had then, and
how many all others together."""
_NOBODY: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
OVER: dict[str, NDArray[Any]] = {RIVALS: _NOBODY, WAITING: _NOBODY, BEGAN: np.zeros(0), DONE: np.array(0)}
"""Memory of a race that is over; checkpoints of versions without one have none."""
MEMORY = 0.5  # Weight of the last round in the progress of a member
WITHIN = 2.5  # times the best score that another kind's best may have: what is farther off hardly catches up
FORESIGHT = 6
"""How many rungs ahead rivals are compared: by the score predicted after that many rungs, or after twice the rounds
done so far, where these are more."""
MENDED = ("labels", "kept")  # first words of a label after its methods: labels put right, kept values moved


def begun(individuals: Sequence[Individual], kinds: int, rounds: int) -> dict[str, NDArray[Any]]:
    """Return the memory before the first round, of a race of at most `kinds` kinds, with `rounds` rounds in a rung."""
    rivals = best_of_kinds(individuals, kinds)
    return {RATES: np.full(len(individuals), np.nan), OTHERS: np.array(0), **_begun(rivals, individuals, 0, rounds)}


def _begun(rivals: NDArray[np.int64], members: Sequence[Individual], done: int, rounds: int) -> dict[str, NDArray[Any]]:
    """Return the memory of a rung that begins when each rival has had `done` rounds."""
    began = np.array([_score(members[slot]) for slot in rivals.tolist()])
    return {RIVALS: rivals, WAITING: rung(rivals, rounds), BEGAN: began, DONE: np.array(done)}


def _score(member: Individual) -> float:
    return float(sum(member.objectives))


def turn(memory: Mapping[str, NDArray[Any]]) -> int | None:
    """Return the slot of the individual with the next round of the race; None where the race is over."""
    waiting = memory.get(WAITING, _NOBODY) if BEGAN in memory else _NOBODY
    return int(waiting[0]) if len(waiting) else None


def had(memory: Mapping[str, NDArray[Any]], rounds: int) -> int:
    """Return how many of `rounds` rounds the individual of the next one has had: in the race, before this rung."""
    # After the race all rounds count but those that others had in it.
    return rounds - int(memory.get(OTHERS, 0)) if turn(memory) is None else int(memory[DONE])


def after_round(
    memory: Mapping[str, NDArray[Any]], members: Sequence[Individual], slot: int, gain: float, rounds: int
) -> dict[str, NDArray[Any]]:
    """Return the progress of the members, and the race, after a round of one of them."""
    # Where one is left in the race, the records of the others are dropped: they are tried again as any member is,
    # after the growths of the rounds. To go on with several would cost the best of them most of its rounds.
    rates = memory[RATES].copy()
    rates[slot] = gain if np.isnan(rates[slot]) else (1.0 - MEMORY) * rates[slot] + MEMORY * gain
    if turn(memory) is None:
        return {RATES: rates} | OVER
    rivals, waiting = memory[RIVALS], memory[WAITING]
    if len(waiting) > 1:
        return {RATES: rates, WAITING: waiting[1:]}
    done = int(memory[DONE])
    following = done + _each(rivals, rounds)
    others = int(memory.get(OTHERS, 0)) + done + len(rivals) * (following - done) - following
    left = survivors(rivals, members, memory[BEGAN], growths(done, following, FORESIGHT * rounds))
    if len(left) == 1:
        rates[np.arange(len(rates)) != left[0]] = np.nan
    return {RATES: rates, OTHERS: np.array(others), **_begun(left, members, following, rounds)}


def kind_of(origin: str) -> tuple[str, ...]:
    """Return the methods that a file was made by, each once, from its label without their parameters."""
    first_words = (step.split(" ", 1)[0] for step in origin.split(", then "))
    return tuple(dict.fromkeys(word for word in first_words if word not in MENDED))


def best_of_kinds(individuals: Sequence[Individual], most: int) -> NDArray[np.int64]:
    """Return the slots of the best individual of each kind, the best first, at most `most`."""
    # Kinds whose best is more than `WITHIN` times as bad as the best of all, or breaks constraints further, are left
    # out.
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
    """Return the slot whose turn it is in each of `rounds` rounds of a rung: equally many a rival, at least one."""
    return np.repeat(rivals, _each(rivals, rounds)) if len(rivals) > 1 else rivals[:0]


def _each(rivals: NDArray[np.int64], rounds: int) -> int:
    return max(1, rounds // len(rivals))


def growths(before: int, after: int, rounds: int) -> float:
    """Return how often rounds grow by the factor of a rung until `rounds` are done, or twice those done if more."""
    return log(max(rounds, 2 * after) / (after + 1.0)) / log((after + 1.0) / (before + 1.0))


def survivors(
    rivals: NDArray[np.int64], members: Sequence[Individual], began: NDArray[np.float64], ahead: float
) -> NDArray[np.int64]:
    """Return the half of the rivals that is expected to get best, the best first."""
    # Shapes: rivals (r,), began (r,).

    def order(place: int) -> tuple[float, float, int]:
        slot = int(rivals[place])
        return members[slot].infeasibility, extrapolated(float(began[place]), _score(members[slot]), ahead), slot

    chosen = sorted(range(len(rivals)), key=order)[: (len(rivals) + 1) // 2]
    return rivals[chosen]


def extrapolated(before: float, now: float, ahead: float) -> float:
    """Return where a score that fell from `before` to `now` would be after `ahead` further growths of the rounds."""
    # Searches of cells fall by much the same share whenever their rounds grow by the same factor, each by its own: a
    # straight line overrates rivals that improve fast at first.
    return now * (now / before) ** ahead if 0.0 < now <= before else now


def expected(member: Individual, rate: float, rounds: int) -> tuple[float, float]:
    """Return where a member would be after some rounds, by its progress in one: infeasibility, then objectives."""
    return member.infeasibility, sum(member.objectives) - rounds * rate
