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
    )
