"""Equations and attributes for hypothesis."""

import numpy as np
from hypothesis import strategies as st

from evosdc.randomisation.equations.equation import ARITY, SYMBOLS
from tests.randomisation.equations.reference import random_equation

TERMINAL_CODES = [code for code in range(len(SYMBOLS)) if ARITY[code] == 0]
FUNCTION_CODES = [code for code in range(len(SYMBOLS)) if ARITY[code] > 0]


@st.composite
def equations(draw, most=40):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return random_equation(rng, FUNCTION_CODES, ARITY, TERMINAL_CODES, draw(st.integers(1, most)))


@st.composite
def attributes(draw):
    """Return frequencies, distances, whether ordinal, and p."""
    c = draw(st.integers(1, 7))
    T = np.array(draw(st.lists(st.sampled_from([0, 1, 2, 3, 50, 1000]), min_size=c, max_size=c)), dtype=np.int64)
    ordinal = draw(st.booleans())
    codes = np.arange(c)
    distance = np.abs(codes[:, None] - codes) / c if ordinal else 1.0 - np.identity(c)
    return T, distance, ordinal, draw(st.sampled_from([0.0, 0.3, 1.0]))
