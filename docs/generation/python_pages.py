"""The Python side: a page for each module that is meant for others."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from inspect import isclass, isfunction
from typing import Any

from docs.generation.markdown import contents, python

MODULES = {
    "evosdc": "Functions and classes for everyday work",
    "evosdc.model": "Contracts of plugins",
    "evosdc.specs": "What plugins offer",
    "evosdc.hookspecs": "Hooks",
    "evosdc.testing": "Conformance tests",
    "evosdc.errors": "Errors",
}
"""Modules in the order of the contents, with what they hold."""


def python_pages() -> dict[str, str]:
    """Return the pages by their paths below the folder of generated pages."""
    pages = {"python.md": "# Python\n\n" + contents(f"python/{module}" for module in MODULES)}
    return pages | {f"python/{module}.md": module_page(module, title) for module, title in MODULES.items()}


def module_page(module: str, title: str) -> str:
    """Return the page of one module: its docstring, then each public name."""
    parts = [f"# {title}: `{module}`\n", python("automodule", module, "no-members")]
    names = public(module)
    elsewhere = [name for name, value in names if home(value, module) != module]
    if elsewhere:
        parts.append(f"Described with other modules: {', '.join(f'`{name}`' for name in elsewhere)}.\n")
    for name, value in names:
        if name in elsewhere:
            continue
        if isclass(value):
            parts.append(f"## `{name}`\n\n{python('autoclass', f'{module}.{name}', 'members')}")
        elif isfunction(value):
            parts.append(f"## `{name}`\n\n{python('autofunction', f'{module}.{name}')}")
    others = [f"`{name}`" for name, value in names if not (isclass(value) or isfunction(value))]
    return "\n".join([*parts, *([f"Besides: {', '.join(others)}."] if others else [])])


def home(value: Any, otherwise: str) -> str:
    """Return the module on whose page a class or function is described: its own, else the first that has it."""
    if not isclass(value) and not isfunction(value):
        return otherwise
    if value.__module__ in MODULES:
        return value.__module__
    return next((module for module in MODULES if any(value is one for _, one in public(module))), otherwise)


@cache
def public(module: str) -> list[tuple[str, Any]]:
    """Return the public names of a module: those of ``__all__``, else what is defined there."""
    loaded = import_module(module)
    listed = getattr(loaded, "__all__", None)
    own = [name for name, value in vars(loaded).items() if getattr(value, "__module__", "") == module]
    names = sorted(listed, key=str.lower) if listed else own
    return [(name, getattr(loaded, name)) for name in names if not name.startswith("_")]
