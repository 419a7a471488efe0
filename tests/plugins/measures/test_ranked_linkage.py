"""Linkage by one who knows the place of the right original, against fractions over all pairs of records."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.table import Table
from evosdc.testing.measure import MeasureConformance
from evosdc.testing.tables import changes_of, sample_table
from evosdc.testing.tables import edited as edited_table
from evosdc_measures.linkage import informed
from evosdc_measures.linkage.informed import InformedLinkage, RankedLinkage
from tests.plugins.measures import reference
from tests.plugins.measures.cases import edited, noisy, pairs
from tests.plugins.measures.following import CHAIN, assert_tracker_follows
from tests.plugins.measures.gaps import assert_gaps_hold
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
    assert fitted(X).track(Y).contributions() * 8 / 100 == pytest.approx([1, 0, 1, 1, 0, 0.5, 0.5, 1], abs=1e-6)


@given(tables=pairs(most_records=12))
def test_every_table_by_definition(tables):
    measure = fitted(tables[0])
    assert measure.score(tables[1]) == pytest.approx(reference.ranked(*tables), abs=1e-9)
    assert measure.track(tables[1]).contributions().sum() == pytest.approx(measure.score(tables[1]), abs=1e-9)


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
        patched.setattr(informed, "FOLLOWED_CELLS", 0)
        measure = fitted(tables[0])
        assert measure.score(tables[1]) == pytest.approx(reference.ranked(*tables), abs=1e-9)
        assert_tracker_follows(measure, tables[1], np.random.default_rng(1), (1, 3))


@pytest.mark.parametrize("records", [15, 2000])
@given(tables=pairs(most_records=40), seed=st.integers(0, 2**32 - 1))
def test_trackers_have_the_scores_of_their_tables(records, tables, seed):
    measure, rng = fitted(tables[0], records=records), np.random.default_rng(seed)
    assert_tracker_follows(measure, tables[1], rng, (1, 3, 12, 40, 1), assert_gaps_hold)


def test_trackers_of_published_files(published):
    rng = np.random.default_rng(7)
    assert_tracker_follows(fitted(published), noisy(published, 0.3, rng), rng, CHAIN, assert_gaps_hold)


@pytest.mark.parametrize(("share", "records"), [(0.1, 2000), (0.4, 7), (0.4, 2000), (0.8, 300)])
def test_trackers_of_files_masked_little_or_much(german, share, records):
    rng = np.random.default_rng(6)
    measure, masked = fitted(german, records=records), noisy(german, share, rng)
    assert_tracker_follows(measure, masked, rng, (1, 1, 4, 12, 40, 300) * 3, assert_gaps_hold)


@pytest.mark.parametrize("records", [400, 2000])
def test_records_that_exchange_what_they_publish(german, records):
    rng = np.random.default_rng(11)
    measure, masked = fitted(german, records=records), noisy(german, 0.4, rng)
    tracker = measure.track(masked)
    for _ in range(60):
        codes, v = masked.codes.copy(), int(rng.integers(german.codes.shape[1]))
        alike = np.flatnonzero(german.codes[:, v] == german.codes[int(rng.integers(len(german))), v])
        rows = np.sort(rng.choice(alike, size=min(2, len(alike)), replace=False)).astype(np.intp)
        codes[rows, v] = codes[rows[::-1], v]
        codes[rows[0], (v + 1) % codes.shape[1]] = int(rng.integers(3))
        child = Table(masked.schema, codes, masked.numbers)
        change = changes_of(masked, [(child, rows)])
        assert tracker.tries(change).tolist() == [measure.score(child)]
        tracker.take(change)
        masked = child
        assert tracker.score == measure.score(masked)
        assert_gaps_hold(tracker, masked)


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


def test_trackers_go_their_own_ways(german):
    rng = np.random.default_rng(7)
    masked, measure = noisy(german, 0.4, rng), fitted(german)
    tracker = measure.track(masked)
    twin = measure.track(masked)
    other, rows = edited(masked, rng, 40)
    twin.take(changes_of(masked, [(other, rows)]))
    for table, one in ((masked, tracker), (other, twin)):
        children = [edited(table, rng, most) for most in (1, 3, 12)]
        assert one.tries(changes_of(table, children)).tolist() == [measure.score(child) for child, _ in children]


def test_numbers_by_intervals_are_followed():
    original = sample_table("ordinary")
    assert original.schema.numeric
    rng = np.random.default_rng(3)
    masked, _ = edited_table(original, rng, 0.5)
    measure = fitted(original)
    tracker = measure.track(masked)
    children = [edited_table(masked, rng, share) for share in (0.05, 0.2, 0.9)]
    scores = [measure.score(child) for child, _ in children]
    assert tracker.tries(changes_of(masked, children)).tolist() == scores
    tracker.take(changes_of(masked, children[1:2]))
    assert tracker.score == scores[1]
