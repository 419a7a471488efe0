"""The problem to be solved, and the evaluation of one genome: a pure function of the seed and the genome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple

from evosdc.data.table import Table
from evosdc.errors import EvaluationError
from evosdc.model import Aggregation, Fitness, Fitted, Genotype, Incremental, Individual
from evosdc.seeds import Streams

States = tuple[tuple[Any, ...], ...]
"""By draw, then by measure; None for a measure that is not incremental."""


class Evaluation(NamedTuple):
    """Scores, objectives and the states from which children can be evaluated incrementally."""

    scores: dict[str, float]
    objectives: tuple[float, ...]
    states: States


@dataclass(frozen=True)
class Problem:
    """A genotype on its microdata, the fitted measures, and how they make a fitness.

    Parameters
    ----------
    genotype : Genotype
    measures : mapping of str to Fitted
        Fitted on the protected attributes of the original.
    aggregation : Aggregation
    fitness : Fitness
    streams : Streams
    """

    genotype: Genotype[Any]
    measures: Mapping[str, Fitted]
    aggregation: Aggregation
    fitness: Fitness
    streams: Streams
    _listed: tuple[tuple[str, Fitted, Incremental[Any] | None], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        follows = type(self.genotype).changed_rows is not Genotype.changed_rows
        listed = tuple(
            (name, fitted, fitted if follows and isinstance(fitted, Incremental) else None)
            for name, fitted in self.measures.items()
        )
        object.__setattr__(self, "_listed", listed)

    def decode(self, genome: Any, key: bytes, draw: int = 0) -> Table:
        """Return the masked table that a genome stands for in one draw."""
        shared = None if self.genotype.common_random_numbers else key
        return self.genotype.decode(genome, self.streams.evaluate(draw, shared))

    def evaluate(self, genome: Any, key: bytes, nearest: Individual | None = None) -> Evaluation:
        """Return the evaluation of a genome.

        Parameters
        ----------
        genome : object
        key : bytes
            Of the genome.
        nearest : Individual, optional
            A relative; where it has states and few records differ, only those records are evaluated. The result is the
            same to the last bit.

        Raises
        ------
        EvaluationError
            A score or an objective is not finite.
        """
        rows = None
        if nearest is not None and nearest.states:
            rows = self.genotype.changed_rows(nearest.genome, genome)
        draws = self.genotype.draws
        totals = dict.fromkeys(self.measures, 0.0)
        states = []
        for draw in range(draws):
            masked = self.decode(genome, key, draw)
            follow = rows is not None and 2 * len(rows) <= len(masked)
            of_draw = []
            for position, (name, fitted, incremental) in enumerate(self._listed):
                state: Any = None
                if incremental is None:
                    totals[name] += fitted.score(masked)
                else:
                    if nearest is not None and rows is not None and follow:
                        state = incremental.update(nearest.states[draw][position], masked, rows)
                    else:
                        state = incremental.start(masked)
                    totals[name] += incremental.value(state)
                of_draw.append(state)
            states.append(tuple(of_draw))
        scores = totals if draws == 1 else {name: total / draws for name, total in totals.items()}
        return Evaluation(*self.judge(scores), tuple(states))

    def score(self, masked: Table) -> tuple[dict[str, float], tuple[float, ...]]:
        """Return scores and objectives of a table, from scratch."""
        return self.judge({name: fitted.score(masked) for name, fitted in self.measures.items()})

    def judge(self, scores: Mapping[str, float]) -> tuple[dict[str, float], tuple[float, ...]]:
        """Return the scores with their aggregates, and the objectives."""
        combined = self.aggregation.combine(scores)
        objectives = tuple(self.fitness.combine(combined))
        if not all(map(isfinite, combined.values())) or not all(map(isfinite, objectives)):
            wrong = [name for name, value in combined.items() if not isfinite(value)] or ["the fitness"]
            raise EvaluationError(f"{', '.join(wrong)} gave a value that is not finite; a measure is broken")
        return combined, objectives
