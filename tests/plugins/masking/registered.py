"""Registered data sets by name."""

from __future__ import annotations

from evosdc.datasets.loading import load_dataset
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table


def registered(name: str) -> Table:
    return load_dataset(default_registry().spec("dataset", name), offline=True).table  # type: ignore[arg-type]
