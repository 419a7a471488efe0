"""Tables, schemas and the distances between categories."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.data.distance import category_distance, common_scale
from evosdc.data.hierarchy import interval_hierarchy
from evosdc.data.schema import Attribute, MissingRule, Role, Scale, Schema
from evosdc.data.selection import complete, complete_rows, head
from evosdc.data.table import MISSING, Table
from evosdc.errors import DataError, SchemaError

from .build import nominal, numeric, ordinal, schema

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
    assert table().has_missing
    assert table().missing_in(SCHEMA["b"]) == 1
    assert table().missing_in(SCHEMA["n"]) == 1
    assert complete_rows(table()).tolist() == [0]
    assert complete_rows(table(), ["n"]).tolist() == [0, 1]
    assert len(complete(table(), ["a"])) == 3
    assert len(head(table(), 2)) == 2
    assert len(head(table(), 9)) == 3


def test_repeated_names_and_categories_are_refused():
    with pytest.raises(SchemaError) as caught:
        schema(nominal("a", "x", "x"), nominal("a", "y"))
    assert len(caught.value.faults) == 2


def test_unknown_names_are_told_together():
    with pytest.raises(SchemaError) as caught:
        SCHEMA.select(["bb", "a", "zz"])
    assert [fault.given for fault in caught.value.faults] == ["'bb'", "'zz'"]


@given(st.integers(1, 12))
def test_ordinal_distance_is_the_share_of_categories_between(size):
    attribute = ordinal("o", *map(str, range(size)))
    distance = category_distance(attribute)
    for a in range(size):
        for b in range(size):
            assert distance.matrix[a, b] == len(range(min(a, b), max(a, b))) / size
    assert distance.matrix[MISSING, :size].tolist() == [1.0] * size
    assert distance.matrix[MISSING, MISSING] == 0


def test_nominal_distance():
    assert category_distance(nominal("a", "x", "y", "z")).matrix.tolist() == [
        [0, 1, 1, 1],
        [1, 0, 1, 1],
        [1, 1, 0, 1],
        [1, 1, 1, 0],
    ]


def test_a_wildcard_is_near_to_everything():
    matrix = category_distance(nominal("a", "x", "y"), MissingRule.WILDCARD).matrix
    assert matrix[MISSING].tolist() == [0, 0, 0]
    assert matrix[0, 1] == 1


def test_distance_by_hierarchy():
    hierarchy = interval_hierarchy(range(20), (5, 10))
    attribute = Attribute("age", Role.OTHER, Scale.ORDINAL, tuple(map(str, range(20))), hierarchy)
    distance = category_distance(attribute, by_hierarchy=True)
    assert distance.denominator == 3
    assert distance.numerators[0, [0, 4, 5, 10, 20]].tolist() == [0, 1, 2, 3, 3]
    assert category_distance(attribute).denominator == 20


def test_common_scale_keeps_ties():
    matrices, denominator = common_scale(Schema((ordinal("a", "1", "2", "3"), ordinal("b", "1", "2", "3", "4"))))
    assert denominator == 12
    assert matrices[0][0, 1] == 4
    assert matrices[1][0, 1] == 3
