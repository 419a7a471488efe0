"""Files in blocks: they are what arrays are, and share what is equal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc_cells import file_blocks
from evosdc_cells.block_distances import BlockDistances
from evosdc_cells.file_blocks import FileBlocks, in_blocks


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Blocks of few records, so that small files have several."""
    monkeypatch.setattr(file_blocks, "WHOLE", 8)
    monkeypatch.setattr(file_blocks, "LEAST_RECORDS", 3)


def blocks(array):
    made = in_blocks(np.array(array, dtype=np.int8))
    assert isinstance(made, FileBlocks)
    return made


@st.composite
def arrays(draw):
    n, width = draw(st.integers(9, 40)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return rng.integers(-1, 4, (n, width)).astype(np.int8)


def test_only_large_files_are_cut():
    assert isinstance(in_blocks(np.zeros((4, 2), np.int8)), np.ndarray)
    assert isinstance(in_blocks(np.zeros((9, 1), np.int8)), FileBlocks)


@given(arrays(), st.integers(0, 2**32))
def test_a_draft_is_set_as_an_array_is(array, seed):
    rng = np.random.default_rng(seed)
    file, wanted = blocks(array), array.copy()
    draft = file.copy()
    for _ in range(6):
        row, other = rng.integers(0, len(array), 2).tolist()
        column = int(rng.integers(array.shape[1]))
        rows = rng.choice(len(array), 3, replace=False)
        for each in (draft, wanted):
            each[row, column] = 2
            each[row] = each[other]
            each[[row, other]] = each[[other, row]]
            each[rows, column] = 1
            each[rows] = each[rows[::-1]]
        assert draft[row, column] == wanted[row, column]
        assert (draft[row] == wanted[row]).all()
        assert (draft[rows, column] == wanted[rows, column]).all()
        assert (np.asarray(draft) == wanted).all()
    made = draft.done()
    assert (np.asarray(file) == array).all(), "the file that was drawn from has changed"
    assert (np.asarray(made) == wanted).all()
    assert made.shape == wanted.shape
    assert made.dtype == wanted.dtype
    assert made.changed_rows(file).tolist() == np.flatnonzero((wanted != array).any(axis=1)).tolist()
    assert made.key == blocks(wanted).key, "the key depends on how a file came about"
    assert (made.key == file.key) == (wanted == array).all()
    asked = rng.integers(0, len(array), int(rng.integers(0, 60)))
    assert (made.records(asked) == wanted[asked]).all()


def test_what_is_equal_is_shared():
    array = np.arange(60, dtype=np.int8).reshape(20, 3)
    file, again = blocks(array), blocks(array)
    draft = file.copy()
    draft[7, 1] = 0
    changed = draft.done()
    assert all(a is b for a, b in zip(file.blocks, again.blocks, strict=True))
    same = [a is b for a, b in zip(file.blocks, changed.blocks, strict=True)]
    assert same.count(False) == 1
    assert file.copy().done() is file


def test_where_a_block_stands_counts():
    one = np.zeros((12, 1), np.int8)
    one[:3] = 1
    assert blocks(one).key != blocks(np.roll(one, 3, axis=0)).key


def test_nothing_can_be_written_to():
    file = blocks(np.zeros((20, 2)))
    assert not any(block.flags.writeable for block in file.blocks)
    assert not np.asarray(file).flags.writeable
    copied = np.array(file)
    copied[:] = 3
    assert (np.asarray(file) != 3).any()


@given(arrays(), st.integers(0, 2**32))
def test_distances_that_are_remembered_are_those_of_the_files(array, seed):
    rng, distances = np.random.default_rng(seed), BlockDistances()
    files = [blocks(array), blocks(rng.integers(-1, 4, array.shape).astype(np.int8))]
    for _ in range(12):
        draft = files[int(rng.integers(len(files)))].copy()
        draft[int(rng.integers(len(array))), int(rng.integers(array.shape[1]))] = int(rng.integers(4))
        files.append(draft.done())
        for _ in range(3):
            a, b = (files[int(place)] for place in rng.integers(len(files), size=2))
            assert distances.between(a, b) == (np.asarray(a) != np.asarray(b)).sum()
