"""Parts of a file masked on any executor: strata, and the parts that a method divides a file into."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from evosdc.assess.mask import CarryOut, in_turn
from evosdc.errors import Fault, InputError, ParameterError, PluginError
from evosdc.executors.launch import launching_executor
from evosdc.executors.shared_files import read_shared, share, withdraw
from evosdc.files.schema.schema_file import schema_from_json, schema_to_json
from evosdc.model import Executor, Failure, Masking, MaskingMethod, Outcome, SharedFiles, Task
from evosdc.model.dividing import Material, Part
from evosdc.plugins.registry import Registry, default_registry, nested
from evosdc.secret import Seed, SeedWords, generator_of, spawned, state_of, words_of
from evosdc.table.spread import Spreads
from evosdc.table.table import Rows, Table

if TYPE_CHECKING:
    from evosdc.experiment.experiment import ExecutorChoice

MASK_PART = "evosdc.experiment.masked_parts:mask_part"  # the worker's function that masks a part
TASKS = 32  # tasks that each worker gets at most; parts beyond travel together

# What a worker needs to know of a part: positions of its records, seed words of its stream, spreads of the numbers.
Job = tuple[Rows, SeedWords, Spreads | None]


def executor_for_parts(chosen: str | Mapping[str, Any] | None, registry: Registry) -> Executor | None:
    """Return the executor that parts are masked on; None for this process, unless a launcher of workers runs it."""
    if chosen is None and launching_executor(registry.specs("executor")) is None:
        return None
    # Only what asks for workers needs what an experiment says of them.
    from evosdc.experiment.experiment import ExecutorChoice
    from evosdc.model.parameters import parse_parameters

    if chosen is None:
        return chosen_executor(ExecutorChoice(), registry)
    table = {"name": chosen} if isinstance(chosen, str) else chosen
    return chosen_executor(parse_parameters(ExecutorChoice, table, "executor"), registry)


def chosen_executor(chosen: "ExecutorChoice", registry: Registry) -> Executor:
    """Return an executor as it was chosen, not started; by default the one that started this program, if any did."""
    unchosen = chosen == type(chosen)()
    around = launching_executor(registry.specs("executor")) if unchosen else None
    name, given = (chosen.name, chosen.params) if around is None else (around, {})
    usual_workers = registry.implementation("executor", name).usual_workers
    workers = chosen.workers or usual_workers(registry.parameters("executor", name, given))
    executor: Executor = registry.build("executor", name, given, workers)
    return executor


@contextmanager
def carrying_out(executor: Executor | None, folder: Path | None = None) -> Iterator[CarryOut]:
    """Start an executor, and have parts of files masked on it in the block."""
    if executor is None or not executor.remote:
        yield in_turn
        return
    if folder is not None and not (folder.is_dir() and os.access(folder, os.W_OK)):
        folder = None
    with TemporaryDirectory(prefix=".evosdc-" if folder else "evosdc-", dir=folder) as place, executor:

        def on_workers(step: Masking, parts: Sequence[Part], whole: Material) -> Sequence[Table]:
            jobs = [job_of(part) for part in parts]
            leaf = _leaf(step, parts[0].method) if len(jobs) > 1 and all(jobs) else None
            if leaf is None:
                return in_turn(step, parts, whole)
            tables = {"table": whole.table, "auxiliary": whole.auxiliary}
            arrays = arrays_of(**tables) | ({} if whole.weights is None else {"weights": whole.weights})
            shared = share(Path(place) / "context", arrays, schemas_of(**tables) | {"leaf": leaf})
            try:
                return _carried_out(executor, shared, jobs, step.method, whole.table)
            finally:
                withdraw(shared)

        yield on_workers


def job_of(part: Part) -> Job | None:
    """Return the job of a worker for a part; None where its random stream is not at its beginning."""
    words = words_of(part.rng)
    if part.rows is None or words is None or spawned(part.rng) or state_of(generator_of(words)) != state_of(part.rng):
        return None
    return part.rows, words, part.spreads


def _leaf(step: Masking, method: MaskingMethod) -> dict[str, Any] | None:
    """Return the method that masks the parts of a step in the end, by name with its parameters."""
    # None where name and parameters do not describe it completely.
    registry = default_registry()
    *_, (name, params) = nested(registry, step.method, step.params)
    given = params.model_dump(mode="json", exclude_unset=True)
    same = registry.parameters("masking-method", name, given) == method.params
    return {"method": name, "params": given} if same else None


def arrays_of(**tables: Table | None) -> dict[str, Any]:
    """Return the arrays of tables for workers, by name; `schemas_of` are the documents beside them."""
    known = {name: table for name, table in tables.items() if table is not None}
    return {f"{name}_{part}": getattr(table, part) for name, table in known.items() for part in ("codes", "numbers")}


def schemas_of(**tables: Table | None) -> dict[str, Any]:
    """Return the schemas of tables for workers, by name."""
    return {name: schema_to_json(table.schema) for name, table in tables.items() if table is not None}


def shared_table(name: str, arrays: Mapping[str, Any], documents: Mapping[str, Any]) -> Table | None:
    """Return a table in a worker; None where there was none."""
    if name not in documents:
        return None
    columns = (np.asarray(arrays[f"{name}_{part}"]) for part in ("codes", "numbers"))
    return Table(schema_from_json(documents[name]), *columns)


def _carried_out(
    executor: Executor, shared: SharedFiles, jobs: Sequence[Any], method: str, table: Table
) -> Sequence[Table]:
    size = ceil(len(jobs) / (TASKS * max(executor.workers, 1)))
    numbered = list(enumerate(jobs))
    tasks = [Task(MASK_PART, shared, 0, tuple(numbered[at : at + size])) for at in range(0, len(jobs), size)]
    outcomes = [one for row in executor.map(tasks) for one in row]
    return [_piece(outcome, method, table, len(jobs[outcome.id][0])) for outcome in outcomes]


def _piece(outcome: Outcome, method: str, table: Table, records: int) -> Table:
    """Return the masked part, or raise as the method did."""
    value = outcome.value
    if isinstance(value, Failure):
        # The text of an unknown error might hold values of records.
        raise PluginError(f"method {method} failed on {records} records of the file: {value.type}")
    faults, codes, numbers, schema = value
    if faults:
        raise ParameterError([Fault(*fault) for fault in faults])
    return Table(table.schema if schema is None else schema_from_json(schema), np.asarray(codes), np.asarray(numbers))


@lru_cache(maxsize=1)
def _work(shared: SharedFiles) -> tuple[MaskingMethod, Material]:
    arrays, documents = read_shared(shared)
    table, leaf = shared_table("table", arrays, documents), documents["leaf"]
    assert table is not None, "workers mask parts of a table"
    method = default_registry().build("masking-method", leaf["method"], leaf["params"])
    return method, Material(table, arrays.get("weights"), shared_table("auxiliary", arrays, documents))


def mask_part(shared: SharedFiles, seed: Seed, payload: Job) -> Any:
    """Mask a part."""
    rows, words, spreads = payload
    method, whole = _work(shared)
    try:
        masked = Part(method, rows, generator_of(words), spreads).masked(whole)
    except InputError as error:
        return tuple((fault.where, fault.given, fault.wanted, fault.advice) for fault in error.faults), None, None, None
    same = masked.schema == whole.table.schema
    return (), masked.codes, masked.numbers, None if same else schema_to_json(masked.schema)
