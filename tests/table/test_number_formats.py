"""How a column writes its numbers is decided over the whole column, and what cannot be decided is told."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.numerals import NumberFormat, contradiction_of, number, number_formats, values_of


@pytest.mark.parametrize(
    ("texts", "decimal", "thousands"),
    [
        (["1.5", "2"], ".", ""),
        (["1,5", "2"], ",", ""),
        (["3.177,16", "12"], ",", "."),
        (["2,805.67", "12"], ".", ","),
        (["1.234.567", "12"], ",", "."),
        (["1 234,5", "1 234 567"], ",", " "),
        (["1'234.50", "7"], ".", "'"),
        (["1\u202f234,50", "7,1"], ",", "\u202f"),
        (["1.234", "0.5"], ".", ""),
        (["0.234", "1.234"], ".", ""),
        (["1.234", "12345"], ".", ""),
        (["1.5", "1,234"], ".", ","),
        (["1.234", "2.345", "12.345", "5.678", "9.012", "87", "901"], ",", "."),
        (["17", "x", "y", "z"], ".", ""),
    ],
)
def test_marks_follow_from_the_texts_of_the_column(texts, decimal, thousands):
    assert number_formats([texts]) == [NumberFormat(decimal, thousands)]


def test_what_one_column_leaves_open_the_others_decide():
    assert number_formats([["1.234", "2.345"], ["0,5"]]) == [NumberFormat(",", "."), NumberFormat(",", "")]
    assert number_formats([["1.234", "2.345"], ["0.5"]]) == [NumberFormat(".", ""), NumberFormat(".", "")]
    assert number_formats([["1,234", "987"]], ",") == [NumberFormat(".", ",")]


@pytest.mark.parametrize(
    "texts",
    [["3.177,16", "2,805.67"], ["1.5", "2,5"], ["1.234", "2,345"], ["1.234.567", "1,234,567"], ["0.5", "1.2,5"]],
)
def test_texts_that_no_format_reads_together_are_told(texts):
    pair = contradiction_of([*texts, "7"])
    if texts == ["0.5", "1.2,5"]:
        assert pair == ()  # the second is no number in any format
    else:
        assert set(pair) == set(texts)
    assert number_formats([texts]) == [NumberFormat()]


@given(st.lists(st.integers(-(10**10), 10**10), min_size=8, unique=True), st.sampled_from([",", ".", " ", "'"]))
def test_numbers_written_with_any_marks_are_read_as_they_are(numbers, thousands):
    decimal = "." if thousands == "," else ","
    texts = [f"{n / 100:,.2f}".replace(",", "\0").replace(".", decimal).replace("\0", thousands) for n in numbers]
    (written,) = number_formats([texts])
    assert written.decimal == decimal
    assert contradiction_of(texts) == ()
    assert [number(written.plain(text), written.decimal) for text in texts] == [n / 100 for n in numbers]


def test_very_many_texts_are_decided_as_few_are():
    plain = [f"{k}.5" for k in range(20_000)]
    assert number_formats([plain]) == [NumberFormat()]
    assert number_formats([[*plain, "1,234.5"]]) == [NumberFormat(".", ",")]
    assert contradiction_of([*plain, "1,5"]) == ("0.5", "1,5")


@given(st.lists(st.text("0123456789+-.,eE x", max_size=8), max_size=20), st.sampled_from([".", ","]))
def test_a_column_is_parsed_as_its_texts_are(texts, mark):
    wanted = [np.nan if (value := number(text, mark)) is None else value for text in texts]
    np.testing.assert_array_equal(values_of(texts, mark), wanted)
    np.testing.assert_array_equal(values_of(pa.array(texts, pa.string()), mark), wanted)
