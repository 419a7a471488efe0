"""What an informed intruder gains, judged beside the measures of a search that never saw it."""

from __future__ import annotations

from evosdc.engine.fresh import FreshScores
from evosdc.engine.problem import Problem
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment, MeasureEntry
from evosdc.plugins.registry import default_registry

INFORMED = ("guess-gain", "informed-linkage", "worst-relabelling")


def judging_problem(experiment: Experiment) -> Problem:
    """Return the problem of an experiment with `INFORMED` taken besides, to judge genomes that a search has found."""
    measures = experiment.measures
    assert measures is not None
    taken = {measure.name for measure in measures.all}
    further = tuple(MeasureEntry(name=name) for name in INFORMED if name not in taken)
    more = measures.model_copy(update={"other": (*measures.other, *further)})
    return assemble(experiment.model_copy(update={"measures": more}), default_registry()).problem


def informed_figures(fresh: FreshScores) -> list[float]:
    """Return the means of `INFORMED` on fresh draws."""
    return [fresh.scores[name] for name in INFORMED]


def rank(fresh: FreshScores) -> tuple[float, tuple[float, ...]]:
    """Return what to compare by: how far requirements are missed, then the objectives."""
    return fresh.scores.get("infeasibility", 0.0), fresh.objectives
