"""Rare values that were kept at their own records change places, and nothing else changes."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import InputError
from evosdc.secret import Purpose, stream
from evosdc.table.corrections import COMMON, with_moved_values
from evosdc.table.exact_values import ExactValues
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

DRAWS = stream(1, Purpose.MASK)
SCHEMA = Schema(
    (
        Attribute("wage", Role.QUASI_IDENTIFIER, Scale.NUMERIC),
        Attribute("town", Role.QUASI_IDENTIFIER, Scale.NOMINAL, tuple("abcdefghijklmnop")),
    )
)


def table(wages, towns=None):
    towns = [0] * len(wages) if towns is None else towns
    return Table(SCHEMA, np.array(towns, np.int32)[:, None], np.array(wages, float)[:, None])


def percents(original, masked):
    values = ExactValues(original, SCHEMA.names)
    return dict(zip(values.names, values.percents(masked).tolist(), strict=True))


def test_kept_values_change_places():
    original = table([5.0, 1.0, 4.0, 2.0, 3.0])
    masked = table([5.0, 1.0, 4.0, 2.0, 9.0])
    moved = with_moved_values(original, masked, ["wage"], DRAWS)
    # Kept are 1, 2 and 4, 5; 9 stands at another record and stays.
    wages = moved.column("wage").tolist()
    assert (sorted(wages[:4]), wages[4]) == ([1.0, 2.0, 4.0, 5.0], 9.0)
    assert not any(wage == own for wage, own in zip(wages, original.column("wage").tolist(), strict=True))
    assert with_moved_values(original, masked, ["wage"], DRAWS).column("wage").tolist() == wages
    assert moved.column("town").tolist() == masked.column("town").tolist()
    assert with_moved_values(original, masked, ["town"], DRAWS).column("wage").tolist() == [5.0, 1.0, 4.0, 2.0, 9.0]


def test_a_last_one_takes_the_nearest_value_that_is_not_its_own():
    original = table([1.0, 2.0, 3.0])
    moved = with_moved_values(original, original, ["wage"], DRAWS)
    assert moved.column("wage").tolist() in ([3.0, 1.0, 2.0], [2.0, 3.0, 1.0])
    # Of two people with the same value neither may take the other's.
    original, masked = table([1.0, 1.0, 7.0, 8.0]), table([1.0, 1.0, 8.0, 7.5])
    assert with_moved_values(original, masked, ["wage"], DRAWS).column("wage").tolist() == [7.5, 8.0, 1.0, 1.0]
    alone = table([1.0, 1.0])
    assert with_moved_values(alone, alone, ["wage"], DRAWS).column("wage").tolist() == [1.0, 1.0]


@st.composite
def files(draw):
    n = draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = draw(st.sampled_from([2, 5, 16]))
    kept = rng.random((n, 2)) < draw(st.sampled_from([0.2, 0.7, 1.0]))
    wages, towns = rng.choice([np.nan, *range(size)], (2, n)), rng.integers(-1, size, (2, n))
    original = table(wages[0], towns[0])
    return original, table(np.where(kept[:, 0], *wages), np.where(kept[:, 1], *towns))


@given(files())
def test_values_stay_the_same_ones_and_what_can_be_found_falls(drawn):
    original, masked = drawn
    moved = with_moved_values(original, masked, SCHEMA.names, DRAWS)
    for name in SCHEMA.names:
        before, after, own = (t.column(name).tolist() for t in (masked, moved, original))
        assert Counter(map(str, before)) == Counter(map(str, after))
        gone = [str(b) for b, a in zip(before, after, strict=True) if b != b or b == -1]
        assert gone == [str(a) for b, a in zip(before, after, strict=True) if b != b or b == -1]
        # Who was not found before is not found now.
        assert not any(a == o and b != o for b, a, o in zip(before, after, own, strict=True))
    then, now = percents(original, masked), percents(original, moved)
    assert all(now[name] <= then[name] + 1e-9 for name in SCHEMA.names)


@given(st.integers(0, 2**32 - 1))
def test_who_is_left_shares_the_value_with_many(seed):
    rng = np.random.default_rng(seed)
    wages = np.concatenate([np.arange(60.0), np.repeat([100.0, 200.0], COMMON)])
    original = table(rng.permutation(wages))
    moved = with_moved_values(original, original, ["wage"], DRAWS)
    assert percents(original, moved)["wage"] == pytest.approx(100 * 2 / 84)
    # Parts of twelve each: near, and not beside where they were.
    apart = np.abs(moved.numbers - original.numbers)
    assert apart.max() < 36.0
    assert apart[original.numbers < 60.0].mean() > 2.0


def test_what_does_not_fit_is_refused():
    original = table([1.0, 2.0])
    with pytest.raises(InputError, match="move_values"):
        with_moved_values(original, original, ["income"], DRAWS)
    other = Table(SCHEMA.select(["wage"]), np.empty((2, 0), np.int32), original.numbers)
    with pytest.raises(InputError, match="generalised labels"):
        with_moved_values(original, other, ["wage"], DRAWS)
