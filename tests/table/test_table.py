"""Tables, schemas and the distances between categories."""

from __future__ import annotations

import numpy as np
import pytest

from evosdc.errors import DataError, SchemaError
from evosdc.table.table import MISSING, Table
from tests.files.build import nominal, numeric, ordinal, schema

SCHEMA = schema(nominal("a", "x", "y"), numeric("n"), ordinal("b", "l", "m", "h"))


def table() -> Table:
    return Table(SCHEMA, np.array([[0, 2], [1, MISSING], [1, 0]], dtype=np.int32), np.array([[1.5], [2.0], [np.nan]]))


def test_columns_are_read_only_views_by_name():
    assert list(table().column("b")) == [2, MISSING, 0]
    assert table().column("n")[0] == 1.5
    with pytest.raises(ValueError, match="read-only"):
        table().codes[0, 0] = 1


def test_selecting_taking_and_replacing():
    part = table().select(["b", "a"])
    assert part.schema.names == ("b", "a")
    assert part.codes.tolist() == [[2, 0], [MISSING, 1], [0, 1]]
    assert table().take(np.array([2, 0])).codes.tolist() == [[1, 0], [0, 2]]
    changed = Table(SCHEMA.select(["b"]), np.array([[1], [1], [1]], dtype=np.int32), np.empty((3, 0)))
    whole = table().with_columns(changed)
    assert whole.codes.tolist() == [[0, 1], [1, 1], [1, 1]]
    assert whole.schema == SCHEMA


def test_a_caller_keeps_an_array_of_its_own():
    codes = np.zeros((1, 2), dtype=np.int32)
    built = Table(SCHEMA, codes, np.zeros((1, 1)))
    codes[0, 0] = 1
    assert built.codes[0, 0] == 0


def test_codes_outside_their_domain_are_found():
    bad = Table(SCHEMA, np.array([[2, 0], [0, -2]], dtype=np.int32), np.array([[1.0], [np.inf]]))
    with pytest.raises(DataError) as caught:
        bad.verify()
    assert [fault.where for fault in caught.value.faults] == ["a", "n", "b"]
    table().verify()


def test_missing_values():
    assert any(table().absent(name).any() for name in table().schema.names)
    assert table().absent("b").sum() == 1
    assert table().absent("n").sum() == 1


def test_repeated_names_and_categories_are_refused():
    with pytest.raises(SchemaError) as caught:
        schema(nominal("a", "x", "x"), nominal("a", "y"))
    assert len(caught.value.faults) == 2


def test_unknown_names_are_told_together():
    with pytest.raises(SchemaError) as caught:
        SCHEMA.select(["bb", "a", "zz"])
    assert [fault.given for fault in caught.value.faults] == ["'bb'", "'zz'"]
