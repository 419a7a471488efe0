"""The broker of a SCOOP pool: ``python -m evosdc_scoop.broker``, started by `launcher`.

It speaks SCOOP's wire protocol as far as a pool without shared constants needs it: a worker requests a task, gets one
and answers by way of the broker. The broker knows where each task is, until its answer comes.
"""

from collections import OrderedDict
from multiprocessing.connection import Connection

import zmq

from evosdc.executors.worker_bootstrap import attend

REQUEST = b"RQ"
TASK = b"T"
REPLY = b"RP"
STATUS_REQUEST = b"SR"
STATUS_ANSWER = b"SA"
FORGET = b"F"  # our own word: all answers are in, the books can be cleared

WAITING = b"H"
GIVEN = b"G"
UNKNOWN = b"N"


class Broker:
    """Hands tasks to workers that ask, relays answers, tells where a task is."""

    def __init__(self, interface: str, secret_key: bytes) -> None:
        self._socket = zmq.Context().socket(zmq.ROUTER)
        self._socket.curve_server = True
        self._socket.curve_secretkey = secret_key
        self._socket.router_mandatory = True
        self._socket.sndhwm = self._socket.rcvhwm = 0
        self.port = self._socket.bind_to_random_port(f"tcp://{interface}")
        self._idle: OrderedDict[bytes, None] = OrderedDict()
        self._waiting: OrderedDict[bytes, bytes] = OrderedDict()
        self._given: set[bytes] = set()

    def run(self) -> None:
        """Serve for as long as the process lives."""
        while True:
            self.handle(self._socket.recv_multipart())

    def handle(self, message: list[bytes]) -> None:
        """Act upon one message; those that make no sense are ignored."""
        match message:
            case [sender, word] if word == REQUEST:
                self._idle[sender] = None
                self._match()
            case [_, word, name, task] if word == TASK:
                # A new one, or one that a worker hands back because it has too many.
                self._given.discard(name)
                self._waiting[name] = task
                self._match()
            case [sender, word, destination, name, answer] if word == REPLY:
                self._given.discard(name)
                self._send(destination, REPLY, answer, sender)
            case [sender, word, name] if word == STATUS_REQUEST:
                status = WAITING if name in self._waiting else GIVEN if name in self._given else UNKNOWN
                self._send(sender, STATUS_ANSWER, name, status)
            case [_, word] if word == FORGET:
                self._waiting.clear()
                self._given.clear()

    def _match(self) -> None:
        while self._idle and self._waiting:
            address, _ = self._idle.popitem(last=False)
            name, task = self._waiting.popitem(last=False)
            if self._send(address, TASK, task):
                self._given.add(name)
            else:
                # The worker is gone: its request goes with it, the task stays first in line.
                self._waiting[name] = task
                self._waiting.move_to_end(name, last=False)

    def _send(self, address: bytes, *parts: bytes) -> bool:
        try:
            self._socket.send_multipart([address, *parts])
        except zmq.ZMQError:
            return False
        return True


def main() -> None:
    """Listen, tell the parent on which port, and serve until it ends."""
    settings = attend()
    broker = Broker(settings["interface"], settings["secret_key"].encode())
    Connection(settings["descriptor"]).send_bytes(str(broker.port).encode())
    broker.run()


if __name__ == "__main__":
    main()
