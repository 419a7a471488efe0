import numpy as np
import pytest
from hypothesis import given

from evosdc.randomisation.equations.equation import CODE, applied, terminal
from evosdc.randomisation.equations.evaluation import DECODINGS, matrix_of, quantities, values
from evosdc.randomisation.equations.infix import infix, parse_infix
from evosdc_equations.simplification import simplify
from tests.randomisation.equations.drawing import attributes, equations


@given(equations(), attributes())
def test_no_value_and_no_matrix_changes(equation, attribute):
    shorter = simplify(equation)
    assert len(shorter) <= len(equation)
    cells = quantities(*attribute)
    if cells.occurring.size < 2:
        return
    assert np.array_equal(values(equation, cells), values(shorter, cells))
    for decoding in DECODINGS:
        fitted = simplify(equation, decoding)
        assert len(fitted) <= len(shorter)
        assert np.array_equal(matrix_of(equation, cells, decoding), matrix_of(fitted, cells, decoding))


@given(equations())
def test_a_second_time_finds_nothing(equation):
    assert len(simplify(simplify(equation))) == len(simplify(equation))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ta + 0", "ta"), ("0 + ta", "ta"), ("ta - 0", "ta"), ("0 - ta", "-ta"), ("ta * 1", "ta"), ("1 * ta", "ta"),
        ("ta * 0", "0"), ("0 * ta", "0"), ("ta / 1", "ta"), ("ta - ta", "0"), ("ta / ta", "1"), ("d / d", "1"),
        ("0 / d", "0 / d"), ("ta / 0", "1"), ("ta * -1", "-ta"), ("-(-ta)", "ta"), ("-(ta - tb)", "tb - ta"),
        ("ta + -tb", "ta - tb"), ("-ta + tb", "tb - ta"), ("ta - -tb", "ta + tb"), ("-ta * -tb", "ta * tb"),
        ("abs(abs(ta - tb))", "abs(ta - tb)"), ("abs(ta)", "ta"), ("abs(-(ta - tb))", "abs(tb - ta)"),
        ("sqrt(abs(ta - tb))", "sqrt(ta - tb)"),
        ("log(-ta)", "log(ta)"), ("min(ta, ta)", "ta"), ("min(tmin, ta)", "tmin"), ("max(tb, tmin)", "tb"),
        ("min(ta, N)", "ta"),
        ("max(d, 2)", "2"), ("min(max(ta, tb), ta)", "ta"), ("max(max(ta, tb), ta)", "max(ta, tb)"),
        ("if_less(ta, ta, N, c)", "c"), ("if_less(ta, tb, N, N)", "N"), ("if_less(ta, tb, ta, tb)", "min(ta, tb)"),
        ("if_less(ta, tb, tb, ta)", "max(ta, tb)"), ("if_less(p, 2, a, b)", "a"), ("if_less(2, p, a, b)", "b"),
        ("2 * 3 + 4", "10"), ("ta * tb - tb * ta", "0"), ("sqrt(4) * ta", "2 * ta"), ("abs(-ta)", "ta"),
        ("min(-ta, 5)", "-ta"),
    ],
)  # fmt: skip
def test_rules(text, wanted):
    assert infix(simplify(parse_infix(text))) == wanted


def test_bounds_that_the_decoding_sets_go():
    equation = parse_infix("min(2, max(0, max(-1, ta / N)))")
    assert infix(simplify(equation, "raw")) == "ta / N"
    assert infix(simplify(equation, "full")) == "min(2, max(0, ta / N))" or len(simplify(equation, "full")) <= 7
    assert infix(simplify(parse_infix("max(0, ta - tb)"), "offdiag")) == "ta - tb"
    assert infix(simplify(parse_infix("max(0, ta - tb)"))) == "max(0, ta - tb)"


def test_deep_equations_are_simplified_without_recursion():
    equation = terminal(CODE["ta"])
    for i in range(3000):
        equation = applied(CODE["neg" if i % 2 else "sqrt"], [equation])
    # The square root of anything from 1 to 1e12, taken so often, is 1.
    assert infix(simplify(equation)) == "-1"
