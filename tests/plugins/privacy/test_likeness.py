"""beta-likeness, delta-disclosure, (alpha, k)-anonymity and Grassberger's entropy against their definitions."""

from __future__ import annotations

from math import exp, inf, log, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import digamma

from evosdc.errors import ParameterError
from evosdc.model import MissingMatch
from evosdc_privacy.diversity import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    by_attribute,
    grassberger_entropies,
)
from tests.plugins.privacy.reference import domain_of, neighbours, release_of_codes, shares

FILES = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        arrays(np.int32, (n, 2), elements=st.integers(-1, 1)), arrays(np.int32, n, elements=st.integers(-1, 3))
    )
)
RULES = st.sampled_from(MissingMatch)


def classes_of(file, missing):
    codes, sensitive = file
    domain = domain_of(sensitive)
    whole = shares(sensitive.tolist(), domain)
    return whole, [shares(sensitive[near].tolist(), domain) for near in neighbours(codes, missing)]


def headline(model, view):
    value = model.assess(view)[model.headline]
    return inf if value is None else value


@given(FILES, RULES)
def test_beta_is_the_greatest_relative_gain(file, missing) -> None:
    view = release_of_codes(file[0], missing, file[1])
    whole, classes = classes_of(file, missing)
    gains = [[(q - p) / p for p, q in zip(whole, own, strict=True)] for own in classes]
    assert headline(BetaLikeness(BetaLikeness.Params()), view) == pytest.approx(max(map(max, gains)))
    beyond = any(g > -log(p) + 1e-12 for row in gains for g, p in zip(row, whole, strict=True))
    wanted = inf if beyond else float(max(map(max, gains)))
    assert headline(BetaLikeness(BetaLikeness.Params(form="enhanced")), view) == pytest.approx(wanted)


@given(FILES, RULES)
def test_delta_is_the_greatest_logarithm(file, missing) -> None:
    view = release_of_codes(file[0], missing, file[1])
    whole, classes = classes_of(file, missing)
    pairs = [(p, q) for own in classes for p, q in zip(whole, own, strict=True)]
    present = max(abs(log2(q / p)) for p, q in pairs if q)
    ignored = DeltaDisclosure(DeltaDisclosure.Params(absent="ignored"))
    assert headline(ignored, view) == pytest.approx(present, abs=1e-12)
    strict = headline(DeltaDisclosure(DeltaDisclosure.Params(logarithm="natural")), view)
    assert strict == pytest.approx(inf if any(q == 0 for _, q in pairs) else present * log(2), abs=1e-12)


@given(FILES, RULES, st.integers(1, 4))
def test_alpha_is_the_greatest_share_in_a_class_that_is_large_enough(file, missing, k) -> None:
    view = release_of_codes(file[0], missing, file[1])
    _, classes = classes_of(file, missing)
    small = any(len(near) < k for near in neighbours(file[0], missing))
    wanted = 1.0 if small else float(max(map(max, classes)))
    assert headline(AlphaKAnonymity(AlphaKAnonymity.Params(k=k)), view) == pytest.approx(wanted)


@given(FILES, RULES)
def test_grassbergers_entropy_is_that_of_digamma(file, missing) -> None:
    view = release_of_codes(file[0], missing, file[1])

    def g(n):
        return digamma(n) + 0.5 * (-1) ** n * (digamma((n + 1) / 2) - digamma(n / 2))

    wanted = []
    for near in neighbours(file[0], missing):
        counts = np.unique(file[1][near], return_counts=True)[1]
        wanted.append(log(counts.sum()) - sum(c * g(c) for c in counts) / counts.sum())
    found = by_attribute(view, grassberger_entropies)["s"][view.classes.of]
    assert found == pytest.approx(wanted)
    params = LDiversity.Params(form="entropy", estimator="grassberger")
    assert LDiversity(params).assess(view)["l"] == pytest.approx(exp(min(wanted)))


def test_by_hand() -> None:
    """Of eight records four have value 0 (p = 1/2) and a class of four has three of them (q = 3/4)."""
    view = release_of_codes([[0]] * 4 + [[1]] * 4, sensitive=[0, 0, 0, 1, 0, 1, 1, 2])
    assert headline(BetaLikeness(BetaLikeness.Params()), view) == pytest.approx(1.0)  # value 2: (1/4 - 1/8) / (1/8)
    assert headline(BetaLikeness(BetaLikeness.Params(form="enhanced")), view) == pytest.approx(1.0)  # 0.5 <= ln 2
    assert headline(AlphaKAnonymity(AlphaKAnonymity.Params(k=4)), view) == 0.75
    assert headline(AlphaKAnonymity(AlphaKAnonymity.Params(values=("2",))), view) == 0.25
    assert headline(AlphaKAnonymity(AlphaKAnonymity.Params(k=5)), view) == 1.0
    assert DeltaDisclosure(DeltaDisclosure.Params()).assess(view)["records_lacking_a_value"] == 4


def test_a_frequent_value_gains_too_much_for_the_enhanced_form() -> None:
    view = release_of_codes([[0]] * 2 + [[1]] * 2, sensitive=[0, 0, 0, 1])
    # p = 3/4 becomes 1: a gain of 1/3 > -ln(3/4) = 0.288
    assert BetaLikeness(BetaLikeness.Params(form="enhanced")).assess(view)["beta"] is None


def test_values_that_nobody_has_are_refused() -> None:
    with pytest.raises(ParameterError, match="rickets"):
        AlphaKAnonymity(AlphaKAnonymity.Params(values=("rickets",))).assess(release_of_codes([[0]], sensitive=[0]))
