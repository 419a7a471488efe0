"""Numbers and settings in words."""

from __future__ import annotations

import math

import pytest

from evosdc.report import wording
from evosdc.report.drawn import literal
from evosdc.report.resources import prose


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"), (-0.001, "0.00"), (-1.5, "\N{MINUS SIGN}1.50"), (1234567.891, "1\u202f234\u202f567.89"),
        (math.nan, "\N{EN DASH}"), (math.inf, "\N{EN DASH}"), (None, "\N{EN DASH}"),
    ],
)  # fmt: skip
def test_numbers(value: float | None, text: str) -> None:
    assert wording.number(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.25, "0.2 s"),
        (42.4, "42 s"),
        (119.0, "119 s"),
        (122.0, "2 min 2 s"),
        (7325.0, "2 h 2 min"),
        (math.nan, "\N{EN DASH}"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert wording.duration(seconds) == text


def test_listings_and_plurals() -> None:
    assert wording.listing([]) == ""
    assert wording.listing(["a"]) == "a"
    assert wording.listing(["a", "b", "c"]) == "a, b and c"
    assert wording.plural(1, "file") == "1 file"
    assert wording.plural(2, "file") == "2 files"


def test_settings_leave_out_what_is_not_set_and_join_names() -> None:
    document = {
        "seed": 0,
        "data": {"name": "adult", "file": None},
        "measures": {"il": [{"name": "dbil"}, {"name": "ctbil"}], "dr": []},
        "start": [{"method": "mdav", "k": 3}],
        "flag": False,
    }
    assert list(wording.settings(document)) == [
        ("seed", "0"),
        ("data.name", "adult"),
        ("measures.il", "dbil, ctbil"),
        ("start[1].method", "mdav"),
        ("start[1].k", "3"),
        ("flag", "no"),
    ]


def test_plotly_gets_text_and_no_mark_up() -> None:
    assert literal("<b>a</b> & b") == "&lt;b&gt;a&lt;/b&gt; &amp; b"
    assert literal("<abcdefgh", 4) == "&lt;ab\N{HORIZONTAL ELLIPSIS}"


def test_commands_in_sentences_are_shown_as_code_and_names_stay_harmless():
    assert prose("<b>a</b>: run `evosdc judge RUN`.") == "&lt;b&gt;a&lt;/b&gt;: run <code>evosdc judge RUN</code>."
    assert "<script>" not in prose("`<script>`")
