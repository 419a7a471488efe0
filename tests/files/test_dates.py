from __future__ import annotations

from datetime import date, timedelta

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import HierarchyError, SchemaError
from evosdc.files.frame import table_from_frame
from evosdc.files.inference.proposal import infer
from evosdc.files.schema.schema_file import dump_schema, load_schema, schema_from_json, schema_to_json
from evosdc.files.source import read_source
from evosdc.table.dates import FORMATS, date_format_of, date_hierarchy, either_way, in_time
from evosdc.table.schema import Attribute, Role, Scale, Schema

from .build import column, day_of, write

DAYS = [date(2020, 12, 25) + timedelta(days=5 * k) for k in range(12)]


@pytest.mark.parametrize("date_format", [f for f in FORMATS if "%y" not in f])
def test_every_way_of_writing_days_is_read_as_those_days(date_format):
    texts = [day.strftime(date_format) for day in DAYS]
    found = date_format_of(texts)
    assert found
    assert [day_of(text, found) for text in texts] == [day_of(text, date_format) for text in texts]


@pytest.mark.parametrize(
    "texts", [["202011", "202012"], ["1.5", "2.5"], ["12-34-5678", "45-67-8901"], ["2020", "2021"], ["1-4", "5-9"], []]
)
def test_what_only_looks_like_days_is_none(texts):
    assert date_format_of(texts) == ""


@given(st.lists(st.dates(date(1900, 1, 1), date(2100, 1, 1)), min_size=1, unique=True))
def test_days_stand_in_the_order_of_time_and_below_their_months(days):
    texts = [day.strftime("%d.%m.%Y") for day in days]
    assert in_time(texts, "%d.%m.%Y") == tuple(day.strftime("%d.%m.%Y") for day in sorted(days))
    hierarchy = date_hierarchy(texts, "%d.%m.%Y", ("month", "quarter", "year", "decade"))
    for day, text in zip(days, texts, strict=True):
        quarter = f"{day.year}-Q{[1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4][day.month - 1]}"
        decade = f"{str(day.year)[:3]}0s"
        assert hierarchy.path(text) == (text, day.strftime("%Y-%m"), quarter, str(day.year), decade, "*")


def test_day_and_month_that_cannot_be_told_apart_are_mentioned():
    texts = ["01/02/2020", "03/04/2020", "05/06/2020"]
    assert either_way(texts, date_format_of(texts))
    assert not either_way(["13/02/2020"], "%d/%m/%Y")
    assert "the other way round" in infer([column("seen", texts * 5)]).reasons["seen"]


def test_unknown_levels_and_foreign_texts_are_refused():
    with pytest.raises(HierarchyError, match="week"):
        date_hierarchy(["2020-01-01"], "%Y-%m-%d", ["week"])
    with pytest.raises(HierarchyError, match="in this order"):
        date_hierarchy(["2020-01-01"], "%Y-%m-%d", ["year", "month"])
    with pytest.raises(HierarchyError, match="'soon'"):
        date_hierarchy(["soon"], "%Y-%m-%d")


def test_dates_are_proposed_with_their_hierarchy_and_come_back_from_the_schema_file(tmp_path):
    lines = [f"{day:%d.%m.%Y},{'fm'[k % 2]}" for k, day in enumerate(DAYS)]
    path = write(tmp_path, "\n".join(["admitted,sex", *lines]))
    source = read_source(path)
    admitted = source.table.schema["admitted"]
    assert (admitted.role, admitted.scale, admitted.scale_word) == (Role.QUASI_IDENTIFIER, Scale.ORDINAL, "date")
    assert admitted.categories == tuple(f"{day:%d.%m.%Y}" for day in DAYS)
    assert admitted.hierarchy.path("04.01.2021") == ("04.01.2021", "2021-01", "2021-Q1", "2021", "*")
    dump_schema(source.table.schema, tmp_path / "s.toml", (), source.inference.reasons)
    written = (tmp_path / "s.toml").read_text()
    assert 'scale = "date", format = "%d.%m.%Y"' in written
    assert "# others may know the day, and its 12 values are dates" in written
    again = read_source(path, tmp_path / "s.toml").table.schema
    assert again == source.table.schema
    assert again["admitted"].hierarchy.path("04.01.2021") == admitted.hierarchy.path("04.01.2021")
    assert schema_from_json(schema_to_json(again)) == again


def test_a_rule_makes_the_hierarchy_of_dates(tmp_path):
    path = write(tmp_path, "d,x\n2020-01-31,1.5\n2020-04-01,2.5\n,3.5\n")
    text = '[attributes]\nd = { scale = "date", hierarchy = { dates = ["quarter", "year"] } }\n'
    schema = read_source(path, write(tmp_path, text, "s.toml")).table.schema
    assert schema["d"].hierarchy.path("2020-04-01") == ("2020-04-01", "2020-Q2", "2020", "*")
    refused = write(tmp_path, '[attributes]\nx = { hierarchy = { dates = ["year"] } }\n', "t.toml")
    with pytest.raises(Exception, match="an attribute of dates"):
        read_source(path, refused)


def test_what_is_declared_a_date_and_is_none_is_refused(tmp_path):
    path = write(tmp_path, "d,x\n2020-01-31,1\nsoon,2\n")
    with pytest.raises(SchemaError, match="2 values that are no days written in one way"):
        read_source(path, write(tmp_path, '[attributes]\nd = { scale = "date" }\n', "s.toml"))
    with pytest.raises(SchemaError, match="1 values that are no days written as %Y-%m-%d"):
        read_source(path, write(tmp_path, '[attributes]\nd = { scale = "date", format = "%Y-%m-%d" }\n', "t.toml"))
    with pytest.raises(SchemaError, match="format"):
        load_schema(write(tmp_path, '[attributes]\nd = { scale = "nominal", format = "%Y" }\n', "u.toml"))


def test_frames_of_days_are_dates():
    frame = pd.DataFrame({"d": pd.to_datetime(["2020-03-01", "2019-12-31", None])})
    attribute = table_from_frame(frame).schema["d"]
    assert attribute.scale_word == "date"
    assert [label[:10] for label in attribute.categories] == ["2019-12-31", "2020-03-01"]


def test_dates_are_ordinal_for_everything_that_masks_and_measures():
    attribute = Attribute("d", scale=Scale.ORDINAL, categories=("2020-01-01",), date_format="%Y-%m-%d")
    assert Schema((attribute,)).categorical == (attribute,)


@pytest.mark.parametrize("rule", [True, False])
def test_generalised_dates_are_read_by_the_schema_of_the_days(tmp_path, rule):
    from evosdc.files.source import read_masked, read_published

    path = write(tmp_path, "\n".join(["admitted,sex", *(f"{day},{'fm'[k % 2]}" for k, day in enumerate(DAYS))]))
    source = read_source(path)
    dump_schema(source.table.schema, tmp_path / "s.toml")
    if rule:
        said = 'role = "quasi-identifier", scale = "date", hierarchy = { dates = ["month"] }'
        text = f"[attributes]\nadmitted = {{ {said} }}\n"
        write(tmp_path, text, "s.toml")
        source = read_source(path, tmp_path / "s.toml")
    month = source.table.schema["admitted"].hierarchy.generalise([str(day) for day in DAYS], 1)
    wide = write(tmp_path, "\n".join(["admitted,sex", *(f"{m},{'fm'[k % 2]}" for k, m in enumerate(month))]), "w.csv")
    found = read_masked(wide, source, generalised=True).table
    labels = found.schema["admitted"].categories
    assert [labels[code] for code in found.column("admitted")] == list(month)
    alone = read_published(wide, tmp_path / "s.toml", generalised=True).table
    assert set(month) <= set(alone.schema["admitted"].categories)
