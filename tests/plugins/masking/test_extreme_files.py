"""Files at the edge: attributes without categories, and numbers at the ends of the range of floats."""

from __future__ import annotations

import numpy as np
import pytest

from evosdc.errors import ParameterError
from evosdc.table.table import MISSING
from evosdc_masking.anonymity.k_member import KMember
from evosdc_masking.anonymity.mondrian import Mondrian
from evosdc_masking.anonymity.r_gather import RGather
from evosdc_masking.noise import UncorrelatedNoise
from evosdc_masking.recoding.extreme_coding import BottomCoding, TopCoding
from evosdc_masking.recoding.global_recoding import GlobalRecoding
from evosdc_masking.synthesis import Liew
from tests.plugins.masking.tables import NOMINAL, ORDINAL, build, categorical, masked, numeric

LARGEST = float(np.finfo(float).max)
HUGE = numeric([LARGEST, -LARGEST, LARGEST, 0.0, 1.0])


@pytest.mark.parametrize("method", [Mondrian, KMember, RGather])
def test_attributes_without_categories_stay_missing_as_intervals(method: type) -> None:
    table = categorical([[MISSING, MISSING]] * 6, [0, 0], [NOMINAL, ORDINAL])
    assert (masked(method, table, k=2, output="interval").codes == MISSING).all()


def test_numbers_of_the_greatest_range_have_a_usual_width() -> None:
    published = masked(GlobalRecoding, HUGE)
    assert published.numbers[:, 0].tolist() == [LARGEST, -LARGEST, LARGEST, 0.0, 0.0]


@pytest.mark.parametrize(("method", "expected"), [(TopCoding, LARGEST), (BottomCoding, -LARGEST)])
def test_the_mean_of_the_largest_numbers_is_a_number(method: type, expected: float) -> None:
    table = numeric([expected, expected, 0.0, expected, -expected / 2])
    published = masked(method, table, share=0.6, output="mean").numbers[:, 0]
    assert published.tolist() == [expected, expected, 0.0, expected, -expected / 2]


def test_noise_that_leaves_the_range_of_floats_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match="x0 beyond the largest number"):
        masked(UncorrelatedNoise, numeric([LARGEST / 2, 0.0, 1.0]), alpha=1e6)


@pytest.mark.filterwarnings("error")
def test_nearly_equal_large_numbers_are_distorted_without_warnings() -> None:
    table = numeric(2.0**53 + 2 * np.arange(20))
    assert np.isfinite(masked(Liew, table).numbers).all()


def test_numeric_methods_say_how_whole_numbers_become_numeric() -> None:
    ages = categorical([[0], [1]], [3], [ORDINAL])
    with pytest.raises(ParameterError, match='Declare scale = "numeric" in the schema'):
        build(UncorrelatedNoise).require_fit(ages)
