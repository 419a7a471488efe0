"""Linkage by an intruder who knows the transitions, against products of fractions over all pairs of records."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import EvaluationError, ParameterError, SchemaError
from evosdc.randomisation.transition import design_a
from evosdc.table.table import Table
from evosdc.testing.measure import MeasureConformance
from evosdc_measures.linkage import informed
from evosdc_measures.linkage.informed import InformedLinkage
from evosdc_measures.linkage.places import SCALE, logarithms
from tests.plugins.measures import reference
from tests.plugins.measures.cases import noisy, pairs
from tests.plugins.measures.following import CHAIN, assert_tracker_follows
from tests.plugins.measures.gaps import assert_gaps_hold
from tests.plugins.measures.test_definitions import X, Y


class TestInformedLinkage(MeasureConformance):
    kind = "dr"

    def measure(self):
        return InformedLinkage(InformedLinkage.Params())


class TestInformedLinkageOfCoarseNumbers(MeasureConformance):
    kind = "dr"

    def measure(self):
        return InformedLinkage(InformedLinkage.Params(bins=2))


del MeasureConformance


def fitted(original, **params):
    return InformedLinkage(InformedLinkage.Params(**params)).fit(original)


def test_fixture_worked_by_hand():
    assert fitted(X).score(Y) == pytest.approx(100 * 5 / 8, abs=1e-6)
    assert fitted(X).track(Y).contributions() * 8 / 100 == pytest.approx([1, 0, 1, 1, 0, 0.5, 0.5, 1], abs=1e-6)


def test_logarithms_add_up_as_numbers_multiply():
    table_of_logs = logarithms(2000)
    assert np.array_equal(table_of_logs[0:2], [0, 0])
    assert table_of_logs[2:] / SCALE == pytest.approx(np.log(np.arange(2, 2001)), abs=1e-11)
    for number in (4, 6, 30, 128, 720, 997 * 2, 2000):
        for divisor in (d for d in range(1, number + 1) if number % d == 0):
            assert table_of_logs[number] == table_of_logs[divisor] + table_of_logs[number // divisor]


@given(tables=pairs(most_records=12))
def test_every_table_by_definition(tables):
    assert fitted(tables[0]).score(tables[1]) == pytest.approx(reference.informed(*tables), abs=1e-9)


@given(tables=pairs(most_records=12))
def test_many_categories_are_judged_alike(tables):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(informed, "FOLLOWED_CELLS", 0)
        measure = fitted(tables[0])
        assert measure.score(tables[1]) == pytest.approx(reference.informed(*tables), abs=1e-9)
        assert_tracker_follows(measure, tables[1], np.random.default_rng(1), (1, 3))


@given(tables=pairs(most_records=25), seed=st.integers(0, 2**32 - 1))
def test_trackers_have_the_scores_of_their_tables(tables, seed):
    original, masked = tables
    assert_tracker_follows(fitted(original), masked, np.random.default_rng(seed), (1, 3, 12, 25, 1), assert_gaps_hold)


def test_trackers_of_published_files(published):
    rng = np.random.default_rng(7)
    assert_tracker_follows(fitted(published), noisy(published, 0.3, rng), rng, CHAIN, assert_gaps_hold)


@pytest.mark.parametrize("share", [0.05, 0.4])
def test_trackers_of_files_masked_little_or_much(german, share):
    rng = np.random.default_rng(3)
    assert_tracker_follows(fitted(german), noisy(german, share, rng), rng, (1, 1, 4, 12, 40, 300) * 3, assert_gaps_hold)


@given(tables=pairs(most_records=14), data=st.data())
def test_no_relabelling_hides_anything(tables, data):
    original, masked = tables
    codes = masked.codes.copy()
    for v, attribute in enumerate(original.schema.categorical):
        names = np.array(data.draw(st.permutations(range(-1, len(attribute.categories)))))
        codes[:, v] = names[codes[:, v] + 1]
    measure = fitted(original)
    assert measure.score(Table(original.schema, codes, original.numbers)) == measure.score(masked)


@given(tables=pairs())
def test_the_original_itself_is_linked_but_for_its_doubles(tables):
    original, _ = tables
    distinct = len({tuple(record) for record in original.codes.tolist()})
    assert fitted(original).score(original) == pytest.approx(100 * distinct / len(original))


def test_one_published_record_links_nobody_better_than_chance(german):
    constant = Table(german.schema, np.zeros_like(german.codes), german.numbers)
    assert fitted(german).score(constant) == pytest.approx(100 / len(german))
    assert fitted(german).score(noisy(german, 1.0, np.random.default_rng(3))) < 1.5


def test_scenarios_take_some_attributes(german):
    masked = noisy(german, 0.3, np.random.default_rng(1))
    lists = (("savings",), ("existacc", "presemploy"))
    single = [fitted(german.select(names)).score(masked.select(names)) for names in lists]
    assert fitted(german, scenarios=lists).score(masked) == pytest.approx(sum(single) / 2)
    assert fitted(german, scenarios=lists, combine="max").score(masked) == max(single)
    with pytest.raises(SchemaError, match="nobody"):
        fitted(german, scenarios=(("nobody",),))


def test_intruders_may_know_the_first_attributes_up_to_half(german):
    masked = noisy(german, 0.3, np.random.default_rng(1))
    names = german.schema.names
    known = [tuple(names[:count]) for count in range(1, -(-len(names) // 2) + 1)]
    assert fitted(german, scenarios="first-half").score(masked) == fitted(german, scenarios=known).score(masked)


def document(original, matrices):
    return {
        a.name: {"categories": list(a.categories), "matrix": np.asarray(matrices[v], dtype=float).tolist()}
        for v, a in enumerate(original.schema.categorical)
        if v in matrices
    }


def stochastic(size, rng):
    """Return a matrix with some zeros, and with rows whose sum is 1 after division by it."""
    matrix = rng.random((size, size)) * (rng.random((size, size)) < 0.7) + np.identity(size) * 0.01
    for _ in range(50):
        matrix /= matrix.sum(axis=1, keepdims=True)
    return matrix


@given(tables=pairs(most_records=12), known=st.integers(1, 7), seed=st.integers(0, 2**32 - 1))
def test_published_matrices(tmp_path_factory, tables, known, seed):
    original, masked = tables
    rng = np.random.default_rng(seed)
    sizes = [len(a.categories) for a in original.schema.categorical]
    matrices = {v: stochastic(size, rng) for v, size in enumerate(sizes) if known >> v & 1}
    file = tmp_path_factory.mktemp("published") / "x.matrices.json"
    file.write_text(json.dumps(document(original, matrices)))
    if not matrices:
        with pytest.raises(ParameterError, match="none of the attributes"):
            fitted(original, matrices=file)
        return
    measure = fitted(original, matrices=file)
    exact = {
        v: {(a, b): Fraction(float(p)) for (a, b), p in np.ndenumerate(matrix / matrix.sum(axis=1, keepdims=True))}
        | {(-1, -1): Fraction(1)}
        for v, matrix in matrices.items()
    }
    assert measure.score(masked) == pytest.approx(reference.informed(original, masked, exact), abs=1e-9)
    assert_tracker_follows(measure, masked, rng, (1, 1, 2, 12), assert_gaps_hold)


def test_matrices_that_do_not_fit(german, tmp_path):
    file = tmp_path / "matrices.json"
    size = len(german.schema["savings"].categories)
    labels = [*german.schema["savings"].categories[1:], "gold"]
    for name, entry, message in (
        ("savings", {"categories": labels, "matrix": np.identity(size).tolist()}, "the category gold"),
        ("savings", {"categories": ["A61", "A62"], "matrix": [[0.5, 0.4], [0, 1]]}, "sums to 0.9"),
        ("both", {"attributes": ["savings", "existacc"], "categories": [["A61", "A11"]], "matrix": [[1]]}, "single"),
        ("wealth", {"categories": ["A61"], "matrix": [[1]]}, "none of the attributes"),
    ):
        file.write_text(json.dumps({name: entry}))
        with pytest.raises(ParameterError, match=message):
            fitted(german, matrices=file)


def test_matrix_known_beside_a_drawn_file(german, tmp_path):
    rng = np.random.default_rng(2)
    matrices = [design_a(np.bincount(column), 0.7) for column in german.codes.T]
    file = tmp_path / "german.matrices.json"
    file.write_text(json.dumps(document(german, dict(enumerate(matrices)))))
    known, scores = fitted(german, matrices=file), []
    for _ in range(30):
        codes = [
            [rng.choice(len(P), p=P[a]) for a in column] for P, column in zip(matrices, german.codes.T, strict=True)
        ]
        scores.append(known.score(Table(german.schema, np.array(codes, dtype=np.int32).T, german.numbers)))
    error = np.std(scores) / np.sqrt(len(scores))
    assert np.mean(scores) == pytest.approx(fitted(german).expected(matrices), abs=4 * error)


@given(tables=pairs(most_records=8), seed=st.integers(0, 2**32 - 1))
def test_expectation_by_definition(tables, seed):
    original, _ = tables
    rng = np.random.default_rng(seed)
    matrices = [stochastic(len(a.categories), rng) for a in original.schema.categorical]
    whole = [np.block([[P, np.zeros((len(P), 1))], [np.zeros((1, len(P))), 1]]) for P in matrices]
    wanted = 0.0
    for y in np.ndindex(*(len(P) for P in whole)):
        chances = [np.prod([P[a, b] for P, a, b in zip(whole, x, y, strict=True)]) for x in original.codes]
        wanted += max(chances)
    measure = fitted(original)
    assert measure.expected(matrices) == pytest.approx(100 * wanted / len(original), abs=1e-9)
    assert measure.expected([np.identity(len(P)) for P in matrices]) == pytest.approx(measure.score(original))


def test_too_much_for_a_table_or_an_expectation(adult):
    with pytest.raises(EvaluationError, match="let the genotype draw instead"):
        fitted(adult).expected([np.identity(len(a.categories)) for a in adult.schema.categorical])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(informed, "MOST_CELLS", 300)
        with pytest.raises(ParameterError, match="native-country with too many categories"):
            fitted(adult)
