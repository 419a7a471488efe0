"""What workers do: rebuild the problem from its published files once, then evaluate and mask by name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from evosdc.data.schema_document import schema_from_document
from evosdc.data.table import Table
from evosdc.engine.problem import Problem
from evosdc.executors.context import open_context
from evosdc.experiment.assembly import maskings_of, start_of
from evosdc.experiment.judgement import build_problem
from evosdc.experiment.model import Experiment
from evosdc.experiment.start import starting_individual, starting_plan
from evosdc.model import ContextRef, Individual, Microdata
from evosdc.registry import default_registry

RECENT = 128
"""How many evaluated genomes a worker keeps with their states, as relatives for incremental evaluation."""


class Bench:
    """One worker's copy of a problem, and the genomes that it has just evaluated."""

    def __init__(self, context: ContextRef, seed: int) -> None:
        arrays, documents = open_context(context)
        experiment = Experiment.model_validate(documents["experiment"])
        schema = schema_from_document(documents["schema"])
        table = Table(schema, np.asarray(arrays["codes"]), np.asarray(arrays["numbers"]))
        microdata = Microdata(table, tuple(documents["protect"]))
        self.problem: Problem = build_problem(experiment, microdata, default_registry(), seed)
        maskings = maskings_of(experiment, microdata, default_registry())
        start = start_of(experiment, default_registry(), microdata.original.schema)
        self.plan = starting_plan(self.problem, maskings, start)
        self.recent: OrderedDict[bytes, Individual] = OrderedDict()

    def evaluate(self, dump: Mapping[str, Any], nearest: bytes | None) -> tuple[dict[str, float], tuple[float, ...]]:
        """Return scores and objectives of a genome."""
        genome = self.problem.genotype.load(dump)
        key = self.problem.genotype.key(genome)
        relative = self.recent.get(nearest) if nearest is not None else None
        evaluation = self.problem.evaluate(genome, key, relative)
        self.recent[key] = Individual(
            genome, key, evaluation.scores, evaluation.objectives, "evaluated", evaluation.states
        )
        while len(self.recent) > RECENT:
            self.recent.popitem(last=False)
        return evaluation.scores, evaluation.objectives


@lru_cache(maxsize=2)
def _bench(context: ContextRef, seed: int) -> Bench:
    return Bench(context, seed)


def evaluate(context: ContextRef, seed: int, payload: tuple[Mapping[str, Any], bytes | None]) -> Any:
    """Evaluate a dumped genome; `payload` is the dump and the key of a relative, or None."""
    return _bench(context, seed).evaluate(*payload)


def begin(context: ContextRef, seed: int, position: int) -> Any:
    """Make and evaluate what stands at one position of the start; return dump (if a genome), scores and objectives."""
    bench = _bench(context, seed)
    individual = starting_individual(bench.problem, bench.plan, default_registry(), position, seed)
    dump = {} if individual.genome is None else dict(bench.problem.genotype.dump(individual.genome))
    return dump, dict(individual.scores), individual.objectives
