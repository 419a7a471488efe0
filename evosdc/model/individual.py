"""Individuals: a genome with its scores and a DEAP fitness, in a class slim enough for fast runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deap import base

MAXIMUM_OBJECTIVES = 32


def _fitness_class(objectives: int) -> type[base.Fitness]:
    return type(f"Minimised{objectives}", (base.Fitness,), {"weights": (-1.0,) * objectives, "__module__": __name__})


# Declared once, at import, and not by deap.creator: its classes lose their identity across processes.
MINIMISED: tuple[type[base.Fitness], ...] = tuple(_fitness_class(n) for n in range(1, MAXIMUM_OBJECTIVES + 1))


class Individual:
    """A candidate that has been evaluated.

    Attributes
    ----------
    genome : object
        Of the genotype in use; never changed.
    key : bytes
        The genome's content hash.
    scores : mapping of str to float
        By measure, with ``il`` and ``dr``.
    fitness : deap.base.Fitness
        All objectives minimised; what DEAP's selection and front operators read.
    origin : str
        Where it came from: a portfolio label, ``"mutation"``, ``"crossover"`` or ``"random"``.
    states : tuple
        States of the incremental measures, or empty; never stored or sent.
    """

    __slots__ = ("fitness", "genome", "key", "origin", "scores", "states")

    def __init__(
        self,
        genome: Any,
        key: bytes,
        scores: Mapping[str, float],
        objectives: tuple[float, ...],
        origin: str,
        states: tuple[Any, ...] = (),
    ) -> None:
        self.genome = genome
        self.key = key
        self.scores = scores
        self.fitness: base.Fitness = MINIMISED[len(objectives) - 1](objectives)
        self.origin = origin
        self.states = states

    @property
    def objectives(self) -> tuple[float, ...]:
        """The objectives, all minimised."""
        return tuple(self.fitness.values)

    def __deepcopy__(self, memo: dict[int, Any]) -> Individual:
        """Return itself: an individual is a value, and DEAP's archives copy what they keep."""
        return self

    def __repr__(self) -> str:
        return f"Individual({self.key[:4].hex()}, {self.objectives}, {self.origin!r})"
