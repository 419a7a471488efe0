"""Expectation maximisation of the Fellegi-Sunter model for three attributes, written out pattern by pattern.

A search estimates the model anew for each candidate, and for few attributes loops and arrays take longer than the
arithmetic: this takes half the time of `evosdc_measures.linkage.fellegi_sunter.estimate`, whose steps these are.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_measures.domains import Integers


@njit(cache=True)
def maximised(
    counts: Integers, share: float, clamp: float, tolerance: float, iterations: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return probabilities of agreement of matches and of others, and the share of matches.

    Parameters
    ----------
    counts : ndarray of int64, shape (8,)
        Pairs of records by agreement pattern.
    share : float
        Of matches, at the start.
    clamp : float
        All estimates are kept within ``clamp .. 1 - clamp``.
    tolerance, iterations
        It stops when no estimate changes by more than the one, or after the other.
    """
    c0, c1, c2, c3 = float(counts[0]), float(counts[1]), float(counts[2]), float(counts[3])
    c4, c5, c6, c7 = float(counts[4]), float(counts[5]), float(counts[6]), float(counts[7])
    by_pairs, most = 1.0 / float(counts.sum()), 1.0 - clamp
    # Probabilities m of matches and u of others, of attributes a (bit 0), b (bit 1) and c (bit 2).
    ma = mb = mc = 0.9
    ua = ub = uc = 0.1
    for _ in range(iterations):
        # Of being a match (g) or another pair (h) with each pattern, first by c, then by b and a.
        without, with_c = share * (1.0 - mc), share * mc
        m0, m1, m2, m3 = (1.0 - mb) * (1.0 - ma), (1.0 - mb) * ma, mb * (1.0 - ma), mb * ma
        g0, g1, g2, g3 = without * m0, without * m1, without * m2, without * m3
        g4, g5, g6, g7 = with_c * m0, with_c * m1, with_c * m2, with_c * m3
        without, with_c = (1.0 - share) * (1.0 - uc), (1.0 - share) * uc
        u0, u1, u2, u3 = (1.0 - ub) * (1.0 - ua), (1.0 - ub) * ua, ub * (1.0 - ua), ub * ua
        h0, h1, h2, h3 = without * u0, without * u1, without * u2, without * u3
        h4, h5, h6, h7 = with_c * u0, with_c * u1, with_c * u2, with_c * u3
        # Expected numbers of pairs.
        e0, e1, e2, e3 = c0 / (g0 + h0), c1 / (g1 + h1), c2 / (g2 + h2), c3 / (g3 + h3)
        e4, e5, e6, e7 = c4 / (g4 + h4), c5 / (g5 + h5), c6 / (g6 + h6), c7 / (g7 + h7)
        g0, g1, g2, g3, g4, g5, g6, g7 = g0 * e0, g1 * e1, g2 * e2, g3 * e3, g4 * e4, g5 * e5, g6 * e6, g7 * e7
        h0, h1, h2, h3, h4, h5, h6, h7 = h0 * e0, h1 * e1, h2 * e2, h3 * e3, h4 * e4, h5 * e5, h6 * e6, h7 * e7
        agreed = (g1 + g3) + (g5 + g7)
        matched = ((g0 + g2) + (g4 + g6)) + agreed
        scale = 1.0 / matched
        new_ma = min(max(agreed * scale, clamp), most)
        new_mb = min(max(((g2 + g3) + (g6 + g7)) * scale, clamp), most)
        new_mc = min(max(((g4 + g5) + (g6 + g7)) * scale, clamp), most)
        coincided = (h1 + h3) + (h5 + h7)
        scale = 1.0 / (((h0 + h2) + (h4 + h6)) + coincided)
        new_ua = min(max(coincided * scale, clamp), most)
        new_ub = min(max(((h2 + h3) + (h6 + h7)) * scale, clamp), most)
        new_uc = min(max(((h4 + h5) + (h6 + h7)) * scale, clamp), most)
        new_share = min(max(matched * by_pairs, clamp), most)
        change = max(max(abs(new_ma - ma), abs(new_mb - mb)), max(abs(new_mc - mc), abs(new_share - share)))
        change = max(max(abs(new_ua - ua), abs(new_ub - ub)), max(abs(new_uc - uc), change))
        ma, mb, mc, ua, ub, uc, share = new_ma, new_mb, new_mc, new_ua, new_ub, new_uc, new_share
        if change <= tolerance:
            break
    return np.array([ma, mb, mc]), np.array([ua, ub, uc]), share
