"""What of a schema a run began with, and what has changed of it since: the data may be the same all the same."""

from collections.abc import Iterator, Mapping
from typing import Any

from evosdc.errors import CheckpointError, Fault
from evosdc.printing import printable
from evosdc.secret import Key
from evosdc.table.schema import Attribute, Schema

SCHEMA = "schema"
"""The key of a run's environment."""


def schema_account(schema: Schema, key: Key) -> dict[str, Any]:
    """Return role and scale of each attribute, and fingerprints of all else that a schema says; no values."""
    return {
        "attributes": {
            a.name: {
                "role": str(a.role),
                "scale": a.scale_word,
                "hierarchy": _of_hierarchy(a, key),
                "rest": _of_rest(a, key),
            }
            for a in schema.attributes
        },
        "rest": _fingerprint((schema.missing, str(schema.na), schema.edit_rules), key),
    }


def schema_changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return, in words, what has changed between two environments of a run; nothing where one does not tell.

    What comes from the data as well as from the schema, such as categories, counts where the schema's file is another.
    """
    if SCHEMA not in before or SCHEMA not in now:
        return []
    edited = (before.get("input") or {}).get("schema") != (now.get("input") or {}).get("schema")
    return list(_changes(before[SCHEMA], now[SCHEMA], edited))


def require_same_schema(before: Mapping[str, Any], now: Mapping[str, Any], force: bool) -> list[str]:
    """Return what has changed of a run's schema since it began; raise `CheckpointError` for it unless forced.

    Where the data are read otherwise because of it, nobody can go on.
    """
    changes = schema_changes(before, now)
    same = before.get("data") == now.get("data")
    if changes and not (force and same):
        also = ", or go on all the same with `evosdc resume --force`" if same else ""
        advice = f"Take the changes back (evosdc edit --undo), begin a new run{also}."
        given = f"another one than the run began with ({'; '.join(changes)})"
        raise CheckpointError(Fault("schema", given, "the same schema", advice))
    return changes


def _changes(before: Mapping[str, Any], now: Mapping[str, Any], edited: bool) -> Iterator[str]:
    old, new = before["attributes"], now["attributes"]
    for name in dict.fromkeys((*old, *new)):
        if name not in old or name not in new:
            if edited:
                yield f"{printable(name)}: {'new' if name in new else 'gone'}"
            continue
        was, one = old[name], new[name]
        told = [f"{key} {was[key]} is now {one[key]}" for key in ("role", "scale") if edited and was[key] != one[key]]
        told += ["another hierarchy"] if was["hierarchy"] != one["hierarchy"] else []
        if edited and not told and was["rest"] != one["rest"]:
            told = ["other categories, decimals, missing values or formats"]
        if told:
            yield f"{printable(name)}: {', '.join(told)}"
    if edited and before["rest"] != now["rest"]:
        yield "missing values or edit rules are others"


def _of_hierarchy(attribute: Attribute, key: Key) -> str:
    found = attribute.hierarchy
    return "" if found is None else _fingerprint(found.content, key)


def _of_rest(attribute: Attribute, key: Key) -> str:
    told = (attribute.categories, attribute.decimals, attribute.missing, attribute.date_format)
    return _fingerprint(told, key)


def _fingerprint(told: object, key: Key) -> str:
    return key.fingerprint(repr(told).encode())
