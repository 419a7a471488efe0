import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.executors.tasks import (
    CHUNKS_PER_WORKER,
    MAX_BYTES,
    OVERHEAD_SHARE,
    chunks_of,
    worth_sending,
)


def sizes_of(items, workers, seconds, overhead, size=0.0):
    return tuple(end - begin for begin, end in chunks_of(items, seconds, workers, size, overhead))


ITEMS = st.integers(1, 5000)
WORKERS = st.integers(1, 64)
SECONDS = st.floats(0.0, 1e3)
OVERHEADS = st.floats(0.0, 1.0)
BYTES = st.floats(0.0, 1e8)


@given(ITEMS, WORKERS, SECONDS, OVERHEADS, BYTES)
def test_sizes_add_up_are_even_and_small_enough(items, workers, seconds, overhead, size):
    sizes = sizes_of(items, workers, seconds, overhead, size)
    assert sum(sizes) == items
    assert min(sizes) >= 1
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) == 1 or max(sizes) * size <= MAX_BYTES
    assert len(sizes) >= min(items, workers)


@given(ITEMS, WORKERS, st.floats(1e-6, 1e3), st.floats(1e-6, 1.0))
def test_overhead_is_a_small_share_wherever_every_worker_still_gets_a_chunk(items, workers, seconds, overhead):
    sizes = sizes_of(items, workers, seconds, overhead)
    needed = math.ceil(min(items, overhead / (OVERHEAD_SHARE * seconds)))
    if needed <= items // (CHUNKS_PER_WORKER * workers):
        assert len(sizes) >= CHUNKS_PER_WORKER * workers
    if needed <= items // workers:
        # Evening out makes a chunk smaller than `needed` by less than one part in the number of chunks.
        assert len(sizes) * overhead <= OVERHEAD_SHARE * items * seconds + overhead * (1 + 1e-9)


def test_examples():
    assert sizes_of(0, 3, 1.0, 0.1) == ()
    assert sizes_of(10, 2, 1.0, 0.0003) == (1,) * 10
    assert sizes_of(100, 2, 0.001, 0.0003) == (6,) * 15 + (5,) * 2
    assert sizes_of(100, 2, 0.0, 0.0003) == (12,) * 1 + (11,) * 8
    assert sizes_of(8, 4, 1e-9, 0.0003) == (2, 2, 2, 2)
    assert sizes_of(3, 8, 1.0, 0.0003) == (1, 1, 1)
    assert sizes_of(6, 1, 1e-9, 0.0003, size=3e6) == (1,) * 6


@pytest.mark.parametrize(("items", "workers"), [(-1, 1), (1, 0)])
def test_nonsense_is_refused(items, workers):
    with pytest.raises(ValueError, match="workers"):
        sizes_of(items, workers, 1.0, 0.1)


@given(st.integers(0, 500), WORKERS, SECONDS)
def test_positions_cover_everything_in_order(items, workers, seconds):
    chunks = chunks_of(items, seconds, workers)
    assert [position for begin, end in chunks for position in range(begin, end)] == list(range(items))
    assert all(begin < end for begin, end in chunks)


def test_little_work_stays_here():
    assert not worth_sending(0.005)
    assert worth_sending(0.5)
