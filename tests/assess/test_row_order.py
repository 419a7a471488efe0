"""A shuffled file is told from one whose values were masked."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evosdc.assess.changes import reordered_words
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

SCHEMA = Schema(
    (
        Attribute("region", Role.QUASI_IDENTIFIER, Scale.NOMINAL, tuple("abcd")),
        Attribute("income", Role.SENSITIVE, Scale.NUMERIC),
    )
)


def file(codes: list[int], numbers: list[float]) -> Table:
    return Table(SCHEMA, np.array(codes, dtype=np.int32)[:, None], np.array(numbers)[:, None])


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 50)), min_size=6, max_size=40), st.randoms())
def test_other_rows_are_told_and_the_same_rows_are_not(rows, random):
    original = file([code for code, _ in rows], [float(number) for _, number in rows])
    places = list(range(len(rows)))
    random.shuffle(places)
    shuffled = original.take(np.array(places))
    moved = sum(rows[place] != row for place, row in zip(places, rows, strict=True))
    told = reordered_words(original, shuffled, ["region", "income"])
    assert (told is not None) == (2 * moved >= len(rows))
    assert reordered_words(original, original, ["region", "income"]) is None
    assert reordered_words(original, shuffled, []) is None


def test_values_that_were_masked_are_no_other_order():
    original = file([0, 1, 2, 3], [1.0, 2.0, np.nan, 4.0])
    assert reordered_words(original, file([1, 2, 3, 3], [1.0, 2.0, np.nan, 4.0]), ["region"]) is None
    assert reordered_words(original, file([1, 2, 3, 0], [2.0, np.nan, 4.0, 1.0]), ["region", "income"])
    # One attribute alone exchanged values: the rows of both together are other ones.
    assert reordered_words(original, file([1, 2, 3, 0], [1.0, 2.0, np.nan, 4.0]), ["region", "income"]) is None
