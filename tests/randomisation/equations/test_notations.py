import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.randomisation.equations.equation import CODE, CONSTANT, applied, terminal
from evosdc.randomisation.equations.infix import infix, parse_infix
from evosdc_equations.latex import latex
from tests.randomisation.equations.drawing import equations
from tests.randomisation.equations.latex_reading import parse_latex


@given(equations(most=60))
def test_every_notation_is_read_back_token_by_token(equation):
    assert parse_infix(infix(equation)) == equation
    assert parse_latex(latex(equation)) == equation


@given(st.floats(-1e12, 1e12).map(lambda x: x + 0.0))
def test_every_constant_is_read_back_bit_by_bit(number):
    equation = terminal(CONSTANT, number)
    assert parse_infix(infix(equation)) == equation
    assert parse_latex(latex(equation)) == equation
    assert parse_infix(infix(applied(CODE["neg"], [equation]))) == applied(CODE["neg"], [equation])


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("ta+tb*N", "ta + tb * N"),
        ("(ta+tb)*N", "(ta + tb) * N"),
        ("ta-(tb-N)", "ta - (tb - N)"),
        ("ta-tb-N", "ta - tb - N"),
        ("ta/(tb/N)", "ta / (tb / N)"),
        ("-ta*tb", "-ta * tb"),
        ("-(ta*tb)", "-(ta * tb)"),
        ("--ta", "-(-ta)"),
        ("neg(3)", "-(3)"),
        ("- 3", "-3"),
        ("((ta))", "ta"),
        ("if_less( a,b ,1e-5, .5 )", "if_less(a, b, 1e-05, 0.5)"),
        ("min(ta, max(tb, 2.0))", "min(ta, max(tb, 2))"),
    ],
)
def test_infix_is_written_with_the_least_brackets(text, written):
    assert infix(parse_infix(text)) == written


def test_latex_looks_like_the_formula():
    text = latex(parse_infix("(1 - p) * (N - ta - tb) / ((c - 2) * (N - ta))"))
    assert text == (
        r"\frac{\left(1 - p\right) \cdot \left(N - T_{k} - T_{l}\right)}"
        r"{\left(c - 2\right) \cdot \left(N - T_{k}\right)}"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the end of the text"),
        ("ta +", "the end of the text"),
        ("ta tb", "'tb' in 'ta tb'; wanted \\+ - \\* / or \\)"),
        ("(ta", "an open bracket"),
        ("ta)", "a \\) without \\("),
        ("min(ta)", "min of 1 values"),
        ("abs(ta, tb)", "abs of 2 values"),
        ("(ta, tb)", "a comma outside"),
        ("ta, tb", "a comma outside"),
        ("min ta", "min without brackets"),
        ("ta ** 2", "given '\\*'"),
        ("ta ^ 2", "'\\^' at character 4"),
        ("1e99", "a number up to 1e\\+12"),
        ("freq + qrst", "'freq'; wanted one of(.|\n)*'qrst'"),
        ("__import__('os')", "at character 12"),
        ("min()", "given '\\)'"),
    ],
)
def test_what_is_no_equation_is_refused_in_words(text, message):
    with pytest.raises(ParameterError, match=message):
        parse_infix(text)


def test_a_near_name_is_proposed():
    with pytest.raises(ParameterError, match="Did you mean 'tmin'"):
        parse_infix("tmim + 1")


def test_deep_equations_are_written_and_read():
    equation = terminal(CODE["ta"])
    for i in range(2000):
        equation = applied(CODE[["neg", "abs", "sqrt"][i % 3]], [equation])
    assert parse_infix(infix(equation)) == equation
    assert parse_latex(latex(equation)) == equation
    assert np.array_equal(parse_infix("(" * 2000 + "ta" + ")" * 2000).tokens, [CODE["ta"]])
