"""The callable that SCOOP's futures carry, and the probe."""

import os
import socket
import time
from dataclasses import dataclass

from evosdc.executors.tasks import run_packed
from evosdc.model.executor import SharedFiles
from evosdc.secret import Seed

END_OF_BATCH = b""  # what ends a batch on the line between the pool's owner and the origin; no parcel is empty


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs packed tasks."""

    # An object rather than a function: SCOOP measures how long functions take, by their name, and keeps to itself what
    # it has come to think short. It never measures what has no name, and always sends it.

    time_limit: float | None

    def __call__(self, parcel: bytes) -> bytes:
        """Run a task as `run_packed` does."""
        return run_packed(parcel, self.time_limit)


def own_name() -> str:
    """Return a name that no other process of the pool has."""
    return f"{socket.gethostname()} {os.getpid()}"


def presence(shared: SharedFiles | None, seed: Seed, seconds: float) -> str:
    """Tell which process this is, after a short while: long enough for every worker to get its turn."""
    time.sleep(seconds)
    return own_name()
