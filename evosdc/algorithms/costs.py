"""Contributions of records to a member's scores, by which a local search draws them."""

from typing import Any

import numpy as np
from deap import base
from numpy.typing import NDArray

from evosdc.model import Individual, Population

COSTLY, SINCE = "costly", "since"
"""Names in the memory: positions of records drawn by their cost; slot of their individual, and the generation of the
sample."""
SAMPLE = 8192  # Records drawn, a record as often as it costs: several times as many as probes ask for while they last
RENEWED, MOST_ROUNDS = 5000, 16
"""Records for each round that a sample lasts, and how many it lasts at most. A round changes some dozens of records,
so that by then about a hundredth of the file has changed."""
Running = NDArray[np.float64]  # Running sums of what records cost, shape (n,)


class Costs:
    """Running sums of the contributions of records to all measures together."""

    # What all records of a file cost takes as long as the file is large, and a round of improvement does not. In large
    # files it is computed every few rounds, and kept as a sample of records in between.

    def __init__(self, toolbox: base.Toolbox, records: int) -> None:
        self._toolbox = toolbox
        self._records = records
        self._lasts = min(records // RENEWED, MOST_ROUNDS)
        self._whole: tuple[bytes, Running | None] = (b"", None)
        self._sampled: tuple[NDArray[Any] | None, Running | None] = (None, None)
        self._drawn: tuple[int, dict[str, NDArray[Any]]] = (-1, {})

    def running(self, population: Population, slot: int) -> Running | None:
        """Return the running sums of a member, by which its records are drawn; None where none is to be preferred."""
        if self._lasts <= 1:
            return self._exact(population[slot])
        memory, now = population.memory, population.generation
        whose, since = memory[SINCE].tolist() if SINCE in memory else (-1, 0)
        sample = memory[COSTLY] if whose == slot and since <= now < since + self._lasts else None
        if sample is None:
            exact = self._exact(population[slot])
            if exact is None:
                return None
            sample = systematic(exact, SAMPLE, population.generation)
            self._drawn = population.generation, {COSTLY: sample, SINCE: np.array([slot, population.generation])}
        if self._sampled[0] is not sample:
            self._sampled = sample, np.bincount(sample, minlength=self._records).cumsum(dtype=np.float64)
        return self._sampled[1]

    def remembered(self, generation: int) -> dict[str, NDArray[Any]]:
        """Return the entries of the memory after a generation: a sample that was drawn for it."""
        return self._drawn[1] if self._drawn[0] == generation else {}

    def _exact(self, member: Individual) -> Running | None:
        if self._whole[0] != member.key:  # a member mostly stays for many rounds
            sums = [(costs, costs.sum()) for costs in self._toolbox.contributions(member)]
            shares = [costs / whole for costs, whole in sums if whole > 0.0]
            self._whole = member.key, np.sum(shares, axis=0).cumsum() if shares else None
        return self._whole[1]


def systematic(running: Running, size: int, turn: int) -> NDArray[np.int32]:
    """Return positions of records, drawn by their contributions: systematic sampling (Madow 1949), in order."""
    start = turn * 0.6180339887498949 % 1.0
    points = (np.arange(size) + start) * (running[-1] / size)
    last = running.searchsorted(running[-1])  # those behind it cost nothing
    found: NDArray[np.int32] = np.minimum(running.searchsorted(points, "right"), last).astype(np.int32)
    return found
