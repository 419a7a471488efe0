"""Models that look beyond the file: k-map, journalists, uniqueness in the population, SafePub and the game."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from math import comb, exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.special import expit, gammaln
from scipy.stats import binom, hypergeom, nbinom, poisson

from evosdc.errors import ParameterError
from evosdc.model import MissingMatch
from evosdc.table.alignment import coarsened
from evosdc_privacy.attackers import (
    AverageRisk,
    JournalistRisk,
    MarketerRisk,
    Profitability,
    ProsecutorRisk,
    PublisherPayoff,
)
from evosdc_privacy.differential_privacy import SafePub, delta_of, k_needed
from evosdc_privacy.population import DeltaPresence, KMap, estimated_size
from evosdc_privacy.population_uniqueness import PopulationUniqueness
from evosdc_privacy.subsets import SubsetAnonymity
from evosdc_privacy.uniqueness_estimators import (
    pitman,
    pitman_parameters,
    sampled_keys,
    slide_negative_binomial,
    zayatz,
)
from tests.plugins.privacy.reference import equal, neighbours, release_of_codes, table_of

FILES = st.tuples(st.integers(1, 8), st.integers(8, 14), st.integers(1, 3)).flatmap(
    lambda s: st.tuples(
        arrays(np.int32, (s[0], s[2]), elements=st.integers(-1, 1)),
        arrays(np.int32, (s[1], s[2]), elements=st.integers(-1, 1)),
    )
)


@given(FILES, st.sampled_from(MissingMatch))
def test_people_are_counted_as_in_the_definition(files, missing) -> None:
    file, people = (codes.tolist() for codes in files)
    view = release_of_codes(files[0], missing, population=table_of(files[1]))
    f = [len(near) for near in neighbours(file, missing)]
    counted = [sum(all(equal(a, b, missing) for a, b in zip(r, p, strict=True)) for p in people) for r in file]
    f_or_more = [max(a, b) for a, b in zip(f, counted, strict=True)]
    assert KMap(KMap.Params()).assess(view)["k"] == min(f_or_more)
    estimated = KMap(KMap.Params(estimator="d3", sampling_fraction=0.1)).assess(view)
    assert estimated["counted_in"] == "the sample, with the sampling fraction given"
    journalist = JournalistRisk(JournalistRisk.Params()).assess(view)
    assert journalist["largest"] == pytest.approx(1 / min(f_or_more))
    assert MarketerRisk(MarketerRisk.Params()).assess(view)["average"] == pytest.approx(
        np.mean(1 / np.array(f_or_more))
    )
    assert ProsecutorRisk(ProsecutorRisk.Params()).assess(view)["largest"] == pytest.approx(1 / min(f))
    assert AverageRisk(AverageRisk.Params()).assess(view)["average"] == pytest.approx(np.mean(1 / np.array(f)))


@given(st.integers(1, 12), st.floats(0.01, 0.9), st.sampled_from([0.01, 0.05, 0.2]), st.booleans())
def test_estimated_sizes_are_the_greatest_that_the_test_accepts(f, fraction, level, truncated) -> None:
    k = estimated_size(f, fraction, level, truncated)

    def tail(size):
        beyond = poisson.sf(f - 1, size * fraction)
        return beyond / poisson.sf(0, size * fraction) if truncated else beyond

    assert k >= f
    assert k == f or tail(k) <= level + 1e-9
    assert tail(k + 1) > level - 1e-9


@given(arrays(np.int32, (9, 4), elements=st.integers(-1, 1)), st.sampled_from(MissingMatch), st.integers(1, 5))
def test_subsets_are_all_looked_at(codes, missing, size) -> None:
    found = SubsetAnonymity(SubsetAnonymity.Params(size=size)).assess(release_of_codes(codes, missing))
    sets = list(combinations(range(4), min(size, 4)))
    wanted = [min(len(near) for near in neighbours(codes, missing, chosen)) for chosen in sets]
    assert found["k"] == min(wanted)
    assert list(found["by_set"].values()) == wanted


class TestSafePub:
    @pytest.mark.parametrize("k", [1, 2, 5, 20])
    def test_delta_is_the_greatest_binomial_tail(self, k) -> None:
        epsilon, beta = 1.0, 1 - exp(-1.0)
        gamma = (exp(epsilon) - 1 + beta) / exp(epsilon)
        least = max(int(np.ceil(k / gamma - 1)), 1)
        tails = [binom.sf(np.floor(gamma * n), n, beta) for n in range(least, least + 400)]
        assert delta_of(k, epsilon, beta) == pytest.approx(max(tails))

    def test_delta_falls_in_k_and_the_k_needed_is_the_first_that_keeps_it(self) -> None:
        beta = 1 - exp(-1.0)
        deltas = [delta_of(k, 1.0, beta) for k in range(1, 90)]
        assert all(b <= a for a, b in pairwise(deltas))
        k = k_needed(1e-5, 1.0, beta)
        assert deltas[k - 1] <= 1e-5 < deltas[k - 2]

    def test_too_large_a_sample_is_refused(self) -> None:
        with pytest.raises(ParameterError, match="at most"):
            SafePub(SafePub.Params(epsilon=0.5, sampling_fraction=0.5))


def pitman_likelihood(theta: float, alpha: float, sizes, keys, u: float, n: float) -> float:
    """Return the logarithm of the likelihood of Pitman's sampling formula but for a constant."""
    if alpha > 1e-8:
        grown = (u - 1.0) * log(alpha) + gammaln(theta / alpha + u) - gammaln(theta / alpha + 1.0)
    else:
        grown = (u - 1.0) * log(max(theta, 1e-300))
    spread = float((keys * (gammaln(sizes - alpha) - gammaln(1.0 - alpha))).sum())
    return float(grown - (gammaln(theta + n) - gammaln(theta + 1.0)) + spread)


class TestUniqueness:
    def test_zayatz_is_bayes_rule_with_hypergeometric_sampling(self) -> None:
        sizes, keys = np.array([1, 2, 4]), np.array([6, 3, 2])
        n, people = 20, 100
        once = hypergeom.pmf(1, people, sizes, n)
        wanted = 6 * (6 * once[0]) / (keys @ once) * people / n
        assert zayatz(sizes, keys, people) == pytest.approx(wanted)

    @pytest.mark.parametrize(("alpha", "beta", "fraction"), [(0.5, 0.2, 0.1), (2.0, 0.5, 0.3), (0.1, 0.02, 0.05)])
    def test_expected_keys_of_the_slide_negative_binomial(self, alpha, beta, fraction) -> None:
        f = np.arange(1, 20_000)
        p = nbinom.pmf(f - 1, alpha, beta)
        wanted = [100 * (p * binom.pmf(i, f, fraction)).sum() for i in (1, 2)]
        assert np.exp(sampled_keys(100, alpha, beta, fraction)) == pytest.approx(wanted, rel=1e-6)

    def test_pitmans_parameters_are_the_best(self) -> None:
        sizes, keys = np.array([1, 2, 3, 7]), np.array([40, 12, 5, 2])
        u, n = float(keys.sum()), float(sizes @ keys)
        theta, alpha = pitman_parameters(sizes, keys)
        best = pitman_likelihood(theta, alpha, sizes, keys, u, n)
        grid = [
            pitman_likelihood(t, a, sizes, keys, u, n)
            for t in np.linspace(0.01, 60, 120)
            for a in np.linspace(0.01, 0.99, 80)
        ]
        assert best >= max(grid) - 1e-9

    @given(st.dictionaries(st.integers(1, 60), st.integers(1, 400), min_size=1, max_size=6))
    def test_pitmans_parameters_are_no_worse_than_what_a_simplex_finds(self, counted) -> None:
        sizes, keys = np.array(sorted(counted)), np.array([counted[size] for size in sorted(counted)])
        u, n = float(keys.sum()), float(sizes @ keys)
        found = pitman_parameters(sizes, keys)
        if u in (1.0, n):
            assert found is None
            return

        def loss(x):
            # Where alpha is tiny, logarithms of gamma cancel and tell nothing.
            alpha = max(float(expit(x[0])), 1e-4)
            return -pitman_likelihood(exp(min(x[1], 700.0)) - alpha, alpha, sizes, keys, u, n)

        starts = ((0.0, log(u)), (-3.0, log(u)), (2.0, 0.0))
        best = -min(minimize(loss, start, method="Nelder-Mead", options={"maxiter": 600}).fun for start in starts)
        assert found is not None
        theta, alpha = found
        assert 0.0 <= alpha < 1.0
        assert theta > -alpha
        assert pitman_likelihood(theta, alpha, sizes, keys, u, n) >= best - 1e-6

    def test_a_likelihood_that_hardly_rises_at_0_has_its_maximum_further_on(self) -> None:
        sizes, keys = np.array([1, 2, 3]), np.array([11_031, 72, 1])
        theta, alpha = pitman_parameters(sizes, keys)
        assert (theta, alpha) == (pytest.approx(401_741, rel=1e-4), pytest.approx(0.5176, abs=1e-4))

    def test_an_alpha_of_0_is_the_formula_of_ewens(self) -> None:
        sizes, keys = np.array([1, 2, 3]), np.array([2964, 121, 2])
        u, n = float(keys.sum()), float(sizes @ keys)
        theta, alpha = pitman_parameters(sizes, keys)
        assert alpha == 0.0
        assert sum(theta / (theta + i) for i in range(int(n))) == pytest.approx(u)

    def test_pitmans_likelihood_is_the_product_of_the_restaurant(self) -> None:
        theta, alpha = 1.7, 0.4
        sizes, keys = np.array([1, 3]), np.array([2, 1])
        product = (theta + alpha) * (theta + 2 * alpha) * (1 - alpha) * (2 - alpha)
        product /= (theta + 1) * (theta + 2) * (theta + 3) * (theta + 4)
        assert pitman_likelihood(theta, alpha, sizes, keys, 3.0, 5.0) == pytest.approx(log(product))

    @pytest.mark.parametrize("model", ["zayatz", "snb", "pitman", "dankar"])
    def test_estimates_come_near_the_truth(self, model) -> None:
        """A population of Zipf-like keys, of which a tenth is sampled: within a factor of two."""
        rng = np.random.default_rng(3)
        people = np.minimum((1 / rng.random(60_000)) ** 1.1 * 40, 2e6).astype(np.int64)
        unique = (np.unique(people, return_counts=True)[1] == 1).sum()
        sample = rng.choice(people, 6_000, replace=False)
        sizes, keys = np.unique(np.unique(sample, return_counts=True)[1], return_counts=True)
        fits = {"zayatz": zayatz, "snb": slide_negative_binomial, "pitman": pitman}
        estimates = {name: estimate(sizes, keys, 60_000.0) for name, estimate in fits.items()}
        found = estimates["pitman" if model == "dankar" else model]
        assert found is not None
        assert unique / 2 <= found <= 2 * unique if model != "zayatz" else found > 0

    def test_the_file_as_population_counts(self) -> None:
        view = release_of_codes([[0], [1], [1]])
        figures = PopulationUniqueness(PopulationUniqueness.Params(population_size=3)).assess(view)
        assert figures["percent"] == pytest.approx(100 / 3)

    def test_a_file_without_uniques_estimates_none(self) -> None:
        view = release_of_codes([[0], [0], [1], [1]])
        for model in ("dankar", "zayatz", "snb", "pitman"):
            params = PopulationUniqueness.Params(population_size=100, model=model)
            assert PopulationUniqueness(params).assess(view)["percent"] == 0.0

    @settings(deadline=None, max_examples=20)
    @given(arrays(np.int32, st.tuples(st.integers(1, 30), st.integers(1, 2)), elements=st.integers(0, 6)))
    def test_estimates_are_percentages(self, codes) -> None:
        view = release_of_codes(codes)
        for model in ("dankar", "zayatz", "snb", "pitman"):
            for size in (31, 500, 100_000):
                params = PopulationUniqueness.Params(population_size=size, model=model)
                assert 0.0 <= PopulationUniqueness(params).assess(view)["percent"] <= 100.0


class TestGame:
    def test_payoffs_by_hand(self) -> None:
        view = release_of_codes([[0]] * 4 + [[1]] * 100)
        params = {"benefit": 20, "loss": 300, "gain": 40, "cost": 4}
        intruder = Profitability(Profitability.Params(**params)).assess(view)
        assert intruder["intruder_profit"] == 40 / 4 - 4
        assert intruder["records_attacked"] == 4
        assert intruder["least_payoff"] == 20 - 300 / 4
        assert intruder["mean_payoff"] == pytest.approx((4 * -55 + 100 * 20) / 104)
        assert intruder["records_at_a_loss"] == 4
        lossy = PublisherPayoff(PublisherPayoff.Params(**params, information_loss=0.5)).assess(view)
        assert lossy["least_payoff"] == 10 - 75

    def test_a_journalist_looks_at_the_population(self) -> None:
        view = release_of_codes([[0], [1]], weights=np.array([3.0, 50.0]))
        params = Profitability.Params(gain=40, cost=4, attacker="journalist")
        assert Profitability(params).assess(view)["intruder_profit"] == pytest.approx(40 / 3 - 4)
        assert Profitability(params).lacking(replace(view, weights=None))


class TestCoarsening:
    def labels(self, published, name="a0"):
        from evosdc.table.schema import Attribute, Role, Schema
        from evosdc.table.table import Table

        labels = tuple(dict.fromkeys(published))
        schema = Schema((Attribute(name, Role.QUASI_IDENTIFIER, categories=labels),))
        codes = np.array([[labels.index(x)] for x in published], dtype=np.int32)
        return Table(schema, codes, np.empty((len(codes), 0)))

    def test_numbers_go_into_the_intervals_that_cover_them(self) -> None:
        from evosdc.table.schema import Attribute, Role, Scale, Schema
        from evosdc.table.table import Table

        schema = Schema((Attribute("a0", Role.QUASI_IDENTIFIER, Scale.NUMERIC),))
        ages = np.array([[3.0], [10.0], [15.0], [60.0], [np.nan], [-1.0]])
        people = Table(schema, np.empty((6, 0), np.int32), ages)
        published = self.labels(["[0, 10)", "[10, 30)", ">= 30", "*"])
        assert coarsened(people, published, ("a0",)).codes[:, 0].tolist() == [0, 1, 1, 2, -1, 3]

    def test_categories_go_to_their_sets_and_unknown_ones_stay_apart(self) -> None:
        people = self.labels(["x", "y", "z", "q"])
        published = self.labels(["{x, y}", "z"])
        codes = coarsened(people, published, ("a0",)).codes[:, 0].tolist()
        assert codes[:3] == [0, 0, 1]
        assert codes[3] not in (0, 1)

    def test_presence_in_a_generalised_file(self) -> None:
        people = self.labels(["x", "y", "z", "z", "z", "q"])
        view = release_of_codes([[0]])
        published = self.labels(["{x, y}", "z", "*"])
        view = replace(view, table=published, population=coarsened(people, published, ("a0",)))
        figures = DeltaPresence(DeltaPresence.Params()).assess(view.judged)
        # {x, y}: one record of two people; z: one of three; the record published as * points to nobody
        assert figures["delta"] == pytest.approx(0.5)
        assert figures["mean"] == pytest.approx((2 * 0.5 + 3 / 3) / 6)
        assert figures["records_unexplained"] == 0


def test_choosing_is_of_many_sets() -> None:
    assert comb(30, 15) > 100_000
    with pytest.raises(ParameterError, match="sets"):
        SubsetAnonymity(SubsetAnonymity.Params(size=15)).assess(release_of_codes(np.zeros((2, 30), np.int32)))
