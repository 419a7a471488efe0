"""Starting the processes of a SCOOP pool: a broker and its workers, on this computer and on others."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import IO, Any

import zmq

from evosdc.errors import ExecutorError
from evosdc.executors.launch import START_TIME, Child, tail
from evosdc.executors.versions import check_versions
from evosdc_scoop.hosts import Host, address_towards, is_here
from evosdc_scoop.remote import RemoteChild, command_on, interpreter
from evosdc_scoop.site import NODE

LOOPBACK = "127.0.0.1"

_BROKER = "evosdc_scoop.broker"
_SITE = "evosdc_scoop.site"


class LostHostError(ExecutorError):
    """No workers can be started on a host.

    Parameters
    ----------
    message : str
    host : str
    """

    def __init__(self, message: str, host: str) -> None:
        super().__init__(message)
        self.host = host


@dataclass(frozen=True)
class WorkerPlacement:
    """Where the workers of a pool run.

    Parameters
    ----------
    here : int
        Workers on this computer, at least 1: SCOOP's origin is one of them.
    elsewhere : tuple of Host
        Other computers.
    shell : str
        What starts processes there: see `evosdc_scoop.remote.command_on`.
    interface : str
        Address on which the broker listens; it is the only process that does.
    python : str
        The interpreter on the other computers.
    """

    here: int
    elsewhere: tuple[Host, ...] = ()
    shell: str = "ssh"
    interface: str = LOOPBACK
    python: str = field(default_factory=interpreter)

    @property
    def size(self) -> int:
        """All workers."""
        return self.here + sum(host.slots for host in self.elsewhere)


def placement_of(hosts: Sequence[Host], shell: str, interface: str | None, python: str | None) -> WorkerPlacement:
    """Return the places of workers on hosts, this computer among them or not.

    This computer always has one worker at least. The broker listens at the address from which the first of the other
    computers is reached, unless another one is given.
    """
    elsewhere = tuple(host for host in hosts if not is_here(host.name))
    here = sum(host.slots for host in hosts) - sum(host.slots for host in elsewhere)
    if interface is None:
        interface = address_towards(elsewhere[0].name) if elsewhere else LOOPBACK
    return WorkerPlacement(max(1, here), elsewhere, shell, interface, python or interpreter())


def start(places: WorkerPlacement, time_limit: float | None, log: IO[bytes]) -> list[Any]:
    """Start a broker and workers, and wait until all of them have reported.

    Parameters
    ----------
    places : WorkerPlacement
    time_limit : float or None
        Seconds for each evaluation.
    log : file
        Gets what the processes complain of.

    Returns
    -------
    list of Child and RemoteChild
        The broker, the origin, the other workers here, one for each other computer.

    Raises
    ------
    LostHostError
        Another computer cannot be reached, or its workers do not start; none is left running.
    ExecutorError
        A process here did not start, or one has other versions than this process; none is left running.
    """
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
            children.append(RemoteChild(host.name, command, {"nodes": nodes}, log))
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
