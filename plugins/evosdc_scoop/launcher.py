"""Starting the processes of a SCOOP pool: a broker and its workers, here and by ssh or srun on other computers.

They end when this process does or, on another computer, when its signs of life stop.
"""

import json
import os
import select
import shlex
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import IO, Any

import zmq

from evosdc.errors import ExecutorError
from evosdc.executors.launch import (
    ONE_THREAD,
    START_TIME,
    Child,
    check_versions,
    plugin_sources,
    search_path,
    sent_settings,
    tail,
)
from evosdc_scoop.hosts import Host, address_towards, is_here
from evosdc_scoop.site import HELLO, NODE

LOOPBACK = "127.0.0.1"

BEAT = 10.0  # seconds between two signs of life to a process on another computer

# Seconds without a sign of life after which such a process ends: the network may fail without notice.
SILENCE = 60.0

_SSH = ("-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5")
_SRUN = ("--overlap", "--nodes=1", "--ntasks=1", "--mem=0", "--cpu-bind=none", "--unbuffered")


def command_on(host: str, slots: int, shell: str, python: str, module: str) -> list[str]:
    """Return the command that runs ``python -m module`` on a host."""
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
    """A process on another computer, started by a command of `command_on`."""

    # The settings travel through the standard input of the command, and so encrypted by ssh or as SLURM does it.

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
        """Return its message when it is ready; None after the deadline."""
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


_BROKER = "evosdc_scoop.broker"
_SITE = "evosdc_scoop.site"


class LostHostError(ExecutorError):
    """No workers can be started on a host."""

    def __init__(self, message: str, host: str) -> None:
        super().__init__(message)
        self.host = host


@dataclass(frozen=True)
class WorkerPlacement:
    """Where the workers of a pool run."""

    here: int  # workers on this computer, at least 1: SCOOP's origin is one of them
    elsewhere: tuple[Host, ...] = ()  # other computers
    shell: str = "ssh"  # what starts processes there: see `command_on`
    interface: str = LOOPBACK  # address on which the broker listens; it is the only process that does
    python: str = sys.executable  # the interpreter on the other computers

    @property
    def size(self) -> int:
        """All workers."""
        return self.here + sum(host.slots for host in self.elsewhere)


def placement_of(hosts: Sequence[Host], shell: str, interface: str | None, python: str | None) -> WorkerPlacement:
    """Return the places of workers on hosts, this computer among them or not."""
    # This computer always has one worker at least. The broker listens at the address from which the first of the other
    # computers is reached, unless another one is given.
    elsewhere = tuple(host for host in hosts if not is_here(host.name))
    here = sum(host.slots for host in hosts) - sum(host.slots for host in elsewhere)
    if interface is None:
        interface = address_towards(elsewhere[0].name) if elsewhere else LOOPBACK
    return WorkerPlacement(max(1, here), elsewhere, shell, interface, python or sys.executable)


def start(places: WorkerPlacement, time_limit: float | None, log: IO[bytes]) -> list[Any]:
    """Start a broker and workers, and wait until all of them have reported."""
    if not zmq.has("curve"):
        raise ExecutorError("pyzmq was built without CURVE, and without it anyone could send tasks to SCOOP's workers")
    public, secret = zmq.curve_keypair()
    deadline = monotonic() + START_TIME
    children: list[Any] = []
    try:
        broker = Child(_BROKER, {"interface": places.interface, "secret_key": secret.decode()}, log)
        children.append(broker)
        port = int(_first_message(broker, "a SCOOP process", deadline, log))

        def settings_of(rank: int) -> dict[str, Any]:
            address = f"tcp://{places.interface}:{port}"
            line = {"name": str(rank), "address": address, "public_key": public.decode()}
            return {"line": line, "origin": rank == 0, "size": places.size, "time_limit": time_limit}

        children += [Child(NODE, settings_of(rank), log) for rank in range(places.here)]
        rank = places.here
        for host in places.elsewhere:
            nodes = [settings_of(rank + slot) for slot in range(host.slots)]
            command = command_on(host.name, host.slots, places.shell, places.python, _SITE)
            settings = {"nodes": nodes, "plugins": plugin_sources()}
            children.append(RemoteChild(host.name, command, settings, log))
            rank += host.slots
        for child in children[1:]:
            who = f"the process on {child.host}" if isinstance(child, RemoteChild) else "a SCOOP process"
            found = json.loads(_first_message(child, who, deadline, log))
            check_versions(found, f"{who} ({child.process.pid})")
            child.names = frozenset(found["names"])
    except BaseException:
        stop(children)
        raise
    return children


def stop(children: list[Any]) -> None:
    """End processes at once."""
    for child in children:
        child.stop()
    children.clear()


def _first_message(child: Child | RemoteChild, who: str, deadline: float, log: IO[bytes]) -> bytes:
    try:
        message = child.first_message(deadline)
    except (EOFError, OSError):
        child.stop(1.0)
        complaint = f"{who} ended with status {child.process.returncode} before it was ready{tail(log)}"
    else:
        if message is not None:
            return message
        complaint = f"{who} was not ready after {START_TIME:g} s{tail(log)}"
    raise LostHostError(complaint, child.host) if isinstance(child, RemoteChild) else ExecutorError(complaint)
