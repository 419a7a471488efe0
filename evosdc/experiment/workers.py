"""Sending the work of a run to workers, and their tasks: build the problem once, then evaluate by name."""

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import astuple, dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from evosdc.engine.demes import DemeReport, PackedDeme, report_generations, unpack_deme
from evosdc.engine.dispatch import Dispatch
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.failures import evaluate_or_penalise
from evosdc.engine.generation import evolve_generations
from evosdc.engine.problem import Problem
from evosdc.errors import PluginError
from evosdc.executors.shared_files import read_shared, share, withdraw
from evosdc.experiment.assembly import Assembly, algorithm_of
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.masked_parts import arrays_of, chosen_executor, schemas_of, shared_table
from evosdc.experiment.problem import build_problem
from evosdc.experiment.start import plan_of_start, start_of, starting_individual
from evosdc.model import Archipelago, Executor, Individual, Masking, Microdata, SharedFiles
from evosdc.plugins.registry import Registry, default_registry
from evosdc.runs.layout import CONTEXT, RunFolder
from evosdc.secret import Seed
from evosdc.table.table import Table
from evosdc.time_limit import unlimited
from evosdc.tuning.judge import attempt

WORKERS_LOG = "workers.log"

_TASKS = "evosdc.experiment.workers"
# The functions that workers call.
EVALUATE, EVOLVE, PREPARE = f"{_TASKS}:evaluate", f"{_TASKS}:evolve", f"{_TASKS}:prepare"


def executor_of(experiment: Experiment, registry: Registry) -> Executor:
    """Return the executor of an experiment, not started; where none is named, the one that started this program."""
    # What uses names that no other process can import (`Registry.here_only`) has no workers.
    if registry.here_only and not set(registry.here_only).isdisjoint(_texts(experiment.to_json())):
        return registry.build("executor", "serial", {}, 1)  # type: ignore[no-any-return]
    return chosen_executor(experiment.executor, registry)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def problem_for_workers(assembly: Assembly, folder: Path) -> SharedFiles:
    """Write the input of workers for building the problem (`WorkerProblem`) to a new folder."""
    microdata, files = assembly.microdata, assembly.plan.files
    tables = {"table": microdata.table, "population": microdata.population}
    started = {f"start_{part}": np.array([getattr(file, part) for file in files]) for part in ("codes", "numbers")}
    documents = {"experiment": assembly.experiment.to_json(), "protect": list(microdata.protect)}
    return share(folder, arrays_of(**tables) | started, schemas_of(**tables) | documents)


@dataclass(frozen=True)
class Publication:
    """Writes the problem where workers find it, and has it withdrawn in the end."""

    assembly: Assembly
    folder: Path
    withdrawals: ExitStack

    def __call__(self) -> SharedFiles:
        """Return the written files."""
        shared = problem_for_workers(self.assembly, self.folder)
        self.withdrawals.callback(withdraw, shared)
        return shared


def redirected(dispatch: Dispatch | None, assembly: Assembly) -> Dispatch | None:
    """Return a dispatch on the same executor for an assembly that has changed."""
    if dispatch is None or not isinstance(dispatch.publish, Publication):
        return dispatch
    return replace(dispatch, publish=replace(dispatch.publish, assembly=assembly))


def dispatch_of(assembly: Assembly, folder: RunFolder, executor: Executor, stack: ExitStack) -> Dispatch | None:
    """Return the dispatch of work to workers, None without workers; clean-up at the end goes on the stack."""
    if not executor.remote:
        return None
    executor.keep_log(folder.file(WORKERS_LOG))
    withdrawals = stack.enter_context(ExitStack())  # left after the executor: its workers may be reading
    grain = assembly.experiment.executor.grain
    if grain == "auto" and not executor.started:
        stack.push(executor)  # workers are started when they are worth it, and ended in any case
    else:
        stack.enter_context(executor)
    publication = Publication(assembly, folder.file(CONTEXT), withdrawals)
    return Dispatch(executor, publication, EVALUATE, assembly.seed, EVOLVE, grain, PREPARE)


RECENT = 128  # how many evaluated genomes a worker keeps, as parents of others


class WorkerProblem:
    """One worker's copy of a problem, and the genomes that it has just evaluated."""

    def __init__(self, shared: SharedFiles, seed: Seed) -> None:
        arrays, documents = read_shared(shared)
        experiment = Experiment.model_validate(documents["experiment"])
        table, people = (shared_table(name, arrays, documents) for name in ("table", "population"))
        assert table is not None, "a problem has a table"
        zeros = experiment.structural_zeros
        threshold = zeros.threshold if zeros is not None else None
        microdata = Microdata(table, tuple(documents["protect"]), threshold, people)
        registry = default_registry()
        self.problem: Problem = build_problem(experiment, microdata, registry, seed)
        start = start_of(experiment, registry, microdata.original.schema)
        files = tuple(
            Table(microdata.original.schema, np.asarray(codes), np.asarray(numbers))
            for codes, numbers in zip(arrays["start_codes"], arrays["start_numbers"], strict=True)
        )
        self.plan = plan_of_start(self.problem, experiment, start, registry, files)
        self.rule = experiment.on_error.rule
        self.recent: OrderedDict[bytes, Individual] = OrderedDict()
        self.experiment = experiment

    def evaluate(self, dump: Mapping[str, Any], nearest: bytes | None) -> tuple[dict[str, float], tuple[float, ...]]:
        """Return scores and objectives of a genome; `nearest` is the key of its parent, if it has one."""
        genome = self.problem.genotype.load(dump)
        individual = Individual.unevaluated(genome, "evaluated", self.problem.fitness.objectives)
        individual.key = self.problem.genotype.key(genome)
        individual.parent = self.recent.get(nearest) if nearest is not None else None
        individual.fitness.values = evaluate_or_penalise(self.rule, self.problem, individual)
        individual.parent = None
        self.recent[individual.key] = individual
        while len(self.recent) > RECENT:
            self.recent.popitem(last=False)
        return dict(individual.scores), individual.objectives

    @cached_property
    def first_genome(self) -> Any:
        """The genome that stands first in the start."""
        return starting_individual(self.problem, self.plan, 0, self.rule).genome

    @cached_property
    def islands(self) -> Archipelago:
        """The experiment's algorithm, which has demes."""
        algorithm = algorithm_of(self.experiment, self.problem, default_registry())
        if not isinstance(algorithm, Archipelago):
            raise PluginError(f"algorithm {self.experiment.algorithm.name} has no demes that a worker could evolve")
        return algorithm

    @cached_property
    def evaluator(self) -> Evaluator:
        """The evaluator of this process, with its cache."""
        return Evaluator(self.problem, rule=self.rule)

    def evolve(self, packed: PackedDeme, island: int, count: int, time_limit: float | None) -> DemeReport:
        """Evolve a deme; the tables of members that were here before are still followed."""
        began = perf_counter()
        deme = unpack_deme(packed, self.problem.genotype)
        self.evaluator.time_limit = time_limit
        streams = replace(self.problem.streams, island=island)
        history = list(evolve_generations(self.islands.inner, self.evaluator, streams, deme, count))
        report = report_generations(deme, iter(history), self.problem.genotype)
        return report._replace(seconds=perf_counter() - began)


@lru_cache(maxsize=2)
def problem_of(shared: SharedFiles, seed: Seed) -> WorkerProblem:
    """Return this process's copy of a problem, built once."""
    with unlimited():
        return WorkerProblem(shared, seed)


def prepare(shared: SharedFiles, seed: Seed, payload: None) -> Any:
    """Build the problem and judge the original once, which loads the code for evaluations."""
    problem = problem_of(shared, seed).problem
    with unlimited():
        problem.score(problem.genotype.microdata.original)
    return None


def evaluate(shared: SharedFiles, seed: Seed, payload: tuple[Mapping[str, Any], bytes | None]) -> Any:
    """Evaluate a dumped genome; `payload` is the dump and the key of a relative, or None."""
    return problem_of(shared, seed).evaluate(*payload)


def evolve(shared: SharedFiles, seed: Seed, payload: tuple[PackedDeme, int, int, float | None]) -> Any:
    """Evolve a deme; `payload` is the deme, its island, the generations, and the time limit of an evaluation."""
    return problem_of(shared, seed).evolve(*payload)


def try_masking(shared: SharedFiles, seed: Seed, payload: tuple[str, int]) -> Any:
    """Mask by an entry, given as JSON, in a draw of the run; return the trial, or the refusal, as a tuple."""
    masking, draw = payload
    problem = problem_of(shared, seed).problem
    trial, _ = attempt(problem, default_registry(), Masking.from_json(json.loads(masking)), seed, draw)
    return astuple(trial)


def evaluate_start(shared: SharedFiles, seed: Seed, position: int) -> Any:
    """Make and evaluate one entry of the start, by position; return genome (if any), scores, objectives, label."""
    own = problem_of(shared, seed)
    individual = starting_individual(own.problem, own.plan, position, own.rule)
    dump = {} if individual.genome is None else dict(own.problem.genotype.dump(individual.genome))
    return dump, dict(individual.scores), individual.objectives, individual.origin
