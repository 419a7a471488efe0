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
    from evosdc.executors.catalogue import executor_specs

    return executor_specs()


@hookimpl
def evosdc_datasets() -> Iterable[DatasetSpec]:
    """Offer the data sets of the literature and the generated one."""
    from evosdc.datasets.catalogue import dataset_specs

    return dataset_specs()
