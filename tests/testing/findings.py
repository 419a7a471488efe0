"""Run a suite's tests by hand and tell which of them object."""

from __future__ import annotations

import inspect
from typing import Any

import pytest


def findings(suite: type[Any], only: str = "", **fixtures: Any) -> dict[str, str]:
    """Return the first message of each test of a suite that fails, by the test's name.

    Parameters
    ----------
    suite : type
        A subclass of one of the conformance classes.
    only : str
        Name of the one test to run; empty for all.
    **fixtures
        Values of arguments that are not parametrised.
    """
    found: dict[str, str] = {}
    for name, test in inspect.getmembers(suite, inspect.isfunction):
        if not name.startswith("test_") or only not in ("", name):
            continue
        for arguments in _arguments(test):
            needed = {key: value for key, value in fixtures.items() if key in inspect.signature(test).parameters}
            try:
                test(suite(), **arguments, **needed)
            except pytest.skip.Exception:
                continue
            except (Exception, pytest.fail.Exception) as error:
                found.setdefault(name, f"{type(error).__name__}: {error}")
    return found


def _arguments(test: Any) -> list[dict[str, Any]]:
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            argument, values = mark.args
            return [{argument: value} for value in values]
    return [{}]
