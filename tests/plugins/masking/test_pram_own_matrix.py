"""PRAM by matrices from a user's file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from evosdc.errors import ParameterError
from evosdc.table.table import Table
from evosdc_masking.post_randomisation.pram import Pram
from tests.plugins.masking.tables import NOMINAL, ORDINAL, build, categorical, masked

TABLE = categorical([[i % 3, i // 3 % 2] for i in range(60)], (3, 2), (ORDINAL, NOMINAL))
TURN = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


def written(folder: Path, text: str, name: str = "matrix.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def by_json(folder: Path, **entries: object) -> Path:
    return written(folder, json.dumps(entries), "matrices.json")


def one(table: Table) -> Table:
    return table.select(["c0"])


@pytest.mark.parametrize("name", ["c0", "original", ""])
def test_a_csv_file_is_for_its_attribute_whatever_the_order_of_rows(tmp_path: Path, name: str) -> None:
    file = written(tmp_path, f"{name},000,001,002\n001,0,0,1\n000,0,1,0\n\n002,1,0,0\n")
    published = masked(Pram, one(TABLE), matrix=file)
    np.testing.assert_array_equal(published.codes, (one(TABLE).codes + 1) % 3)


def test_a_json_file_is_for_several_attributes_and_their_categories_in_any_order(tmp_path: Path) -> None:
    turn = {"categories": ["002", "000", "001"], "matrix": [[0, 1, 0], [0, 0, 1], [1, 0, 0]]}
    keep = {"categories": ["000", "001"], "matrix": [[1, 0], [0, 1]]}
    published = masked(Pram, TABLE, design="matrix", matrix=by_json(tmp_path, c0=turn, c1=keep))
    np.testing.assert_array_equal(published.codes[:, 0], (TABLE.codes[:, 0] + 1) % 3)
    np.testing.assert_array_equal(published.codes[:, 1], TABLE.codes[:, 1])


def test_rows_that_sum_to_one_but_for_their_decimals_are_taken(tmp_path: Path) -> None:
    file = written(tmp_path, "c0,000,001,002\n000,.333333,.333333,.333333\n001,0,1,0\n002,0,0,1\n")
    ((_, matrix),) = build(Pram, matrix=file).matrices(one(TABLE))
    np.testing.assert_allclose(matrix.sum(axis=1), 1, atol=1e-15)


def test_what_mask_wrote_can_be_read_again(tmp_path: Path) -> None:
    params = {"design": "two-stage", "crossed": [["c0", "c1"]]}
    file = by_json(tmp_path, **build(Pram, **params).account(TABLE))
    again = masked(Pram, TABLE, matrix=file, crossed=[["c0", "c1"]])
    assert again.same_records(masked(Pram, TABLE, **params))


def test_categories_outside_the_file_may_be_published_by_ones_own_matrix(tmp_path: Path) -> None:
    table = categorical([[0], [0], [1]], (3,), (NOMINAL,))
    file = by_json(tmp_path, c0={"categories": ["000", "001", "002"], "matrix": [[0, 0, 1], [0, 0, 1], [0, 0, 1]]})
    np.testing.assert_array_equal(masked(Pram, table, matrix=file).codes, 2)


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("c0,000,001,002\n000,1,0,0\n001,0,1.2,0\n002,.5,.4,0\n", ["line 3 (001)", "line 4 (002)", "sums to 0.9"]),
        ("c0,000,001\n000,1,0\n001,0,1\n", ["no row for 002"]),
        ("c0,000,001,002,xx\n000,1,0,0,0\n001,0,1,0,0\n002,0,0,1,0\nxx,0,0,0,1\n", ["'xx', which is no category"]),
        ("c0,000,001,002\n000,1,0,0\n001,0,one,0\n002,0,0\n", ["line 3 (001): given 'one'", "line 4: given 2 entries"]),
        ("c0,000,000,002\n000,1,0,0\n", ["the categories 000 more than once", "no row for 002"]),
        ("c0,000,001,002\n000,1,0,0\n001,0,1,0\n002,0,0,1\n003,0,0,1\n", ["line 5: given the row '003'"]),
        ("c7,000\n000,1\n", ["a matrix for c7", "no matrix for c0"]),
        ("", ["line 1: given no header"]),
        ('{"c0": ', ["line 1: given text that is not JSON"]),
        ('{"c0": 3}', ["c0: given no table"]),
        ('{"c0": {"categories": ["000"], "matrix": null}}', ["no matrix", "withheld"]),
        ('{"c0": {"categories": ["000", "001"], "matrix": [[1, 0], [0]]}}', ["row 001: given 1 entries"]),
        ('{"c0": {"categories": "abc", "matrix": [[1]]}}', ["c0: categories: given something else"]),
        ('{"c0": {"categories": ["000"], "matrix": [["x"]]}}', ["row 000: given 'x'"]),
        ("[1, 2]", ["given a list"]),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_place(tmp_path: Path, text: str, messages: list[str]) -> None:
    file = written(tmp_path, text)
    with pytest.raises(ParameterError) as caught:
        masked(Pram, one(TABLE), matrix=file)
    for message in messages:
        assert message in str(caught.value)
    assert str(file) in str(caught.value)


def test_rows_and_categories_are_told_of_at_once(tmp_path: Path) -> None:
    wrong = {"categories": ["000", "001", "xx"], "matrix": [[1, 0, 0], [0, 0.5, 0], [0, 0, 2]]}
    with pytest.raises(ParameterError) as caught:
        masked(Pram, TABLE, matrix=by_json(tmp_path, c0=wrong, c5={"categories": ["a"], "matrix": [[1]]}))
    for text in ("row 001: given a row that sums", "row xx: given an entry", "'xx', which is no", "no row for 002"):
        assert text in str(caught.value)
    assert "a matrix for c5" in str(caught.value)
    assert "no matrix for c1" in str(caught.value)


def test_a_csv_file_without_a_name_cannot_be_for_two_attributes(tmp_path: Path) -> None:
    file = written(tmp_path, "original,000,001,002\n000,1,0,0\n001,0,1,0\n002,0,0,1\n")
    with pytest.raises(ParameterError, match="no attribute in particular"):
        masked(Pram, TABLE, matrix=file)


def test_each_attribute_needs_a_matrix_and_all_that_lack_one_are_named(tmp_path: Path) -> None:
    with pytest.raises(ParameterError) as caught:
        masked(Pram, TABLE, matrix=by_json(tmp_path, c9={"categories": ["a"], "matrix": [[1]]}))
    assert "no matrix for c0" in str(caught.value)
    assert "no matrix for c1" in str(caught.value)
    assert "a matrix for c9" in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no such file"):
        build(Pram, matrix=tmp_path / "none.csv")
