"""What a plugin may refuse, and how it has to."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from evosdc.errors import ParameterError
from evosdc.model.parameters import Parameters, parse_parameters
from evosdc.testing.tables import ORDINARY, SHAPES

T = TypeVar("T")

on_every_table = pytest.mark.parametrize("table_name", SHAPES)
"""Runs a test of a suite once for each table of `evosdc.testing.tables`."""


def accepted(table_name: str, call: Callable[[], T]) -> T:
    """Return what the call returns; skip the test where the plugin refuses an unusual table with a `ParameterError`."""
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
