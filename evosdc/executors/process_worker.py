"""A worker process of the `processes` executor: ``python -m evosdc.executors.process_worker``, started by `crew`."""

import json
from multiprocessing.connection import Connection

from evosdc.executors.lifeline import attend
from evosdc.executors.packing import run_packed
from evosdc.executors.versions import versions


def main() -> None:
    """Say hello, then run one task after another until the parent closes the connection."""
    settings = attend()
    time_limit: float | None = settings["time_limit"]
    connection: Connection = Connection(settings["descriptor"])
    try:
        connection.send_bytes(json.dumps(versions()).encode())
        while True:
            connection.send_bytes(run_packed(connection.recv_bytes(), time_limit))
    except (EOFError, OSError):
        return


if __name__ == "__main__":
    main()
