"""Writing the list of kernels from the machine code that tests and runs have left on disk.

Run from the repository's root after all tests, ``python -m evosdc.compilation.recording``: what they compiled stands in
the packages' folders, or in that of ``NUMBA_CACHE_DIR``.
"""

from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.metadata import distribution
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

from numba.core.types import Omitted, Type

import evosdc
from evosdc.compilation.listed import Listed, write_list
from evosdc.compilation.signatures import JSON, written
from evosdc.kernel import Kernel


def recorded(packages: Iterable[ModuleType]) -> Listed:
    """Return the kernels of packages that have machine code, with the types it was made for."""
    found: dict[str, dict[str, list[JSON]]] = {}
    for module in modules(packages):
        for name, function in vars(module).items():
            own = isinstance(function, Kernel) and function.__module__ == module.__name__
            if own and (
                signatures := [[written(kind) for kind in one] for one in kept_signatures(function.dispatcher)]
            ):
                found.setdefault(module.__name__, {})[name] = signatures
    return found


def modules(packages: Iterable[ModuleType]) -> Iterator[ModuleType]:
    """Import and yield all modules that can be imported here."""
    for package in packages:
        yield package
        for found in walk_packages(package.__path__, f"{package.__name__}."):
            if found.name.rpartition(".")[2] != "__main__":
                yield import_module(found.name)


def kept_signatures(dispatcher: Any) -> Iterator[tuple[Type, ...]]:
    """Yield the types of arguments for which this version of a kernel has machine code on disk."""
    index = dispatcher._cache._cache_file._load_index()
    for types, *_ in index:
        if not any(isinstance(kind, Omitted) for kind in types):
            yield types


def main() -> None:
    """Write the list anew."""
    names = sorted({point.value for point in distribution("evosdc").entry_points if point.group == "evosdc"})
    packages = [evosdc, *(import_module(name) for name in names if not name.startswith("evosdc."))]
    kernels = recorded(packages)
    write_list(kernels)
    print(f"{sum(map(len, kernels.values()))} kernels of {len(kernels)} modules")


if __name__ == "__main__":
    main()
