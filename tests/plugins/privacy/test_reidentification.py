"""Individual, global and household risk against sums over the distribution."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from evosdc.model import MissingMatch
from evosdc.table.negative_binomial import reidentification_risks
from evosdc_privacy.frequencies import GlobalRisk, HouseholdRisk, IndividualRisk, record_risks
from tests.plugins.privacy.reference import negative_binomial_mean, release_of_codes

FRANCDAT = np.array(
    [[1, 2, 5, 1], [1, 2, 1, 1], [1, 2, 1, 1], [3, 3, 1, 5], [4, 3, 1, 4], [4, 3, 1, 1], [6, 2, 1, 5], [1, 2, 5, 1]]
)
"""The toy example of Capobianchi, Polettini and Lucarelli."""

WEIGHTS = np.array([18, 45.5, 39, 17, 541, 8, 5, 92])


def risk(f: int, p: float) -> float:
    return float(reidentification_risks(np.array([f]), np.array([f / p]))[0])


def test_the_toy_example() -> None:
    view = release_of_codes(FRANCDAT, weights=WEIGHTS)
    counts, population = (x[view.classes.of] for x in view.frequencies)
    assert counts.tolist() == [2, 2, 2, 1, 1, 1, 1, 2]
    assert population.tolist() == [110, 84.5, 84.5, 17, 541, 8, 5, 110]
    wanted = [0.01714426, 0.02204233, 0.02204233, 0.17707583, 0.01165448, 0.29706308, 0.40235948, 0.01714426]
    assert record_risks(view) == pytest.approx(wanted, abs=5e-9)


@pytest.mark.parametrize("p", [0.9, 0.5, 0.1, 0.099, 0.01, 1e-3, 1e-6])
def test_closed_forms_for_one_and_two(p: float) -> None:
    ratio = p / (1 - p)
    assert risk(1, p) == pytest.approx(ratio * log(1 / p), rel=1e-12)
    assert risk(2, p) == pytest.approx(ratio - ratio**2 * log(1 / p), rel=1e-9)


@pytest.mark.parametrize("f", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("p", [0.999999, 0.7, 0.3, 0.1001, 0.0999, 0.02])
def test_every_frequency_against_the_distribution(f: int, p: float) -> None:
    assert risk(f, p) == pytest.approx(negative_binomial_mean(f, p), rel=1e-8)


@given(st.integers(1, 60), st.floats(1e-3, 1.0))
def test_every_frequency_against_the_integral(f: int, p: float) -> None:
    # E(1/F) is the integral of the probability generating function over s, divided by s
    integral = quad(lambda s: (p * s / (1 - (1 - p) * s)) ** f / s, 0, 1, epsabs=0, epsrel=1e-11, limit=400)[0]
    assert risk(f, p) == pytest.approx(integral, rel=1e-8)


@given(st.integers(1, 10**6), st.floats(1e-9, 1.0))
def test_risks_lie_between_p_over_f_and_one_over_f(f: int, p: float) -> None:
    # by Jensen E(1/F) >= 1 / E(F) = p / f
    assert p / f * (1 - 1e-12) <= risk(f, p) <= 1 / f * (1 + 1e-12)


def test_both_ways_of_reckoning_meet() -> None:
    for f in (1, 2, 5, 100):
        assert risk(f, 0.1 - 1e-12) == pytest.approx(risk(f, 0.1), rel=1e-9)


def test_the_file_as_its_own_population() -> None:
    view = release_of_codes([[0], [0], [1]])
    figures = IndividualRisk(IndividualRisk.Params()).assess(view)
    assert record_risks(view).tolist() == [0.5, 0.5, 1.0]
    assert figures["population"] == "the file itself"
    assert figures["records_above"] == {"0.01": 3, "0.05": 3, "0.1": 3, "0.5": 1}
    found = GlobalRisk(GlobalRisk.Params()).assess(view)
    assert (found["expected_reidentifications"], found["percent"]) == (2.0, pytest.approx(200 / 3))


def test_weights_below_one_count_as_one() -> None:
    assert record_risks(release_of_codes([[0], [1]], weights=np.array([0.25, 4.0])))[0] == 1.0


class TestHouseholds:
    def test_members_are_independent(self) -> None:
        codes, weights = np.array([[0, 0], [1, 0], [2, 1], [3, 2]]), np.array([4.0, 4.0, 16.0, 1.0])
        view = release_of_codes(codes, MissingMatch.CATEGORY, weights=weights)
        view = type(view)(view.table, ("a0",), (), weights, "a1")
        own = record_risks(view)
        found = HouseholdRisk(HouseholdRisk.Params()).record_figures(view)
        together = 1.0 - (1.0 - own[0]) * (1.0 - own[1])
        assert found == pytest.approx([together, together, own[2], 1.0])

    def test_a_record_without_household_is_one_of_its_own(self) -> None:
        codes = np.array([[0, 0], [0, 0], [1, 1], [1, -1], [1, -1]])
        view = release_of_codes(codes, MissingMatch.CATEGORY, weights=np.full(5, 3.0))
        view = type(view)(view.table, ("a0",), (), view.weights, "a1")
        figures = HouseholdRisk(HouseholdRisk.Params()).assess(view)
        pair, triple = record_risks(view)[0], record_risks(view)[2]
        assert figures["households"] == 4
        assert figures["expected_households"] == pytest.approx(1 - (1 - pair) ** 2 + 3 * triple)
        assert figures["expected_records"] == pytest.approx(2 * (1 - (1 - pair) ** 2) + 3 * triple)

    def test_they_need_households(self) -> None:
        assert "household" in HouseholdRisk(HouseholdRisk.Params()).lacking(release_of_codes([[0]]))
