from __future__ import annotations

import sys
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.model import MaskingMethod
from evosdc.table.table import Table
from evosdc_masking import compression as picture
from evosdc_masking.compression import Jpeg, Jpeg2000, Quantisation
from tests.plugins.masking.tables import FIXED, build, conforming, masked, numeric, numeric_tables
from tests.published import DataSets

pytest.importorskip("PIL", reason="Pillow is not installed")

FORMATS = [Jpeg, Jpeg2000]
TestJpeg = conforming(Jpeg, FIXED, quality=90)
TestJpeg2000 = conforming(Jpeg2000, FIXED, rate=3)


def error(method: type[MaskingMethod], table: Table, **params: float) -> float:
    """Mean absolute error in ranges of the attributes."""
    published = masked(method, table, rounding=False, **params).numbers
    return float((np.abs(published - table.numbers) / np.ptp(table.numbers, axis=0)).mean())


@pytest.mark.parametrize("name", ["tarragona", "census", "eia"])
def test_the_error_falls_as_quality_rises(name: str, data_sets: DataSets) -> None:
    table = data_sets.table(name)
    table = table.select([a.name for a in table.schema.numeric])
    by_quality = [error(Jpeg, table, quality=quality) for quality in (5, 25, 50, 75, 90, 100)]
    by_rate = [error(Jpeg2000, table, rate=rate) for rate in (100, 30, 10, 5, 2, 1)]
    for errors in (by_quality, by_rate):
        assert all(later <= 1.05 * earlier for earlier, later in pairwise(errors))
        assert errors[-1] < errors[0] / 5
    assert by_quality[-1] < 0.01
    assert by_rate[-1] < 1e-4


@pytest.mark.parametrize("method", FORMATS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1), (2, 2), (7, 3), (9, 17)])
def test_tiny_tables(method: type[MaskingMethod], shape: tuple[int, int]) -> None:
    table = numeric(np.random.default_rng(1).normal(0, 1000, shape))
    published = masked(method, table, rounding=False).numbers
    assert np.isfinite(published).all()
    assert (published >= table.numbers.min(axis=0)).all()
    assert (published <= table.numbers.max(axis=0)).all()


@given(numeric_tables())
def test_values_stay_in_range_and_missing_and_constant_ones_stay(table: Table) -> None:
    for method in FORMATS:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            published = masked(method, table, rounding=False).numbers
        np.testing.assert_array_equal(np.isnan(published), np.isnan(table.numbers))
        for before, after in zip(table.numbers.T, published.T, strict=True):
            known = ~np.isnan(before)
            if known.any():
                assert after[known].min() >= before[known].min() - 1e-12
                assert after[known].max() <= before[known].max() + 1e-12


@given(st.integers(0, 100), st.sampled_from([255, 65535]), st.floats(1e-3, 1e300))
def test_quantisation_moves_values_by_half_a_level(seed: int, top: int, unit: float) -> None:
    values = np.random.default_rng(seed).uniform(-unit, unit, (20, 2))
    quantisation = Quantisation.of(values, top)
    levels = quantisation.levels(values)
    assert levels.min() == 0
    assert levels.max() == top
    restored = quantisation.values(levels)
    step = (quantisation.high / top - quantisation.low / top).max()
    assert np.abs(restored - values).max() <= step * (0.5 + 1e-6)
    extremes = [values.argmin(axis=0), values.argmax(axis=0)]
    np.testing.assert_array_equal(restored[extremes, [0, 1]], values[extremes, [0, 1]])


def test_a_missing_value_counts_as_the_mean() -> None:
    values = np.array([[0.0], [10.0], [np.nan], [2.0]])
    assert Quantisation.of(values, 255).levels(values)[:, 0].tolist() == [0, 255, 102, 51]


@pytest.mark.parametrize("method", FORMATS)
def test_a_file_longer_than_a_picture_is_cut_into_bands(method: type[MaskingMethod], monkeypatch: object) -> None:
    table = numeric(np.random.default_rng(1).normal(size=(picture.ROWS + 100, 1)))
    published = masked(method, table, rounding=False).numbers
    assert published.shape == table.numbers.shape
    assert np.corrcoef(published[-100:, 0], table.numbers[-100:, 0])[0, 1] > 0.5


def test_bands_do_not_change_a_jpeg(monkeypatch: pytest.MonkeyPatch) -> None:
    table = numeric(np.random.default_rng(1).normal(size=(300, 5)))
    whole = masked(Jpeg, table, rounding=False)
    monkeypatch.setattr(picture, "ROWS", 64)
    assert masked(Jpeg, table, rounding=False).same_records(whole)


@pytest.mark.parametrize("method", FORMATS)
def test_without_pillow_it_says_what_to_install(method: type[MaskingMethod], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ParameterError, match=r"pip install pillow"):
        masked(method, numeric([[1.0], [2.0]]))


@pytest.mark.parametrize(
    ("method", "params", "text"),
    [
        (Jpeg, {"quality": 0}, "greater than or equal to 1"),
        (Jpeg, {"quality": 101}, "less than or equal to 100"),
        (Jpeg2000, {"rate": 0.5}, "greater than or equal to 1"),
    ],
)
def test_refusals(method: type, params: dict, text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        build(method, **params)
