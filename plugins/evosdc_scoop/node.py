"""A worker of a SCOOP pool: ``python -m evosdc_scoop.node``, started by `launcher`, with its line to the broker.

One of them is the origin, in SCOOP's words: it takes batches of tasks from the pool's owner, maps them with
`scoop.futures.map` and returns results in order as they come in. It evaluates, too, like any other worker.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import scoop
import scoop.futures
import scoop.shared
import zmq

from evosdc.executors.launch import versions
from evosdc.executors.worker_bootstrap import attend
from evosdc_scoop.broker import FORGET, REPLY
from evosdc_scoop.task_runner import END_OF_BATCH, Runner, own_name


@dataclass(frozen=True, slots=True)
class Line:
    """The name of a worker, the broker's address (``tcp://host:port``), and its public key (CurveZMQ, Z85)."""

    name: str
    address: str
    public_key: str


class PrivateCommunicator(scoop._types.Communicator):  # type: ignore[misc]
    """SCOOP's communicator with one connection, to the broker, that carries everything."""

    # The sockets that SCOOP uses between workers and for announcements exist, since inherited methods ask them for
    # news, and are connected to nothing. There is no second thread.

    def __init__(self, line: Line) -> None:
        # The inherited initialiser binds to all interfaces, hence it is not called.
        self.ZMQcontext = zmq.Context()
        self.number_of_broker = 1
        self.broker_set: set[Any] = {line.address}
        self.direct_socket_peers: list[bytes] = []
        self.direct_socket = self.ZMQcontext.socket(zmq.PAIR)
        self.infoSocket = self.ZMQcontext.socket(zmq.SUB)
        self.socket = self.createZMQSocket(zmq.DEALER)
        scoop.worker = line.name.encode()
        self.socket.identity = scoop.worker
        self.socket.curve_publickey, self.socket.curve_secretkey = zmq.curve_keypair()
        self.socket.curve_serverkey = line.public_key.encode()
        self.socket.connect(line.address)
        self.poller = zmq.Poller()
        self.poller.register(self.socket, zmq.POLLIN)

    def addPeer(self, peer: bytes) -> None:  # noqa: N802 - SCOOP's name
        """Do nothing: there are no connections between workers."""

    def forget(self) -> None:
        """Tell the broker that all answers are in."""
        self.socket.send(FORGET)

    def shutdown(self) -> None:
        """Close the connection; the pool's owner ends the other processes."""
        scoop.SHUTDOWN_REQUESTED = True
        if not self.ZMQcontext.closed:
            self.ZMQcontext.destroy(linger=0)

    def _sendReply(self, destination: bytes, fid: bytes, *args: bytes) -> None:  # noqa: N802 - SCOOP's name
        self.socket.send_multipart([REPLY, destination, fid, *args])


def main() -> None:
    """Join the pool."""
    settings = attend()
    connection: Connection = Connection(settings["descriptor"])
    communicators = join(Line(**settings["line"]), settings["origin"], settings["size"])
    connection.send_bytes(json.dumps(versions() | {"names": [own_name()]}).encode())
    scoop.futures._startup(partial(serve, connection, Runner(settings["time_limit"]), communicators))


def join(line: Line, origin: bool, size: int) -> list[PrivateCommunicator]:
    """Set what SCOOP's own bootstrap sets, with our communicator in place of its own; return where it will stand."""
    # SCOOP has no public way to do either: see `tests/test_private_names.py`.
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
