"""What the masked file adds to a guess that everybody can make."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.randomisation.transition import design_a
from evosdc.table.table import Table
from evosdc.testing.measure import MeasureConformance
from evosdc_measures import records
from evosdc_measures.interval_disclosure.guesses import GuessGain
from tests.plugins.measures import reference
from tests.plugins.measures.cases import pairs, schema, table
from tests.plugins.measures.test_definitions import X, Y
from tests.plugins.measures.test_trackers import check


class TestGuessGain(MeasureConformance):
    kind = "dr"

    def measure(self):
        return GuessGain(GuessGain.Params())


del MeasureConformance


def fitted(original, **params):
    return GuessGain(GuessGain.Params(**params)).fit(original)


def test_fixture_worked_by_hand():
    assert fitted(X).score(Y) == pytest.approx(100 * (2 / 3 + 0.8) / 2, abs=1e-6)
    for name, wanted in {"a0": 200 / 3, "a1": 80.0}.items():
        assert fitted(X.select([name])).score(Y.select([name])) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("wide", [records.WIDE, 2])
@given(tables=pairs())
def test_every_table_by_definition(wide, tables):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(records, "WIDE", wide)
        assert fitted(tables[0]).score(tables[1]) == pytest.approx(reference.guess_gain(*tables), abs=1e-9)


@pytest.mark.parametrize("wide", [records.WIDE, 2])
@given(tables=pairs(), seed=st.integers(0, 2**32 - 1))
def test_children_have_the_scores_of_their_tables(wide, tables, seed):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(records, "WIDE", wide)
        check(fitted(tables[0]), tables[1], np.random.default_rng(seed), 6)


@given(tables=pairs(), data=st.data())
def test_no_relabelling_hides_anything(tables, data):
    original, masked = tables
    measure = fitted(original)
    several = any(len(set(column)) > 1 for column in original.codes.T.tolist())
    for given_table, wanted in ((original, None), (masked, measure.score(masked))):
        codes = given_table.codes.copy()
        for v, attribute in enumerate(original.schema.categorical):
            names = np.array(data.draw(st.permutations(range(-1, len(attribute.categories)))))
            codes[:, v] = names[codes[:, v] + 1]
        turned = measure.score(Table(original.schema, codes, original.numbers))
        if wanted is not None:
            assert turned == wanted
        else:
            share = np.mean([len(set(column)) > 1 for column in original.codes.T.tolist()])
            assert turned == pytest.approx(100 * share if several else 0.0)


def test_nothing_is_gained_from_an_independent_file(german):
    rng = np.random.default_rng(1)
    shuffled = Table(german.schema, rng.permuted(german.codes, axis=0), german.numbers)
    assert 0.0 <= fitted(german).score(shuffled) < 5.0
    constant = Table(german.schema, np.zeros_like(german.codes), german.numbers)
    assert fitted(german).score(constant) == 0.0


@pytest.mark.endurance
def test_expectation_is_the_limit_of_many_records():
    rng = np.random.default_rng(4)
    original = table(schema((3,), ("nominal",)), [[0]] * 50000 + [[1]] * 30000 + [[2]] * 20000)
    matrix = design_a(np.array([50000, 30000, 20000]), 0.6)
    drawn = [rng.choice(3, size=1, p=matrix[k]) for k in original.codes[:, 0]]
    masked = Table(original.schema, np.array(drawn, dtype=np.int32), original.numbers)
    measure = fitted(original)
    assert measure.score(masked) == pytest.approx(measure.expected([matrix]), abs=1.0)
    assert measure.expected([np.roll(np.identity(3), 1, axis=0)]) == 100.0
    independent = np.tile([0.5, 0.3, 0.2], (3, 1))
    assert measure.expected([independent]) == 0.0
