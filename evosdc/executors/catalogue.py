"""The executors that evosdc ships, as offers."""

from __future__ import annotations

from evosdc.specs import ExecutorSpec


def executor_specs() -> tuple[ExecutorSpec, ...]:
    """Return the shipped executors; nothing of them is imported."""
    return (
        ExecutorSpec(
            name="serial",
            implementation="evosdc.executors.serial:SerialExecutor",
            summary="One evaluation after another, in this process.",
        ),
        ExecutorSpec(
            name="processes",
            implementation="evosdc.executors.processes:ProcessesExecutor",
            summary="Worker processes on this computer.",
        ),
        ExecutorSpec(
            name="scoop",
            implementation="evosdc.executors.scoop.executor:ScoopExecutor",
            summary="A pool of SCOOP workers, which evosdc starts and stops by itself.",
            source="Hold-Geoffroy, Gagnon & Parizeau (2014), Once you SCOOP, no need to fork, XSEDE '14",
        ),
        ExecutorSpec(
            name="dask",
            implementation="evosdc.executors.dask:DaskExecutor",
            summary="Workers of a Dask cluster (needs evosdc[dask]).",
            source="Rocklin (2015), Dask: parallel computation with blocked algorithms and task scheduling, SciPy",
        ),
        ExecutorSpec(
            name="mpi",
            implementation="evosdc.executors.mpi:MpiExecutor",
            summary="MPI processes, through mpi4py.futures (needs evosdc[mpi]).",
            source="Rogowski, Aseeri, Keyes & Dalcin (2023), mpi4py.futures, IEEE TPDS 34(2)",
        ),
    )
