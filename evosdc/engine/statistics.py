"""The line that the journal gets for each generation, and the figures of populations in it."""

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from operator import attrgetter
from typing import Any

from evosdc.engine.stop import Progress
from evosdc.model import Individual

Distance = Callable[[Any, Any], float]


def best_of(individuals: Sequence[Individual]) -> Individual:
    """Return the individual of the least precedence (`evosdc.model.Individual`); of equals the first."""
    return min(individuals, key=attrgetter("precedence"))


class Census:
    """Figures of populations; what has not changed since the last population is not reckoned again.

    Parameters
    ----------
    distance : callable, optional
        Of two genomes, as the genotype defines it; None where there is none, and then no diversity.
    """

    def __init__(self, distance: Distance | None = None) -> None:
        self._distance = distance
        self._counted: Sequence[Individual] | None = None
        self._figures: dict[str, Any] = {}
        self._pairs: list[tuple[Individual, Individual]] = []
        self._apart: list[float] = []

    def figures(self, population: Sequence[Individual]) -> dict[str, Any]:
        """Return the best of a population, and least, mean and greatest first objective, IL and DR."""
        if population == self._counted:  # the very same individuals: they are equal to themselves alone
            return self._figures
        best = best_of(population)
        figures: dict[str, Any] = {
            "best": {"fitness": list(best.objectives)} | {n: best.scores[n] for n in ("il", "dr") if n in best.scores}
        }
        figures["fitness"] = _spread([individual.objectives[0] for individual in population])
        for name in ("il", "dr"):
            values = [individual.scores.get(name) for individual in population]
            if None not in values:
                figures[name] = _spread(values)  # type: ignore[arg-type]
        infeasible = sum(individual.infeasibility > 0.0 for individual in population)
        if infeasible:
            figures["infeasible"] = infeasible
        self._counted, self._figures = population, figures
        return figures

    def diversity(self, population: Sequence[Individual]) -> float | None:
        """Return the mean distance between each member and the one half the population away, in slots.

        An estimate of the mean over all pairs that needs no more distances than there are slots. Neighbours would not
        do: they are often made by one method with similar parameters, and too much alike. 0 for a single member.
        """
        if self._distance is None:
            return None
        size, half = len(population), max(len(population) // 2, 1)
        if size == 1:
            return 0.0
        slots = range(half if size % 2 == 0 else size)
        pairs = [(population[slot], population[(slot + half) % size]) for slot in slots]
        # From one generation to the next few slots change.
        before = self._pairs if len(self._pairs) == len(pairs) else [(None, None)] * len(pairs)
        known: dict[tuple[int, int], float] | None = None
        values = list[float]()
        for slot, ((a, b), (c, d)) in enumerate(zip(pairs, before, strict=True)):
            if a is c and b is d:
                values.append(self._apart[slot])
                continue
            if known is None:
                # The individuals are kept as well: an address alone may be given to another one.
                known = {(id(x), id(y)): value for (x, y), value in zip(self._pairs, self._apart, strict=True)}
            found = known.get((id(a), id(b)))
            values.append(float(self._distance(a.genome, b.genome)) if found is None else found)
        self._pairs, self._apart = pairs, values
        return sum(values) / len(values)


def generation_record(
    figures: dict[str, Any],
    progress: Progress,
    front: int,
    operators: dict[str, dict[str, int]],
    hypervolume: float | None = None,
) -> dict[str, Any]:
    """Return one line of the journal as a JSON-able mapping.

    Parameters
    ----------
    figures : dict
        Of the population: `Census.figures`.
    progress : Progress
    front : int
        Members of the front.
    operators : dict
        By operator, how many children were made and kept.
    hypervolume : float, optional
        Of the front, in percent.
    """
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
    made: Mapping[str, int], evaluated: Sequence[Individual], kept: Sequence[Individual]
) -> dict[str, dict[str, int]]:
    """Return, by operator, how many children it made and how many of them are in the next population.

    Parameters
    ----------
    made : mapping of str to int
        Children by operator.
    evaluated : sequence of Individual
        At least the children that are in the next population.
    kept : sequence of Individual
        The next population.
    """
    counts = {origin: {"made": made[origin], "kept": 0} for origin in sorted(made)}
    survivors = set(map(id, kept))
    for individual in evaluated:
        if id(individual) in survivors:
            counts[individual.origin]["kept"] += 1
    return counts


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"min": float(min(values)), "mean": fsum(values) / len(values), "max": float(max(values))}
