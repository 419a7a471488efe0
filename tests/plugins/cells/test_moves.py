"""Moves are what is said of them, draw as is said, and tell what they change."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.model import Changes, Microdata
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import MISSING, Table
from evosdc_cells import files as genomes
from evosdc_cells.cells import Cells
from evosdc_cells.files import FileBlocks, file_of
from tests.table.rules import files as guarded_files
from tests.table.test_record_rules import sample

from .moving import Allowed, assert_same_changes, children, gray, moved
from .test_cells import files, microdata
from .test_numbers import numbers
from .test_structural_zeros import guarded, keeping

KINDS = ("value", "restoration", "adoption", "exchange")


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


def assert_allowed(cells, parent, row, rng, count=4):
    """Make all kinds of moves at one record, and look whether they may be made."""
    allowed, n = Allowed(cells, parent), len(np.asarray(parent))
    kinds = [kind for kind in KINDS if kind in cells.moves for _ in range(count)]
    through = (np.arange(n) >= row).astype(float)
    change = cells.moved(parent, kinds, [True] * len(kinds), through, rng)
    for place, (kind, child) in enumerate(zip(kinds, children(cells, parent, change), strict=True)):
        cells.check(child)
        rows = change.part(place, place + 1).rows.tolist()
        records = np.asarray(child)[rows].tolist()
        assert all(before != after for before, after in zip(np.asarray(parent)[rows].tolist(), records, strict=True))
        assert rows == sorted(rows)
        allowed.assert_move(kind, row, dict(zip(rows, records, strict=True)))


@settings(max_examples=40)
@given(mixed_files(), st.integers(0, 2**32), st.booleans(), st.sampled_from(["gray", "gaussian"]))
def test_moves_are_what_is_said_of_them(data, seed, steps, coding):
    cells, rng = Cells(Cells.Params(steps=steps, numbers=coding), data), np.random.default_rng(seed)
    parent = cells.random(rng)
    assert_allowed(cells, parent, int(rng.integers(len(parent))), rng)


@settings(max_examples=40)
@given(guarded_files(missing=True), st.integers(0, 2**32), st.booleans(), st.booleans())
def test_moves_keep_rules(table, seed, ruled, steps):
    data = guarded(table, ruled and len(keeping(table)) > 0)
    cells, rng = Cells(Cells.Params(steps=steps), data), np.random.default_rng(seed)
    parent = cells.random(rng)
    assert_allowed(cells, parent, int(rng.integers(len(parent))), rng)


@pytest.mark.parametrize("ruled", [False, True])
def test_moves_of_large_files_keep_rules(ruled):
    data = guarded(sample(np.random.default_rng(4), 12_000), ruled)
    cells, rng = Cells(Cells.Params(mutations=3.0), data), np.random.default_rng(1)
    parent = cells.random(rng)
    assert data.rules.zeros.count
    assert isinstance(parent, FileBlocks)
    change = cells.moved(parent, list(cells.moves) * 6, [False] * 6 * len(cells.moves), None, rng)
    for child in (*children(cells, parent, change), *(cells.mutate(parent, rng) for _ in range(30))):
        cells.check(child)
        assert not data.rules.broken(cells.decode(child, rng)).any()


def outcomes(cells, parent, kind, count=4000):
    """Return how often each version of the first record came about, as shares."""
    first = np.ones(len(np.asarray(parent)))
    change = cells.moved(parent, [kind] * count, [True] * count, first, np.random.default_rng(5))
    made = Counter(tuple(np.asarray(child)[0].tolist()) for child in children(cells, parent, change))
    return {record: times / count for record, times in made.items()}


def assert_equally_often(found, wanted):
    assert found.keys() == set(wanted)
    assert list(found.values()) == pytest.approx([1 / len(wanted)] * len(wanted), abs=0.04)


def test_every_value_is_as_likely():
    data = microdata([[0, 0], [1, 2], [MISSING, 1]], [3, 3])
    cells = Cells(Cells.Params(), data)
    parent = cells.load({"cells": np.array([[1, 1], [0, 0], [0, 0]])})
    found = outcomes(cells, parent, "value")
    assert found.keys() == {(0, 1), (2, 1), (MISSING, 1), (1, 0), (1, 2)}
    assert [found[0, 1], found[2, 1], found[MISSING, 1]] == pytest.approx([1 / 6] * 3, abs=0.03)
    assert [found[1, 0], found[1, 2]] == pytest.approx([1 / 4] * 2, abs=0.03)


def test_every_neighbour_and_every_bit_of_a_gray_code_is_as_likely():
    ordinal = Cells(Cells.Params(steps=True), microdata([[2], [0]], [5]))
    assert_equally_often(outcomes(ordinal, ordinal.load({"cells": np.array([[2], [0]])}), "value"), [(1,), (3,)])
    cells = Cells(Cells.Params(), numbers([[0.0, 21.0]]))  # codes 21 to 42
    parent = cells.load({"cells": np.array([[21 + 5], [21]])})
    one_bit = [(21 + x,) for x in range(22) if (gray(x) ^ gray(5)).bit_count() == 1]
    assert_equally_often(outcomes(cells, parent, "value"), one_bit)


def test_normal_steps_have_the_spread_that_is_asked_for():
    data = numbers([[0.0, 10_000.0, 5000.0, 5000.0]])
    cells = Cells(Cells.Params(numbers="gaussian", spread=0.1), data)
    parent = cells.load({"cells": np.array([[15_000]] * 4)})
    drawn = np.repeat(
        *zip(*[(r[0], round(p * 4000)) for r, p in outcomes(cells, parent, "value").items()], strict=True)
    )
    assert drawn.mean() == pytest.approx(15_000, abs=30)
    assert drawn.std() == pytest.approx(0.1 * data.original.numbers.std(), rel=0.05)


def test_every_restoration_and_every_adoption_is_as_likely():
    data = microdata([[0, 0, 0], [1, 1, 1], [2, 2, 2]], [3, 3, 3])
    cells = Cells(Cells.Params(), data)
    parent = cells.load({"cells": np.array([[2, 1, 0], [1, 1, 1], [2, 2, 2]])})
    assert_equally_often(outcomes(cells, parent, "restoration"), [(0, 1, 0), (2, 0, 0)])
    adopted = outcomes(cells, parent, "adoption")
    assert adopted[1, 1, 1] == pytest.approx(1 / 3, abs=0.03)
    assert adopted[2, 2, 2] == pytest.approx(1 / 3, abs=0.03)


def test_a_partner_is_found_where_there_is_one():
    cells = Cells(Cells.Params(), microdata([[0], [1], [0], [0]], [3]))
    parent = cells.load({"cells": np.array([[0], [1], [2], [0]])})
    assert outcomes(cells, parent, "exchange") == {(2,): 1.0}


@pytest.mark.parametrize("generator", [np.random.PCG64, np.random.Philox, np.random.MT19937])
def test_a_seed_tells_what_is_made(generator):
    cells = Cells(Cells.Params(mutations=3), microdata(np.zeros((4, 2)), [9, 9]))
    parent, kinds = cells.seeded(cells.microdata.original), ["value", "adoption", "class-value"] * 9
    made = []
    for seed in (5, 5, 6):
        rng = np.random.Generator(generator(seed))
        made.append((cells.moved(parent, kinds, [False] * 27, None, rng), cells.mutate(parent, rng), rng.random()))
    assert_same_changes(made[0][0], made[1][0])
    assert np.array_equal(made[0][1], made[1][1])
    assert made[0][2] == made[1][2]
    assert not np.array_equal(made[0][1], made[2][1])


@settings(max_examples=25)
@given(mixed_files(), st.integers(0, 2**32), st.sampled_from([0.0, 1.0, 20.0]))
def test_files_in_blocks_are_changed_as_others(data, seed, mutations):
    cells = Cells(Cells.Params(mutations=mutations), data)
    made = []
    for whole in (10**6, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(genomes, "WHOLE", whole)
            patch.setattr(genomes, "LEAST_RECORDS", 2)
            rng = np.random.default_rng(seed)
            parent = cells.random(rng)
            assert isinstance(parent, FileBlocks) == (whole == 0)
            kinds = [*KINDS[:3], *cells.class_moves]
            made.append((cells.moved(parent, kinds, [False] * 7, None, rng), cells.mutate(parent, rng)))
    assert_same_changes(made[0][0], made[1][0])
    assert np.array_equal(np.asarray(made[0][1]), np.asarray(made[1][1]))


def drawn_moves(cells, parent, seed, count=30):
    """Return kinds, which of them are costly, and running sums of what records cost."""
    choice = np.random.default_rng([seed, 2])
    kinds = [str(kind) for kind in choice.choice([*cells.moves, *cells.class_moves], count)]
    costly = [bool(one) for one in choice.random(count) < 0.5]
    return kinds, costly, choice.random(len(np.asarray(parent))).cumsum()


def large(rng, numeric=0, records=5000):
    """A file in blocks, and a member of the search that is unlike the original; some attributes are numbers."""
    data = microdata(rng.integers(0, 4, (records, 4)), [4, 4, 4, 4])
    if numeric:
        attributes = [Attribute(f"x{j}", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=2) for j in range(numeric)]
        values = rng.lognormal(3.0, 1.0, (records, numeric))
        values[rng.random((records, numeric)) < 0.1] = np.nan
        of_file = data.original.schema.attributes[numeric:]
        table = Table(Schema((*of_file, *attributes)), data.original.codes[:, numeric:].copy(), values)
        data = Microdata(table, table.schema.names)
    cells = Cells(Cells.Params(mutations=2.0), data)
    return cells, cells.random(rng)


def test_no_moves_are_no_children():
    for records in (40, 5000):
        cells = Cells(Cells.Params(), microdata(np.zeros((records, 4)), [3] * 4))
        made = cells.moved(cells.seeded(cells.microdata.original), [], [], None, np.random.default_rng(0))
        assert (len(made.ends), len(made.rows), len(made.after)) == (0, 0, 0)


@pytest.mark.parametrize("records", [40, 5000])
@pytest.mark.parametrize("numeric", [0, 2, 4])
def test_what_children_change_is_what_their_files_differ_in(records, numeric):
    rng = np.random.default_rng([records, numeric])
    cells, parent = large(rng, numeric, records)
    before = cells.decode(parent, rng)
    made = cells.moved(parent, *drawn_moves(cells, parent, records, 40), rng)
    for place, child in enumerate(children(cells, parent, made)):
        assert isinstance(child, FileBlocks) == (records == 5000)
        part = made.part(place, place + 1)
        assert part.applied_to(before).same_records(cells.decode(child, rng))
        rows = cells.changed_rows(parent, child)
        own = (cells.decode_records(file, rows) for file in (parent, child))
        assert_same_changes(part, Changes.of_one(rows, *own))


@pytest.mark.parametrize("records", [40, 5000])
@pytest.mark.parametrize("numeric", [0, 2])
@given(seed=st.integers(0, 2**32), count=st.integers(1, 20))
@settings(max_examples=15, deadline=None)
def test_changes_of_several_children_make_the_file_that_is_put_together_of_them(records, numeric, seed, count):
    rng = np.random.default_rng(seed)
    cells, parent = large(rng, numeric, records)
    before = np.array(parent)
    made = cells.moved(parent, *drawn_moves(cells, parent, seed), rng)
    listed = [np.asarray(child) for child in children(cells, parent, made)]
    sets = [rng.permutation(30)[:several].tolist() for several in (count, 1, 30)]
    for places, found in zip(sets, children(cells, parent, made.together(sets)), strict=True):
        cells.check(found)
        wanted = before.copy()
        for place in reversed(places):  # where two differ, the first counts
            changed = (listed[place] != before).any(axis=1)
            wanted[changed] = listed[place][changed]
        assert np.array_equal(found, wanted)
        assert cells.key(found) == cells.key(file_of(wanted))
    assert np.array_equal(before, parent)


def test_large_files_are_left_as_they_were_and_follow_each_other():
    rng = np.random.default_rng(1)
    cells, parent = large(rng)
    other = cells.mutate(parent, rng)
    before = {id(file): np.array(file) for file in (parent, other)}
    for _ in range(3):
        for file in (parent, other):
            made = cells.moved(file, list(cells.moves) * 4, [False] * 4 * len(cells.moves), None, rng)
            assert made.before.same_records(cells.decode_records(file, made.rows))
    for file in (parent, other):
        assert np.array_equal(before[id(file)], np.asarray(file))
        assert not np.asarray(file).flags.writeable


def test_one_move_is_made_where_records_cost():
    rng = np.random.default_rng(1)
    cells, parent = large(rng)
    costs = np.zeros(5000)
    costs[[7, 4000]] = 1.0
    for kind in cells.moves[:3]:
        changed = {
            int(row) for _ in range(20) for row in cells.changed_rows(parent, moved(cells, parent, kind, rng, costs))
        }
        assert changed == {7, 4000}
