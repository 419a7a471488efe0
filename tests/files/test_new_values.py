"""Values of a further wave that the schema's categories or hierarchy lack: refused, missing, or in a known group."""

from __future__ import annotations

import pandas as pd
import pytest

from evosdc.errors import DataError, SchemaError
from evosdc.files.frame import table_from_frame
from evosdc.files.schema.schema_file import dump_schema, load_schema
from evosdc.files.source import read_source
from evosdc.table.hierarchy import Hierarchy

CODES = "J45.0;J45;J;*\nJ45.1;J45;J;*\nJ20.9;J20;J;*\nE11.9;E11;E;*\n"
LINES = {
    "refuse": 'icd = { scale = "nominal", hierarchy = "icd.csv" }\nward = { scale = "nominal", categories = ["A"] }\n',
    "missing": 'icd = { scale = "nominal", hierarchy = "icd.csv", new_values = "missing" }\n'
    'ward = { scale = "nominal", categories = ["A"], new_values = "missing" }\n',
    "parent": 'icd = { scale = "nominal", hierarchy = "icd.csv", new_values = "parent" }\n'
    'ward = { scale = "nominal", categories = ["A"], new_values = "parent" }\n',
}


@pytest.fixture
def wave(tmp_path):
    (tmp_path / "icd.csv").write_text(CODES)
    (tmp_path / "wave.csv").write_text("icd,ward\nJ45.0,A\nJ45.8,B\nZ00,A\nJ45.8,A\n")

    def read(rule):
        (tmp_path / "schema.toml").write_text("[attributes]\n" + LINES[rule])
        return read_source(tmp_path / "wave.csv", tmp_path / "schema.toml")

    return read


def test_new_values_are_refused_with_what_to_type(wave):
    with pytest.raises(DataError) as caught:
        wave("refuse")
    assert "`evosdc edit SCHEMA icd new_values=parent`" in str(caught.value)
    assert "`evosdc edit SCHEMA ward categories=`" in str(caught.value)


def test_new_values_count_as_missing_and_are_published_nowhere(wave, tmp_path):
    source = wave("missing")
    assert source.table.absent("icd").tolist() == [False, True, True, True]
    assert source.table.absent("ward").tolist() == [False, True, False, False]
    assert any("icd: values that the schema lacks count as missing: 'J45.8', 'Z00' (3 rec" in n for n in source.notes)
    report = source.write(tmp_path / "out.csv", source.table.select(["icd"]))
    assert (tmp_path / "out.csv").read_text() == "icd,ward\nJ45.0,A\n,\n,A\n,A\n"
    assert report.changed["icd"] == 0


def test_new_codes_join_the_group_of_those_that_begin_like_them(wave, tmp_path):
    table = wave("parent").table
    assert table.schema["icd"].hierarchy.path("J45.8") == ("J45.8", "J45", "J", "*")
    assert table.schema["icd"].hierarchy.path("Z00") == ("Z00", "Z00", "Z00", "*")
    assert table.schema["ward"].categories == ("A", "B")
    # The rule is kept where a schema is written, with the lists that it is about.
    dump_schema(table.schema, tmp_path / "again.toml", open_ended=True)
    again = load_schema(tmp_path / "again.toml").attributes["ward"]
    assert (again.categories, str(again.new_values)) == (("A", "B"), "parent")


def test_frames_follow_the_rule_too(wave, tmp_path):
    wave("missing")
    table = table_from_frame(pd.read_csv(tmp_path / "wave.csv"), load_schema(tmp_path / "schema.toml"))
    assert table.absent("icd").tolist() == [False, True, True, True]


def test_a_new_leaf_between_groups_stands_below_what_they_share():
    tree = Hierarchy(("J45.0", "J46.0", "E11"), (("J45", "J", "*"), ("J46", "J", "*"), ("E1", "E", "*")))
    assert tree.with_leaves(["J40"]).path("J40") == ("J40", "J40", "J", "*")


def test_new_values_of_numbers_are_no_rule(tmp_path):
    (tmp_path / "s.toml").write_text('[attributes]\npay = { scale = "numeric", new_values = "missing" }\n')
    with pytest.raises(SchemaError, match="one with categories or a hierarchy"):
        load_schema(tmp_path / "s.toml")
