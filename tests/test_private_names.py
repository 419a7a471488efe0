"""evosdc leans on no private part of another package, and on no system that not everybody has; read off the source."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """All modules, by file."""
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for folder in ("evosdc", "plugins")
        for path in sorted((ROOT / folder).rglob("*.py"))
    }


ALLOWED = {
    # SCOOP's communicator binds to all interfaces, without encryption, and nothing public puts another in its place.
    ("plugins/evosdc_scoop/node.py", "scoop._types"),
    # SCOOP's own program, `python -m scoop.bootstrap`, starts a worker by this function alone.
    ("plugins/evosdc_scoop/node.py", "scoop.futures._startup"),
    # Documented; within SCOOP an ordinary exit is printed as the failure of a task, with a traceback.
    ("evosdc/__main__.py", "os._exit"),
}
"""What there is no public way to do, by file."""

PUBLIC = {"_asdict", "_fields", "_make", "_replace"}
"""Documented names of `typing.NamedTuple`, which begin with an underscore so as not to clash with fields."""

POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
"""Modules that Windows lacks."""


def own(name: str) -> bool:
    return name.partition(".")[0].startswith("evosdc")


def private(name: str) -> bool:
    """Whether a dotted name of another package goes through a private part of it."""
    parts = [part for part in name.split(".") if not (part.startswith("__") and part.endswith("__"))]
    standard = parts[:1] and parts[0] in sys.stdlib_module_names
    return any(part.startswith("_") for part in parts) or (not standard and "core" in parts[1:-1])


def dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    base = dotted(node.value) if isinstance(node, ast.Attribute) else None
    return None if base is None else f"{base}.{node.attr}"  # type: ignore[attr-defined]


def names_used(tree: ast.Module) -> Iterator[str]:
    """Yield the private names of other packages that a module imports or reaches for."""
    known: dict[str, str] = {}
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                full = alias.name if alias.asname else alias.name.partition(".")[0]
                known[alias.asname or full] = full
                if not own(alias.name) and private(f"{alias.name}."):
                    yield alias.name
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                known[alias.asname or alias.name] = full
                if not own(full) and private(full):
                    yield full
    # A class may look into other objects of its own: `other._order`.
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    defined = {node.attr for node in attributes if isinstance(node.ctx, ast.Store)}
    defined |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    for node in attributes:
        if node.attr != "core" and not node.attr.startswith("_"):
            continue
        if node.attr.startswith("__") and node.attr.endswith("__"):
            continue
        name = dotted(node) or f"?.{node.attr}"
        first, _, rest = name.partition(".")
        if first in known:
            full = f"{known[first]}.{rest}"
            if not own(full) and private(f"{full}."):
                yield full
        elif node.attr != "core" and first not in ("self", "cls") and node.attr not in PUBLIC | defined:
            yield name


def test_nothing_private_of_another_package_is_used(trees: dict[str, ast.Module]) -> None:
    found = {(file, name) for file, tree in trees.items() for name in names_used(tree)}
    assert found == ALLOWED


def test_what_some_systems_lack_is_not_imported_with_a_module(trees: dict[str, ast.Module]) -> None:
    found = set()
    for file, tree in trees.items():
        for node in tree.body:  # within a condition, `try` or function it is guarded
            if isinstance(node, ast.Import):
                found |= {(file, alias.name) for alias in node.names if alias.name in POSIX_ONLY}
            elif isinstance(node, ast.ImportFrom) and node.module in POSIX_ONLY:
                found |= {(file, node.module)}
    assert not found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from numba.core.registry import cpu_target", ["numba.core.registry.cpu_target"]),
        ("import numba.core.types", ["numba.core.types"]),
        ("import numba\nnumba.core.types", ["numba.core"]),
        ("import os\nos._exit(1)", ["os._exit"]),
        ("from os import _exit", ["os._exit"]),
        ("import numpy as np\nnp.array(1)._ufunc", ["?._ufunc"]),
        ("from deap import tools\ntools._hv", ["deap.tools._hv"]),
        ("def f(frame):\n    return frame._mgr", ["frame._mgr"]),
        ("from __future__ import annotations\nimport evosdc\nevosdc.__doc__\nx._replace(a=1)", []),
        ("class A:\n    def f(self, other):\n        self._a = 1\n        return other._a", []),
    ],
)
def test_the_reader_of_names(source: str, found: list[str]) -> None:
    assert list(names_used(ast.parse(source))) == found
