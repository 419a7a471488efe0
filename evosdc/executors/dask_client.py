"""A client of Dask: of a scheduler that a site runs already, or of one that is started here with its workers."""

import logging
from collections.abc import Mapping
from contextlib import ExitStack
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any

from evosdc.errors import ExecutorError
from evosdc.executors.launch import ONE_THREAD, RECEIVE_PLUGINS, check_versions, plugin_sources, versions
from evosdc.executors.tasks import resolve

# Of every cluster started here, for as long as it runs.
_SETTINGS: dict[str, Any] = {
    # Pages about the tasks would be there for any local user.
    "distributed.scheduler.http.routes": []
}


def dask_client(held: ExitStack, workers: int, scheduler: str | None, settings: Mapping[str, Any]) -> tuple[Any, int]:
    """Return a client and the number of its workers; all of whom run what runs here."""
    lacking = "Dask's workers need the package {}: pip install distributed cryptography"
    try:
        distributed: Any = import_module("distributed")
        security: Any = import_module("distributed.security")
    except ImportError:
        raise ExecutorError(lacking.format("distributed")) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        try:
            cluster: Any = scheduler
            if scheduler is None:
                scratch = stack.enter_context(TemporaryDirectory(prefix="evosdc-dask-"))
                stack.enter_context(import_module("dask.config").set(_SETTINGS | dict(settings)))
                cluster = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=workers,
                        threads_per_worker=1,
                        host="127.0.0.1",
                        protocol="tls://",
                        # Without its own certificates any local user could send the scheduler something to unpickle.
                        security=security.Security.temporary(),
                        # Not the port that every other cluster asks for too.
                        scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                        local_directory=scratch,
                        silence_logs=logging.CRITICAL,
                        env=ONE_THREAD,
                    )
                )
            client = stack.enter_context(distributed.Client(cluster, timeout=30))
        except ImportError:
            raise ExecutorError(lacking.format("cryptography")) from None
        except (OSError, ValueError, RuntimeError) as error:
            raise ExecutorError(f"Dask's scheduler {scheduler or ''} is not there: {error}") from None
        found: Mapping[str, Mapping[str, str]] = client.run(versions)
        if not found:
            raise ExecutorError("Dask's scheduler has no workers")
        for name, other in found.items():
            check_versions(other, f"Dask worker {name}")
        if scheduler is not None and (sources := plugin_sources()):
            client.run(resolve(RECEIVE_PLUGINS), sources)
        held.push(stack.pop_all())
    return client, len(found)
