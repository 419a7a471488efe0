"""Equal values of a masked file are equal texts, however the original writes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evosdc.files.source import Source, read_source
from evosdc.table.schema import Schema
from evosdc.table.table import MISSING, Table

from .build import nominal, numeric, schema, write


def written(tmp_path: Path, source: Source, numbers: list[float]) -> list[str]:
    part = source.table.select(["a"])
    masked = Table(part.schema, part.codes, np.array(numbers)[:, None])
    source.write(tmp_path / "out.csv", masked)
    return [line.split(",")[0] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]


@pytest.fixture
def uneven(tmp_path: Path) -> Source:
    """A file that writes 5 in two ways, and numbers with and without decimals."""
    return read_source(
        write(tmp_path, "a,b\n5,x\n5.5,x\n5.0,y\n4.25,y\n"), schema(numeric("a", 2), nominal("b", "x", "y"))
    )


def test_a_new_number_is_written_as_the_file_writes_it(tmp_path, uneven):
    assert written(tmp_path, uneven, [5.0, 5.0, 5.0, 5.0]) == ["5"] * 4
    assert written(tmp_path, uneven, [5.5, 4.25, 5.5, 4.25]) == ["5.5", "4.25", "5.5", "4.25"]


def test_a_number_that_rounds_to_one_of_the_file_is_written_as_it(tmp_path, uneven):
    assert written(tmp_path, uneven, [5.0, 5.001, 5.5, 5.4999]) == ["5", "5", "5.5", "5.5"]


def test_a_number_that_the_file_lacks_is_written_as_others_are(tmp_path, uneven):
    assert written(tmp_path, uneven, [5.25, 5.25, 6.0, 6.0]) == ["5.25", "5.25", "6", "6"]


def test_a_column_is_written_alike_where_nothing_changes(tmp_path, uneven):
    assert written(tmp_path, uneven, [5.0, 5.5, 5.0, 4.25]) == ["5", "5.5", "5", "4.25"]


def test_another_way_of_writing_is_not_counted_as_a_change(tmp_path, uneven):
    part = uneven.table.select(["a"])
    masked = Table(part.schema, part.codes, np.array([[5.0], [5.0], [5.0], [4.25]]))
    assert uneven.write(tmp_path / "out.csv", masked).changed == {"a": 1}


def test_an_attribute_that_keeps_its_values_is_written_alike_beside_one_that_changes(tmp_path, uneven):
    part = uneven.table.select(["a", "b"])
    masked = Table(part.schema, np.zeros((4, 1), dtype=np.int32), part.numbers)
    report = uneven.write(tmp_path / "out.csv", masked)
    assert (tmp_path / "out.csv").read_text() == "a,b\n5,x\n5.5,x\n5,x\n4.25,x\n"
    assert report.changed == {"a": 0, "b": 2}


def test_attributes_that_are_not_masked_stay_as_they_are_written(tmp_path):
    source = read_source(write(tmp_path, "a,b\n5,1\n5.0,2\n4,1\n"), schema(numeric("a", 1), nominal("b", "1", "2")))
    part = source.table.select(["b"])
    source.write(tmp_path / "out.csv", Table(part.schema, np.zeros((3, 1), dtype=np.int32), part.numbers))
    assert (tmp_path / "out.csv").read_text() == "a,b\n5,1\n5.0,1\n4,1\n"


@pytest.mark.parametrize("codes", [[0, 0, MISSING, MISSING, MISSING], [0, MISSING, MISSING, MISSING, MISSING]])
def test_missing_values_are_written_alike(tmp_path, codes):
    described = schema(nominal("a", "x", "y"), nominal("b", "1", "2"), missing=("", "?"))
    source = read_source(write(tmp_path, "a,b\nx,1\ny,1\n?,2\n,2\n?,2\n"), described)
    part = source.table.select(["a"])
    source.write(tmp_path / "out.csv", Table(Schema(part.schema.attributes), np.array(codes)[:, None], part.numbers))
    fields = [line.split(",")[0] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    assert fields == ["x" if code == 0 else "?" for code in codes]


def test_decimal_commas_are_kept(tmp_path):
    source = read_source(write(tmp_path, "a;b\n1,5;x\n2;y\n2,0;x\n"))
    part = source.table.select(["a"])
    source.write(tmp_path / "out.csv", Table(part.schema, part.codes, np.array([[2.0], [2.0], [1.75]])))
    assert (tmp_path / "out.csv").read_text() == "a;b\n2;x\n2;y\n1,8;x\n"
