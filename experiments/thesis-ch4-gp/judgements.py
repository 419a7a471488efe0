"""What the study reports: equations and standard designs on fresh draws, and equations on other files."""

from __future__ import annotations

from dataclasses import dataclass

from informed import rank

from evosdc.engine.fresh import FreshScores, advantage, fresh_scores
from evosdc.engine.problem import Problem
from evosdc.randomisation.equations.equation import Equation


@dataclass(frozen=True)
class Judged:
    """One way of protecting, judged on fresh draws."""

    label: str
    scores: FreshScores

    @property
    def fitness(self) -> float:
        """The score that the search minimised."""
        return self.scores.objectives[0]

    @property
    def holds(self) -> bool:
        """Whether all requirements hold on the fresh draws."""
        return self.scores.scores.get("infeasibility", 0.0) == 0.0

    @property
    def error(self) -> float:
        """Its standard error."""
        return self.scores.objective_errors[0]


def judged_equation(problem: Problem, label: str, equation: Equation, draws: int) -> Judged:
    """Return an equation judged on fresh draws of a file, which need not be the one it was evolved on."""
    genome = (equation.tokens, equation.constants)
    return Judged(label, fresh_scores(problem, genome, problem.genotype.key(genome), draws))


def judged_designs(problem: Problem, draws: int) -> list[Judged]:
    """Return both standard designs over their parameters, judged on the same draws."""
    return [
        Judged(masking.label, fresh_scores(problem, genome, problem.genotype.key(genome), draws))
        for masking, genome in problem.initial_genomes
    ]


def best_of(designs: list[Judged], design: str = "") -> Judged:
    """Return the best design, of one kind or of both."""
    return min((d for d in designs if f"design={design}" in d.label), key=lambda d: rank(d.scores))


def gain(equation: Judged, design: Judged) -> tuple[float, float]:
    """Return by how much an equation is better than a design, and the standard error of that."""
    return advantage(equation.scores, design.scores)
