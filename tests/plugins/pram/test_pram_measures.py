"""The measures of the study with Shlomo: conformance, fixtures by hand, and what is expected of them."""

from math import log, sqrt

import numpy as np
import pytest

from evosdc.errors import InputError, ParameterError
from evosdc.randomisation.transition import design_a, design_b
from evosdc.table.schema import Attribute, MissingRule, Scale, Schema
from evosdc.table.table import MISSING, Table
from evosdc.testing import MeasureConformance
from evosdc.testing.fitness import FitnessConformance
from evosdc_pram.bivariate import (
    BivariateDifference,
    ChiSquareDifference,
    CramerDifference,
    HellingerDifference,
    chi_square,
    cramer_v,
    hellinger,
    relative_change,
)
from evosdc_pram.matches import CorrectMatches, Unchanged
from evosdc_pram.matrices import LocalPrivacy, MarginalShift, Penalised, epsilon


class _Conformance(MeasureConformance):
    offered: type
    params: dict = {}  # noqa: RUF012 -- never changed

    def measure(self):
        return self.offered(self.offered.Params(**self.params))


class TestBivariateDifference(_Conformance):
    offered, identity = BivariateDifference, 0.0


class TestBivariateRelativeAbsoluteDifference(_Conformance):
    offered, identity, params = BivariateDifference, 0.0, {"form": "raad"}


class TestChiSquareDifference(_Conformance):
    offered, identity = ChiSquareDifference, 0.0


class TestCramerDifference(_Conformance):
    offered, identity = CramerDifference, 0.0


class TestHellingerDifference(_Conformance):
    offered, identity = HellingerDifference, 0.0


class TestCorrectMatches(_Conformance):
    # Perturbing one of two equal records makes the other one a unique: the untouched file need not have the greatest.
    offered, kind = CorrectMatches, "model"


class TestUnchanged(_Conformance):
    offered, kind, identity = Unchanged, "dr", 100.0


class TestLocalPrivacy(_Conformance):
    offered, kind = LocalPrivacy, "dr"


class TestMarginalShift(_Conformance):
    offered, kind, identity = MarginalShift, "model", 0.0


class TestPenalised(FitnessConformance):
    def fitness(self):
        return Penalised(Penalised.Params(base="max", weight=2.0))


del MeasureConformance, FitnessConformance


def table_of(codes, sizes, na=MissingRule.CATEGORY):
    attributes = tuple(
        Attribute(f"v{v}", scale=Scale.NOMINAL, categories=tuple(map(str, range(size)))) for v, size in enumerate(sizes)
    )
    return Table(Schema(attributes, na=na), np.array(codes, dtype=np.int32), np.empty((len(codes), 0)))


ORIGINAL = table_of([(0, 0)] * 4 + [(0, 1)] * 1 + [(1, 0)] * 1 + [(1, 1)] * 4, (2, 2))
MASKED = table_of([(0, 0)] * 3 + [(0, 1)] * 2 + [(1, 0)] * 1 + [(1, 1)] * 4, (2, 2))


def score(measure, masked=MASKED, original=ORIGINAL, **params):
    return measure(measure.Params(**params)).fit(original).score(masked)


def test_figures_of_two_tables_by_hand():
    # o = [[4, 1], [1, 4]], e = 2.5 each: chi2 = 4 * 1.5**2 / 2.5 = 3.6. m = [[3, 2], [1, 4]]: e = [[2, 3], [2, 3]].
    after = 1 / 2 + 1 / 3 + 1 / 2 + 1 / 3
    assert score(BivariateDifference) == pytest.approx(100 * 2 / 20)
    assert score(BivariateDifference, form="cells") == pytest.approx(2 / 4)
    assert score(BivariateDifference, form="raad") == pytest.approx(100 * (1 / 4 + 1 / 1) / 4)
    assert score(ChiSquareDifference) == pytest.approx(100 * (3.6 - after) / 3.6)
    assert score(CramerDifference) == pytest.approx(100 * (1 - sqrt(after / 3.6)))
    wanted = sqrt(0.5 * ((2 - sqrt(3)) ** 2 + (sqrt(2) - 1) ** 2) / 10)
    assert score(HellingerDifference) == pytest.approx(100 * wanted)


def test_chi_square_agrees_with_scipy():
    from scipy.stats import chi2_contingency

    table = np.random.default_rng(0).integers(1, 40, (4, 6)).astype(float)
    statistic = chi2_contingency(table, correction=False).statistic
    assert chi_square(table) == pytest.approx(statistic)
    assert cramer_v(table) == pytest.approx(sqrt(statistic / table.sum() / 3))


def test_tables_without_dependence_or_records():
    assert chi_square(np.zeros((2, 2))) == 0.0
    assert cramer_v(np.array([[3.0, 0.0], [0.0, 0.0]])) == 0.0
    assert hellinger(np.zeros((2, 2)), np.zeros((2, 2))) == 0.0
    assert [relative_change(*pair) for pair in ((0, 0), (0, 2), (4, 1))] == [0.0, 1.0, 0.75]


def test_pairs_are_chosen_by_name_and_checked():
    three = table_of([(0, 0, 0), (1, 1, 1), (0, 1, 1)], (2, 2, 2))
    masked = table_of([(0, 0, 1), (1, 1, 1), (0, 1, 1)], (2, 2, 2))
    assert score(BivariateDifference, masked, three, pairs=[("v0", "v1")]) == 0.0
    assert score(BivariateDifference, masked, three, pairs=[("v0", "v2")]) > 0.0
    with pytest.raises(InputError, match="v9"):
        score(BivariateDifference, masked, three, pairs=[("v0", "v9")])
    with pytest.raises(ParameterError, match="paired with itself"):
        score(BivariateDifference, masked, three, pairs=[("v0", "v0")])
    with pytest.raises(ParameterError, match="one attribute"):
        score(HellingerDifference, three.select(["v0"]), three.select(["v0"]))


def test_correct_matches_by_hand():
    original = table_of([(0,), (0,), (1,), (2,)], (4,))
    # Category 0 has become unique and is matched with chance one half; 1 is still unique; 3 is nobody's.
    masked = table_of([(0,), (3,), (1,), (1,)], (4,))
    assert score(CorrectMatches, original, original) == 50.0
    assert score(CorrectMatches, masked, original) == pytest.approx(100 * 0.5 / 4)


def test_expected_correct_matches_are_the_mean_over_all_outcomes():
    from itertools import product

    original = table_of([(0,), (0,), (1,), (2,)], (3,))
    fitted = CorrectMatches(CorrectMatches.Params()).fit(original)
    for P in (design_a(np.array([2, 1, 1]), 0.6), design_b(np.array([2, 1, 1]), 1.0), np.roll(np.identity(3), 1, 0)):
        total = 0.0
        for outcome in product(range(3), repeat=4):
            chance = np.prod([P[k, to] for k, to in zip((0, 0, 1, 2), outcome, strict=True)])
            total += chance * fitted.score(table_of([(to,) for to in outcome], (3,)))
        assert fitted.expected([P]) == pytest.approx(total, abs=1e-12)
    assert fitted.expected([np.identity(3)]) == fitted.score(original)


def test_probability_of_a_unique_is_that_of_an_invariant_matrix():
    original = table_of([(0,)] * 5 + [(1,)] * 3 + [(2,)] * 2, (3,))
    fitted = CorrectMatches(CorrectMatches.Params()).fit(original)
    P = design_b(np.array([5, 3, 2]), 0.7)
    keys, chances = fitted.probabilities([P])
    np.testing.assert_array_equal(keys[:, 0], [0, 1, 2])
    np.testing.assert_allclose(chances, np.diagonal(P) / [5, 3, 2])


def test_matches_of_several_attributes_multiply_and_missing_values_stay():
    codes = [(0, 0), (0, 1), (1, MISSING), (1, 1)]
    original = table_of(codes, (2, 2))
    fitted = CorrectMatches(CorrectMatches.Params()).fit(original)
    P, Q = np.array([[0.7, 0.3], [0.2, 0.8]]), np.array([[0.6, 0.4], [0.1, 0.9]])
    total = 0.0
    for outcome in np.ndindex(*(2,) * 7):
        first, second = outcome[:4], [*outcome[4:6], MISSING, outcome[6]]
        chance = np.prod([P[k[0], to] for k, to in zip(codes, first, strict=True)])
        chance *= np.prod([Q[k[1], to] for k, to in zip(codes, second, strict=True) if k[1] != MISSING])
        total += chance * fitted.score(table_of(list(zip(first, second, strict=True)), (2, 2)))
    assert fitted.expected([P, Q]) == pytest.approx(total, abs=1e-12)


def test_unchanged_values_in_expectation():
    original = table_of([(0,), (0,), (1,), (MISSING,)], (2,))
    fitted = Unchanged(Unchanged.Params()).fit(original)
    assert fitted.expected([np.array([[0.5, 0.5], [0.75, 0.25]])]) == pytest.approx(100 * (1.0 + 0.25 + 1) / 4)


def test_epsilon_of_randomised_response():
    p = 0.8
    assert epsilon(np.array([[p, 1 - p], [1 - p, p]])) == pytest.approx(log(4))
    assert epsilon(np.identity(2)) == np.inf
    assert epsilon(np.full((3, 3), 1 / 3)) == 0.0
    assert epsilon(np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]])) == 0.0
    fitted = LocalPrivacy(LocalPrivacy.Params()).fit(ORIGINAL)
    matrices = [np.array([[p, 1 - p], [1 - p, p]]), np.full((2, 2), 0.5)]
    assert fitted.expected(matrices) == pytest.approx(100 * (1 - np.exp(-log(4) / 2)))
    assert fitted.expected([np.identity(2)] * 2) == fitted.score(ORIGINAL) == 100.0


def test_shift_is_zero_just_where_a_matrix_is_invariant():
    original = table_of([(0,)] * 50 + [(1,)] * 30 + [(2,)] * 20, (3,))
    fitted = MarginalShift(MarginalShift.Params()).fit(original)
    T = np.array([50, 30, 20])
    assert fitted.expected([design_b(T, 0.9)]) == pytest.approx(0.0, abs=1e-12)
    wanted = 50 * np.abs(T @ design_a(T, 0.5) - T).sum() / 100
    assert fitted.expected([design_a(T, 0.5)]) == pytest.approx(wanted)


def test_penalty_is_added_to_either_fitness():
    scores = {"il": 10.0, "dr": 20.0, "marginal-shift": 3.0}
    assert Penalised(Penalised.Params()).combine(scores) == (18.0,)
    assert Penalised(Penalised.Params(base="max", weight=2.0)).combine(scores) == (26.0,)
