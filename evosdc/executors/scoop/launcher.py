"""Starting the processes of a SCOOP pool: a broker and its workers, all children of this process."""

from __future__ import annotations

import json
from multiprocessing.connection import wait
from time import monotonic
from typing import IO

import zmq

from evosdc.errors import ExecutorError
from evosdc.executors.launch import START_TIME, Child, tail
from evosdc.executors.versions import check_versions

LOOPBACK = "127.0.0.1"

_BROKER = "evosdc.executors.scoop.broker"
_NODE = "evosdc.executors.scoop.node"


def start(size: int, time_limit: float | None, log: IO[bytes], interface: str = LOOPBACK) -> list[Child]:
    """Start a broker and workers, and wait until all of them have reported.

    Parameters
    ----------
    size : int
        Workers, the origin among them.
    time_limit : float or None
        Seconds for each evaluation.
    log : file
        Gets what the processes complain of.
    interface : str
        Address on which the broker listens; it is the only one that does.

    Returns
    -------
    list of Child
        The broker, the origin, the other workers.

    Raises
    ------
    ExecutorError
        One of them did not start, or has other versions than this process; none is left running.
    """
    if not zmq.has("curve"):
        raise ExecutorError("pyzmq was built without CURVE, and without it anyone could send tasks to SCOOP's workers")
    public, secret = zmq.curve_keypair()
    deadline = monotonic() + START_TIME
    children: list[Child] = []
    try:
        broker = Child(_BROKER, {"interface": interface, "secret_key": secret.decode()}, log)
        children.append(broker)
        port = int(_first_message(broker, deadline, log))
        for rank in range(size):
            line = {"name": str(rank), "address": f"tcp://{interface}:{port}", "public_key": public.decode()}
            settings = {"line": line, "origin": rank == 0, "size": size, "time_limit": time_limit}
            children.append(Child(_NODE, settings, log))
        for node in children[1:]:
            found = json.loads(_first_message(node, deadline, log))
            check_versions(found, f"SCOOP worker {node.process.pid}")
    except BaseException:
        stop(children)
        raise
    return children


def stop(children: list[Child]) -> None:
    """End processes at once."""
    for child in children:
        child.stop()
    children.clear()


def _first_message(child: Child, deadline: float, log: IO[bytes]) -> bytes:
    try:
        if wait([child.connection], max(0.0, deadline - monotonic())):
            return child.connection.recv_bytes()
    except (EOFError, OSError):
        child.stop(1.0)
        status = child.process.returncode
        raise ExecutorError(f"a SCOOP process ended with status {status} before it was ready{tail(log)}") from None
    raise ExecutorError(f"a SCOOP process was not ready after {START_TIME:g} s{tail(log)}")
