"""Linkage by one who knows the place of the right original, against fractions over all pairs of records."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.table import Table
from evosdc.testing.measure import MeasureConformance
from evosdc.testing.tables import changes_of, sample_table
from evosdc_measures.linkage import category_members, informed_originals
from evosdc_measures.linkage.informed import InformedLinkage
from evosdc_measures.linkage.prefix_tree import tree_of
from evosdc_measures.linkage.ranked import RankedLinkage
from evosdc_measures.linkage.ranked_neighbours import WORTH
from evosdc_measures.linkage.ranked_places import LOST
from tests.plugins.measures import reference
from tests.plugins.measures.cases import edited, noisy, pairs
from tests.plugins.measures.following import assert_chain_equals_starts, assert_family_equals_starts, costs_apart
from tests.plugins.measures.test_definitions import X, Y


class TestRankedLinkage(MeasureConformance):
    kind = "dr"

    def measure(self):
        return RankedLinkage(RankedLinkage.Params())


class TestRankedLinkageOfAFewRecords(MeasureConformance):
    kind = "dr"
    order_matters = True

    def measure(self):
        return RankedLinkage(RankedLinkage.Params(bins=2, records=3))


del MeasureConformance


def fitted(original, **params):
    return RankedLinkage(RankedLinkage.Params(**params)).fit(original)


def test_it_is_informed_linkage_where_most_stand_first():
    assert fitted(X).score(Y) == pytest.approx(100 * 5 / 8, abs=1e-6)
    assert fitted(X).burdens(Y) * 8 / 100 == pytest.approx([1, 0, 1, 1, 0, 0.5, 0.5, 1], abs=1e-6)


@given(tables=pairs(most_records=12))
def test_every_table_by_definition(tables):
    measure = fitted(tables[0])
    assert measure.score(tables[1]) == pytest.approx(reference.ranked(*tables), abs=1e-9)
    assert measure.burdens(tables[1]).sum() == pytest.approx(measure.score(tables[1]), abs=1e-9)


def test_a_file_with_most_records_beyond_the_last_place_by_definition(german):
    original = german.take(np.arange(120))
    masked = noisy(original, 0.9, np.random.default_rng(5))
    assert fitted(original).score(masked) == pytest.approx(reference.ranked(original, masked), abs=1e-9)


@given(tables=pairs(most_records=14))
def test_who_knows_the_place_links_no_less_than_who_takes_the_first(tables):
    first = InformedLinkage(InformedLinkage.Params()).fit(tables[0]).score(tables[1])
    assert fitted(tables[0]).score(tables[1]) >= first - 1e-9


@given(tables=pairs(most_records=12))
def test_many_categories_are_judged_alike(tables):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(informed_originals, "FOLLOWED_CELLS", 0)
        measure = fitted(tables[0])
        assert measure.score(tables[1]) == pytest.approx(reference.ranked(*tables), abs=1e-9)
        masked, rows = edited(tables[1], np.random.default_rng(1))
        assert measure.value(measure.update(measure.start(tables[1]), masked, rows)) == measure.score(masked)


def assert_same(measure, followed, fresh):
    assert measure.value(followed) == measure.value(fresh)
    assert np.array_equal(followed[0], fresh[0])
    assert all(np.array_equal(*pair) for pair in zip(followed[1][:-1], fresh[1][:-1], strict=True))
    assert_rooms_hold(measure, followed)
    assert_rooms_hold(measure, fresh)


def assert_rooms_hold(measure, state):
    """All originals not equal to a record's own are by its room likelier or less likely, or enough are likelier."""
    (_, costs, likelier, _, rooms), some = state[1], slice(None, None, 1 + len(measure._asked) // 64)
    asked, likelier, rooms = measure._asked[some], likelier[some], rooms[some]
    apart, equal = costs_apart(measure._originals.model, state[0], asked, costs)
    assert (rooms >= 0).all()
    lost = likelier == LOST
    assert ((apart[lost] <= -np.maximum(rooms[lost], 1)[:, None]).sum(axis=1) >= LOST).all()
    assert ((np.abs(apart) >= rooms[:, None]) | equal)[~lost].all()


@pytest.mark.parametrize("most", [1, 3, 12])
@given(tables=pairs(most_records=25), seed=st.integers(0, 2**32 - 1))
def test_updates_equal_starts(most, tables, seed):
    original, masked = tables
    assert_family_equals_starts(fitted(original, records=15), masked, np.random.default_rng(seed), most, assert_same)


@pytest.mark.parametrize("distinct", [0, category_members.MOST_DISTINCT])
def test_updates_on_published_files(published, distinct, monkeypatch):
    monkeypatch.setattr(category_members, "MOST_DISTINCT", distinct)
    assert_chain_equals_starts(fitted(published), published, assert_same)


@given(tables=pairs(most_records=25))
def test_originals_are_listed_by_category(tables):
    own = np.column_stack([np.unique(column, return_inverse=True)[1] for column in tables[0].codes.T]).astype(np.int32)
    strides = own.max(axis=0).astype(np.int64) + 1
    distinct, multiples, begins, members = category_members.members_of(own, tree_of(own), strides)
    assert len(np.unique(distinct, axis=0)) == len(distinct)
    assert [(own == record).all(axis=1).sum() for record in distinct] == multiples.tolist()
    category = 0
    for v, stride in enumerate(strides):
        for code in range(stride):
            listed = members[begins[category] : begins[category + 1]]
            assert sorted(listed) == np.flatnonzero(distinct[:, v] == code).tolist()
            category += 1
    assert begins[category] == len(members)


@pytest.mark.parametrize("records", [400, 2000])
def test_records_that_exchange_what_they_publish(german, records):
    rng = np.random.default_rng(11)
    measure, masked = fitted(german, records=records), noisy(german, 0.4, rng)
    state = measure.start(masked)
    for _ in range(60):
        codes, v = masked.codes.copy(), int(rng.integers(german.codes.shape[1]))
        alike = np.flatnonzero(german.codes[:, v] == german.codes[int(rng.integers(len(german))), v])
        rows = np.sort(rng.choice(alike, size=min(2, len(alike)), replace=False)).astype(np.intp)
        codes[rows, v] = codes[rows[::-1], v]
        codes[rows[0], (v + 1) % codes.shape[1]] = int(rng.integers(3))
        masked = Table(masked.schema, codes, masked.numbers)
        state = measure.update(state, masked, rows)
        assert_same(measure, state, measure.start(masked))


@given(tables=pairs(most_records=14), data=st.data())
def test_no_relabelling_hides_anything(tables, data):
    original, masked = tables
    codes = masked.codes.copy()
    for v, attribute in enumerate(original.schema.categorical):
        names = np.array(data.draw(st.permutations(range(-1, len(attribute.categories)))))
        codes[:, v] = names[codes[:, v] + 1]
    measure = fitted(original)
    assert measure.score(Table(original.schema, codes, original.numbers)) == pytest.approx(measure.score(masked))


def test_the_original_itself_is_linked_but_for_its_doubles(german):
    distinct = len(np.unique(german.codes, axis=0))
    assert fitted(german).score(german) == pytest.approx(100 * distinct / len(german))


def test_records_drawn_tell_about_what_all_tell(german):
    masked = noisy(german, 0.3, np.random.default_rng(1))
    assert fitted(german, records=700).score(masked) == pytest.approx(fitted(german).score(masked), abs=2.0)


@given(tables=pairs(most_records=14))
def test_the_first_place_tells_informed_linkage(tables):
    original, masked = tables
    first, ranked = InformedLinkage(InformedLinkage.Params()).fit(original), fitted(original)
    assert first.read_from(ranked)(ranked.start(masked)) == first.score(masked)
    assert ranked.read_from(first) is None


def families_of(original, masked, rng, sizes=(1, 3, 12, 1, 1)):
    children = [edited(masked, rng, most) for most in sizes]
    return children, changes_of(masked, children)


MANY = (1, 1, 2, 4, 60, 1, 150) * 6
"""So many children that what is near each record is looked up: changes of one cell, of some, and of most."""


@given(tables=pairs(most_records=60), seed=st.integers(0, 2**32 - 1))
def test_many_children_are_judged_by_what_is_near_each_record(tables, seed):
    assert len(MANY) >= WORTH
    original, masked = tables
    first, ranked = InformedLinkage(InformedLinkage.Params()).fit(original), fitted(original)
    children, changes = families_of(original, masked, np.random.default_rng(seed), MANY)
    found = first.read_together_from(ranked)(ranked.start(masked), changes)
    assert found[0].tolist() == [ranked.score(child) for child, _ in children]
    assert found[1].tolist() == [first.score(child) for child, _ in children]


@pytest.mark.parametrize(("share", "records"), [(0.1, 2000), (0.4, 2000), (0.8, 300)])
def test_many_children_of_a_published_file(german, share, records):
    rng = np.random.default_rng(5)
    masked, measure = noisy(german, share, rng), fitted(german, records=records)
    children, changes = families_of(german, masked, rng, MANY)
    found = measure.values(measure.start(masked), changes)
    assert found.tolist() == [measure.score(child) for child, _ in children]


def assert_children_of_children_equal_starts(measure, masked, rng, rounds):
    """What is near each record is listed once, and asked in files that come from that one, by many cells or few."""
    state = measure.start(masked)
    for sizes in rounds:
        children, changes = families_of(masked, masked, rng, sizes)
        assert measure.values(state, changes).tolist() == [measure.score(child) for child, _ in children]
        masked, rows = children[int(rng.integers(len(children)))]
        state = measure.follow(state, masked, rows)
        assert_same(measure, state, measure.start(masked))


FEW_AFTER_MANY = (MANY, (1, 3), (1, 1, 1), (30, 1), MANY, (200, 1), (1, 2), (1,), MANY)


@given(tables=pairs(most_records=60), seed=st.integers(0, 2**32 - 1))
def test_children_of_children_are_judged_by_what_was_near_each_record(tables, seed):
    measure = fitted(tables[0], records=40)
    assert_children_of_children_equal_starts(measure, tables[1], np.random.default_rng(seed), FEW_AFTER_MANY)


@pytest.mark.parametrize(("share", "records"), [(0.1, 2000), (0.4, 2000), (0.8, 300)])
def test_children_of_children_of_a_published_file(german, share, records):
    rng = np.random.default_rng(6)
    masked, measure = noisy(german, share, rng), fitted(german, records=records)
    assert_children_of_children_equal_starts(measure, masked, rng, (*FEW_AFTER_MANY, *[(1, 1, 2)] * 20))


def test_a_copy_goes_its_own_way(german):
    rng = np.random.default_rng(7)
    masked, measure = noisy(german, 0.4, rng), fitted(german)
    state = measure.start(masked)
    _, changes = families_of(german, masked, rng, MANY)
    measure.values(state, changes)
    copy = measure.copied(state)
    other, rows = edited(masked, rng, 40)
    copy = measure.follow(copy, other, rows)
    for file, followed in ((masked, state), (other, copy)):
        children, changes = families_of(german, file, rng)
        assert measure.values(followed, changes).tolist() == [measure.score(child) for child, _ in children]


def test_threads_that_judge_one_family_do_not_share_what_is_near(german):
    rng = np.random.default_rng(8)
    masked, measure = noisy(german, 0.4, rng), fitted(german)
    state = measure.start(masked)
    families = [families_of(german, masked, rng, MANY) for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda family: measure.values(state, family[1]), families))
    for values, (children, _) in zip(found, families, strict=True):
        assert values.tolist() == [measure.score(child) for child, _ in children]


@given(tables=pairs(most_records=20), seed=st.integers(0, 2**32 - 1))
def test_children_are_judged_by_both_at_once(tables, seed):
    original, masked = tables
    first, ranked = InformedLinkage(InformedLinkage.Params()).fit(original), fitted(original)
    children, changes = families_of(original, masked, np.random.default_rng(seed))
    found = first.read_together_from(ranked)(ranked.start(masked), changes)
    assert found[0].tolist() == [ranked.score(child) for child, _ in children]
    assert found[1].tolist() == [first.score(child) for child, _ in children]


@pytest.mark.parametrize(("records", "distinct"), [(7, 0), (400, 1000), (2000, 0), (2000, 1000)])
def test_children_of_a_published_file(german, records, distinct, monkeypatch):
    monkeypatch.setattr(category_members, "MOST_DISTINCT", distinct)
    rng = np.random.default_rng(2)
    masked = noisy(german, 0.4, rng)
    measure = fitted(german, records=records)
    state = measure.start(masked)
    for _ in range(5):
        children, changes = families_of(german, masked, rng)
        assert measure.values(state, changes).tolist() == [measure.score(child) for child, _ in children]
        masked, rows = children[1]
        state = measure.follow(state, masked, rows)
    assert_same(measure, state, measure.start(masked))


def test_numbers_in_the_same_classes_are_judged_by_both_at_once():
    original = sample_table("ordinary")
    masked, _ = edited(original, np.random.default_rng(3), 12)
    first, ranked = InformedLinkage(InformedLinkage.Params()).fit(original), fitted(original)
    children, changes = families_of(original, masked, np.random.default_rng(4))
    found = first.read_together_from(ranked)(ranked.start(masked), changes)
    assert found[1].tolist() == [first.score(child) for child, _ in children]
    assert first.read_together_from(first) is None


def test_too_many_categories_are_not_judged_together(german):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(informed_originals, "FOLLOWED_CELLS", 0)
        measure = fitted(german)
        assert not measure.together
        assert InformedLinkage(InformedLinkage.Params()).fit(german).read_together_from(measure) is None


def test_places_of_some_records_or_of_another_original_tell_nothing(german):
    first = InformedLinkage(InformedLinkage.Params()).fit(german)
    assert first.read_from(fitted(german, records=100)) is None
    assert first.read_from(fitted(german.take(np.arange(len(german))[::-1]))) is None
    assert first.read_from(fitted(german)) is not None


def test_numbers_in_the_same_classes_tell_informed_linkage():
    original = sample_table("ordinary")
    assert original.schema.numeric
    masked, _ = edited(original, np.random.default_rng(3), 12)
    first, ranked = InformedLinkage(InformedLinkage.Params()).fit(original), fitted(original)
    assert first.read_from(ranked)(ranked.start(masked)) == first.score(masked)
    assert first.read_from(fitted(original, bins=3)) is None
