from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.assess.verdict import figure_words
from evosdc.printing import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("age", "age"),
        ("größe café 年齢 \U0001f600", "größe café 年齢 \U0001f600"),
        ("a\nb\rc\td", r"a\nb\rc\td"),
        ("\x1b[2J\x07\x00\x9b", r"\x1b[2J\x07\x00\x9b"),
        ("a\u202eb\u2028c\ud800", r"a\u202eb\u2028c\ud800"),
        ("क\u200dष", "क\u200dष"),
        ("C:\\new", "C:\\new"),
    ],
)
def test_what_acts_on_a_terminal_is_escaped(text, shown):
    assert printable(text) == shown


@given(st.text())
def test_shown_texts_are_one_line_and_stay_as_they_are(text):
    shown = printable(text)
    assert len(shown.splitlines()) <= 1
    assert printable(shown) == shown


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0433883, "0.04339"),
        (0.457333, "0.4573"),
        (3.0, "3"),
        (12345.0, "12345"),
        (12345.6, "12350"),
        (3e-7, "0.0000003"),
    ],
)
def test_figures_of_requirements_are_told_with_four_digits(number, text):
    entry = {"requirement": "informed-linkage <= 9", "value": number}
    assert figure_words(entry) == text
