"""Dask as an executor: the workers of a cluster that a site runs already, or of one started for the run."""

from collections.abc import Iterator

from evosdc.hookspecs import hookimpl
from evosdc.specs import ExecutorSpec


@hookimpl
def evosdc_executors() -> Iterator[ExecutorSpec]:
    """Offer the executor."""
    yield ExecutorSpec(
        name="dask", implementation="evosdc_dask.executor:DaskExecutor",
        summary="Workers of a Dask cluster (needs evosdc[dask]).",
        source="Rocklin (2015), Dask: parallel computation with blocked algorithms and task scheduling, SciPy",
    )  # fmt: skip
