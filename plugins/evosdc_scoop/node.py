"""A worker of a SCOOP pool: ``python -m evosdc_scoop.node``, started by `pool`.

One of them is the origin, in SCOOP's words: it takes batches of tasks from the pool's owner, maps them with
`scoop.futures.map` and returns results in order as they come in. It evaluates, too, like any other worker.
"""

import json
import logging
from collections.abc import Sequence
from functools import partial
from multiprocessing.connection import Connection

import scoop
import scoop.futures
import scoop.shared

from evosdc.executors.lifeline import attend
from evosdc.executors.versions import versions
from evosdc_scoop.communicator import Line, PrivateCommunicator
from evosdc_scoop.task_runner import END_OF_BATCH, Runner, own_name


def main() -> None:
    """Join the pool."""
    settings = attend()
    connection: Connection = Connection(settings["descriptor"])
    communicators = join(Line(**settings["line"]), settings["origin"], settings["size"])
    connection.send_bytes(json.dumps(versions() | {"names": [own_name()]}).encode())
    scoop.futures._startup(partial(serve, connection, Runner(settings["time_limit"]), communicators))


def join(line: Line, origin: bool, size: int) -> list[PrivateCommunicator]:
    """Set what SCOOP's own bootstrap sets, with our communicator in the place of SCOOP's; return where it will stand.

    SCOOP has no public way to do either: see `tests/test_private_names.py`.
    """
    scoop.IS_RUNNING = True
    scoop.IS_ORIGIN = origin
    scoop.SIZE = size
    scoop.MAIN_MODULE = __file__
    scoop.CONFIGURATION = {"headless": False, "backend": "ZMQ"}
    scoop.shared.elements = {}
    # Its warnings show arguments, and with them the data.
    scoop.logger = logging.getLogger("scoop")
    scoop.logger.setLevel(logging.CRITICAL)
    made: list[PrivateCommunicator] = []

    def communicator() -> PrivateCommunicator:
        made.append(PrivateCommunicator(line))
        return made[-1]

    scoop._types.Communicator = communicator
    return made


def serve(connection: Connection, runner: Runner, communicators: Sequence[PrivateCommunicator]) -> None:
    """Map one batch after another, until the owner closes the connection; SCOOP runs this at the origin alone."""
    try:
        while True:
            batch = _received(connection)
            for answer in scoop.futures.map(runner, batch):
                connection.send_bytes(answer)
            communicators[-1].forget()
    except (EOFError, OSError):
        return


def _received(connection: Connection) -> list[bytes]:
    batch = []
    while (parcel := connection.recv_bytes()) != END_OF_BATCH:
        batch.append(parcel)
    return batch


if __name__ == "__main__":
    main()
