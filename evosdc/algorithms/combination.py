"""Putting together small changes of a file that have been tried one by one."""

from collections.abc import Sequence
from itertools import compress
from operator import add, or_

import numpy as np

from evosdc.model import Fitness, Individual
from evosdc.model.brood import below, dominating
from evosdc.model.individual import INFEASIBILITY, precedence_of
from evosdc.time_limit import raise_if_over


def worth_keeping(probes: Sequence[Individual], climber: Individual) -> list[Individual]:
    """Return the changes that are better, or better in IL or in DR alone: together with others they may pay."""
    useful = map(or_, dominating(probes, climber), below(probes, climber.point))
    return [probes[place] for place in compress(range(len(probes)), useful)]


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
    names = _followed(climber, fitness)
    start = [climber.scores[name] for name in names]
    # The mark of what could not be evaluated is the one score that not all have.
    deltas = [
        [probe.scores.get(name, 0.0) - value for name, value in zip(names, start, strict=True)] for probe in probes
    ]
    sets: dict[frozenset[int], tuple[int, ...]] = {}
    bounded, combine = INFEASIBILITY in names, fitness.combine
    for _ in range(most):
        here, best, chosen = start, climber.precedence, []
        for i in rng.permutation(len(probes)).tolist():
            there = list(map(add, here, deltas[i]))
            predicted = dict(zip(names, there, strict=True))
            if bounded:
                predicted[INFEASIBILITY] = max(predicted[INFEASIBILITY], 0.0)
            try:
                objectives = combine(predicted)
            except Exception as error:  # about scores that no file has: what it says of those that one has, is told
                raise_if_over(error)
                continue
            precedence = precedence_of(predicted, objectives)
            if precedence < best:
                here, best = there, precedence
                chosen.append(i)
        if len(chosen) > 1:
            sets.setdefault(frozenset(chosen), tuple(chosen))
    return list(sets.values())


def _followed(climber: Individual, fitness: Fitness) -> list[str]:
    """Return the scores that tell which of two files is better."""
    reads = fitness.reads
    if reads is None:
        return list(climber.scores)
    return [name for name in climber.scores if name in reads or name in ("il", "dr", INFEASIBILITY)]
