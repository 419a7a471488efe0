"""Intervals of success rates, and of what an attack reaches beyond its control."""

from collections.abc import Sequence
from math import hypot, sqrt

import numpy as np

from evosdc.model.judge import NORMAL_95, Estimate
from evosdc.table.table import Numbers


def wilson(successes: float, trials: int) -> Estimate:
    """Return a success rate with its 95 per cent interval after Wilson (1927), in [0, 1]."""
    # Successes may be expected ones, fractions: a trial in which one of t equal choices is right counts 1/t. Their
    # variance is below that of whole successes, so the interval is rather too wide.
    if trials < 1:
        raise ValueError("a success rate of no trial")
    z = NORMAL_95
    rate = min(successes / trials, 1.0)
    centre = (successes + z * z / 2.0) / (trials + z * z)
    half = z / (trials + z * z) * sqrt(max(successes * (trials - successes) / trials, 0.0) + z * z / 4.0)
    return Estimate(rate, max(centre - half, 0.0), min(centre + half, 1.0))


def excess(attack: Estimate, control: Estimate) -> Estimate:
    """Return ``(attack - control) / (1 - control)``, what an attack reaches beyond its control (Giomi et al., 2023)."""
    # The interval follows from the two rates' half-widths by propagation of errors, as in the paper. A control that
    # never fails leaves nothing to reach: 0, and nothing is known of it.
    left = 1.0 - control.value
    if left <= 0.0:
        return Estimate(0.0, -1.0, 1.0)
    value = (attack.value - control.value) / left
    by_attack, by_control = 1.0 / left, (1.0 - attack.value) / (left * left)
    # Each side has a half-width of its own, since Wilson's intervals are not symmetric.
    below = hypot(by_attack * (attack.value - attack.low), by_control * (control.high - control.value))
    above = hypot(by_attack * (attack.high - attack.value), by_control * (control.value - control.low))
    return Estimate(value, value - below, value + above)


def averaged(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean of estimates about the same people: their errors are taken to go together, and do not shrink."""
    value = float(np.mean([estimate.value for estimate in estimates]))
    below = float(np.mean([estimate.value - estimate.low for estimate in estimates]))
    above = float(np.mean([estimate.high - estimate.value for estimate in estimates]))
    return Estimate(value, value - below, value + above)


def repeated(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean over repeated halves, as `averaged`, with the standard error of what the repeats differ in."""
    mean = averaged(estimates)
    between = NORMAL_95 * _standard_error(np.array([estimate.value for estimate in estimates]))
    below, above = mean.value - mean.low, mean.high - mean.value
    return Estimate(mean.value, mean.value - hypot(below, between), mean.value + hypot(above, between))


def in_per_cent(estimate: Estimate) -> Estimate:
    """Return a share as per cent."""
    return Estimate(100.0 * estimate.value, 100.0 * estimate.low, 100.0 * estimate.high)


def mean_of(values: Numbers) -> Estimate:
    """Return the mean of independent figures with its normal interval."""
    return Estimate.around(float(values.mean()), _standard_error(values))


def mean_of_ratios(parts: Sequence[tuple[Numbers, Numbers]]) -> Estimate:
    """Return the mean of ratios ``sum gained / sum possible`` of the same people; the interval is by linearisation."""
    # 0 without uncertainty where nothing was possible.
    value, residuals = 0.0, np.zeros(len(parts[0][0]))
    for gained, possible in parts:
        whole = float(possible.sum())
        if whole > 0.0:
            ratio = float(gained.sum()) / whole
            value += ratio / len(parts)
            residuals += (gained - ratio * possible) / (possible.mean() * len(parts))
    return Estimate.around(value, _standard_error(residuals))


def _standard_error(values: Numbers) -> float:
    return float(values.std(ddof=1) / sqrt(len(values))) if len(values) > 1 else 0.0
