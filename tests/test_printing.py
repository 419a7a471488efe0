from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
