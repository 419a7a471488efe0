"""The list of kernels and of the types they are called with, which belongs to the package."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from evosdc.compilation.signatures import JSON

PATH = Path(__file__).with_name("kernels.json")

Listed = Mapping[str, Mapping[str, Sequence[Sequence[JSON]]]]
"""By module, then by name of the kernel: the types of its arguments, a list for each signature."""


def listed() -> Listed:
    """Return the list."""
    found: Listed = json.loads(PATH.read_text(encoding="utf-8"))
    return found


def signatures_in(kernels: Listed) -> int:
    """Return how many signatures a list has."""
    return sum(len(signatures) for functions in kernels.values() for signatures in functions.values())


def write_list(kernels: Listed, path: Path = PATH) -> None:
    """Write a list in order, a line for each signature."""
    lines = []
    for module, functions in sorted(kernels.items()):
        inner = []
        for name, signatures in sorted(functions.items()):
            each = sorted(json.dumps(one, separators=(",", ":")) for one in signatures)
            inner.append(f"  {json.dumps(name)}: [\n   " + ",\n   ".join(each) + "\n  ]")
        lines.append(f" {json.dumps(module)}: {{\n" + ",\n".join(inner) + "\n }")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
