"""Another member of a run's front as its best file: a run folder of its own, with all that a run leaves."""

import shutil
from pathlib import Path
from typing import Any

from evosdc.engine.checkpoint import newest_checkpoint
from evosdc.engine.choice import Choice
from evosdc.errors import ExperimentError, Fault
from evosdc.experiment.run.display import Display
from evosdc.experiment.run.environment import begun_by
from evosdc.experiment.run.export import Member, front_member
from evosdc.experiment.run.outputs import write_outputs
from evosdc.experiment.run.planning import with_known_plan
from evosdc.experiment.run.portfolio import read_portfolio
from evosdc.experiment.run.tuning import with_found
from evosdc.plugins.registry import Registry
from evosdc.runs.completeness import require_complete
from evosdc.runs.layout import ENVIRONMENT, LOCK, PLANNING, REPORT, RESULT, STATUS, RunFolder

_OF_RECIPE = "recipe.*"
_OF_BEST = ("best.*", "crosswalk*.csv", "picture-*", _OF_RECIPE, "result.json", "release.json", "risk.json",
            "frequencies.json", "transitions.json", "analyst.json", "scores.csv", "front.csv", REPORT, "for-users.html",
            f"{LOCK}*", ".probe")  # fmt: skip
"""Files that tell of the best file, which are written anew, and locks."""


def choose_member(
    path: Path,
    member: Member | Choice,
    target: Path,
    registry: Registry,
    display: Display | None = None,
    command: str = "",
) -> dict[str, Any]:
    """Write a run folder like another, in which a member of the front is the best file; return its result.

    The search is not repeated: population, front, journal and checkpoints are those of the run. The file, its scores,
    requirements, verdict, second opinion, recipe and what else is told of a best file are the member's.

    Parameters
    ----------
    path : Path
        Of a run that has ended.
    member : int, "best" or Choice
        Its number in ``front.csv``, or which one it is.
    target : Path
        A new or empty folder.
    registry : Registry
    display : Display, optional
        That is told what is being done.
    command : str
        What the user typed, for ``environment.json``, which has run and member under ``chosen``, too.

    Raises
    ------
    InputError
        There is no run or no such member, the run goes on, its data have changed, or the folder is not empty.
    """
    require_complete([path])
    assembly, individual, member = front_member(path, member, registry)
    source, folder = RunFolder(path), RunFolder(target)
    before = source.read_object(STATUS)
    if before.get("state") != "done" or not source.file(RESULT).exists():
        advice = f"Wait for it, or end it by `evosdc finish {path}` and `evosdc resume {path}`."
        raise ExperimentError(Fault(str(path), "a run that has not ended", "one that has", advice))
    assembly = with_known_plan(with_found(assembly, source), source)
    state, _ = newest_checkpoint(path, assembly.problem.genotype)
    assert state is not None, "its front has members"
    folder.create()
    with folder:
        # The recipe of an evolved plan is the run's, whatever member is the best file.
        planned = source.file(PLANNING).exists()
        ignored = shutil.ignore_patterns(*(name for name in _OF_BEST if not (planned and name == _OF_RECIPE)))
        shutil.copytree(path, target, ignore=ignored, dirs_exist_ok=True)
        chosen = {"chosen": {"run": path.resolve().name, "member": member}}
        folder.write_json(ENVIRONMENT, folder.read_object(ENVIRONMENT) | begun_by(command) | chosen)
        result = write_outputs(
            folder, assembly, read_portfolio(folder), state, str(before.get("message") or ""), display=display,
            best=individual,
        )  # fmt: skip
        figures = {name: individual.scores[name] for name in ("il", "dr") if name in individual.scores}
        folder.write_json(STATUS, before | {"best": {"fitness": list(individual.objectives)} | figures})
    return result
