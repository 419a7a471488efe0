import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.randomisation.equations.infix import infix, parse_infix
from evosdc_equations import algebra
from evosdc_equations.simplification import simplify
from tests.randomisation.equations.drawing import equations


@pytest.fixture(scope="module", autouse=True)
def installed():
    pytest.importorskip("sympy", reason="needs the extra evosdc[algebra]")


@pytest.mark.endurance
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(ta * 2 + ta * 3) / (ta * ta)", "5 / ta"),
        ("ta * tb / ta - tb + tmin / N", "tmin / N"),
        ("0.3 * ta / ta + tb", "0.3 + tb"),
        ("max(b, tb) * (tb / (tb * ta))", "max(b, tb) / ta"),
    ],
)
def test_algebra_cancels_what_is_never_zero(text, wanted):
    assert infix(algebra.shortened(parse_infix(text), "raw")) == wanted


def test_what_protected_division_forbids_is_left_alone():
    # (a - b) / (a - b) * ... is 1 where a = b; real algebra would cancel a quotient that is 1 there.
    equation = parse_infix("(ta - tb) * (ta - tb) / (ta - tb) / N")
    shorter = algebra.shortened(equation, "full")
    assert algebra.largest_difference(equation, shorter, "full", algebra.sample_attributes()) <= 1e-12
    wrong = parse_infix("(ta - tb) / N")
    assert algebra.largest_difference(equation, wrong, "full", algebra.sample_attributes()) > 1e-3


@given(equations(most=15), st.sampled_from(["raw", "offdiag", "full"]))
def test_matrices_stay_within_the_tolerance(equation, decoding):
    shorter = algebra.shortened(equation, decoding)
    assert len(shorter) <= len(simplify(equation, decoding))
    assert algebra.largest_difference(equation, shorter, decoding, algebra.sample_attributes()) <= algebra.TOLERANCE


def test_the_samples_are_of_many_kinds():
    sizes = [cells.occurring.size for cells in algebra.sample_attributes()]
    assert len(sizes) == 240
    assert min(sizes) == 2
    assert max(sizes) > 20
    assert {0.0, 0.5, 1.0} <= {cells.p for cells in algebra.sample_attributes()}
    assert any(np.ptp(cells.planes[1]) == 0 for cells in algebra.sample_attributes())


def test_without_sympy_there_is_advice(monkeypatch):
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(ParameterError, match=r"evosdc\[algebra\]"):
        algebra.shortened(parse_infix("ta / tb"), "raw")
