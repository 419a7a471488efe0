"""Columns of numbers and dates: read as they are written, or refused with examples; never ordered by the alphabet."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import DataError
from evosdc.files.inference.proposal import infer
from evosdc.files.source import read_source
from evosdc.table.dates import (
    contradiction_of,
    date_format_of,
    date_hierarchy,
    duration_order,
    first_year_of,
    in_time,
    moments_of,
)
from evosdc.table.schema import Role, Scale

from .build import column, day_of, write


def test_births_with_two_digit_years_are_never_in_the_future(tmp_path):
    years = [*range(1935, 2004, 2)]
    texts = [f"{k % 28 + 1:02}/{k % 12 + 1:02}/{year % 100:02}" for k, year in enumerate(years)]
    date_format = date_format_of(texts, past=True)
    assert [day_of(text, date_format).year for text in texts] == years
    assert in_time(texts, date_format) == tuple(texts)
    path = write(tmp_path, "\n".join(["birth,sex", *(f"{text},{'fm'[k % 2]}" for k, text in enumerate(texts))]))
    source = read_source(path)
    assert source.table.schema["birth"].categories == tuple(texts)
    assert "two-digit years are read as 1930 to 2029, which is a guess" in source.inference.reasons["birth"]


@given(st.lists(st.dates(datetime(1927, 6, 1).date(), datetime(2024, 12, 31).date()), min_size=2, unique=True))
def test_a_century_of_births_keeps_its_order(days):
    if max(days).year - min(days).year > 60:
        days = [day for day in days if day.year > max(days).year - 60]
    texts = [day.strftime("%d.%m.%y") for day in days]
    found = date_format_of(texts, past=True)
    first = first_year_of(found)
    assert [day_of(text, found).year % 100 for text in texts] == [day.year % 100 for day in days]
    assert all(first <= day_of(text, found).year <= datetime.now().year for text in texts)


def test_due_dates_may_lie_ahead_and_births_may_not():
    texts = [f"01/{k % 12 + 1:02}/{year % 100:02}" for k, year in enumerate(range(2015, 2036))]
    assert day_of(texts[-1], date_format_of(texts)).year == 2035
    assert day_of(texts[-1], date_format_of(texts, past=True)).year == 1935


@pytest.mark.parametrize(
    ("texts", "signs"),
    [
        (["1983-06-24 21:25:33.121", "1958-11-14 03:00:53"], "%Y-%m-%d %H:%M:%S.%f"),
        (["1995-10-11T05:32:28Z", "1958-10-29T06:17:26Z"], "%Y-%m-%dT%H:%M:%S%z"),
        (["3/14/2020 05:12 PM", "3/14/2020 12:12 AM"], "%m/%d/%Y %I:%M %p"),
        (["2020-01-01", "2020-01-02 10:30:00"], "%Y-%m-%d %H:%M:%S"),
        (["18-APR-80 10:15", "02-MAY-81 11:15"], "%d-%b-%y %H:%M from 1980"),
    ],
)
def test_times_of_day_are_read(texts, signs):
    found = date_format_of(texts)
    assert found == signs
    assert set(in_time(texts, found)) == set(texts)
    assert date_hierarchy(texts, found).height == 4


@given(st.lists(st.tuples(st.datetimes(datetime(1900, 1, 2), datetime(2100, 1, 1)), st.integers(-11, 12)), min_size=1))
def test_moments_with_zones_stand_in_the_order_of_time(moments):
    texts, order = [], {}
    for moment, hours in moments:
        local = moment.replace(tzinfo=UTC) + timedelta(hours=hours)
        text = f"{local:%Y-%m-%dT%H:%M:%S.%f}{'+' if hours >= 0 else '-'}{abs(hours):02}:00"
        order[text] = moment
        texts.append(text)
    texts = list(dict.fromkeys(texts))
    found = date_format_of(texts)
    assert [order[text] for text in in_time(texts, found)] == sorted(order.values())
    assert moments_of(texts, found).tolist() == [order[text] for text in texts]


@pytest.mark.parametrize(
    "texts",
    [
        ["13/02/2020", "02/13/2020"],
        ["2020-02-13", "13.02.2020"],
        ["2020-01-01 01:00+02:00", "2020-01-01 00:30"],
    ],
)
def test_dates_that_no_format_reads_together_are_told(texts):
    assert date_format_of(texts) == ""
    assert set(contradiction_of([*texts, texts[0].replace("2020", "2021")])) >= {texts[1]}
    assert contradiction_of([texts[0], "unknown"]) == ()


@pytest.mark.parametrize(
    "ordered",
    [
        ["2 days", "1 week", "10 days"],
        ["8:30", "10:15", "23:00:01"],
        ["PT90M", "P1D", "PT30H"],
        ["-1 days +23:00:00", "0 days 00:10:00", "12 days 00:00:00"],
        ["45 min", "1 h 30 min", "2 h"],
    ],
)
def test_time_spans_and_times_of_day_stand_by_their_length(ordered):
    assert duration_order(ordered[::-1]) == tuple(ordered)
    assert duration_order([*ordered, "soon"]) is None
    guess = infer([column("stay", ordered * 9)]).schema["stay"]
    assert (guess.scale, guess.categories) == (Scale.ORDINAL, tuple(ordered))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{}%", "numbers with other signs, as '20%'"),
        ("$2,{}", "numbers with other signs, as '$2,120'"),
        ("2.{},00 \u20ac", "numbers with other signs, as '2.120,00 \u20ac'"),
        ("({})", "numbers with other signs, as '\\(120\\)'"),
        ("\u2212{}", "numbers with other signs, as '\u2212120'"),
        ("EUR {}", "numbers with other signs, as 'EUR 120'"),
        ("{}. M\u00e4rz 1990", "dates with months that are not read, as '20. M\u00e4rz 1990'"),
        ("{} de enero de 1990", "dates with months that are not read, as '20 de enero de 1990'"),
    ],
)
def test_numbers_and_dates_that_are_not_read_are_no_names(written, said):
    first = 20 if written.startswith("{}") else 120
    columns = [column("x", [written.format(k) for k in range(first, first + 12)] * 2), column("sex", ["f", "m"] * 12)]
    with pytest.raises(DataError, match=f"x: given {said}".replace("$", "[$]")):
        infer(columns)
    assert infer(columns, codes={}).schema["x"].role is Role.DROP


@pytest.mark.parametrize(
    "texts", [["1%", "5%"], ["12A", "12B", "13A"], ["+49 30 123", "+49 89 456", "030 12"], ["Version 1990"]]
)
def test_words_with_digits_are_words(texts):
    assert infer([column("x", texts * 6)]).schema["x"].role is not Role.DROP


def test_quarters_and_weeks_stand_in_their_order_and_words_among_numbers_are_named():
    assert infer([column("x", ["2021-Q1", "2020-Q4", "2020-Q1"] * 6)]).schema["x"].scale is Scale.ORDINAL
    found = infer([column("x", [*map(str, range(30)), "Total", "none here"] * 4)])
    assert "93 % of them are numbers, and the others texts" in found.reasons["x"]


def test_numbers_written_in_two_ways_are_refused_and_asked_back(tmp_path):
    amounts = ["3.177,16", "2,805.67", *(f"{k}.100,25" for k in range(1, 60))]
    columns = [column("amount", amounts), column("sex", ["f", "m"] * 30 + ["f"])]
    with pytest.raises(DataError, match=r"amount: given numbers written in several ways, as '2,805.67' and '3.177,16'"):
        infer(columns)
    asked = infer(columns, codes={})
    assert asked.schema["amount"].role is Role.DROP
    assert "'3.177,16'" in asked.reasons["amount"]
    text = "\n".join(["amount;sex", *(f"{a};{'fm'[k % 2]}" for k, a in enumerate(amounts))])
    with pytest.raises(DataError, match="evosdc init"):
        read_source(write(tmp_path, text))


def test_thousands_are_read_told_and_published_without_their_marks(tmp_path):
    amounts = [f"{1000 + 37 * k:,}".replace(",", ".") + f",{k:02}" for k in range(40)]
    path = write(tmp_path, "\n".join(["amount;sex", *(f"{a};{'fm'[k % 2]}" for k, a in enumerate(amounts))]))
    source = read_source(path)
    assert source.table.column("amount").tolist() == pytest.approx([1000 + 37 * k + k / 100 for k in range(40)])
    assert any("points group the digits" in note for note in source.notes)
    masked = source.table.with_columns(source.table.select(["amount"]).take(range(39, -1, -1)))
    source.write(tmp_path / "out.csv", masked.select(["amount"]))
    assert (tmp_path / "out.csv").read_text().splitlines()[1].startswith("2443,39;")


def test_codes_with_leading_noughts_and_points_are_no_fractions():
    codes = [f"{k:02}.{k % 9}1" for k in range(1, 60)]
    assert infer([column("nace", codes * 2)]).schema["nace"].scale is Scale.NOMINAL


def test_a_format_with_two_digit_years_gets_its_century_and_keeps_it(tmp_path):
    path = write(tmp_path, "birth,sex\n" + "".join(f"0{k % 9 + 1}.05.{35 + k},f\n" for k in range(40)))
    schema = write(tmp_path, '[attributes]\nbirth = { scale = "date", format = "%d.%m.%y" }\n', "s.toml")
    assert read_source(path, schema).table.schema["birth"].date_format == "%d.%m.%y from 1930"
    write(tmp_path, '[attributes]\nbirth = { scale = "date", format = "%d.%m.%y from 1899" }\n', "s.toml")
    found = read_source(path, schema).table.schema["birth"]
    assert day_of(found.categories[0], found.date_format).year == 1935
