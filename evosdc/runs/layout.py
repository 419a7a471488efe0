"""The run folder: what it holds, who may read it, and that only one run writes to it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from evosdc.errors import CheckpointError, ExperimentError, Fault
from evosdc.files.atomic import OWNER_FOLDER, make_folder, write_text
from evosdc.runs.lock import HeldError, Holder, Lock

EXPERIMENT = "experiment.toml"
RESOLVED = "resolved.json"
ENVIRONMENT = "environment.json"
STATUS = "status.json"
JOURNAL = "journal.jsonl"
PORTFOLIO = "portfolio.json"
RESULT = "result.json"
BEST = "best.csv"
FRONT = "front.csv"
SCORES = "scores.csv"
FREQUENCIES = "frequencies.json"
TRANSITIONS = "transitions.json"
ANALYST = "analyst.json"
PICTURE = "picture"
RISK = "risk.json"
REPORT = "report.html"
CONTEXT = "context"
SETTING = "setting.json"
LOCK = ".lock"


class RunFolder:
    """A folder of one run, locked while it is written to.

    Parameters
    ----------
    path : Path

    Attributes
    ----------
    abandoned : Holder or None
        While it is locked: the process that wrote to it before and died without letting go.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.abandoned: Holder | None = None
        self._lock = Lock(path / LOCK)

    def file(self, name: str) -> Path:
        """Return the path of one of its files."""
        return self.path / name

    def write_json(self, name: str, document: Any) -> None:
        """Write a JSON file atomically; text in any script stays readable."""
        write_text(self.file(name), json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")

    def read_json(self, name: str) -> Any:
        """Return the content of a JSON file.

        Raises
        ------
        CheckpointError
            It is not there or not whole.
        """
        try:
            return json.loads(self.file(name).read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError) as error:
            raise CheckpointError(f"{self.path} is not a run folder that can be used: {name}: {error}") from None

    def create(self) -> None:
        """Make the folder.

        Raises
        ------
        ExperimentError
            It holds a run already, is a file, or cannot be written to.
        """
        self.require_new()
        try:
            make_folder(self.path)
            if not any(self.path.iterdir()):
                self.path.chmod(OWNER_FOLDER)
            probe = self.path / ".probe"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise ExperimentError(
                Fault(str(self.path), f"a path that cannot be written to ({error.strerror})", "a folder of your own")
            ) from None

    def require_new(self) -> None:
        """Raise `ExperimentError` when the folder holds a run; asked again under the lock."""
        if self.file(RESOLVED).exists():
            raise ExperimentError(
                Fault(
                    str(self.path),
                    "a folder that already holds a run",
                    "a new or empty folder",
                    f"Go on with it by `evosdc resume {self.path}`, or choose another folder with -o.",
                )
            )

    def __enter__(self) -> Self:
        try:
            self.abandoned = self._lock.acquire()
        except HeldError as error:
            who = f": {error.holder}" if error.holder is not None else ""
            raise ExperimentError(
                Fault(
                    str(self.path),
                    f"a folder that another run is writing to{who}",
                    "a folder of its own for each run",
                    f"Look at it by `{shlex.join(['evosdc', 'status', str(self.path)])}`.",
                )
            ) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


def free_folder(parent: Path, title: str) -> Path:
    """Return a path below `parent`, named after a title, that does not exist yet."""
    stem = re.sub(r"[^\w]+", "-", title.lower()).strip("-")[:60] or "run"
    number = 1
    while (path := parent / (stem if number == 1 else f"{stem}-{number}")).exists():
        number += 1
    return path
