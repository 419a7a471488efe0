"""The line that the journal gets for each generation, and the figures of populations in it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from math import fsum
from operator import attrgetter, is_not
from typing import Any

from evosdc.engine.stop import Progress
from evosdc.model import Individual
from evosdc.model.individual import precedences

Distance = Callable[[Any, Any], float]


def best_of(individuals: Sequence[Individual]) -> Individual:
    """Return the individual of the least precedence (`evosdc.model.Individual`); of equals the first."""
    return min(individuals, key=attrgetter("precedence"))


def better_of(best: Individual, batches: Iterable[Sequence[Individual]]) -> Individual:
    """Return the best so far, or the first of the least precedence where that is less."""
    for batch in batches:
        listed = precedences(batch)
        least = min(listed, default=best.precedence)
        if least < best.precedence:
            best = batch[listed.index(least)]
    return best


class Census:
    """Figures of populations; only changes since the last population are computed."""

    def __init__(self, distance: Distance | None = None) -> None:
        self._distance = distance
        self._counted: Sequence[Individual] = ()
        self._figures: dict[str, Any] = {}
        # Of each individual counted: what it is ordered by, and what figures are about.
        self._precedence: list[tuple[float, tuple[float, ...]]] = []
        self._infeasible: list[float] = []
        self._objective: list[float] = []
        self._scores: dict[str, list[float | None]] = {}
        self._paired: Sequence[Individual] = ()
        self._apart: list[float] = []

    def figures(self, population: Sequence[Individual]) -> dict[str, Any]:
        """Return the best of a population, and least, mean and greatest first objective, IL and DR."""
        slots = _changed_slots(self._counted, population)
        if slots is not None and not slots:
            return self._figures
        if slots is None:
            self._precedence = [individual.precedence for individual in population]
            self._infeasible = [individual.infeasibility for individual in population]
            self._objective = [individual.objectives[0] for individual in population]
            self._scores = {name: [i.scores.get(name) for i in population] for name in ("il", "dr")}
        else:
            for slot in slots:
                individual = population[slot]
                self._precedence[slot] = individual.precedence
                self._infeasible[slot] = individual.infeasibility
                self._objective[slot] = individual.objectives[0]
                for name, values in self._scores.items():
                    values[slot] = individual.scores.get(name)
        infeasible = any(self._infeasible) and sum(value > 0.0 for value in self._infeasible)
        # With one objective and no constraint that is broken, the objectives are in the same order.
        order = self._precedence if infeasible or len(population[0].objectives) > 1 else self._objective
        best = population[order.index(min(order))]  # type: ignore[arg-type]
        figures: dict[str, Any] = {
            "best": {"fitness": list(best.objectives)} | {n: best.scores[n] for n in ("il", "dr") if n in best.scores}
        }
        figures["fitness"] = _spread(self._objective)
        for name, values in self._scores.items():
            if values.count(None) == 0:
                figures[name] = _spread(values)  # type: ignore[arg-type]
        if infeasible:
            figures["infeasible"] = infeasible
        self._counted, self._figures = tuple(population), figures
        return figures

    def diversity(self, population: Sequence[Individual]) -> float | None:
        """Return the mean distance between each member and the one half the population away, in slots."""
        # An estimate of the mean over all pairs that needs no more distances than there are slots. Neighbours would not
        # do: they are often made by one method with similar parameters, and too much alike. 0 for a single member.
        if self._distance is None:
            return None
        size, half = len(population), max(len(population) // 2, 1)
        if size == 1:
            return 0.0
        count = half if size % 2 == 0 else size
        # From one generation to the next few slots change.
        slots = _changed_slots(self._paired, population)
        if slots is None or len(slots) > FEW:
            self._apart = self._distances(population, count, half)
        else:
            for pair in {pair for slot in slots for pair in (slot, (slot - half) % size) if pair < count}:
                self._apart[pair] = self._between(population[pair], population[(pair + half) % size])
        self._paired = tuple(population)
        return sum(self._apart) / len(self._apart)

    def _distances(self, population: Sequence[Individual], count: int, half: int) -> list[float]:
        """Return the distances of all pairs; of pairs that have moved to other slots they are known."""
        before, size = self._paired, len(population)
        # The individuals are kept as well: an address alone may be given to another one.
        partners = zip(before, _turned(before), self._apart, strict=False)
        known = {(id(one), id(other)): value for one, other, value in partners}
        values = list[float]()
        for slot in range(count):
            one, other = population[slot], population[(slot + half) % size]
            found = known.get((id(one), id(other)))
            values.append(self._between(one, other) if found is None else found)
        return values

    def _between(self, one: Individual, other: Individual) -> float:
        assert self._distance is not None
        return float(self._distance(one.genome, other.genome))


FEW = 4  # Up to this many changed slots, other slots are not searched for pairs


def _changed_slots(before: Sequence[Individual], after: Sequence[Individual]) -> list[int] | None:
    """Return the slots in which two populations have different individuals; None where they are of different sizes."""
    if len(before) != len(after):
        return None
    return list(compress(range(len(after)), map(is_not, before, after)))


def _turned(population: Sequence[Individual]) -> Sequence[Individual]:
    """Return, for each slot, the individual half the population away."""
    half = max(len(population) // 2, 1)
    return (*population[half:], *population[:half])


def generation_record(
    figures: dict[str, Any],
    progress: Progress,
    front: int,
    operators: dict[str, dict[str, int]],
    hypervolume: float | None = None,
) -> dict[str, Any]:
    """Return one line of the journal as a JSON-able mapping."""
    record: dict[str, Any] = {
        "generation": progress.generation,
        "evaluations": progress.evaluations,
        "seconds": round(progress.seconds, 3),
    }
    record |= figures
    if progress.diversity is not None:
        record["diversity"] = progress.diversity
    record |= {"operators": operators, "front": front}
    if hypervolume is not None:
        record["hypervolume"] = hypervolume
    record["stalled"] = progress.stalled
    if progress.failed:
        record["failed"] = progress.failed
    return record


def operator_counts(
    made: Mapping[str, int], evaluated: Iterable[Individual], kept: Sequence[Individual]
) -> dict[str, dict[str, int]]:
    """Return, by operator, how many children it made and how many of them are in the next population."""
    counts = {origin: {"made": made[origin], "kept": 0} for origin in sorted(made)}
    survivors = set(map(id, kept))
    for individual in evaluated:
        if id(individual) in survivors:
            counts[individual.origin]["kept"] += 1
    return counts


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"min": float(min(values)), "mean": fsum(values) / len(values), "max": float(max(values))}
