"""Batches of changes are the changes made one by one, and the generator in compiled code is numpy's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from evosdc.model import Genotype, Microdata, Movable, RecordDecoded, Siblings
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_cells.cells import Cells
from evosdc_cells.file_blocks import FileBlocks, in_blocks
from evosdc_cells.pcg64 import below, distinct, poisson, set_back, unit, words_of
from tests.table.rules import files as guarded_files
from tests.table.test_record_rules import sample

from .test_cells import files, microdata
from .test_structural_zeros import guarded, keeping


@njit(cache=True)
def drawn(words, kinds, bounds, means):
    found = np.empty(len(kinds))
    for place in range(len(kinds)):
        if kinds[place] == 0:
            found[place] = unit(words)
        elif kinds[place] == 1:
            found[place] = below(words, bounds[place])
        else:
            found[place] = poisson(words, np.exp(-means[place]))
    return found


@njit(cache=True)
def several(words, size, count):
    chosen = np.empty(count, np.int64)
    distinct(words, size, chosen)
    return chosen


draws = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.one_of(st.integers(1, 10), st.integers(1, 2**32 - 1), st.integers(2**31, 2**31 + 9)),
        st.floats(0.01, 9.9),
    ),
    min_size=1,
    max_size=40,
)


@given(st.integers(0, 2**64), draws)
def test_numbers_are_those_of_numpy_in_any_order(seed, asked):
    one, other = np.random.default_rng(seed), np.random.default_rng(seed)
    wanted = [
        [one.random, lambda b=bound: one.integers(b), lambda m=mean: one.poisson(m)][kind]()
        for kind, bound, mean in asked
    ]
    words = words_of(other)
    kinds, bounds, means = (np.array(column) for column in zip(*asked, strict=True))
    assert drawn(words, kinds, bounds, means).tolist() == wanted
    set_back(other, words)
    assert other.bit_generator.state == one.bit_generator.state


@given(st.integers(0, 2**64), st.integers(1, 60), st.integers(0, 9000), st.booleans())
def test_distinct_numbers_are_those_of_numpy(seed, count, more, halved):
    one, other = np.random.default_rng(seed), np.random.default_rng(seed)
    if halved:  # half a word is left over
        assert one.integers(7) == other.integers(7)
    words = words_of(other)
    assert several(words, count + more, count).tolist() == one.choice(count + more, count, replace=False).tolist()
    set_back(other, words)
    assert other.bit_generator.state == one.bit_generator.state


def test_some_of_very_many_are_those_of_numpy():
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    assert several(words_of(other), 16_384, 300).tolist() == one.choice(16_384, 300, replace=False).tolist()


def test_other_generators_are_left_to_numpy():
    cells = Cells(Cells.Params(), microdata(np.zeros((4, 2)), [3, 3]))
    parent = cells.seeded(cells.microdata.original)
    one, other = (np.random.Generator(np.random.MT19937(5)) for _ in range(2))
    assert words_of(one) is None
    assert np.array_equal(cells.mutants(parent, 9, one), [cells.mutate(parent, other) for _ in range(9)])


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


@settled
@given(mixed_files(), st.integers(0, 2**32), st.sampled_from([0.0, 0.3, 1.0, 5.0, 20.0]), st.booleans(), st.booleans())
def test_mutants_are_those_made_one_by_one(data, seed, mutations, steps, halved):
    cells = Cells(Cells.Params(mutations=mutations, steps=steps), data)
    one, other = np.random.default_rng(seed), np.random.default_rng(seed)
    if halved:
        assert one.integers(7) == other.integers(7)
    parent = cells.random(np.random.default_rng([seed, 1]))
    made, wanted = cells.mutants(parent, 12, one), Genotype.mutants(cells, parent, 12, other)
    assert np.array_equal(made, wanted)
    assert one.bit_generator.state == other.bit_generator.state
    for child in made:
        cells.check(child)


@settled
@given(mixed_files(), st.integers(0, 2**32), st.booleans(), st.booleans())
def test_moves_are_those_made_one_by_one(data, seed, weighed, steps):
    cells = Cells(Cells.Params(steps=steps), data)
    choice = np.random.default_rng([seed, 1])
    parent = cells.random(choice)
    kinds = [str(kind) for kind in choice.choice(cells.moves, 30)]
    costly = [bool(one) for one in choice.random(30) < 0.5]
    through = choice.random(len(parent)).cumsum() if weighed else None
    one, other = np.random.default_rng(seed), np.random.default_rng(seed)
    made = cells.moved(parent, kinds, costly, through, one)
    wanted = Movable.moved(cells, parent, kinds, costly, through, other)
    assert np.array_equal(made, wanted)
    assert one.bit_generator.state == other.bit_generator.state
    for child in made:
        cells.check(child)


def assert_made_one_by_one(cells, parent, seed):
    """Compare batches with changes made one by one, by results and by the generators' states."""
    one, other = np.random.default_rng(seed), np.random.default_rng(seed)
    choice = np.random.default_rng([seed, 2])
    kinds = [str(kind) for kind in choice.choice(cells.moves, 30)]
    costly = [bool(one) for one in choice.random(30) < 0.5]
    through = choice.random(len(np.asarray(parent))).cumsum()
    made = [*cells.mutants(parent, 20, one), *cells.moved(parent, kinds, costly, through, one)]
    wanted = Genotype.mutants(cells, parent, 20, other)
    wanted = [*wanted, *Movable.moved(cells, parent, kinds, costly, through, other)]
    assert one.bit_generator.state == other.bit_generator.state
    for child, expected in zip(made, wanted, strict=True):
        assert np.array_equal(child, expected)
        cells.check(child)
    return made


@settled
@given(guarded_files(missing=True), st.integers(0, 2**32), st.booleans())
def test_rules_are_kept_as_one_by_one(table, seed, ruled):
    data = guarded(table, ruled and len(keeping(table)) > 0)
    cells = Cells(Cells.Params(mutations=3.0), data)
    assert cells._rules is not None
    parent = cells.random(np.random.default_rng([seed, 1]))
    for child in assert_made_one_by_one(cells, parent, seed):
        assert not data.rules.broken(cells.decode(child, np.random.default_rng(0))).any()


@pytest.mark.parametrize("ruled", [False, True])
def test_rules_of_large_files_are_kept_as_one_by_one(ruled):
    data = guarded(sample(np.random.default_rng(4), 12_000), ruled)
    cells = Cells(Cells.Params(mutations=3.0), data)
    assert data.rules.zeros.count
    parent = cells.random(np.random.default_rng(1))
    assert isinstance(parent, FileBlocks)
    assert_made_one_by_one(cells, parent, 7)


@pytest.mark.parametrize("records", [1, 999, 5000, 9000])
def test_moves_of_several_records_are_those_made_one_by_one(records):
    rng = np.random.default_rng(records)
    data = microdata(rng.integers(0, 4, (records, 3)), [4, 4, 4])
    cells = Cells(Cells.Params(), data)
    parent, kinds = cells.random(rng), [kind for kind in cells.moves for _ in range(20)]
    costly, through = [False, True] * (len(kinds) // 2), rng.random(records).cumsum()
    one, other = np.random.default_rng(2), np.random.default_rng(2)
    made = cells.moved(parent, kinds, costly, through, one)
    assert np.array_equal(made, Movable.moved(cells, parent, kinds, costly, through, other))
    assert one.bit_generator.state == other.bit_generator.state


def test_a_child_keeps_no_other_one_in_memory():
    cells = Cells(Cells.Params(), microdata(np.zeros((50, 2)), [3, 3]))
    parent, rng = cells.seeded(cells.microdata.original), np.random.default_rng(0)
    made = [*cells.mutants(parent, 5, rng), *cells.moved(parent, ["value"] * 5, [False] * 5, None, rng)]
    assert all(child.base is None and not child.flags.writeable for child in made)


@pytest.mark.parametrize("records", [40, 9000])
def test_children_are_made_once_when_they_are_asked_for(records):
    cells = Cells(Cells.Params(), microdata(np.zeros((records, 2)), [3, 3]))
    parent, rng = cells.seeded(cells.microdata.original), np.random.default_rng(0)
    made = cells.mutants(parent, 5, rng)
    assert isinstance(made, Siblings)
    assert (len(made), made.known) == (5, [])
    child = made[3]
    assert made[-2] is child
    assert made[2:4] == [made[2], child]
    assert [place for place, _ in made.known] == [2, 3]
    with pytest.raises(IndexError):
        made[5]
    assert len(list(made)) == len(made.known) == 5


@pytest.mark.parametrize("name", ["decode", "decode_records", "changes", "changed_rows", "combined"])
def test_children_of_a_subclass_that_decodes_otherwise_are_made(name):
    own = type("Own", (Cells,), {name: lambda self, *given: getattr(Cells, name)(self, *given)})
    cells = own(own.Params(), microdata(np.zeros((4, 2)), [3, 3]))
    parent, rng = cells.seeded(cells.microdata.original), np.random.default_rng(0)
    for made in (cells.mutants(parent, 3, rng), cells.moved(parent, ["value"] * 3, [False] * 3, None, rng)):
        assert isinstance(made, list)
        assert len(made) == 3


def test_a_subclass_that_mutates_otherwise_is_asked():
    class Own(Cells):
        def mutate(self, g, rng):
            return g

        def move(self, g, kind, rng, records=None):
            return g

    cells = Own(Own.Params(), microdata(np.zeros((4, 2)), [3, 3]))
    parent, rng = cells.seeded(cells.microdata.original), np.random.default_rng(0)
    assert all(child is parent for child in cells.mutants(parent, 3, rng))
    assert all(child is parent for child in cells.moved(parent, ["value"], [False], None, rng))


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


@pytest.mark.parametrize("numeric", [0, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_what_children_of_a_large_file_change_is_known_as_it_is_found_out(seed, numeric):
    rng = np.random.default_rng(seed)
    cells, parent = large(rng, numeric)
    through = rng.random(len(np.asarray(parent))).cumsum()
    kinds = [str(kind) for kind in rng.choice(cells.moves, 40)]
    for made in (cells.mutants(parent, 25, rng), cells.moved(parent, kinds, [True, False] * 20, through, rng)):
        assert all(isinstance(child, FileBlocks) for child in made)
        for most in (5000, 3, 1, 0):
            found = RecordDecoded.changes(cells, parent, made, most)
            for known in (made.changes(most), cells.changes(parent, made, most)):
                for one, other in zip(known[:3], found[:3], strict=True):
                    assert one.tolist() == other.tolist()
                for one, other in zip(known[3:], found[3:], strict=True):
                    assert np.array_equal(one.codes, other.codes)
                    assert np.array_equal(one.numbers, other.numbers, equal_nan=True)


@pytest.mark.parametrize("records", [40, 5000])
@pytest.mark.parametrize("numeric", [0, 2])
@given(seed=st.integers(0, 2**32), count=st.integers(1, 20))
@settings(max_examples=15, deadline=None)
def test_changes_of_several_children_make_the_file_that_is_put_together_of_them(records, numeric, seed, count):
    rng = np.random.default_rng(seed)
    cells, parent = large(rng, numeric, records)
    before = np.array(parent)
    kinds = [str(kind) for kind in rng.choice(cells.moves, 30)]
    for made in (cells.mutants(parent, 30, rng), cells.moved(parent, kinds, [False] * 30, None, rng)):
        sets = [rng.permutation(30)[:several].tolist() for several in (count, 1, 30)]
        together = made.combined(sets)
        wanted = [cells.combined(parent, [made[place] for place in places]) for places in sets]
        assert len(together) == len(sets)
        for found, known in zip(together, wanted, strict=True):
            assert np.array_equal(found, known)
            assert cells.key(found) == cells.key(known)
            cells.check(found)
        for most in (records, 3):
            told, known = together.changes(most), RecordDecoded.changes(cells, parent, wanted, most)
            for one, other in zip(told[:3], known[:3], strict=True):
                assert one.tolist() == other.tolist()
            for one, other in zip(told[3:], known[3:], strict=True):
                assert np.array_equal(one.codes, other.codes)
                assert np.array_equal(one.numbers, other.numbers, equal_nan=True)
    assert np.array_equal(before, parent)


def test_a_large_file_is_left_as_it_was():
    rng = np.random.default_rng(1)
    cells, parent = large(rng)
    before, key = np.array(parent), parent.key
    for _ in range(3):
        cells.mutants(parent, 30, rng)
        cells.moved(parent, list(cells.moves) * 4, [False] * 4 * len(cells.moves), None, rng)
        assert list(cells.moved(parent, [], [], None, rng)) == list(cells.mutants(parent, 0, rng)) == []
    assert np.array_equal(before, np.asarray(parent))
    assert parent.key == key
    for kept in cells._batches._draft(parent):
        assert np.array_equal(before, kept)


@given(st.integers(0, 2**32), st.integers(0, 60))
def test_records_that_are_set_make_the_file_that_is_read(seed, count):
    rng = np.random.default_rng(seed)
    _, parent = large(rng)
    rows = np.sort(rng.choice(5000, count, replace=False))
    whole = np.asarray(parent).copy()
    whole[rows] = rng.integers(0, 4, (count, 4))
    assert parent.with_records(rows.tolist(), whole[rows]).key == in_blocks(whole).key
