"""Registered data sets by name."""

from __future__ import annotations

import pytest

from evosdc.datasets.loading import load_dataset
from evosdc.errors import InputError
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table


def registered(name: str) -> Table:
    """Return the table of a data set; the test is skipped where its files are not on this computer."""
    try:
        return load_dataset(default_registry().spec("dataset", name), offline=True).table  # type: ignore[arg-type]
    except InputError as error:
        pytest.skip(f"{name} is not at hand: {error}")
