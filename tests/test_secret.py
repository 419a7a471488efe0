import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.secret import Purpose, Streams, lent, quick_stream, replicate_seed, stream


@given(st.integers(0, 2**62), st.lists(st.integers(0, 2**32 - 1), max_size=4))
def test_same_address_gives_same_numbers(seed, address):
    first = stream(seed, Purpose.VARY, *address).random(3)
    assert np.array_equal(first, stream(seed, Purpose.VARY, *address).random(3))


@given(st.integers(0, 2**62), st.integers(0, 1000), st.integers(0, 1000))
def test_different_addresses_give_different_numbers(seed, generation, pair):
    streams = Streams(seed)
    first = streams.vary(generation, pair).random(2)
    for other in (
        streams.vary(generation + 1, pair),
        streams.vary(generation, pair + 1),
        streams.select(generation),
        Streams(seed, 1).vary(generation, pair),
        stream(seed + 1, Purpose.VARY, 0, generation, pair),
    ):
        assert not np.array_equal(first, other.random(2))


@given(st.integers(0, 2**80), st.lists(st.integers(-(2**40), 2**40), max_size=4))
def test_quick_streams_depend_on_their_address_alone_and_spawn_others(seed, address):
    first, again = quick_stream(seed, Purpose.VARY, *address), quick_stream(seed, Purpose.VARY, *address)
    numbers = first.random(3)
    assert np.array_equal(numbers, again.random(3))
    children = [*first.spawn(2), *first.spawn(1)]
    drawn = [tuple(child.random(3)) for child in children]
    assert len({tuple(numbers), *drawn, tuple(quick_stream(seed, Purpose.VARY, *address, 0).random(3))}) == 5
    assert drawn == [tuple(child.random(3)) for child in again.spawn(3)]


@pytest.mark.parametrize("element", [-1, 2**32])
def test_an_address_element_out_of_range_is_refused(element):
    with pytest.raises(ValueError, match="outside"):
        stream(1, Purpose.VARY, element)


def test_evaluation_stream_is_shared_unless_a_key_is_given():
    streams, key = Streams(5), bytes(range(16))
    assert streams.evaluate(0).random() == streams.evaluate(0).random()
    assert streams.evaluate(0).random() != streams.evaluate(1).random()
    assert streams.evaluate(0, key).random() != streams.evaluate(0, bytes(16)).random()


def test_replicates_have_their_own_seeds_and_the_first_keeps_the_experiments():
    seeds = [replicate_seed(9, r) for r in range(50)]
    assert seeds[0] == 9
    assert len(set(seeds)) == 50


def test_lent_generator_is_used_and_global_state_restored():
    random.seed(1)
    np.random.seed(1)
    expected = random.Random(1).random(), np.random.RandomState(1).random_sample()
    with lent(np.random.default_rng(7)):
        first = random.random(), np.random.random_sample()
    with lent(np.random.default_rng(7)):
        assert (random.random(), np.random.random_sample()) == first
    assert (random.random(), np.random.random_sample()) == expected
