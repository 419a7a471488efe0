from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from evosdc.errors import DataError
from evosdc.files.source import read_source
from evosdc.table.schema import Role, Scale
from evosdc.table.table import MISSING, Table

from .build import nominal, numeric, schema, write

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def arrow():
    sizes = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0]), pa.array(["s", "l"]), ordered=True)
    return pa.table(
        {
            "id": pa.array([10, 11, 12, 13], pa.int32()),
            "sex": pa.array(["f", None, "m", "f"]),
            "age": pa.array([30, None, 48, 30], pa.int16()),
            "size": sizes,
            "pay": pa.array([Decimal("1.50"), Decimal("2.25"), None, Decimal("0.10")], pa.decimal128(8, 2)),
            "flag": pa.array([True, None, False, True]),
            "real": pa.array([1.5, 2.5, None, 0.5], pa.float32()),
        },
        metadata={"made": "by hand"},
    )


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "data.parquet"
    pq.write_table(arrow(), path)
    return path


def described():
    return schema(
        nominal("id", "10", "11", "12", "13", role=Role.IDENTIFIER),
        nominal("sex", "f", "m"),
        numeric("age"),
        numeric("pay", 2),
    )


def test_reading(path):
    table = read_source(path, described()).table
    assert list(table.column("sex")) == [0, MISSING, 1, 0]
    assert np.array_equal(table.column("age"), [30, np.nan, 48, 30], equal_nan=True)
    assert np.array_equal(table.column("pay"), [1.5, 2.25, np.nan, 0.1], equal_nan=True)
    assert (table.schema["size"].scale, table.schema["size"].categories) == (Scale.ORDINAL, ("s", "l"))


def test_unmasked_files_keep_values_types_and_metadata(path, tmp_path):
    source = read_source(path)
    source.write(tmp_path / "out.parquet", source.table, drop_identifiers=False)
    back = pq.read_table(tmp_path / "out.parquet")
    assert back.equals(arrow(), check_metadata=True)


def test_masked_files_keep_types(path, tmp_path):
    source = read_source(path, described())
    part = source.table.select(["sex", "age", "pay"])
    masked = Table(part.schema, np.array([[1], [0], [1], [-1]], np.int32), np.array(
        [[30, 1.5], [31, 9.999], [np.nan, 0.25], [30, np.nan]]
    ))  # fmt: skip
    report = source.write(tmp_path / "out.parquet", masked)
    back = pq.read_table(tmp_path / "out.parquet")
    assert report.dropped == ("id",)
    assert back.schema.names == arrow().schema.names[1:]
    assert back.schema.types == arrow().schema.types[1:]
    assert back["sex"].to_pylist() == ["m", "f", "m", None]
    assert back["age"].to_pylist() == [30, 31, None, 30]
    assert back["pay"].to_pylist() == [Decimal("1.50"), Decimal("10.00"), Decimal("0.25"), None]
    assert back["size"].to_pylist() == ["s", "l", None, "s"]


def test_new_labels_change_the_type_of_their_column_only(path, tmp_path):
    source = read_source(path, described())
    recoded = schema(nominal("age", "30-39", "48"))
    codes = np.array([[0], [-1], [1], [0]], np.int32)
    source.write(tmp_path / "out.parquet", Table(recoded, codes, np.empty((4, 0))))
    back = pq.read_table(tmp_path / "out.parquet")
    assert back["age"].to_pylist() == ["30-39", None, "48", "30-39"]
    assert back.schema.field("sex").type == pa.string()


def test_restricted_files(path, tmp_path):
    source = read_source(path, described()).restricted(["sex"], 2)
    source.write(tmp_path / "out.parquet", source.table)
    assert pq.read_table(tmp_path / "out.parquet")["sex"].to_pylist() == ["f", "m"]


def test_faults_name_the_record(path):
    with pytest.raises(DataError, match="'m' in record 3"):
        read_source(path, schema(nominal("sex", "f")))


def test_damaged_and_empty_files(tmp_path):
    with pytest.raises(DataError, match="damaged Parquet"):
        read_source(write(tmp_path, b"PAR1 and more", "bad.parquet"))
    pq.write_table(arrow().slice(0, 0), tmp_path / "none.parquet")
    with pytest.raises(DataError, match="without records"):
        read_source(tmp_path / "none.parquet")
