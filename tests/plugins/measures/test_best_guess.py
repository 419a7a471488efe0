"""The likeliest original behind each published value."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.randomisation.transition import design_a
from evosdc.table.table import Table
from evosdc.testing.measure import MeasureConformance
from evosdc_measures import records
from evosdc_measures.interval_disclosure.guesses import BestGuess
from tests.plugins.measures.cases import noisy, pairs, schema, table
from tests.plugins.measures.test_trackers import check


class TestBestGuess(MeasureConformance):
    kind, identity = "dr", 100.0

    def measure(self):
        return BestGuess(BestGuess.Params())


del MeasureConformance


def fitted(original):
    return BestGuess(BestGuess.Params()).fit(original)


def by_definition(original, masked):
    guessed = 0
    for v in range(original.codes.shape[1]):
        cells = Counter(zip(masked.codes[:, v].tolist(), original.codes[:, v].tolist(), strict=True))
        best = {}
        for (published, _), count in cells.items():
            best[published] = max(best.get(published, 0), count)
        guessed += sum(best.values())
    return 100 * guessed / original.codes.size


@pytest.mark.parametrize("wide", [records.WIDE, 2])
@given(tables=pairs())
def test_every_table_by_definition(wide, tables):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(records, "WIDE", wide)
        assert fitted(tables[0]).score(tables[1]) == pytest.approx(by_definition(*tables))


@given(tables=pairs(), seed=st.integers(0, 2**32 - 1))
def test_children_have_the_scores_of_their_tables(tables, seed):
    check(fitted(tables[0]), tables[1], np.random.default_rng(seed), 6)


def test_a_relabelling_hides_nothing(german):
    size = np.array([len(a.categories) for a in german.schema.categorical])
    turned = Table(german.schema, ((german.codes + 1) % size).astype(np.int32), german.numbers)
    shuffled = german.take(np.random.default_rng(1).permutation(len(german)))
    measure = fitted(german)
    assert measure.score(turned) == 100.0
    modes = [np.bincount(column).max() for column in german.codes.T]
    assert (
        100 * sum(modes) / german.codes.size
        <= measure.score(shuffled)
        < measure.score(noisy(german, 0.2, np.random.default_rng(2)))
    )


@pytest.mark.endurance
def test_expectation_is_the_limit_of_many_records():
    rng = np.random.default_rng(4)
    original = table(schema((3,), ("nominal",)), [[0]] * 60000 + [[1]] * 30000 + [[2]] * 10000)
    matrix = design_a(np.array([60000, 30000, 10000]), 0.6)
    drawn = [rng.choice(3, size=1, p=matrix[k]) for k in original.codes[:, 0]]
    masked = Table(original.schema, np.array(drawn, dtype=np.int32), original.numbers)
    measure = fitted(original)
    assert measure.score(masked) == pytest.approx(measure.expected([matrix]), abs=0.5)
    assert measure.expected([np.roll(np.identity(3), 1, axis=0)]) == 100.0
