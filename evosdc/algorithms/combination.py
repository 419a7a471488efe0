"""Putting together small changes of a file that have been tried one by one."""

from collections.abc import Sequence
from itertools import compress
from operator import add, or_

import numpy as np

from evosdc.algorithms.taking import taken_in_turn
from evosdc.model import Fitness, Individual
from evosdc.model.brood import below, dominating
from evosdc.model.individual import INFEASIBILITY, precedence_of
from evosdc.model.picked import Picked, picked, scores_of


def worth_keeping(probes: Sequence[Individual], climber: Individual) -> Sequence[Individual]:
    """Return the changes that are better, or better in IL or in DR alone: together with others they may pay."""
    useful = map(or_, dominating(probes, climber), below(probes, climber.point))
    return picked(probes, list(compress(range(len(probes)), useful)))


def best_after(climber: Individual, probes: Sequence[Individual], others: Sequence[Individual]) -> Individual:
    """Return the best of a file, its changes and others, each of which counts where it is better than those before."""
    best = climber
    if isinstance(probes, Picked) and len(climber.objectives) == 1:  # of which then only one need be made
        listed = probes.precedences
        least = min(listed)
        best, probes = (probes[listed.index(least)] if least < climber.precedence else climber), ()
    for child in (*probes, *others):
        best = child if child.dominates(best) else best
    return best


def promising(
    climber: Individual, probes: Sequence[Individual], fitness: Fitness, most: int, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Return sets of probes whose changes together should be better than the climber.

    Scores are taken to add up. For each set the probes are gone through in random order, and one is taken where the
    predicted scores become better by it. So a change that lowers the risk can meet one that lowers the loss, where
    neither helps alone. The order is random on purpose: to take the changes with the greatest gain first leads to worse
    files in the long run, as steepest descent does.

    Parameters
    ----------
    fitness : Fitness
        Judges the predicted scores.
    most : int
        Sets returned at most.

    Returns
    -------
    list of tuple of int
        Positions in `probes`, at least two a set.
    """
    sums, best = fitness.sums, climber.precedence
    names = _followed(climber, fitness)
    summed = list(dict.fromkeys(name for weights in sums or () for name in weights))
    names = [*summed, *(name for name in names if name not in summed)]
    start = np.array([climber.scores[name] for name in names])
    # The mark of what could not be evaluated is the one score that not all have.
    deltas = np.stack([scores_of(probes, name) for name in names], axis=1) - start
    orders = [rng.permutation(len(probes)) for _ in range(most)]
    if sums is not None:
        weights = np.array([[weights.get(name, 0.0) for name in names] for weights in sums])
        bounded = names.index(INFEASIBILITY) if INFEASIBILITY in names else -1
        taken = taken_in_turn(start, deltas, np.array(orders), weights, bounded, best[0], best[1][0])
        chosen = [tuple(order[mark].tolist()) for order, mark in zip(orders, taken, strict=True)]
    else:
        chosen = [tuple(_taken(climber, names, deltas.tolist(), order.tolist(), fitness)) for order in orders]
    sets: dict[frozenset[int], tuple[int, ...]] = {}
    for places in chosen:
        if len(places) > 1:
            sets.setdefault(frozenset(places), places)
    return list(sets.values())


def _taken(
    climber: Individual, names: Sequence[str], deltas: Sequence[Sequence[float]], order: Sequence[int], fitness: Fitness
) -> list[int]:
    """Return the probes that are taken in an order, whatever the fitness."""
    bounded = INFEASIBILITY in names
    here, best, chosen = [climber.scores[name] for name in names], climber.precedence, []
    for i in order:
        there = list(map(add, here, deltas[i]))
        predicted = dict(zip(names, there, strict=True))
        if bounded:
            predicted[INFEASIBILITY] = max(predicted[INFEASIBILITY], 0.0)
        try:
            objectives = fitness.combine(predicted)
        except Exception:  # about scores that no file has: what it says of those that one has, is told
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
