"""Putting together small changes of a file that have been tried one by one."""

from collections.abc import Sequence
from operator import add

import numpy as np
from deap import base
from numpy.typing import NDArray

from evosdc.model import Fitness, Individual, Siblings
from evosdc.model.individual import INFEASIBILITY, precedence_of

CONFIRMED = 3  # Children of a round that are evaluated at most, where they were judged by estimates


def worth_keeping(probes: Siblings, climber: Individual) -> NDArray[np.int64]:
    """Return the places of changes that are better, or better in IL or in DR alone."""
    ahead = (probes.points < np.array(climber.point)).any(axis=1)
    return np.flatnonzero(ahead | probes.dominating(climber))


def best_of_siblings(climber: Individual, batches: Sequence[Siblings], toolbox: base.Toolbox) -> Individual:
    """Return the best of a file and its children; each child is compared with the best before it."""
    best = climber
    for batch in batches:
        if batch.estimated:
            best = _confirmed(best, batch, toolbox)
            continue
        better = np.flatnonzero(batch.dominating(best)).tolist()
        if better and len(best.objectives) == 1:  # then only one need be made
            better = [min(better, key=batch.precedences().__getitem__)]
        for place in better:
            best = batch[place] if batch[place].dominates(best) else best
    return best


def _confirmed(best: Individual, batch: Siblings, toolbox: base.Toolbox) -> Individual:
    """Evaluate the most promising children; return the first that is really better, else `best`."""
    listed = batch.precedences()
    ahead = sorted(np.flatnonzero(batch.dominating(best)).tolist(), key=listed.__getitem__)
    for place in ahead[:CONFIRMED]:
        child = batch.parent.child(batch.genome(place), batch.origins[place])
        child.fitness.values = toolbox.evaluate(child)
        if child.dominates(best):
            return child
    return best


def promising(
    climber: Individual,
    probes: Siblings,
    useful: NDArray[np.int64],
    fitness: Fitness,
    most: int,
    rng: np.random.Generator,
) -> list[tuple[int, ...]]:
    """Return sets of probes whose changes together should be better than the climber."""
    # Scores are taken to add up. For each set the probes are gone through in random order, and one is taken where the
    # predicted scores become better by it.
    names = _followed(climber, fitness)
    deltas = np.stack([probes.scores[name][useful] - climber.scores[name] for name in names], axis=1).tolist()
    sets: dict[frozenset[int], tuple[int, ...]] = {}
    for _ in range(most):
        taken = _taken(climber, names, deltas, rng.permutation(len(useful)).tolist(), fitness)
        places = tuple(int(useful[one]) for one in taken)
        if len(places) > 1:
            sets.setdefault(frozenset(places), places)
    return list(sets.values())


def _taken(
    climber: Individual, names: Sequence[str], deltas: Sequence[Sequence[float]], order: Sequence[int], fitness: Fitness
) -> list[int]:
    """Return the probes that are taken in an order."""
    bounded = INFEASIBILITY in names
    here, best, chosen = [climber.scores[name] for name in names], climber.precedence, []
    for i in order:
        there = list(map(add, here, deltas[i]))
        predicted = dict(zip(names, there, strict=True))
        if bounded:
            predicted[INFEASIBILITY] = max(predicted[INFEASIBILITY], 0.0)
        try:
            objectives = fitness.combine(predicted)
        except Exception:  # of predicted scores that no file has; an error for a real file is reported
            continue
        precedence = precedence_of(predicted, objectives)
        if precedence < best:
            here, best = there, precedence
            chosen.append(i)
    return chosen


def _followed(climber: Individual, fitness: Fitness) -> list[str]:
    """Return the scores that tell which of two files is better."""
    reads = fitness.reads
    if reads is None:
        return list(climber.scores)
    return [name for name in climber.scores if name in reads or name in ("il", "dr", INFEASIBILITY)]
