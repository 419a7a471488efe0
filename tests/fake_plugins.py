"""Plugins made up on the spot, given directly or as distributions on the path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from evosdc.hookspecs import hookimpl
from evosdc.plugins.registry import Registry
from evosdc.specs import MaskingMethodSpec, MeasureSpec


def plugin(**hooks: Callable[..., Any]) -> SimpleNamespace:
    """Return an object that implements the given hooks, each marked as pluggy wants it."""
    return SimpleNamespace(**{name: hookimpl(function) for name, function in hooks.items()})


def offering(hook: str, *offers: object) -> SimpleNamespace:
    """Return a plugin that yields the given objects from one hook."""

    def hooked() -> Any:
        yield from offers

    return plugin(**{hook: hooked})


def measure(name: str = "share", **changes: Any) -> MeasureSpec:
    return MeasureSpec(**{"name": name, "implementation": "somewhere:Share", "summary": "A share.", **changes})


def method(name: str, implementation: str = "somewhere:Method") -> MaskingMethodSpec:
    return MaskingMethodSpec(name=name, implementation=implementation, summary="A method.")


def registry(**plugins: object) -> Registry:
    """Return a registry of the given plugins and no others."""
    return Registry.load(plugins, entry_points=False)


def messages(found: Registry) -> str:
    return "\n".join(map(str, found.problems))


def distribute(folder: Path, name: str, source: str, entry: str = "", version: str = "1.0") -> None:
    """Lay down a distribution of one module with an entry point, as pip would leave it."""
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(source)
    metadata = folder / f"{module}-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (metadata / "entry_points.txt").write_text(f"[evosdc]\n{entry or module} = {module}\n")
