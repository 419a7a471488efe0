"""Probabilistic losses of single estimates are those of their definitions, which look at whole matrices."""

import numpy as np
from hypothesis import given
from scipy.special import erf

from evosdc_measures.numeric_loss.estimates import PARTS, SAME, losses_after, parts_of, population_of
from evosdc_measures.numeric_loss.estimators import LEVELS, original_statistics
from evosdc_measures.numeric_loss.exact_moments import moments_of
from evosdc_measures.ordered_values import ordered_values, quantiles_of
from tests.plugins.measures.numeric.cases import fitted, noisy, numeric, pairs


def probabilistic_losses(difference, variance, counts, scale):
    """Return ``2 P(0 <= Z <= |difference| / sqrt(variance / counts))``, elementwise, in 0..1.

    Where nothing varies (variance 0 but for rounding, in units of ``scale**2``) it is 0 if there is no difference and 1
    otherwise; where there is no masked value it is 1.
    """
    difference = np.abs(difference)
    still = variance <= (1e-7 * scale) ** 2
    z = difference * np.sqrt(counts / np.where(still, 1.0, variance))
    losses = np.where(still, difference > SAME * scale, erf(z / np.sqrt(2.0)))
    return np.asarray(np.where(counts > 0, losses, 1.0), dtype=np.float64)


def means(population, moments, quantiles):
    judged, original, masked = population.judged, population.moments, moments
    variance = original.variances[judged]
    difference = masked.means[judged] - original.means[judged]
    return probabilistic_losses(difference, variance, np.diag(masked.counts)[judged], np.sqrt(variance))


def variances(population, moments, quantiles):
    judged, masked = population.judged, moments
    variance = population.moments.variances[judged]
    difference = masked.variances[judged] - variance
    return probabilistic_losses(difference, population.variances, np.diag(masked.counts)[judged], variance)


def covariances(population, moments, quantiles):
    pairs, original, masked = population.pairs, population.moments, moments
    difference = masked.covariances[pairs] - original.covariances[pairs]
    scale = np.sqrt(original.variances[pairs[0]] * original.variances[pairs[1]])
    return probabilistic_losses(difference, population.covariances, masked.counts[pairs], scale)


def correlations(population, moments, quantiles):
    pairs, masked = population.pairs, moments
    difference = masked.correlations[pairs] - population.moments.correlations[pairs]
    return probabilistic_losses(difference, population.correlations, masked.counts[pairs], np.ones(len(pairs[0])))


def quantile_losses(population, moments, quantiles):
    counts = np.diag(moments.counts)[population.judged]
    strays = np.abs(quantiles - population.quantiles) * population.densities
    losses = erf(strays * np.sqrt(counts[:, None] / (LEVELS * (1.0 - LEVELS))) / np.sqrt(2.0))
    return np.asarray(np.where(counts[:, None] > 0, losses, 1.0), dtype=np.float64).ravel()


WANTED = {function.__name__: function for function in (means, variances, covariances, correlations)}
WANTED["quantiles"] = quantile_losses


def wanted_losses(population, numbers):
    """Return the losses of all parts, one after the other, with their names and what is needed to make them."""
    moments = moments_of(numbers)
    listed = [quantiles_of(*ordered_values(numbers[:, v]), LEVELS) for v in population.judged]
    quantiles = np.array(listed).reshape(-1, len(LEVELS))
    return moments, quantiles, {part: WANTED[part](population, moments, quantiles) for part in PARTS}


@given(tables=pairs(scales=("numeric",), most_records=30))
def test_losses_are_those_of_the_definitions_to_the_last_bit(tables):
    original, masked = (table.numbers for table in tables)
    population = original_statistics(original, "normal")
    moments, quantiles, wanted = wanted_losses(population, masked)
    arrays = population_of(population)
    places, length = parts_of(arrays), sum(len(losses) for losses in wanted.values())
    every = np.arange(original.shape[1])
    losses = losses_after(arrays, moments, quantiles, every, np.zeros(length))
    for part in PARTS:
        np.testing.assert_array_equal(losses[places[part]], wanted[part])
    breakdown = fitted("apil", tables[0], density="normal").breakdown(tables[1])
    assert breakdown == {part: 100.0 * float(np.mean(own)) for part, own in wanted.items() if len(own)}


def test_scores_are_those_of_the_definitions_in_a_wide_file():
    rng = np.random.default_rng(6)
    original = numeric(*np.round(rng.lognormal(size=(9, 400)), 2))
    for share in (0.01, 0.5):
        masked = noisy(original, share, rng)
        wanted = wanted_losses(original_statistics(original.numbers, "kernel"), masked.numbers)[2]
        found = [100.0 * float(np.mean(own)) for own in wanted.values()]
        assert fitted("apil", original).score(masked) == sum(found) / 5
