"""A schema as JSON-able data and back: how it travels to workers."""

from collections.abc import Mapping
from typing import Any

from evosdc.errors import Fault, SchemaError
from evosdc.table.edit_rules import edit_rules_to_json, read_edit_rules
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute, MissingRule, Role, Scale, Schema


def schema_to_json(schema: Schema) -> dict[str, Any]:
    """Return a schema as JSON-able data."""
    return {
        "missing": list(schema.missing),
        "na": str(schema.na),
        "edit_rules": edit_rules_to_json(schema.edit_rules),
        "attributes": [
            {
                "name": a.name,
                "role": str(a.role),
                "scale": str(a.scale),
                "categories": list(a.categories),
                "decimals": a.decimals,
                "missing": list(a.missing),
                "date_format": a.date_format,
                "hierarchy": [
                    list(a.hierarchy.leaves),
                    [list(level) for level in a.hierarchy.levels],
                    list(a.hierarchy.names),
                ]
                if a.hierarchy is not None
                else None,
            }
            for a in schema.attributes
        ],
    }


def schema_from_json(document: Mapping[str, Any]) -> Schema:
    """Return the schema that `schema_to_json` wrote."""
    faults: list[Fault] = []
    rules = read_edit_rules(document["edit_rules"], "edit_rules", faults)
    if faults:
        raise SchemaError(faults)
    return Schema(
        tuple(
            Attribute(
                name=a["name"],
                role=Role(a["role"]),
                scale=Scale(a["scale"]),
                categories=tuple(a["categories"]),
                decimals=a["decimals"],
                missing=tuple(a.get("missing", ())),
                date_format=str(a.get("date_format", "")),
                hierarchy=Hierarchy(
                    tuple(a["hierarchy"][0]),
                    tuple(tuple(level) for level in a["hierarchy"][1]),
                    names=tuple(a["hierarchy"][2]) if len(a["hierarchy"]) > 2 else (),
                )
                if a["hierarchy"] is not None
                else None,
            )
            for a in document["attributes"]
        ),
        tuple(document["missing"]),
        MissingRule(document["na"]),
        rules,
    )
