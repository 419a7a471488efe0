"""Microdata: schema, table of integer codes, hierarchies, distances between categories, readers and writers, data sets.

The names below are imported when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evosdc.data.distance import CategoryDistance, category_distance
    from evosdc.data.files import check_writable
    from evosdc.data.frame import frame_from_table, table_from_frame
    from evosdc.data.hierarchy import Hierarchy, interval_hierarchy, prefix_hierarchy
    from evosdc.data.inference import Inference, infer_schema
    from evosdc.data.schema import Attribute, MissingRule, Role, Scale, Schema
    from evosdc.data.schema_file import dump_schema, load_schema
    from evosdc.data.source import Source, WriteReport, read_source
    from evosdc.data.table import MISSING, Table

_HOMES = {
    "CategoryDistance": "distance",
    "category_distance": "distance",
    "frame_from_table": "frame",
    "table_from_frame": "frame",
    "Hierarchy": "hierarchy",
    "interval_hierarchy": "hierarchy",
    "prefix_hierarchy": "hierarchy",
    "Inference": "inference",
    "infer_schema": "inference",
    "Attribute": "schema",
    "MissingRule": "schema",
    "Role": "schema",
    "Scale": "schema",
    "Schema": "schema",
    "dump_schema": "schema_file",
    "load_schema": "schema_file",
    "Source": "source",
    "WriteReport": "source",
    "check_writable": "files",
    "read_source": "source",
    "MISSING": "table",
    "Table": "table",
}

__all__ = [
    "MISSING",
    "Attribute",
    "CategoryDistance",
    "Hierarchy",
    "Inference",
    "MissingRule",
    "Role",
    "Scale",
    "Schema",
    "Source",
    "Table",
    "WriteReport",
    "category_distance",
    "check_writable",
    "dump_schema",
    "frame_from_table",
    "infer_schema",
    "interval_hierarchy",
    "load_schema",
    "prefix_hierarchy",
    "read_source",
    "table_from_frame",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"evosdc.data.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
