"""Running a study in a folder of its own."""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evosdc.datasets.storage import VARIABLE, data_folder
from evosdc.errors import RunError
from evosdc.reproduction.declaration import ProfileName
from evosdc.reproduction.studies import Study

LOG = "log.txt"
_LAST = 1500
"""Characters of a failed command's output that are told."""
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Sums of linear algebra then do not depend on how many processors there are."""


@dataclass(frozen=True)
class Rerun:
    """A study that was run.

    Parameters
    ----------
    study : Study
    profile : str
        ``quick`` or ``full``.
    folder : Path
        Where its results are.
    statuses : tuple of int
        Exit status of each command.
    seconds : float
        Processor time of all commands and the processes that they waited for.
    """

    study: Study
    profile: ProfileName
    folder: Path
    statuses: tuple[int, ...]
    seconds: float

    @property
    def results(self) -> Mapping[str, Path]:
        """The files that are stored and compared, by their paths below the folder."""
        return results_in(self.study, self.folder)


def results_in(study: Study, folder: Path) -> dict[str, Path]:
    """Return the results of a study in a folder by their paths below it."""
    found = {path for pattern in study.declaration.results for path in folder.glob(pattern) if path.is_file()}
    return {path.relative_to(folder).as_posix(): path for path in sorted(found)}


def rerun(study: Study, profile: ProfileName, folder: Path) -> Rerun:
    """Run the commands of a profile; what they print goes to ``log.txt``.

    Parameters
    ----------
    study : Study
    profile : str
        ``quick`` or ``full``.
    folder : Path
        An empty folder, in which the commands are typed.

    Raises
    ------
    RunError
        A command ended with a status that the study does not declare, or left no result.
    """
    chosen, statuses = study.declaration.profile(profile), []
    before = _processor_time()
    with (folder / LOG).open("w", encoding="utf-8") as log:
        for command in chosen.commands:
            words = command_words(command, study, folder)
            log.write(f"$ {command}\n")
            log.flush()
            done = subprocess.run(
                words, cwd=folder, env=_environment(), stdout=log, stderr=subprocess.STDOUT, check=False
            )
            statuses.append(done.returncode)
            if done.returncode not in chosen.status:
                raise RunError(
                    f"{study.name}: {command!r} ended with status {done.returncode}\n{_end_of(folder / LOG)}"
                )
    made = Rerun(study, profile, folder, tuple(statuses), round(_processor_time() - before, 1))
    if not made.results:
        raise RunError(f"{study.name}: no result ({', '.join(study.declaration.results)}) in {folder}, see {LOG}")
    return made


def command_words(command: str, study: Study, folder: Path) -> list[str]:
    """Return the words of a command that is typed in a folder, with this interpreter."""
    places = {"{study}": study.folder, "{studies}": study.folder.parent, "{output}": folder.resolve()}
    program, *words = shlex.split(command)
    for name, path in places.items():
        words = [word.replace(name, str(path)) for word in words]
    return [sys.executable, *(["-m", "evosdc"] if program == "evosdc" else []), *words]


def _environment() -> dict[str, str]:
    data = data_folder()
    return {**os.environ, **_ONE_THREAD, "COLUMNS": "150", **({VARIABLE: str(data.resolve())} if data else {})}


def _processor_time() -> float:
    used = os.times()
    return used.children_user + used.children_system


def _end_of(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-_LAST:].strip()
