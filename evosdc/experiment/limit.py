"""The limit in a result: what no masked file beats by the measures of a run, and how far files are above it."""

from typing import Any

from evosdc.assess.measure import limit_for
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.problem import aggregation_of
from evosdc.model import Individual, Judgement, Limit, Microdata
from evosdc.plugins.registry import Registry

LEAST, MOST = 1.0, 30.0  # seconds that the limit may take, at least and at most; in between as many as the search took


def judgement_by(experiment: Experiment, microdata: Microdata, registry: Registry) -> Judgement:
    """Return what a run's measures are, as limits are asked for."""
    measures = experiment.measures
    assert measures is not None, "the assembly fills in the measures"
    names = set(microdata.original.schema.names)
    params = {m.name: registry.parameters("measure", m.name, m.params).model_dump() for m in measures.il + measures.dr}
    partial = frozenset(m.name for m in measures.all if m.of is not None and set(m.of) != names)
    return Judgement(microdata.original, aggregation_of(measures, registry), params, partial)


def limit_of_run(experiment: Experiment, microdata: Microdata, registry: Registry, seconds: float) -> Limit | None:
    """Return the limit of a run; None where its measures have none, or it would take longer than the search."""
    if not registry.names("limit"):
        return None
    return limit_for(judgement_by(experiment, microdata, registry), registry, min(max(LEAST, seconds), MOST))


def limit_summary(
    limit: Limit | None, fitness: str, best: Individual, classical: Individual | None
) -> dict[str, Any] | None:
    """Return the key ``limit`` of a result, with per cent above it; these are None for fitnesses without a limit."""
    if limit is None:
        return None
    above = {
        "best": limit.above(best.objectives[0], fitness),
        "classical": limit.above(classical.objectives[0], fitness) if classical is not None else None,
    }
    return limit.to_json() | {"fitness": limit.least.get(fitness), "above": above}
