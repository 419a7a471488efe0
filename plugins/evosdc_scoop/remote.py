"""Starting processes on other computers, by ssh or srun; they end when this process does or is no longer heard of."""

import os
import select
import shlex
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import IO, Any

from evosdc.errors import ExecutorError
from evosdc.executors.launch import ONE_THREAD, search_path, sent_settings

HELLO = b"evosdc-ready "
"""What the line begins with in which a process says that it is ready; login scripts may print lines of their own."""

BEAT = 10.0
"""Seconds between two signs of life to a process on another computer."""

SILENCE = 60.0
"""Seconds without a sign of life after which such a process ends: the network may be gone without anyone being told."""

_SSH = ("-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5")
_SRUN = ("--overlap", "--nodes=1", "--ntasks=1", "--mem=0", "--cpu-bind=none", "--unbuffered")


def command_on(host: str, slots: int, shell: str, python: str, module: str) -> list[str]:
    """Return the command that runs ``python -m module`` on a host.

    Parameters
    ----------
    host : str
    slots : int
        Workers that will run there.
    shell : str
        ``"srun"``, ``"ssh"``, either with further options, or another command that takes a host and a command line.
    python : str
        The interpreter there.
    module : str
    """
    program, *options = shlex.split(shell)
    path = os.pathsep.join(search_path())
    process = [python, "-P", "-m", module]
    if Path(program).name == "srun":
        return [program, *_SRUN, f"--cpus-per-task={slots}", f"--nodelist={host}", *options, *process]
    if Path(program).name == "ssh":
        options = [*options, *_SSH]
    variables = [f"{name}={value}" for name, value in (ONE_THREAD | {"PYTHONPATH": path}).items()]
    return [program, *options, host, shlex.join(["exec", "env", *variables, *process])]


class RemoteChild:
    """A process on another computer.

    Parameters
    ----------
    host : str
    command : sequence of str
        Of `command_on`. The module's main function begins with `lifeline.attend`, and says when it is ready.
    settings : mapping
        JSON; they travel through the standard input of `command`, and so encrypted by ssh or as SLURM does it.
    log : file
        Gets what the process and `command` complain of.

    Raises
    ------
    ExecutorError
        `command` cannot be run.
    """

    def __init__(self, host: str, command: Sequence[str], settings: Mapping[str, Any], log: IO[bytes]) -> None:
        self.host = host
        self.names: frozenset[str] = frozenset()
        environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(search_path())}
        try:
            self.process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                process_group=0,
            )
        except OSError as error:
            raise ExecutorError(f"{command[0]} cannot be run: {error.strerror}") from None
        assert self.process.stdin is not None
        self._input = self.process.stdin
        sent_settings(self._input, {"silence": SILENCE, **settings})
        self._ended = threading.Event()
        threading.Thread(target=self._beat, name=f"heartbeat of {host}", daemon=True).start()

    @property
    def alive(self) -> bool:
        """Whether the process is running, as far as is known here."""
        return self.process.poll() is None

    def first_message(self, deadline: float) -> bytes | None:
        """Return what it says when it is ready; None where the deadline is over.

        Raises
        ------
        EOFError
            It ended before.
        """
        assert self.process.stdout is not None
        descriptor, said = self.process.stdout.fileno(), b""
        while (left := deadline - monotonic()) > 0:
            readable, _, _ = select.select([descriptor], [], [], left)
            if readable:
                piece = os.read(descriptor, 65536)
                if not piece:
                    raise EOFError
                said += piece
                for line in said.split(b"\n")[:-1]:
                    if line.startswith(HELLO):
                        return line.removeprefix(HELLO)
        return None

    def stop(self, patience: float = 0.0) -> None:
        """Close the lifeline, wait, and kill what is left here after `patience` seconds; the other side follows."""
        self._ended.set()
        with suppress(OSError, ValueError):
            self._input.close()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def _beat(self) -> None:
        while not self._ended.wait(BEAT):
            try:
                os.write(self._input.fileno(), b"\n")
            except (OSError, ValueError):
                return


def interpreter() -> str:
    """Return the path of the interpreter that runs this process."""
    return sys.executable
