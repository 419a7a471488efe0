"""Labels that would read better if they were exchanged, against all permutations and against scipy's assignment."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from evosdc.randomisation.transition import design_a
from evosdc.table.table import Table
from evosdc.testing.measure import MeasureConformance
from evosdc.testing.tables import changes_of
from evosdc_measures import records as joint
from evosdc_measures.categorical_loss.relabelling import Relabelling
from tests.plugins.measures import reference
from tests.plugins.measures.cases import edited, noisy, pairs, schema, table
from tests.plugins.measures.test_definitions import X, Y


class TestRelabelling(MeasureConformance):
    kind, identity = "model", 0.0

    def measure(self):
        return Relabelling(Relabelling.Params())


class TestWorstRelabelling(MeasureConformance):
    kind, identity = "model", 0.0

    def measure(self):
        return Relabelling(Relabelling.Params(aggregate="worst", bins=4))


del MeasureConformance


def fitted(original, **params):
    return Relabelling(Relabelling.Params(**params)).fit(original)


def test_fixture_worked_by_hand():
    assert fitted(X).score(Y) == 0.0


@pytest.mark.parametrize("wide", [joint.WIDE, 2])
@given(tables=pairs(most_records=14))
def test_every_table_by_all_permutations(wide, tables):
    gains = reference.relabelled(*tables)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(joint, "WIDE", wide)
        mean, worst = (fitted(tables[0], aggregate=kind).score(tables[1]) for kind in ("mean", "worst"))
    assert mean == pytest.approx(100 * sum(gains) / len(gains) / len(tables[0]))
    assert worst == pytest.approx(100 * max(gains) / len(tables[0]))


@pytest.mark.parametrize("wide", [joint.WIDE, 3])
@given(tables=pairs(most_records=30), seed=st.integers(0, 2**32 - 1))
def test_trackers_go_on_by_any_way(wide, tables, seed):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(joint, "WIDE", wide)
        rng, measure = np.random.default_rng(seed), fitted(tables[0])
        family = [(tables[1], measure.track(tables[1])) for _ in range(3)]
        for most in (1, 1, 1, 8, 1, 2, 1, 1, 30, 1):
            place = int(rng.integers(len(family)))
            masked, tracker = family[place]
            child, rows = edited(masked, rng, most)
            change = changes_of(masked, [(child, rows)])
            assert tracker.tries(change).tolist() == [measure.score(child)]
            tracker.take(change)
            family[place] = child, tracker
        for masked, tracker in family:
            assert tracker.score == measure.score(masked)


def gained(original, masked):
    counts = np.zeros((len(original), len(original)))
    np.add.at(counts, (original + 1, masked + 1), 1)
    return counts[linear_sum_assignment(counts, maximize=True)].sum() - np.trace(counts)


@pytest.mark.endurance
def test_a_long_chain_of_changes_against_scipy(german):
    rng, measure = np.random.default_rng(5), fitted(german)
    masked = noisy(german, 0.9, rng)
    tracker = measure.track(masked)
    for _ in range(100):
        child, rows = edited(masked, rng, 1)
        tracker.take(changes_of(masked, [(child, rows)]))
        masked = child
        gains = [gained(x, y) for x, y in zip(german.codes.T, masked.codes.T, strict=True)]
        assert tracker.score == pytest.approx(100 * sum(gains) / 3 / len(german))


@given(sizes=st.lists(st.integers(2, 6), min_size=1, max_size=3), n=st.integers(1, 30), seed=st.integers(0, 99))
def test_a_derangement_reads_wrong_throughout(sizes, n, seed):
    rng = np.random.default_rng(seed)
    original = table(schema(sizes, ["nominal"] * len(sizes)), rng.integers(0, sizes, (n, len(sizes))))
    turned = table(original.schema, (original.codes + 1) % np.array(sizes))
    assert fitted(original).score(turned) == pytest.approx(100.0)
    assert fitted(original, aggregate="worst").score(turned) == pytest.approx(100.0)


def test_noise_is_no_relabelling_but_an_exchange_is(german):
    rng = np.random.default_rng(2)
    assert fitted(german).score(noisy(german, 0.3, rng)) == 0.0
    codes = german.codes.copy()
    exchanged = np.array([0, 3, 2, 1])
    codes[:, 0] = exchanged[codes[:, 0]]
    masked = Table(german.schema, codes, german.numbers)
    share = np.isin(german.codes[:, 0], (1, 3)).mean()
    assert fitted(german).score(masked) == pytest.approx(100 * share / 3)
    assert fitted(german, aggregate="worst").score(masked) == pytest.approx(100 * share)


@pytest.mark.endurance
def test_expectation_is_the_limit_of_many_records():
    rng = np.random.default_rng(4)
    original = table(schema((3,), ("nominal",)), [[0]] * 60000 + [[1]] * 30000 + [[2]] * 10000)
    matrix = np.roll(design_a(np.array([60000, 30000, 10000]), 0.8), 1, axis=1)
    drawn = [rng.choice(3, size=1, p=matrix[k]) for k in original.codes[:, 0]]
    masked = Table(original.schema, np.array(drawn, dtype=np.int32), original.numbers)
    measure = fitted(original)
    assert measure.score(masked) == pytest.approx(measure.expected([matrix]), abs=0.5)
    assert measure.expected([np.identity(3)]) == 0.0
