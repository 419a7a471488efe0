"""Top and bottom coding by value, and what they publish for a tail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table.generalisation import LabelReader
from evosdc.table.table import Table
from evosdc_masking.recoding.extreme_coding import BottomCoding, TopCoding
from tests.plugins.masking.tables import (
    NOMINAL,
    ORDINAL,
    build,
    categorical,
    categorical_tables,
    joined,
    masked,
    numeric,
    numeric_tables,
)

NAN = float("nan")
NUMBERS = numeric([4, 1, 3, NAN, 2, 5, 5])
CODES = categorical([0, 1, 1, 2, 3, 3, 3, -1], [5], [ORDINAL])


def texts(table: Table, name: str) -> list[str | None]:
    categories = table.schema[name].categories
    return [None if code == -1 else categories[code] for code in table.column(name).tolist()]


@pytest.mark.parametrize(
    ("method", "params", "published"),
    [
        (TopCoding, {"value": 3}, [3, 1, 3, NAN, 2, 3, 3]),
        (TopCoding, {"value": 2.5, "output": "threshold"}, [2.5, 1, 2.5, NAN, 2, 2.5, 2.5]),
        (TopCoding, {"value": 3, "output": "median"}, [4, 1, 4, NAN, 2, 4, 4]),
        (TopCoding, {"value": 3, "output": "mean"}, [4.25, 1, 4.25, NAN, 2, 4.25, 4.25]),
        (TopCoding, {"value": 9, "output": "mean"}, [4, 1, 3, NAN, 2, 5, 5]),
        (TopCoding, {"value": {"x0": 4}}, [4, 1, 3, NAN, 2, 4, 4]),
        (BottomCoding, {"value": 3}, [4, 3, 3, NAN, 3, 5, 5]),
        (BottomCoding, {"value": 3, "output": "median"}, [4, 2, 2, NAN, 2, 5, 5]),
        (BottomCoding, {"value": 0}, [4, 1, 3, NAN, 2, 5, 5]),
        (TopCoding, {"share": 0.5, "output": "median"}, [5, 1, 3, NAN, 2, 5, 5]),
        (TopCoding, {"share": 0.5, "output": "mean"}, [14 / 3, 1, 3, NAN, 2, 14 / 3, 14 / 3]),
        (TopCoding, {"share": 0.17, "output": "median"}, [4, 1, 3, NAN, 2, 5, 5]),  # the next is 5 as well
        (TopCoding, {"share": 1, "output": "median"}, [3, 3, 3, NAN, 3, 3, 3]),
        (TopCoding, {"share": 1, "output": "threshold"}, [1, 1, 1, NAN, 1, 1, 1]),
        (BottomCoding, {"share": 0, "output": "mean"}, [4, 1, 3, NAN, 2, 5, 5]),
    ],
)
def test_numbers_by_hand(method: Any, params: dict[str, Any], published: list[float]) -> None:
    np.testing.assert_allclose(masked(method, NUMBERS, **params).numbers[:, 0], published)


@pytest.mark.parametrize(
    ("method", "params", "published"),
    [
        (TopCoding, {"value": 4}, [">= 4", "1", "3", None, "2", ">= 4", ">= 4"]),
        (TopCoding, {"value": 4.5}, ["4", "1", "3", None, "2", ">= 4.5", ">= 4.5"]),
        (TopCoding, {"share": 0.5}, [">= 4", "1", "3", None, "2", ">= 4", ">= 4"]),
        (BottomCoding, {"value": 2}, ["4", "<= 2", "3", None, "<= 2", "5", "5"]),
        (BottomCoding, {"share": 0.34}, ["4", "<= 2", "3", None, "<= 2", "5", "5"]),
        (BottomCoding, {"share": 0}, ["4", "1", "3", None, "2", "5", "5"]),
        (TopCoding, {"share": 1}, [">= 1", ">= 1", ">= 1", None, ">= 1", ">= 1", ">= 1"]),
    ],
)
def test_labels_of_numbers_by_hand(method: Any, params: dict[str, Any], published: list[str | None]) -> None:
    assert texts(masked(method, NUMBERS, output="label", **params), "x0") == published


@pytest.mark.parametrize(
    ("method", "params", "published"),
    [
        (TopCoding, {"value": "002"}, [0, 1, 1, 3, 3, 3, 3, -1]),
        (TopCoding, {"value": 2}, [0, 1, 1, 3, 3, 3, 3, -1]),
        (TopCoding, {"value": "002", "output": "threshold"}, [0, 1, 1, 2, 2, 2, 2, -1]),
        (TopCoding, {"value": "004"}, [0, 1, 1, 2, 3, 3, 3, -1]),
        (BottomCoding, {"value": "001"}, [1, 1, 1, 2, 3, 3, 3, -1]),
        (BottomCoding, {"value": "002", "output": "threshold"}, [2, 2, 2, 2, 3, 3, 3, -1]),
        (BottomCoding, {"q": 3, "output": "threshold"}, [2, 2, 2, 2, 3, 3, 3, -1]),
        (TopCoding, {"share": 0.6, "output": "threshold"}, [0, 1, 1, 2, 2, 2, 2, -1]),
    ],
)
def test_categories_by_hand(method: Any, params: dict[str, Any], published: list[int]) -> None:
    assert masked(method, CODES, **params).codes[:, 0].tolist() == published


def test_labels_of_categories_by_hand() -> None:
    top = masked(TopCoding, CODES, value="002", output="label")
    assert texts(top, "c0") == ["000", "001", "001", ">= 002", ">= 002", ">= 002", ">= 002", None]
    bottom = masked(BottomCoding, CODES, q=2, output="label")
    assert texts(bottom, "c0") == ["<= 001", "<= 001", "<= 001", "002", "003", "003", "003", None]
    assert masked(TopCoding, CODES, q=1, output="label").same_records(CODES)


@given(numeric_tables(), st.floats(0, 1), st.sampled_from([TopCoding, BottomCoding]))
def test_a_tail_keeps_its_mean_or_median_and_the_rest_stays(table: Table, share: float, method: Any) -> None:
    mean, median = (masked(method, table, share=share, output=output).numbers for output in ("mean", "median"))
    labels = masked(method, table, share=share, output="label")
    for j, name in enumerate(table.schema.names):
        before = table.numbers[:, j]
        inside = np.array([text is not None and text[0] in "<>" for text in texts(labels, name)], dtype=bool)
        np.testing.assert_array_equal(mean[~inside, j], before[~inside])
        if inside.any():
            np.testing.assert_allclose(mean[inside, j], before[inside].mean())
            assert median[inside, j][0] == np.sort(before[inside])[(inside.sum() - 1) // 2]
            reader = LabelReader(table.schema[name])
            extents = [reader.read(text) for text in np.array(texts(labels, name), dtype=object)[inside]]
            for extent, value in zip(extents, before[inside], strict=True):
                assert extent is not None
                assert extent.covers(value)


@given(categorical_tables(scales=[ORDINAL]), st.floats(0, 1), st.sampled_from([TopCoding, BottomCoding]))
def test_outputs_differ_in_what_the_tail_is_called_only(table: Table, share: float, method: Any) -> None:
    columns = [masked(method, table, share=share, output=output).codes for output in ("threshold", "median", "label")]
    for j in range(table.codes.shape[1]):
        groups = [np.unique(column[:, j], return_inverse=True)[1] for column in columns]
        for other in groups[1:]:
            pairs = set(zip(groups[0].tolist(), other.tolist(), strict=True))
            assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@pytest.mark.parametrize(
    ("table", "params", "message"),
    [
        (NUMBERS, {"value": "many"}, "value for attribute x0: given 'many'; wanted a number"),
        (CODES, {"value": "003x"}, "value for attribute c0: given '003x'; wanted one of 000, 001"),
        (CODES, {"value": 9}, r"value for attribute c0: given 9\.0; wanted one of"),
        (CODES, {"value": {"c1": "000"}}, "value: given 'c1'; wanted one of c0"),
        (CODES, {"output": "mean"}, "output: given mean of ordinal attribute c0; wanted threshold, median or label"),
        (categorical([0], [1], [NOMINAL]), {"value": "000"}, "which is nominal"),
    ],
)
def test_what_does_not_fit_is_refused(table: Table, params: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        masked(TopCoding, table, **params)


@pytest.mark.parametrize(
    "params", [{"q": 1, "value": 2}, {"share": 0.1, "value": 2}, {"output": "mode"}, {"value": True}, {"value": NAN}]
)
def test_parameters_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="method topcoding"):
        build(TopCoding, **params)


def test_values_by_name_leave_the_others_as_they_are() -> None:
    table = joined(categorical([0, 1, 2], [3], [ORDINAL]), numeric([[1.0, 5], [2, 6], [3, 7]]))
    published = masked(TopCoding, table, value={"x1": 6, "c0": "001"}, output="label")
    assert texts(published, "c0") == ["000", ">= 001", ">= 001"]
    assert texts(published, "x1") == ["5", ">= 6", ">= 6"]
    np.testing.assert_array_equal(published.column("x0"), table.column("x0"))


def test_real_files(german: Table, tarragona: Table) -> None:
    for output in ("threshold", "median", "label"):
        masked(TopCoding, german, share=0.3, output=output).verify()
        masked(BottomCoding, tarragona, share=0.1, output=output).verify()
    published = masked(TopCoding, tarragona, share=0.1, output="mean").numbers
    np.testing.assert_allclose(published.mean(axis=0), tarragona.numbers.mean(axis=0), rtol=1e-9)
