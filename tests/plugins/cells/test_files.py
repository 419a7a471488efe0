"""Files in blocks: they are what arrays are, and share what is equal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc_cells import files
from evosdc_cells.files import (
    FileBlocks,
    changed_records,
    changed_rows,
    differing_cells,
    file_of,
    key_of,
    records_of,
    with_records,
)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Blocks of few records, so that small files have several."""
    monkeypatch.setattr(files, "WHOLE", 8)
    monkeypatch.setattr(files, "LEAST_RECORDS", 3)


def blocks(array):
    made = file_of(np.array(array, dtype=np.int8))
    assert isinstance(made, FileBlocks)
    return made


@st.composite
def arrays(draw):
    n, width = draw(st.integers(1, 40)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from([np.int8, np.int16, np.int64]))
    return rng.integers(-1, 4, (n, width)).astype(kind)


def test_only_large_files_are_cut():
    assert isinstance(file_of(np.zeros((4, 2), np.int8)), np.ndarray)
    assert isinstance(file_of(np.zeros((9, 1), np.int8)), FileBlocks)


@given(arrays(), st.integers(0, 2**32))
def test_versions_are_those_of_arrays(array, seed):
    rng = np.random.default_rng(seed)
    file, wanted, before = file_of(array.copy()), array.copy(), array.copy()
    for _ in range(4):
        rows = np.sort(rng.choice(len(array), int(rng.integers(0, len(array) + 1)), replace=False))
        records = rng.integers(-1, 4, (len(rows), array.shape[1])).astype(array.dtype)
        parent, file = file, with_records(file, rows, records)
        before, wanted = wanted.copy(), wanted
        wanted[rows] = records
        assert np.array_equal(np.asarray(file), wanted)
        assert (file.shape, file.dtype) == (wanted.shape, wanted.dtype)
        found = changed_rows(parent, file)
        assert found.dtype == np.intp
        assert found.tolist() == (wanted != before).any(axis=1).nonzero()[0].tolist()
        ends, rows, old, new = changed_records([parent, file, parent], [file, file, file])
        assert ends.tolist() == [len(found), len(found), 2 * len(found)]
        assert rows.tolist() == 2 * found.tolist()
        assert np.array_equal(old, np.tile(before[found], (2, 1)))
        assert np.array_equal(new, np.tile(wanted[found], (2, 1)))
        assert differing_cells(parent, file) == (wanted != before).sum()
        assert key_of(file) == key_of(file_of(wanted.copy())), "the key depends on how a file came about"
        assert (key_of(file) == key_of(parent)) == np.array_equal(wanted, before)
        asked = rng.integers(0, len(array), int(rng.integers(0, 60)))
        assert np.array_equal(records_of(file, asked), wanted[asked])
        assert np.array_equal(np.asarray(parent), before), "the file that was changed is another one"


def test_what_is_equal_is_shared():
    array = np.arange(60, dtype=np.int8).reshape(20, 3)
    file, again = blocks(array), blocks(array)
    changed = file.with_records(np.array([7]), np.array([[0, 0, 0]]))
    assert all(a is b for a, b in zip(file.blocks, again.blocks, strict=True))
    same = [a is b for a, b in zip(file.blocks, changed.blocks, strict=True)]
    assert same.count(False) == 1
    assert file.differing(changed).tolist() == [same.index(False)]


def test_where_a_block_stands_counts():
    one = np.zeros((12, 1), np.int8)
    one[:3] = 1
    assert key_of(blocks(one)) != key_of(blocks(np.roll(one, 3, axis=0)))


def test_nothing_can_be_written_to():
    file = blocks(np.zeros((20, 2)))
    assert not any(block.flags.writeable for block in (*file.blocks, file.hashes))
    assert not np.asarray(file).flags.writeable
    copied = np.array(file)
    copied[:] = 3
    assert (np.asarray(file) != 3).any()
