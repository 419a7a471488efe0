"""How the work of a run leaves this process: its executor, and its problem as files that workers read."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.dispatch import Dispatch
from evosdc.executors.launch import launching_executor
from evosdc.executors.shared_files import share, withdraw
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.experiment import ExecutorChoice, Experiment
from evosdc.files.schema.schema_file import schema_to_json
from evosdc.model import Executor, SharedFiles
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import CONTEXT, RunFolder

WORKERS_LOG = "workers.log"

_TASKS = "evosdc.experiment.worker_tasks"
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


def chosen_executor(chosen: ExecutorChoice, registry: Registry) -> Executor:
    """Return an executor as it was chosen, not started; by default the one that started this program, if any did."""
    around = launching_executor(registry.specs("executor")) if chosen == ExecutorChoice() else None
    name, given = (chosen.name, chosen.params) if around is None else (around, {})
    usual_workers = registry.implementation("executor", name).usual_workers
    workers = chosen.workers or usual_workers(registry.parameters("executor", name, given))
    executor: Executor = registry.build("executor", name, given, workers)
    return executor


def problem_for_workers(assembly: Assembly, folder: Path) -> SharedFiles:
    """Write to a new folder what workers build the problem from (`worker_tasks.WorkerProblem`)."""
    table, files = assembly.microdata.table, assembly.plan.files
    people = assembly.microdata.population
    population: dict[str, NDArray[Any]] = {}
    if people is not None:
        population = {"population_codes": people.codes, "population_numbers": people.numbers}
    return share(
        folder,
        {
            "codes": table.codes,
            "numbers": table.numbers,
            "start_codes": np.array([file.codes for file in files]),
            "start_numbers": np.array([file.numbers for file in files]),
            **population,
        },
        {
            "experiment": assembly.experiment.to_json(),
            "schema": schema_to_json(table.schema),
            "protect": list(assembly.microdata.protect),
            "population": None if people is None else schema_to_json(people.schema),
        },
    )


@dataclass(frozen=True)
class Publication:
    """Writes the problem where workers find it, and has it withdrawn in the end."""

    assembly: Assembly
    folder: Path
    withdrawals: ExitStack

    def __call__(self) -> SharedFiles:
        """Return what was written."""
        shared = problem_for_workers(self.assembly, self.folder)
        self.withdrawals.callback(withdraw, shared)
        return shared


def anew(dispatch: Dispatch | None, assembly: Assembly) -> Dispatch | None:
    """Return a dispatch on the same executor for an assembly that has changed."""
    if dispatch is None or not isinstance(dispatch.publish, Publication):
        return dispatch
    return replace(dispatch, publish=replace(dispatch.publish, assembly=assembly))


def dispatch_of(assembly: Assembly, folder: RunFolder, executor: Executor, stack: ExitStack) -> Dispatch | None:
    """Return how work leaves this process, None where it does not; what is left at the end goes on the stack."""
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
