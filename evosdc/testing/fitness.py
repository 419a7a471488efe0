"""Conformance of fitnesses."""

# ruff: noqa: D102 -- the name of a test says what it asserts

from math import isfinite
from typing import ClassVar

import numpy as np

from evosdc.model import Fitness
from evosdc.testing.acceptance import assert_unknown_keys_refused
from evosdc.testing.purity import assert_repeatable, generator, unchanged


class FitnessConformance:
    """Tests that every fitness must pass; subclass it and say how the fitness is made.

    Examples
    --------
    >>> class TestProduct(FitnessConformance):
    ...     def fitness(self):
    ...         return Product(Product.Params())
    """

    monotone: ClassVar[bool] = True  #: Declare False when a smaller score may, on purpose, make an objective larger.
    other_scores: ClassVar[tuple[str, ...]] = ("dbil", "dbrl")  #: Names of further scores that come with those needed.

    def fitness(self) -> Fitness:
        """Return the fitness to test."""
        raise NotImplementedError("define fitness(self) and return the fitness to test")

    def scores(self, rng: np.random.Generator) -> dict[str, float]:
        """Return random scores on the 0..100 scale, all that the fitness needs and some more."""
        names = dict.fromkeys((*self.fitness().needs, *self.other_scores))
        return {name: float(rng.uniform(0.0, 100.0)) for name in names}

    def samples(self) -> list[dict[str, float]]:
        """Return many random scores, and the corners of their range."""
        drawn = [self.scores(generator(i)) for i in range(50)]
        return [*drawn, *(dict.fromkeys(drawn[0], corner) for corner in (0.0, 100.0))]

    def test_objectives_are_finite_and_as_many_as_declared(self) -> None:
        fitness = self.fitness()
        assert fitness.objectives >= 1, f"objectives is {fitness.objectives}, wanted at least 1"
        for scores in self.samples():
            objectives = fitness.combine(scores)
            assert isinstance(objectives, tuple), f"combine returned {type(objectives).__name__}, wanted a tuple"
            assert len(objectives) == fitness.objectives, f"{len(objectives)} objectives, declared {fitness.objectives}"
            assert all(isfinite(value) for value in objectives), f"combine returned {objectives}"

    def test_scores_alone_decide(self) -> None:
        for scores in self.samples()[:10]:
            with unchanged("combine", scores):
                self.fitness().combine(scores)
            first = assert_repeatable(lambda _, given=scores: self.fitness().combine(given), 0, "combine")  # type: ignore[misc]
            backwards = dict(reversed(scores.items()))
            assert self.fitness().combine(backwards) == first, "the order of the scores decides"
            reads = self.fitness().reads
            subset = scores if reads is None else {name: scores[name] for name in reads}
            assert self.fitness().combine(subset) == first, f"other scores decide than those of `reads`, {reads}"

    def test_several_candidates_are_judged_as_each_is(self) -> None:
        fitness, samples = self.fitness(), self.samples()
        columns = {name: np.array([scores[name] for scores in samples]) for name in samples[0]}
        found = fitness.combine_columns(columns)
        wanted = [fitness.combine(scores) for scores in samples]
        assert list(zip(*(column.tolist() for column in found), strict=True)) == wanted, (
            "combine_columns gives other objectives than combine; leave it out, or give the same to the last bit"
        )

    def test_less_is_better(self) -> None:
        fitness = self.fitness()
        for scores in self.samples() if self.monotone else []:
            better = {name: value * 0.9 for name, value in scores.items()}
            pairs = list(zip(fitness.combine(better), fitness.combine(scores), strict=True))
            assert all(low <= high for low, high in pairs), "smaller scores gave a larger objective; all are minimised"

    def test_unknown_parameters_are_refused(self) -> None:
        assert_unknown_keys_refused(self.fitness())
