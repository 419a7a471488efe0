"""The registered data sets: where they come from, how they are fetched, and what their attributes mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evosdc.data.datasets.catalogue import dataset_specs
    from evosdc.data.datasets.loading import load_dataset
    from evosdc.data.datasets.storage import fetch, locate

__all__ = ["dataset_specs", "fetch", "load_dataset", "locate"]

_HOMES = {"dataset_specs": "catalogue", "load_dataset": "loading", "fetch": "storage", "locate": "storage"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(f"evosdc.data.datasets.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
