"""What the framework itself offers, by the same hooks as any plugin: algorithms, executors and data sets."""

from collections.abc import Iterable

from evosdc.hookspecs import hookimpl
from evosdc.specs import AlgorithmSpec, DatasetSpec, ExecutorSpec


@hookimpl
def evosdc_algorithms() -> Iterable[AlgorithmSpec]:
    """Offer the shipped search algorithms."""
    from evosdc.algorithms.catalogue import algorithm_specs

    return algorithm_specs()


@hookimpl
def evosdc_executors() -> Iterable[ExecutorSpec]:
    """Offer the shipped executors."""
    yield ExecutorSpec(
        name="serial", implementation="evosdc.executors.serial:SerialExecutor",
        summary="One evaluation after another, in this process.",
    )  # fmt: skip
    yield ExecutorSpec(
        name="processes", implementation="evosdc.executors.processes:ProcessesExecutor",
        summary="Worker processes on this computer.",
    )  # fmt: skip


@hookimpl
def evosdc_datasets() -> Iterable[DatasetSpec]:
    """Offer the data sets of the literature and the generated one."""
    from evosdc.datasets.catalogue import dataset_specs

    return dataset_specs()
