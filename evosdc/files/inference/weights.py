"""Telling sampling weights from weights of bodies, under a name that may mean either."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.files.inference.name_hints import words_of

MOST_VARIED = 0.5
"""Standard deviation over mean: weights of bodies vary less; design weights of a survey often vary more."""

NORMALISED = 0.02
"""How far from 1 the mean of weights may be that were divided by their mean."""

_BODIES = ((0.2, 14.0), (20.0, 450.0), (200.0, 7000.0))
"""Weights of births in kilogrammes and pounds, of people in both, of births in grammes."""

_MEASURED = ("height", "bmi", "birthweight", "birthwt", "gestation", "premie", "waist", "stature", "apgar")


def measures_bodies(names: Sequence[str]) -> bool:
    """Whether the names of a file's columns tell that it measures bodies: a plain weight is then one of them."""
    joined = ("".join(words_of(name)) for name in names)
    return any(word in name for name in joined for word in _MEASURED)


def body_weights(values: NDArray[np.float64]) -> str:
    """Return the question whether numbers are weights of bodies; empty where they can only be sampling weights.

    Sampling weights vary much, are 1 on average, or lie far from what people and births weigh. All else could be
    either.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        The number of each record.
    """
    low, high, mean = float(values.min()), float(values.max()), float(values.mean())
    span = next(((least, most) for least, most in _BODIES if least <= low and high <= most), None)
    if span is None or abs(mean - 1.0) <= NORMALISED or float(values.std()) > MOST_VARIED * mean:
        return ""
    return (
        f"its numbers from {low:g} to {high:g} could be what bodies or births weigh: does each record stand for that "
        "many people? If so, give it the role weight; if others may know it, quasi-identifier"
    )
