"""The executors that evosdc ships, as offers."""

from evosdc.specs import ExecutorSpec


def executor_specs() -> tuple[ExecutorSpec, ...]:
    """Return the shipped executors; nothing of them is imported."""
    return (
        ExecutorSpec(
            name="serial", implementation="evosdc.executors.serial:SerialExecutor",
            summary="One evaluation after another, in this process.",
        ),
        ExecutorSpec(
            name="processes", implementation="evosdc.executors.processes:ProcessesExecutor",
            summary="Worker processes on this computer.",
        ),
    )  # fmt: skip
