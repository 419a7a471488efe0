"""The line between a SCOOP worker and the broker: one encrypted connection, nothing that listens."""

from dataclasses import dataclass
from typing import Any

import scoop
import scoop.futures
import zmq

from evosdc_scoop.broker import FORGET, REPLY


@dataclass(frozen=True, slots=True)
class Line:
    """Where the broker is and how it is known.

    Parameters
    ----------
    name : str
        Of this worker; unique in the pool.
    address : str
        ``tcp://host:port`` of the broker.
    public_key : str
        Of the broker (CurveZMQ, Z85).
    """

    name: str
    address: str
    public_key: str


class PrivateCommunicator(scoop._types.Communicator):  # type: ignore[misc]
    """SCOOP's communicator with one connection, to the broker, that carries everything.

    The sockets that SCOOP uses between workers and for announcements exist, since inherited methods ask them for news,
    and are connected to nothing. There is no second thread.
    """

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
