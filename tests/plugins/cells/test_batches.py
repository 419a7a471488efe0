"""Moves made in compiled code are those made one by one, and the generator in compiled code is numpy's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from evosdc.model import Microdata
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_cells.cells import Cells
from evosdc_cells.file_blocks import FileBlocks, in_blocks
from evosdc_cells.pcg64 import below, set_back, unit, words_of
from tests.table.rules import files as guarded_files
from tests.table.test_record_rules import sample

from .moving import assert_same_changes, children, one_by_one
from .test_cells import files, microdata
from .test_structural_zeros import guarded, keeping


@njit(cache=True)
def drawn(words, kinds, bounds):
    found = np.empty(len(kinds))
    for place in range(len(kinds)):
        found[place] = unit(words) if kinds[place] == 0 else below(words, bounds[place])
    return found


bounds = st.one_of(st.integers(1, 10), st.integers(1, 2**32 - 1), st.integers(2**31, 2**31 + 9))
draws = st.lists(st.tuples(st.integers(0, 1), bounds), min_size=1, max_size=40)


@given(st.integers(0, 2**64), draws)
def test_numbers_are_those_of_numpy_in_any_order(seed, asked):
    one, other = np.random.default_rng(seed), np.random.default_rng(seed)
    wanted = [one.integers(bound) if kind else one.random() for kind, bound in asked]
    words = words_of(other)
    kinds, limits = (np.array(column) for column in zip(*asked, strict=True))
    assert drawn(words, kinds, limits).tolist() == wanted
    set_back(other, words)
    assert other.bit_generator.state == one.bit_generator.state


def test_other_generators_are_left_to_numpy():
    cells = Cells(Cells.Params(), microdata(np.zeros((4, 2)), [3, 3]))
    parent = cells.seeded(cells.microdata.original)
    one, other = (np.random.Generator(np.random.MT19937(5)) for _ in range(2))
    assert words_of(one) is None
    given = (parent, ["value", "adoption"] * 5, [False] * 10, None)
    assert_same_changes(cells.moved(*given, one), one_by_one(cells).moved(*given, other))


settled = settings(max_examples=200)


@st.composite
def mixed_files(draw):
    """Draw files of categories, of numbers or of both, with missing values, ranges of any size, and none at all."""
    data = draw(files())
    count = draw(st.integers(0, 3))
    if not count:
        return data
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, of_file = len(data.original), data.original.schema.attributes if draw(st.booleans()) else ()
    columns = []
    for _ in range(count):
        column = rng.integers(0, draw(st.sampled_from([1, 2, 3, 100, 40_000, 10**8])), n) / 10
        columns.append(np.where(rng.random(n) < draw(st.sampled_from([0.0, 0.3])), np.nan, column))
    attributes = [Attribute(f"x{j}", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=1) for j in range(count)]
    codes = data.original.codes if of_file else np.empty((n, 0), np.int32)
    table = Table(Schema((*of_file, *attributes)), codes, np.column_stack(columns))
    return Microdata(table, table.schema.names)


def assert_made_one_by_one(cells, parent, kinds, costly, through, seed):
    """Compare moves in compiled code with those made one by one, and the generators' states; return the children."""
    one, other = np.random.default_rng(seed), np.random.default_rng(seed)
    made = cells.moved(parent, kinds, costly, through, one)
    assert_same_changes(made, one_by_one(cells).moved(parent, kinds, costly, through, other))
    assert one.bit_generator.state == other.bit_generator.state
    found = children(cells, parent, made)
    for child in found:
        cells.check(child)
    return found


def drawn_moves(cells, parent, seed, count=30, weighed=True):
    """Return kinds, which of them are costly, and running sums of what records cost."""
    choice = np.random.default_rng([seed, 2])
    kinds = [str(kind) for kind in choice.choice(cells.moves, count)]
    costly = [bool(one) for one in choice.random(count) < 0.5]
    return kinds, costly, choice.random(len(np.asarray(parent))).cumsum() if weighed else None


@settled
@given(mixed_files(), st.integers(0, 2**32), st.booleans(), st.booleans())
def test_moves_are_those_made_one_by_one(data, seed, weighed, steps):
    cells = Cells(Cells.Params(steps=steps), data)
    parent = cells.random(np.random.default_rng([seed, 1]))
    assert_made_one_by_one(cells, parent, *drawn_moves(cells, parent, seed, weighed=weighed), seed)


@settled
@given(guarded_files(missing=True), st.integers(0, 2**32), st.booleans())
def test_rules_are_kept_as_one_by_one(table, seed, ruled):
    data = guarded(table, ruled and len(keeping(table)) > 0)
    cells = Cells(Cells.Params(), data)
    parent = cells.random(np.random.default_rng([seed, 1]))
    for child in assert_made_one_by_one(cells, parent, *drawn_moves(cells, parent, seed), seed):
        assert not data.rules.broken(cells.decode(child, np.random.default_rng(0))).any()


@pytest.mark.parametrize("ruled", [False, True])
def test_rules_of_large_files_are_kept_as_one_by_one(ruled):
    data = guarded(sample(np.random.default_rng(4), 12_000), ruled)
    cells = Cells(Cells.Params(), data)
    assert data.rules.zeros.count
    parent = cells.random(np.random.default_rng(1))
    assert isinstance(parent, FileBlocks)
    assert_made_one_by_one(cells, parent, *drawn_moves(cells, parent, 7), 7)


@pytest.mark.parametrize("records", [1, 999, 5000, 9000])
def test_moves_of_several_records_are_those_made_one_by_one(records):
    rng = np.random.default_rng(records)
    cells = Cells(Cells.Params(), microdata(rng.integers(0, 4, (records, 3)), [4, 4, 4]))
    parent, kinds = cells.random(rng), [kind for kind in cells.moves for _ in range(20)]
    costly, through = [False, True] * (len(kinds) // 2), rng.random(records).cumsum()
    assert_made_one_by_one(cells, parent, kinds, costly, through, 2)


def test_no_moves_are_no_children():
    for records in (40, 5000):
        cells = Cells(Cells.Params(), microdata(np.zeros((records, 4)), [3] * 4))
        made = cells.moved(cells.seeded(cells.microdata.original), [], [], None, np.random.default_rng(0))
        assert (len(made.ends), len(made.rows), len(made.after)) == (0, 0, 0)


def large(rng, numeric=0, records=5000):
    """A file in blocks, and a member of the search that is unlike the original; some attributes are numbers."""
    data = microdata(rng.integers(0, 4, (records, 4)), [4, 4, 4, 4])
    if numeric:
        attributes = [Attribute(f"x{j}", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=2) for j in range(numeric)]
        numbers = rng.lognormal(3.0, 1.0, (records, numeric))
        numbers[rng.random((records, numeric)) < 0.1] = np.nan
        of_file = data.original.schema.attributes[numeric:]
        table = Table(Schema((*of_file, *attributes)), data.original.codes[:, numeric:].copy(), numbers)
        data = Microdata(table, table.schema.names)
    cells = Cells(Cells.Params(mutations=2.0), data)
    return cells, cells.random(rng)


@pytest.mark.parametrize("records", [40, 5000])
@pytest.mark.parametrize("numeric", [0, 2, 4])
def test_what_children_change_is_what_their_files_differ_in(records, numeric):
    rng = np.random.default_rng([records, numeric])
    cells, parent = large(rng, numeric, records)
    before = cells.decode(parent, rng)
    kinds, costly, through = drawn_moves(cells, parent, records, 40)
    made = cells.moved(parent, kinds, costly, through, rng)
    for place, child in enumerate(children(cells, parent, made)):
        assert isinstance(child, FileBlocks) == (records == 5000)
        part = made.part(place, place + 1)
        assert part.applied_to(before).same_records(cells.decode(child, rng))
        assert_same_changes(part, cells.change(parent, child, records))
        assert cells.change(parent, child, len(part.rows) - 1) is None


@pytest.mark.parametrize("records", [40, 5000])
@pytest.mark.parametrize("numeric", [0, 2])
@given(seed=st.integers(0, 2**32), count=st.integers(1, 20))
@settings(max_examples=15, deadline=None)
def test_changes_of_several_children_make_the_file_that_is_put_together_of_them(records, numeric, seed, count):
    rng = np.random.default_rng(seed)
    cells, parent = large(rng, numeric, records)
    before = np.array(parent)
    made = cells.moved(parent, *drawn_moves(cells, parent, seed), rng)
    files = [np.asarray(child) for child in children(cells, parent, made)]
    sets = [rng.permutation(30)[:several].tolist() for several in (count, 1, 30)]
    for places, found in zip(sets, children(cells, parent, made.together(sets)), strict=True):
        cells.check(found)
        wanted = before.copy()
        for place in reversed(places):  # where two differ, the first counts
            changed = (files[place] != before).any(axis=1)
            wanted[changed] = files[place][changed]
        assert np.array_equal(found, wanted)
        assert cells.key(found) == cells.key(in_blocks(wanted))
    assert np.array_equal(before, parent)


def test_a_large_file_is_left_as_it_was():
    rng = np.random.default_rng(1)
    cells, parent = large(rng)
    before, key = np.array(parent), parent.key
    for _ in range(3):
        cells.moved(parent, list(cells.moves) * 4, [False] * 4 * len(cells.moves), None, rng)
    assert np.array_equal(before, np.asarray(parent))
    assert parent.key == key
    assert not np.asarray(parent).flags.writeable


@given(st.integers(0, 2**32), st.integers(0, 60))
def test_records_that_are_set_make_the_file_that_is_read(seed, count):
    rng = np.random.default_rng(seed)
    _, parent = large(rng)
    rows = np.sort(rng.choice(5000, count, replace=False))
    whole = np.asarray(parent).copy()
    whole[rows] = rng.integers(0, 4, (count, 4))
    assert parent.with_records(rows.tolist(), whole[rows]).key == in_blocks(whole).key
