"""MPI as an executor, for sites whose batch system starts MPI programs and nothing else."""

from collections.abc import Iterator

from evosdc.hookspecs import hookimpl
from evosdc.specs import ExecutorSpec


@hookimpl
def evosdc_executors() -> Iterator[ExecutorSpec]:
    """Offer the executor."""
    yield ExecutorSpec(
        name="mpi", implementation="evosdc_mpi.executor:MpiExecutor",
        summary="MPI processes, through mpi4py.futures (needs evosdc[mpi]).",
        source="Rogowski, Aseeri, Keyes & Dalcin (2023), mpi4py.futures, IEEE TPDS 34(2)",
    )  # fmt: skip
