"""From the scores of a file to what a search compares: aggregates, traits, constraints, penalty, objectives."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import isfinite, sqrt
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import EvaluationError
from evosdc.model import Aggregation, Composed, Described, Fitness, Genotype, Guaranteed
from evosdc.model.aggregation import total
from evosdc.model.constraint import Constraints
from evosdc.model.individual import ERROR, INFEASIBILITY, PROVISIONAL

Judged = tuple[dict[str, float], tuple[float, ...]]  # Scores with what was made of them, and the objectives
Columns = tuple[dict[str, NDArray[np.float64]], tuple[NDArray[np.float64], ...]]
"""The same of several candidates, shape (k,) each."""


class Objectives:
    """Makes the objectives of scores."""

    def __init__(
        self,
        genotype: Genotype[Any],
        aggregation: Aggregation,
        fitness: Fitness,
        constraints: Constraints,
        provisional: Callable[[Any], bool] | None,
        reference: Callable[[Any], Mapping[str, float]],
    ) -> None:
        # Called for every candidate, so what the genotype supports is determined once.
        self._composed = isinstance(genotype, Composed)
        self._described = genotype if isinstance(genotype, Described) else None
        self._restricted = genotype if isinstance(genotype, Guaranteed) and genotype.reference is not None else None
        self._aggregation, self._fitness, self._constraints = aggregation, fitness, constraints
        self._provisional, self._reference = provisional, reference

    def judge(
        self, scores: Mapping[str, float], genome: Any = None, margins: Mapping[str, float] | None = None
    ) -> Judged:
        """Return the scores with their aggregates and the objectives; see `evosdc.engine.problem.Problem.judge`."""
        combined = self._aggregation.combine(dict(zip(scores, map(float, scores.values()), strict=True)))
        if genome is not None and self._described is not None:
            combined |= self._described.traits(genome)
        if self._constraints:
            combined = self._constraints.judge(combined, margins)
        if self._provisional is not None and self._is_provisional(genome):
            combined[INFEASIBILITY] = combined.get(INFEASIBILITY, 0.0) + PROVISIONAL
        # Of a file that is no genome a fitness reads traits of 0.
        given = combined if self._described is None else dict.fromkeys(self._described.trait_names, 0.0) | combined
        objectives = tuple(map(float, self._fitness.combine(MappingProxyType(given))))
        # One sum checks all values; it may overflow where no value does.
        values = (*combined.values(), *objectives)
        if not isfinite(sum(values)) and not all(map(isfinite, values)):
            wrong = [name for name, value in combined.items() if not isfinite(value)] or ["the fitness"]
            raise EvaluationError(f"{', '.join(wrong)} gave a value that is not finite; a measure is broken")
        if genome is None or self._restricted is None:
            return combined, objectives
        violation = self._restricted.violation(genome)
        added = [scale * (1.0 + violation) if violation > 0.0 else 0.0 for scale in self._penalty]
        penalised = tuple(value + more for value, more in zip(objectives, added, strict=True))
        return combined | {"violation": violation, "penalty": added[0]}, penalised

    @property
    def by_columns(self) -> bool:
        """Whether scores alone decide, without calls to the genotype."""
        return all(one is None for one in (self._described, self._restricted, self._provisional))

    def judge_columns(self, scores: Mapping[str, NDArray[np.float64]]) -> Columns | None:
        """Return `judge` of several genomes at once, equal to the last bit; only where it is `by_columns`."""
        # None where a value is not finite: `judge` tells what is wrong.
        combined = self._aggregation.combine_columns(scores)
        if self._constraints:
            combined = self._constraints.judge_columns(combined)
        objectives = tuple(self._fitness.combine_columns(combined))
        finite = np.isfinite(total([*combined.values(), *objectives])).all()
        return (combined, objectives) if finite else None

    def judge_draws(self, each: Sequence[Mapping[str, float]], fixed: Mapping[str, float], genome: Any) -> Judged:
        """Return the values of a genome by the scores of several tables decoded from it."""
        # Scores are means. A file of a `Composed` genome is determined by its seed, and any of them may be published:
        # its objectives are means, too, with their standard error, and all files have to keep the constraints.
        scores = {name: sum(own[name] for own in each) / len(each) for name in each[0]} | dict(fixed)
        figures = [self._aggregation.combine(own) for own in each] if self._constraints else []
        if not self._composed:
            return self.judge(scores, genome, self._constraints.margins(figures) if figures else None)
        judged, _ = self.judge(scores, genome)
        if figures:
            broken = max(self._constraints.judge(own)[INFEASIBILITY] for own in figures)
            judged[INFEASIBILITY] = broken + (PROVISIONAL if self._is_provisional(genome) else 0.0)
        # What counts is the mean over files, which a mean of IL and DR may not give.
        listed = np.array([self.judge(own, genome)[1] for own in each])
        judged[ERROR] = float(listed[:, 0].std(ddof=1)) / sqrt(len(each))
        return judged, tuple(listed.mean(axis=0).tolist())

    def _is_provisional(self, genome: Any) -> bool:
        return genome is not None and self._provisional is not None and self._provisional(genome)

    @cached_property
    def _penalty(self) -> tuple[float, ...]:
        """Scale of the penalty, by objective; empty for one without a reference."""
        if self._restricted is None:
            return ()
        reference = self._restricted.reference
        combined = self._aggregation.combine(self._reference(reference))
        if self._described is not None:
            combined |= self._described.traits(reference)
        return tuple(max(abs(value), 1e-9) for value in self._fitness.combine(combined))
