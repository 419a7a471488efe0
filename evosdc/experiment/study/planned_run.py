"""One run of a study, wherever it is carried out."""

from pathlib import Path

from evosdc.experiment.run.display import Display
from evosdc.experiment.run.run import resume_once, run_once
from evosdc.experiment.study.settings import PlannedRun, Setting
from evosdc.files.atomic import make_folder
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import RESOLVED, RESULT, SETTING, STATUS, RunFolder


def carry_out_run(
    path: Path, run: PlannedRun, setting: Setting, registry: Registry, display: Display | None, force: bool = False
) -> None:
    """Begin one run of a study below `path`, go on with it, or leave it as it is: whatever its folder says."""
    own = RunFolder(path / run.folder)
    if not own.file(RESOLVED).exists():
        make_folder(own.path)
        if setting.values:
            own.write_json(SETTING, {"position": setting.position, "values": dict(setting.values)})
        seed = run.drawn_from(RunFolder(path).seed(setting.experiment.seed))
        run_once(setting.experiment, own.path, registry, seed, display)
    elif not done(own):
        resume_once(own.path, registry, display, force, setting.experiment.executor)


def done(folder: RunFolder) -> bool:
    """Whether the run of a folder is complete."""
    return folder.file(RESULT).exists() and folder.read_object(STATUS).get("state") == "done"
