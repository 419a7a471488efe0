from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table.distance import category_distance, common_scale
from evosdc.table.hierarchy import number_intervals
from evosdc.table.schema import Attribute, MissingRule, Role, Scale, Schema
from evosdc.table.table import MISSING
from tests.files.build import nominal, numeric, ordinal

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)


def of_size(size: int) -> Attribute:
    return ordinal(f"o{size}", *map(str, range(size)))


@given(st.integers(1, 12))
def test_ordinal_distance_is_the_share_of_categories_between(size):
    attribute = ordinal("o", *map(str, range(size)))
    distance = category_distance(attribute)
    for a in range(size):
        for b in range(size):
            assert distance.matrix[a, b] == len(range(min(a, b), max(a, b))) / size
    assert distance.matrix[MISSING, :size].tolist() == [1.0] * size
    assert distance.matrix[MISSING, MISSING] == 0


def test_nominal_distance():
    assert category_distance(nominal("a", "x", "y", "z")).matrix.tolist() == [
        [0, 1, 1, 1],
        [1, 0, 1, 1],
        [1, 1, 0, 1],
        [1, 1, 1, 0],
    ]


def test_a_wildcard_is_near_to_everything():
    matrix = category_distance(nominal("a", "x", "y"), MissingRule.WILDCARD).matrix
    assert matrix[MISSING].tolist() == [0, 0, 0]
    assert matrix[0, 1] == 1


def test_distance_by_hierarchy():
    hierarchy = number_intervals(range(20), (5, 10))
    attribute = Attribute("age", Role.OTHER, Scale.ORDINAL, tuple(map(str, range(20))), hierarchy)
    distance = category_distance(attribute, by_hierarchy=True)
    assert distance.denominator == 3
    assert distance.numerators[0, [0, 4, 5, 10, 20]].tolist() == [0, 1, 2, 3, 3]
    assert category_distance(attribute).denominator == 20


def test_common_scale_keeps_ties():
    matrices, denominator = common_scale(Schema((ordinal("a", "1", "2", "3"), ordinal("b", "1", "2", "3", "4"))))
    assert denominator == 12
    assert matrices[0][0, 1] == 4
    assert matrices[1][0, 1] == 3


def test_common_scale_of_no_categorical_attribute():
    assert common_scale(Schema((numeric("a"),))) == ([], 1)


@pytest.mark.parametrize("na", [MissingRule.CATEGORY, MissingRule.WILDCARD])
@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=5, unique=True))
def test_common_scale_is_exact(na, sizes):
    schema = Schema((*map(of_size, sizes), nominal("n", "x", "y", "z")), na=na)
    matrices, denominator = common_scale(schema)
    for attribute, matrix in zip(schema.attributes, matrices, strict=True):
        own = category_distance(attribute, na)
        assert matrix.dtype == np.int64
        for scaled, numerator in zip(matrix.ravel().tolist(), own.numerators.ravel().tolist(), strict=True):
            assert Fraction(scaled, denominator) == Fraction(numerator, own.denominator)


def test_the_greatest_common_scale_that_adds_up():
    schema = Schema(tuple(map(of_size, PRIMES[:-1])))
    matrices, denominator = common_scale(schema)
    assert denominator == prod(PRIMES[:-1])
    assert [matrix[0, MISSING] for matrix in matrices] == [denominator] * 14
    assert sum(int(matrix.max()) for matrix in matrices) <= 2**62


def test_domains_without_a_common_scale_in_64_bits_are_refused():
    schema = Schema(tuple(map(of_size, PRIMES)))
    assert prod(PRIMES) < 2**62 < prod(PRIMES) * len(PRIMES)
    with pytest.raises(ParameterError) as caught:
        common_scale(schema)
    (fault,) = caught.value.faults
    assert str(prod(PRIMES)) in fault.given
    assert "Protect fewer" in fault.advice
    with pytest.raises(ParameterError):
        common_scale(Schema((*schema.attributes, *map(of_size, (53, 59, 61)))))
