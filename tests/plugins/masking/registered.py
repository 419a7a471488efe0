"""Registered data sets by name."""

from __future__ import annotations

from evosdc.data.datasets import load_dataset
from evosdc.data.table import Table
from evosdc.registry import default_registry


def registered(name: str) -> Table:
    return load_dataset(default_registry().spec("dataset", name), offline=True).table  # type: ignore[arg-type]
