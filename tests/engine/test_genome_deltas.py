"""Genomes are what they were after they have been packed, and alike ones take little room."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.engine.genome_deltas import packed, unpacked


def same(dumps, arrays):
    """Whether the arrays stand for the dumps, with names, types and values."""
    found = list(unpacked(arrays, len(dumps)))
    return len(found) == len(dumps) and all(
        dump.keys() == again.keys()
        and all(again[n].dtype == a.dtype and np.array_equal(again[n], a) for n, a in dump.items())
        for dump, again in zip(dumps, found, strict=True)
    )


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 4), st.booleans()), min_size=1, max_size=5))
def test_small_genomes_come_back(shapes):
    dumps = [{"a": np.full((n, m), n)} | ({"b/c": np.arange(m)} if more else {}) for n, m, more in shapes]
    assert same(dumps, packed(iter(dumps)))


@given(st.integers(0, 2**32), st.lists(st.sampled_from([0, 1, 50, 20_000, 80_000]), min_size=1, max_size=6))
def test_large_genomes_come_back_whatever_differs(seed, changes):
    rng = np.random.default_rng(seed)
    family = [rng.integers(0, 9, (20_000, 4)).astype(np.int8)]
    for count in changes:
        child = family[int(rng.integers(len(family)))].copy()
        child.reshape(-1)[rng.choice(child.size, count, replace=False)] = 11
        family.append(child)
    dumps = [{"cells": array, "other": np.arange(3)} for array in family]
    assert same(dumps, packed(iter(dumps)))


def test_alike_ones_take_little_room():
    rng = np.random.default_rng(0)
    bases = [rng.integers(0, 9, (50_000, 6)).astype(np.int8) for _ in range(3)]
    family = []
    for place in range(60):
        child = bases[place % 3].copy()
        child[place, 1] = 12
        family.append({"cells": child})
    arrays = packed(iter(family))
    assert same(family, arrays)
    assert sum(array.nbytes for array in arrays.values()) < 3.1 * bases[0].nbytes
    assert sum(key.startswith("genome/") for key in arrays) == 3


def test_those_that_have_moved_away_together_take_little_room():
    rng = np.random.default_rng(0)
    start = rng.integers(0, 9, (50_000, 6)).astype(np.int8)
    climber = start.copy()
    climber[:8000] = 12
    family = [{"cells": start}]
    for place in range(100):
        child = climber.copy()
        child[place, 1] = 13
        family.append({"cells": child})
    arrays = packed(iter(family))
    assert same(family, arrays)
    assert sum(array.nbytes for array in arrays.values()) < 3.1 * start.nbytes


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_none_takes_more_room_than_as_it_is(share):
    rng = np.random.default_rng(1)
    family = [rng.integers(0, 9, 100_000).astype(np.int8)]
    for _ in range(20):
        child = family[-1].copy()
        child[rng.random(len(child)) < share] = rng.integers(9, 99)
        family.append(child)
    arrays = packed({"cells": array} for array in family)
    assert same([{"cells": array} for array in family], arrays)
    assert sum(array.nbytes for array in arrays.values()) < 1.01 * sum(array.nbytes for array in family)


def test_arrays_of_other_shapes_and_types_are_kept_apart():
    array = np.zeros((300, 300), np.int16)
    dumps = [{"a": array}, {"a": array.reshape(450, 200)}, {"a": array.astype(np.int32)}, {"b": array}]
    assert same(dumps, packed(dumps))


def test_damage_is_noticed():
    array = np.zeros(100_000, np.int8)
    other = array.copy()
    other[5] = 1
    arrays = packed([{"a": array}, {"a": other}])
    arrays["at/1/0/a"] = np.array([10**9])
    with pytest.raises(LookupError):
        list(unpacked(arrays, 2))
