"""Texts held as numbers answer as the texts themselves do."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.table.dates import date_format_of
from evosdc.table.numerals import (
    NumberTexts,
    decimals_of,
    natural_order,
    number,
    numbers,
    same_number,
    texts_of_numbers,
)
from tests.files.numbers import number_to
from tests.files.numbers import numbers as random_numbers


def held_texts(values: list[float]) -> NumberTexts:
    """Return distinct numbers as texts, of whole numbers where all are."""
    return texts_of_numbers(np.array(list(dict.fromkeys(value + 0.0 for value in values))))


@settings(max_examples=60)
@given(random_numbers(), st.integers(0, 16))
def test_what_is_asked_of_all_texts_is_answered_alike(values, decimals):
    held = held_texts(values)
    plain = tuple(held)
    assert plain == tuple(held[place] for place in range(len(held))) == held[:]
    assert numbers(held).tolist() == [number(text) for text in plain]
    assert natural_order(held) == tuple(sorted(plain, key=lambda text: (number(text), text)))
    assert date_format_of(held) == date_format_of(plain)
    assert held.numbers_to(decimals).tolist() == [number_to(text, decimals) for text in plain]
    for code in ("99", "99.0", "-9", "0", "x", plain[0]):
        assert same_number(held, (code,)) == same_number(plain, (code,))
        assert (code in held) == (code in plain)
        assert held.places_of((code,)).tolist() == ([plain.index(code)] if code in plain else [])
    assert held.padded == any(len(text) > 1 and text[0] == "0" and text.isdigit() for text in plain)


@given(random_numbers(2))
def test_some_texts_are_held_as_all_are(values):
    held = held_texts(values)
    places = np.arange(len(held))[::-2]
    assert tuple(held.of_cells(places)) == tuple(held)[::-2]


def test_infinite_floats_write_no_numbers():
    held = texts_of_numbers(np.array([np.inf, 1.5, -np.inf]))
    assert tuple(held) == ("inf", "1.5", "-inf")
    assert held.words == ("inf", "-inf")
    assert numbers(held) is None
    assert decimals_of(held) == 1
    assert held.index("-inf") == 2


def test_a_text_that_is_not_there_has_no_place():
    held = texts_of_numbers(np.array([5, 2**63 - 1]))
    assert held.index(str(2**63 - 1)) == 1
    with pytest.raises(ValueError, match="7"):
        held.index("7")
    with pytest.raises(IndexError):
        held[2]


KNOWN = ["5", "5.0", "-.5", "1e400", "", "NA", "007", "5", "x", "+3", "2.50"]
CELLS = st.one_of(st.sampled_from(KNOWN), st.floats().map(repr))


@settings(max_examples=60)
@given(st.lists(CELLS, min_size=1, max_size=30), st.sampled_from([".", ","]))
def test_cells_answer_as_their_texts_do(texts, mark):
    cells = [text.replace(".", mark) for text in texts]
    held, plain = NumberTexts(pa.array(cells), mark), tuple(dict.fromkeys(cells))
    read = [number(text, mark) for text in plain]
    assert tuple(held) == plain
    assert [None if np.isnan(value) else value for value in held.values] == read
    assert held.words == tuple(text for text, value in zip(plain, read, strict=True) if value is None)
    assert held[:3] == plain[:3]
    for text in (*plain, "9", "y"):
        assert held.standing((text,)).tolist() == [cell == text for cell in cells]
    assert held.coded[1].tolist() == [plain.index(cell) for cell in cells]
