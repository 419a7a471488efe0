"""Members of a finished run's front, from its last checkpoint."""

import re
from pathlib import Path

from evosdc.engine.checkpoint import newest_checkpoint
from evosdc.engine.choice import Choice, choice_of, chosen
from evosdc.errors import CheckpointError, DataError, Fault
from evosdc.experiment.build.assembly import Assembly, assemble, require_choice
from evosdc.experiment.config.reader import experiment_of
from evosdc.experiment.run.environment import require_same_data
from evosdc.model import Individual
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import ENVIRONMENT, RunFolder, require_run


def front_member(path: Path, member: int | Choice, registry: Registry) -> tuple[Assembly, Individual, int]:
    """Return a run's assembly, one individual of its front, and its position in ``front.csv``.

    `member` is that position, or says which one it is (`evosdc.engine.choice`).

    Raises
    ------
    ExperimentError
        The folder holds no run.
    CheckpointError
        There is no checkpoint, or the data have changed.
    DataError
        The front has no such member.
    """
    require_run(path)
    folder = RunFolder(path)
    assembly = assemble(experiment_of(folder), registry)
    require_same_data(folder.read_object(ENVIRONMENT), assembly.source.table)
    state, _ = newest_checkpoint(path, assembly.problem.genotype)
    if state is None:
        advice = "Wait for its search to begin, or go on with it by evosdc resume."
        raise CheckpointError(Fault(str(path), "a run without a checkpoint yet", "a run with a front", advice))
    if not isinstance(member, int):
        require_choice(assembly.problem, member)
        member = chosen([one.point for one in state.front], member)
    if not 0 <= member < len(state.front):
        wanted = f"0..{len(state.front) - 1}"
        raise DataError(
            Fault("member", str(member), wanted, f"{path}/front.csv lists the members of the front, from 0.")
        )
    return assembly, state.front[member], member


def named_member(text: str) -> int | Choice:
    """Return the member that a text names: its number, or a choice; raises `InputError` for other texts."""
    return int(text) if re.fullmatch(r"-?[0-9]+", text.strip()) else choice_of(text)
