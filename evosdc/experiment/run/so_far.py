"""The best file so far of a run that was stopped: written when it stops, or later from its newest checkpoint."""

from pathlib import Path
from typing import Any

from evosdc.engine.checkpoint import newest_checkpoint
from evosdc.engine.loop import SearchState
from evosdc.errors import ExperimentError, Fault
from evosdc.experiment.build.assembly import Assembly, assemble
from evosdc.experiment.config.reader import experiment_of
from evosdc.experiment.run.environment import require_same_data
from evosdc.experiment.run.outputs import write_outputs
from evosdc.experiment.run.portfolio import read_portfolio
from evosdc.experiment.run.tuning import with_found
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import ENVIRONMENT, PORTFOLIO, STATUS, RunFolder

STOPPED = "stopped by the user"


def write_so_far(folder: RunFolder, assembly: Assembly, state: SearchState | None) -> dict[str, Any] | None:
    """Write what a finished run writes, of the best file so far; return its result, None where there is none yet."""
    if state is None or not folder.file(PORTFOLIO).exists():
        return None
    return write_outputs(folder, assembly, read_portfolio(folder), state, STOPPED, so_far=True)


def finish_stopped(path: Path, registry: Registry) -> dict[str, Any]:
    """Write the best file so far of a run that no process goes on with, from its newest checkpoint.

    Raises
    ------
    InputError
        There is no run, another process writes to it, its data have changed, or its search had not begun.
    CheckpointError
        Its checkpoints cannot be read.
    """
    folder = RunFolder(path)
    assembly = assemble(experiment_of(folder), registry)
    require_same_data(folder.read_object(ENVIRONMENT), assembly.source.table)
    with folder:
        assembly = with_found(assembly, folder)
        state, _ = newest_checkpoint(path, assembly.problem.genotype)
        result = write_so_far(folder, assembly, state)
        if result is None:
            advice = "Go on with it by evosdc resume."
            raise ExperimentError(Fault(str(path), "a run whose search had not begun", "a best file so far", advice))
        said = folder.read_object(STATUS) if folder.file(STATUS).exists() else {}
        folder.write_json(STATUS, said | {"state": "interrupted", "message": STOPPED})
        return result
