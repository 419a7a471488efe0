"""Columns that are a function of others: found, told from chance, and computed anew."""

import numpy as np
import pytest

from evosdc.table.dependence import by_columns, computed, follows
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

RNG = np.random.default_rng(5)
YEARS = RNG.integers(0, 20, 500)
PAY = np.sort(RNG.lognormal(8.0, 0.5, 500))[RNG.permutation(500)].round(2)


def table(categories, numbers):
    attributes = [
        *(Attribute(n, Role.OTHER, Scale.ORDINAL, tuple(map(str, range(20)))) for n in categories),
        *(Attribute(n, Role.OTHER, Scale.NUMERIC, decimals=2) for n in numbers),
    ]
    return Table(
        Schema(tuple(attributes)),
        np.column_stack([*categories.values()]).astype(np.int32),
        np.column_stack([*numbers.values()]).astype(np.float64),
    )


FILE = table(
    {"years": YEARS, "level": YEARS // 5, "free": RNG.integers(0, 4, 500), "rich": PAY > 3000.0},
    {"months": YEARS * 12.0, "pay": PAY, "log": np.log(PAY), "noisy": PAY + RNG.normal(0.0, 300.0, 500)},
)


@pytest.mark.parametrize(
    ("name", "by"), [("level", "years"), ("months", "years"), ("years", "months"), ("rich", "pay"), ("log", "pay")]
)
def test_a_column_that_is_a_function_of_another_follows_from_it(name, by):
    assert follows(FILE, name, by)


@pytest.mark.parametrize(
    ("name", "by"),
    [("years", "level"), ("free", "years"), ("free", "pay"), ("noisy", "pay"), ("pay", "rich"), ("pay", "pay")],
)
def test_other_columns_do_not(name, by):
    assert not follows(FILE, name, by)


def test_values_that_hardly_occur_twice_tell_nothing_by_chance():
    rare = (np.arange(500) < 3).astype(np.int32)
    file = table({"rare": rare, "common": RNG.random(500) < 0.85}, {"pay": PAY})
    assert by_columns(file, ["rare", "common"], ["pay"]) == {}


def test_a_column_is_computed_from_masked_values_and_from_the_nearest_value_where_one_is_new():
    masked = FILE.take(np.roll(np.arange(500), 1))
    assert computed(FILE, "level", "years", masked).tolist() == (masked.column("years") // 5).tolist()
    raised = masked.with_columns(masked.select(["pay"]))
    numbers = raised.numbers.copy()
    numbers[:, 1] *= 1.001
    raised = Table(raised.schema, raised.codes, numbers)
    found = computed(FILE, "log", "pay", raised)
    assert np.abs(found - np.log(raised.column("pay"))).max() < 0.5
    assert np.corrcoef(found, np.log(raised.column("pay")))[0, 1] > 0.999


def test_missing_values_follow_from_missing_ones():
    years = np.where(np.arange(500) % 7 == 0, -1, YEARS)
    file = table({"years": years, "level": np.where(years < 0, -1, years // 5)}, {"pay": PAY})
    assert follows(file, "level", "years")
    assert computed(file, "level", "years", file).tolist() == file.column("level").tolist()
