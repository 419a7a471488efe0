"""What has to be the same in all processes that share a run."""

import platform
from collections.abc import Mapping

import numpy as np

from evosdc._version import __version__
from evosdc.errors import ExecutorError


def versions() -> dict[str, str]:
    """Return the versions that results may depend on."""
    return {"python": platform.python_version(), "numpy": np.__version__, "evosdc": __version__}


def check_versions(found: Mapping[str, str], where: str) -> None:
    """Compare a worker's versions with those of this process.

    Raises
    ------
    ExecutorError
        They differ: the worker's results could, too.
    """
    own = versions()
    other = [f"{name} {found.get(name, 'none')} instead of {own[name]}" for name in own if found.get(name) != own[name]]
    if other:
        raise ExecutorError(f"{where} has other versions than this process: {', '.join(other)}")
