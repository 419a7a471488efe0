"""Whether scores that were reached step by step are those of the genomes themselves."""

from collections.abc import Iterable

from evosdc.engine.problem import Problem
from evosdc.model import Individual


def unequal(problem: Problem, individuals: Iterable[Individual]) -> list[str]:
    """Return what differs, to the last bit, between individuals and a fresh evaluation of their genomes; in words.

    A fresh evaluation starts every measure from scratch, with no relative to follow. The list is empty where
    incremental evaluation is exact, as it has to be.
    """
    differences = []
    for individual in individuals:
        fresh = problem.evaluate(individual.genome, individual.key)
        name = individual.key[:4].hex()
        differences += [
            f"{name}: {score} is {individual.scores[score]!r}, afresh {value!r}"
            for score, value in fresh.scores.items()
            if individual.scores[score] != value
        ]
        if individual.objectives != fresh.objectives:
            differences.append(f"{name}: the objectives are {individual.objectives}, afresh {fresh.objectives}")
    return differences
