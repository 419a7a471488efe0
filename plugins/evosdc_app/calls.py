"""Commands: those that answer at once, and searches that run in the background."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evosdc.errors import EvosdcError, InputError
from evosdc.files.atomic import make_folder
from evosdc.runs.layout import LOCK, RESOLVED
from evosdc.runs.lock import read_owner
from evosdc_app.prepared import CAN_BE, carried_out

_KEPT = 64
_AT_ONCE = 2
_TAIL = 4000


def program(words: list[str]) -> list[str]:
    """Return the program that carries a command out."""
    return [sys.executable, "-m", "evosdc", *words]


@dataclass(frozen=True)
class Answer:
    """The result of a command."""

    words: tuple[str, ...]
    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """What it printed as JSON; empty where it failed."""
        try:
            found = json.loads(self.out)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def faults(self) -> list[str]:
        """The sentences in which it said what is wrong."""
        if self.status == 0 or self.document:
            return []
        return error_sentences(self.err) or ["The command ended without a word; there may be too little memory."]

    @property
    def warnings(self) -> list[str]:
        """What it warned of."""
        return [line.removeprefix("Warning: ") for line in self.err.splitlines() if line.startswith("Warning: ")]


class RefusedError(EvosdcError):
    """A command refused what it was given."""

    def __init__(self, reported: Sequence[str]) -> None:
        self.sentences = list(reported)
        super().__init__(" ".join(reported))


def sentences(error: EvosdcError) -> list[str]:
    """Return the message of an error."""
    if isinstance(error, RefusedError):
        return error.sentences
    return list(map(str, error.faults)) if isinstance(error, InputError) else [str(error)]


def error_sentences(text: str) -> list[str]:
    """Return the lines in which a command said what is wrong, without the word Error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reported = [line.removeprefix("Error: ") for line in lines if line.startswith("Error: ")]
    return reported or lines[-3:]


class Calls:
    """Commands that answer; two tabs that ask the same get one answer."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._tasks: OrderedDict[tuple[Any, ...], asyncio.Task[Answer]] = OrderedDict()
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def ask(self, words: list[str], *depends: Path) -> Answer:
        """Return the answer of a command that writes nothing; it runs again if a file that it depends on changed."""
        key = (*words, *(_stamp(path) for path in depends))
        task = self._tasks.pop(key, None)
        if task is None or (task.done() and (task.cancelled() or task.exception() or task.result().status < 0)):
            task = asyncio.create_task(self.carry_out(words))
        self._tasks[key] = task
        while len(self._tasks) > _KEPT:
            self._tasks.popitem(last=False)
        return await asyncio.shield(task)

    async def carry_out(self, words: list[str]) -> Answer:
        """Run a command and return its output."""
        async with self._places:
            carry_out = carried_out if CAN_BE else _by_a_program
            status, out, err = await carry_out(words, self.root)
        return Answer(tuple(words), status, out.decode(), err.decode())


async def _by_a_program(words: list[str], folder: Path) -> tuple[int, bytes, bytes]:
    process = await asyncio.create_subprocess_exec(
        *program(words),
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await process.communicate()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            process.kill()
        raise
    return process.returncode or 0, out, err


class Jobs:
    """Searches: background processes, which continue when the workbench ends."""

    # Their state is in their run folders. Kept here: messages of searches that failed before they had a folder.

    def __init__(self, root: Path) -> None:
        self.root = root
        self._begun: dict[str, tuple[subprocess.Popen[bytes], Any]] = {}

    def begin(self, words: list[str], run: Path) -> None:
        """Begin a command about a run folder, which is made where it is not there."""
        for other in list(self._begun):
            self.faults(run.with_name(other))  # nothing is left of those that failed at once
        make_folder(run)
        log = tempfile.TemporaryFile()  # noqa: SIM115  # nobody else can open it, and it goes with its processes
        process = subprocess.Popen(
            program(words),
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._begun[run.name] = (process, log)

    def active(self, run: Path) -> bool:
        """Whether a process that was begun here is about a run."""
        begun = self._begun.get(run.name)
        return begun is not None and begun[0].poll() is None

    def reap(self) -> None:
        """Take note of all processes that ended."""
        for process, _ in self._begun.values():
            process.poll()

    def faults(self, run: Path) -> list[str]:
        """Return what a process that failed said; nothing where it goes on, ended well, or was not begun here."""
        begun = self._begun.get(run.name)
        if begun is None or begun[0].poll() in (None, 0):
            return []
        if (run / RESOLVED).exists() and begun[0].returncode != 2:
            return []  # the run tells itself how it ended
        with suppress(OSError):
            run.rmdir()  # empty: nothing was begun
        begun[1].seek(0, os.SEEK_END)
        begun[1].seek(max(0, begun[1].tell() - _TAIL))
        return error_sentences(begun[1].read().decode(errors="replace"))

    def forget(self, run: Path) -> None:
        """Forget the output of a process."""
        self._begun.pop(run.name, None)

    def stop(self, run: Path) -> bool:
        """Stop the process that writes to a run, as Ctrl-C does; return whether there was one."""
        owner = read_owner(run / LOCK)
        if owner is not None and owner.alive:
            os.kill(owner.pid, signal.SIGTERM)
            return True
        if self.active(run):
            self._begun[run.name][0].terminate()
            return True
        return False


def _stamp(path: Path) -> tuple[str, int, int]:
    try:
        state = path.stat()
    except OSError:
        return (str(path), 0, 0)
    return (str(path), state.st_mtime_ns, state.st_size)
