"""Members of a run's front, and its own best file, from its last checkpoint."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from evosdc.engine.checkpoint import found_so_far
from evosdc.engine.choice import Choice, choice_of, chosen
from evosdc.engine.loop import SearchState
from evosdc.errors import CheckpointError, DataError, ExperimentError, Fault
from evosdc.experiment.build.assembly import Assembly, require_choice
from evosdc.experiment.run.environment import require_same_data
from evosdc.experiment.run.lacking_plugins import opened
from evosdc.model import Individual
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import ENVIRONMENT, RunFolder, require_run, run_folders

OWN: Final = "best"
"""The file that a run itself publishes, which need not be a member of its front."""

Member = int | Literal["best"]


def front_member(path: Path, member: Member | Choice, registry: Registry) -> tuple[Assembly, Individual, Member]:
    """Return a run's assembly, one individual of its front, and its position in ``front.csv``.

    `member` is that position, or says which one it is (`evosdc.engine.choice`); ``best`` is the run's own best file,
    whose position is returned where the front has it.

    Raises
    ------
    ExperimentError
        The folder holds no run, or several.
    CheckpointError
        There is no checkpoint, or the data have changed.
    DataError
        The front has no such member.
    """
    require_run(path)
    _require_single(path)
    folder = RunFolder(path)
    assembly = opened(folder, registry)
    require_same_data(folder.read_object(ENVIRONMENT), assembly.source.table, folder.key())
    state = found_so_far(path, assembly.problem.genotype)
    if state is None:
        advice = "Wait for its search to begin, or go on with it by evosdc resume."
        raise CheckpointError(Fault(str(path), "a run without a checkpoint yet", "a run with a front", advice))
    if member == OWN:
        own = own_best(assembly, state, _made_best(folder))
        return assembly, own, next((at for at, one in enumerate(state.front) if one.key == own.key), OWN)
    if not isinstance(member, int):
        require_choice(assembly.problem, member)
        member = chosen([one.point for one in state.front], member)
    if not 0 <= member < len(state.front):
        wanted = f"0..{len(state.front) - 1}"
        raise DataError(
            Fault("member", str(member), wanted, f"{path}/front.csv lists the members of the front, from 0.")
        )
    return assembly, state.front[member], member


def _require_single(path: Path) -> None:
    """Raise where a folder is that of a study: each of its runs has a front of its own."""
    runs = run_folders(path)
    if runs and runs[0] != path:
        given, advice = f"a study of {len(runs)} runs", f"Name one of them, such as {runs[0]}."
        raise ExperimentError(Fault(str(path), given, "the folder of a single run", advice))


def own_best(assembly: Assembly, state: SearchState, made: Member | None = None) -> Individual:
    """Return what a run publishes: the member that was made its best file, the one chosen, or the solution."""
    if isinstance(made, int):
        return state.front[made]
    choice = assembly.experiment.choose
    if choice is not None and made is None:
        return state.front[chosen([one.point for one in state.front], choice)]
    return assembly.algorithm.solution(state.population, state.best)


def _made_best(folder: RunFolder) -> Member | None:
    made = (folder.read_object(ENVIRONMENT).get("chosen") or {}).get("member")
    return made if isinstance(made, int) or made == OWN else None


def in_words(member: Member) -> str:
    """Return what a member is called."""
    return "the run's own best file" if member == OWN else f"member {member} of the front"


def named_member(given: int | str | Mapping[str, float]) -> Member | Choice:
    """Return the member that is named: by its number, best, or a choice; raises `InputError` for anything else."""
    if isinstance(given, Mapping):
        return choice_of(given)
    text = str(given)
    if text.strip() == OWN:
        return "best"
    return int(text) if re.fullmatch(r"-?[0-9]+", text.strip()) else choice_of(text)
