"""What a plugin may refuse, and how it has to."""

import inspect
from collections.abc import Callable, Collection, Hashable
from functools import update_wrapper
from typing import Any, TypeVar

import pytest

from evosdc.errors import ParameterError
from evosdc.model.parameters import Parameters, parse_parameters
from evosdc.testing.tables import ORDINARY, SHAPES

T = TypeVar("T")


def on_every_table(test: Callable[..., None]) -> Callable[..., None]:
    """Have a test of a suite run on each table of `evosdc.testing.tables` in turn.

    One test for all tables costs a fraction of one for each. A failure names the tables that it is seen on; the test is
    skipped where it is skipped on all of them. A suite whose ``tables`` names some of the tables is run on these alone.
    """

    def on_tables(self: Any, **arguments: Any) -> None:
        failed: dict[str, BaseException] = {}
        skipped: list[BaseException] = []
        names: Collection[str] = getattr(self, "tables", SHAPES)
        for table_name in names:
            try:
                test(self, table_name=table_name, **arguments)
            except pytest.skip.Exception as skip:
                skipped.append(skip)
            except (Exception, pytest.fail.Exception) as error:
                failed[table_name] = error
        if failed:
            first = next(iter(failed.values()))
            first.add_note(f"on the tables {', '.join(failed)} of evosdc.testing.tables")
            raise first
        if len(skipped) == len(names):
            raise skipped[0]

    # Not by functools.wraps alone: pytest would look for a fixture that is called table_name.
    signature = inspect.signature(test)
    kept = [parameter for name, parameter in signature.parameters.items() if name != "table_name"]
    made: Any = update_wrapper(on_tables, test)
    made.__signature__ = signature.replace(parameters=kept)
    return on_tables


_kept: dict[type, dict[Hashable, Any]] = {}  # by suite; of the latest one alone


def kept(suite: object, key: Hashable, make: Callable[[], T]) -> T:
    """Return what a suite makes for several of its tests, made once; nothing is kept of what raises."""
    if type(suite) not in _kept:
        _kept.clear()
    known = _kept.setdefault(type(suite), {})
    if key not in known:
        known[key] = make()
    return known[key]  # type: ignore[no-any-return]


def accepted(table_name: str, call: Callable[[], T]) -> T:
    """Return the result of the call; skip the test where the plugin refuses an unusual table by `ParameterError`."""
    try:
        return call()
    except ParameterError as error:
        if table_name in ORDINARY:
            raise
        pytest.skip(f"refuses this table: {error}")


def assert_unknown_keys_refused(owner: Any) -> None:
    """Assert that the ``Params`` of a plugin's class refuse a key that they do not know, by a `ParameterError`."""
    model = type(owner).Params
    assert issubclass(model, Parameters), "Params must derive from evosdc.model.Parameters"
    unknown = "a_key_that_nothing_has"
    with pytest.raises(ParameterError) as caught:
        parse_parameters(model, {unknown: 1}, "conformance")
    assert any(unknown in fault.where for fault in caught.value.faults), "Params accept unknown keys"
