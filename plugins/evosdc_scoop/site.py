"""The workers of a SCOOP pool on another computer: ``python -m evosdc_scoop.site``, started by `launcher`.

One process for each computer starts the workers there and ends when one of them does; they end when it does. So there
is one connection by ssh, or one step of SLURM, however many workers there are.
"""

import json
import os
import sys
from multiprocessing.connection import wait
from time import monotonic

from evosdc.executors.launch import RECEIVE_PLUGINS, START_TIME, Child, versions
from evosdc.executors.tasks import resolve
from evosdc.executors.worker_bootstrap import attend, remove_at_end

NODE = "evosdc_scoop.node"

# What the line begins with in which a process says that it is ready; login scripts may print lines of their own.
HELLO = b"evosdc-ready "


def main() -> int:
    """Start the workers, say when they are ready, and wait for the first of them to end."""
    settings = attend()
    output = settings["output"]
    if settings["plugins"]:
        remove_at_end(resolve(RECEIVE_PLUGINS)(settings["plugins"]))
    children = [Child(NODE, node, sys.stderr.buffer) for node in settings["nodes"]]
    names: list[str] = []
    deadline = monotonic() + START_TIME
    for child in children:
        try:
            message = child.first_message(deadline)
        except (EOFError, OSError):
            message = None
        if message is None:
            return 1
        names += json.loads(message)["names"]
    os.write(output, HELLO + json.dumps(versions() | {"names": names}).encode() + b"\n")
    wait([child.connection for child in children])
    return 1


if __name__ == "__main__":
    sys.exit(main())
