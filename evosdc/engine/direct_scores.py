"""Scores that need no table: read off a genome, or expected under its transition matrices."""

from collections.abc import Callable, Mapping
from typing import Any

from evosdc.errors import EvaluationError, asked
from evosdc.model import Direct, Expected, Fitted, Genotype, PostRandomised


def direct_scores(
    genotype: Genotype[Any], measures: Mapping[str, Fitted]
) -> Mapping[str, Callable[[Any], float]] | None:
    """Return by measure what scores a genome without its table; None unless all measures can be scored so."""
    if not isinstance(genotype, Direct):
        return None
    scores = {name: genotype.direct(fitted) for name, fitted in measures.items()}
    direct = {name: score for name, score in scores.items() if score is not None}
    return direct if len(direct) == len(measures) else None


def expectations(genotype: Genotype[Any], measures: Mapping[str, Fitted], genome: Any) -> dict[str, float]:
    """Return what each measure is expected to give for a genome that is a post-randomisation; nothing is drawn.

    Raises
    ------
    EvaluationError
        The genome has no transition matrices, or a measure has no expectation.
    """
    if not isinstance(genotype, PostRandomised):
        raise EvaluationError("a genotype that is judged by expectations has no transition matrices")
    transitions, found = genotype.transitions(genome), {}
    for name, fitted in measures.items():
        if not isinstance(fitted, Expected):
            raise EvaluationError(f"measure {name} has no expectation under transition matrices")
        found[name] = asked(f"measure {name}", fitted.expected, transitions)
    return found
