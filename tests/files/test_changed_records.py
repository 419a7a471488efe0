"""Columns of which nearly every record has a number of its own change as those whose texts are told apart."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from evosdc.files.changed_records import TextsInPlace
from evosdc.files.changes import change_of
from evosdc.files.record_column import RecordColumn
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

from .test_plain_text import read

TEXTS = ["1.5", "1.50", "01.5", "15e-1", "2.5", "2.50", "-0.0", "0.0", "7.25", "7.31", "99.5", "x", "", "1e400"]
STORED = ["0.10000000149011612", "0.100000001490116", "3.5899999141693115", "3.59"]
"""Numbers in single precision with more digits than it holds, and one without."""
NEW = [1.5, 2.5, 0.0, 7.25, 99.5, 3.14159, 0.1, 0.2, 3.59, np.nan]


def changes(texts: list[str], missing: tuple[str, ...], new: list[float], decimals: int):
    """Return the change of a column in place and with its texts told apart; None where there is none in place."""
    original = read("\n".join(["a,b", *(f"{text}, " for text in texts), ""]).encode(), True)
    column = original.columns[0]
    if not isinstance(column, RecordColumn):
        return None
    attribute = Attribute("a", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=decimals)
    masked = Table(Schema((attribute,)), np.empty((len(new), 0), np.int32), np.array(new).reshape(-1, 1))
    return tuple(change_of(each, missing, masked, decimals) for each in (column, column.told()))


@given(
    st.lists(st.tuples(st.sampled_from([*TEXTS, *STORED]), st.sampled_from(NEW)), max_size=9),
    st.sets(st.sampled_from(["x", "", "99.5"])),
    st.integers(0, 3),
    st.booleans(),
)
@example([("1.50", 1.5), ("01.5", 1.5)], set(), 2, True)
@example([("1.5", 1.5), ("1.50", 1.5), ("2.5", 2.5), ("7.31", 2.5)], set(), 2, False)
@example([("1.5", 1.5), ("x", np.nan), ("2.5", 2.5), ("7.31", 2.5)], set(), 2, False)
@example([("1.5", 1.5), ("x", np.nan), ("", np.nan), ("2.5", 3.14159)], {"x", ""}, 2, True)
@example([("0.10000000149011612", 0.1), ("1.5", 0.2)], set(), 2, False)
@example([("3.59", 3.59), ("3.5899999141693115", 0.2)], set(), 2, True)
def test_a_change_in_place_is_the_change_of_texts_told_apart(records, missing, decimals, kept):
    # Four numbers of their own come first, by which the column is known as one of such.
    texts = ["1.01", "1.02", "1.03", "1.04", *(text for text, _ in records)]
    new = [1.01, 1.02, 1.04, 1.03, *(value for _, value in records)]
    if kept:
        new = [1.01, 1.02, 1.03, 1.04, *(value for _, value in records)]
    found = changes(texts, tuple(sorted(missing)), new, decimals)
    if found is None:
        return
    in_place, told = found
    assert isinstance(in_place.texts, TextsInPlace) or decimals < 2
    assert in_place.changed.tolist() == told.changed.tolist()
    assert in_place.reworded.tolist() == told.reworded.tolist()
    assert (None in in_place.texts) == (None in told.texts)
    for row in np.flatnonzero(told.changed | told.reworded).tolist():
        assert in_place.texts[in_place.index[row]] == told.texts[told.index[row]]


def test_texts_in_place_are_a_sequence():
    in_place, _ = changes(["1.01", "1.02", "1.03", "1.04"], (), [1.02, 1.01, np.nan, 8.5], 2)
    assert tuple(in_place.texts) == ("1.01", "1.02", "1.03", "1.04", "8.50", None)
    assert in_place.texts[-1] is None
    assert in_place.texts[:2] == ("1.01", "1.02")
    assert None in in_place.texts
    assert "1.03" in in_place.texts
    assert "9" not in in_place.texts
