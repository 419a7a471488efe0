"""Tables of the keys of experiment and schema files, written from the models that read them."""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from docs.generation.markdown import cell, table
from evosdc.experiment.experiment import Experiment, Named
from evosdc.files.schema.hierarchies import HierarchyRule
from evosdc.files.schema.schema_file import ATTRIBUTE_KEYS, SCHEMA_KEYS

WORDS = {bool: "true or false", int: "whole number", float: "number", str: "text", Path: "path", Any: "any value"}
BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
HEADER = ("key", "value", "default", "meaning")

EXPERIMENT = """# Keys of an experiment file

All keys that `evosdc run`, `check` and `resume` know, generated from the model that reads them. `evosdc check FILE`
validates a file and names every fault; `--set KEY=VALUE` overrides a key by its dotted name. A run folder holds the
experiment with every default filled in.

"""

SCHEMA = """# Keys of a schema file

What [`evosdc init`](../../schema.md) writes and `--schema` takes, generated from the code that reads it.

"""


def experiment_page() -> str:
    """Return the page of the keys of experiment files: a section for the file and for each table in it."""
    parts = [EXPERIMENT, _section("The file", Experiment)]
    for dotted, model in _tables(Experiment):
        parts.append(_section(f"`{dotted}`", model))
    return "\n".join(parts)


def schema_page() -> str:
    """Return the page of the keys of schema files."""
    own = table(("key", "meaning"), [(f"`{key}`", cell(text)) for key, text in SCHEMA_KEYS.items()])
    of_one = table(("key", "meaning"), [(f"`{key}`", cell(text)) for key, text in ATTRIBUTE_KEYS.items()])
    rule = _section("`hierarchy` as a rule", HierarchyRule)
    return f"{SCHEMA}## The file\n\n{own}\n## An attribute: `[attributes]`\n\n{of_one}\n{rule}"


def undescribed() -> list[str]:
    """Return the dotted keys of experiment files that have no description."""
    models = [("", Experiment), *_tables(Experiment)]
    return [
        f"{dotted}.{key}".lstrip(".")
        for dotted, model in models
        for key, field in _keys(model)
        if not field.description
    ]


def keys_table(model: type[BaseModel]) -> str:
    """Return a table of the keys of a model: value, default, meaning."""
    rows = [
        (f"`{key}`", cell(_value(field)), cell(_default(field)), cell((field.description or "").rstrip(".")))
        for key, field in _keys(model)
    ]
    return table(HEADER, rows)


def _section(title: str, model: type[BaseModel]) -> str:
    meaning = (model.__doc__ or "").strip().partition("\n")[0]
    if model.model_config.get("extra") == "allow":
        meaning += " Its own parameters stand beside these keys."
    return f"## {title}\n\n{meaning}\n\n{keys_table(model)}"


def _keys(model: type[BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        yield field.alias or name, field


def _tables(
    model: type[BaseModel], before: str = "", known: tuple[type, ...] = ()
) -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield the tables within a table with their dotted keys; one that holds itself once."""
    for key, field in _keys(model):
        for inner in _models(field.annotation):
            if inner in known:
                continue
            dotted = f"{before}{key}"
            yield dotted, inner
            yield from _tables(inner, f"{dotted}.", (*known, inner))


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation is not Named:
            yield annotation
        return
    for inner in get_args(annotation):
        yield from _models(inner)


def _value(field: FieldInfo) -> str:
    limits = [
        f"{words} {getattr(rule, name):g}"
        for rule in field.metadata
        for name, words in BOUNDS.items()
        if hasattr(rule, name)
    ]
    return ", ".join([_words(field.annotation), *limits])


def _words(annotation: Any) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _words(inner[0])
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(_words(one) for one in inner if one is not types.NoneType))
    if origin is Literal:
        return ", ".join(f'`"{word}"`' for word in inner)
    if origin in (tuple, list):
        return f"list of {_words(inner[0])}"
    if origin is dict:
        return f"table: {_words(inner[1])} by name"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "name, or table with `name` and parameters" if issubclass(annotation, Named) else "table"
    return WORDS.get(annotation, getattr(annotation, "__name__", str(annotation)).lower())


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, Named):
        return f'`"{value.name}"`'
    if isinstance(value, BaseModel) or value in (None, (), {}, ""):
        return ""
    written = str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')
    return f"`{written}`"
