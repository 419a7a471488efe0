"""SCOOP as an executor: its futures and its workers, with a launcher, a broker and sockets of our own.

Our own parts, and why:

- *launcher*: SCOOP's gives exit status 0 whatever happened, leaves orphans and does not notice workers that never
  started. Here this process starts every other one, has them end with it and probes them all before any work.
- *broker*: SCOOP's hangs for ever when an idle worker dies and forgets live tasks, which then run twice.
- *communicator* (in `node`): SCOOP's binds every worker to all network interfaces, unpickles what any stranger sends,
  and uses one socket from two threads. Here the broker alone listens, on the loopback interface, and talks to nobody
  who does not hold the key that it was given at its birth (CurveZMQ).

`setConst`, `map_as_completed` and the learning of task durations are not used. A task may be run more than once, when a
worker died or SCOOP lost track; tasks are pure functions of what they carry, so that makes no difference.
"""

from collections.abc import Iterator

from evosdc.hookspecs import hookimpl
from evosdc.specs import ExecutorSpec


@hookimpl
def evosdc_executors() -> Iterator[ExecutorSpec]:
    """Offer the executor."""
    yield ExecutorSpec(
        name="scoop", implementation="evosdc_scoop.executor:ScoopExecutor",
        summary="A pool of SCOOP workers, which evosdc starts and stops by itself.",
        source="Hold-Geoffroy, Gagnon & Parizeau (2014), Once you SCOOP, no need to fork, XSEDE '14",
        launcher="scoop:IS_RUNNING",
    )  # fmt: skip
