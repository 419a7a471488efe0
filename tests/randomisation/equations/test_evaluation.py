import numpy as np
import pytest
from hypothesis import given

from evosdc.randomisation.equations.equation import CODE, CONSTANT, Equation, applied, terminal
from evosdc.randomisation.equations.evaluation import DECODINGS, matrix_of, quantities, values
from evosdc.randomisation.equations.infix import parse_infix
from evosdc.randomisation.transition import design_a, design_b
from tests.randomisation.equations import reference
from tests.randomisation.equations.drawing import attributes, equations

A = "(1 - p) * ((N - ta - tb) / ((c - 2) * (N - ta)))"
B = "p * tmin / (ta * (c - 1))"
FILES = ([50, 30, 15, 5], [7, 9], [0, 3, 0, 4, 5], [1, 0], [5], [1] * 25, [10**6, 1, 1])


@given(equations(), attributes())
def test_the_stack_equals_a_recursive_walk_over_each_cell(equation, attribute):
    cells = quantities(*attribute)
    if not cells.occurring.size:
        return
    found = values(equation, cells)
    tree = reference.nested(equation)
    for i, k in enumerate(cells.occurring):
        for j, other in enumerate(cells.occurring):
            assert found[i, j] == reference.value(tree, reference.cell_of(*attribute, k, other))
    assert np.isfinite(found).all()
    assert np.abs(found).max() <= 1e12


@given(equations(), attributes())
def test_every_equation_makes_a_row_stochastic_matrix(equation, attribute):
    T, p = attribute[0], attribute[3]
    for decoding in DECODINGS:
        matrix = matrix_of(equation, quantities(*attribute), decoding)
        assert matrix.shape == (T.size, T.size)
        assert ((matrix >= 0) & (matrix <= 1)).all()
        assert matrix.sum(axis=1) == pytest.approx(np.ones(T.size), abs=1e-12)
        absent = T == 0
        assert not matrix[np.ix_(~absent, absent)].any()
        assert (matrix[absent] == np.identity(T.size)[absent]).all()
        if decoding == "offdiag" and (~absent).sum() > 1:
            assert (np.diagonal(matrix)[~absent] == p).all()


@given(equations(), attributes())
def test_decodings_equal_their_definition(equation, attribute):
    for decoding in DECODINGS:
        found = matrix_of(equation, quantities(*attribute), decoding)
        assert found == pytest.approx(reference.matrix(equation, *attribute, decoding), abs=1e-12)


@pytest.mark.parametrize("T", FILES, ids=str)
def test_the_standard_designs_are_expressible(T):
    T = np.array(T)
    for p in (tenth / 10 for tenth in range(11)):
        cells = quantities(T, 1.0 - np.identity(T.size), False, p)
        assert np.abs(matrix_of(parse_infix(A), cells) - design_a(T, p)).max() <= 1e-15
        assert np.abs(matrix_of(parse_infix(B), cells) - design_b(T, p)).max() <= 1e-15


def test_the_thesis_example_of_a_stack():
    # Figure 4.15 evaluates a postorder vector with a = 1 and b = 3; this one gives (1 + 3) * 3.
    equation = Equation(np.array([CODE[s] for s in ("a", "b", "+", "b", "*")], dtype=np.int16), np.zeros(5))
    T = np.array([1, 1, 1, 1])
    assert values(equation, quantities(T, np.zeros((4, 4)), True, 0.0))[1, 3] == 12.0


def test_positions_mean_nothing_in_a_nominal_attribute():
    T = np.array([4, 5, 6])
    assert not values(parse_infix("a + b"), quantities(T, np.zeros((3, 3)), False, 0.0)).any()


@pytest.mark.parametrize(
    ("text", "value"),
    [("1 / 0", 1), ("0 / 0", 1), ("-3 / (2 - 2)", 1), ("1e12 * 1e12", 1e12), ("-1e12 * 1e12", -1e12),
     ("5 / 1e-300", 1e12), ("sqrt(-4)", 2), ("log(0)", 0), ("abs(-2)", 2), ("-(2)", -2),
     ("if_less(1, 1, 5, 7)", 7), ("if_less(1, 2, 5, 7)", 5)],
)  # fmt: skip
def test_functions_are_closed(text, value):
    assert values(parse_infix(text), quantities(np.array([1, 1]), np.zeros((2, 2)), False, 0.0))[0, 0] == value


@pytest.mark.parametrize("name", ["neg", "+"])
def test_depth_500_is_nothing_special(name):
    equation = terminal(CODE["ta"])
    for _ in range(500):
        equation = applied(CODE[name], [equation, terminal(CONSTANT, 0.5)][: 1 + (name == "+")])
    assert equation.depth == 500
    found = values(equation, quantities(np.array([3, 4]), np.zeros((2, 2)), False, 0.0))
    assert found[0, 0] == (3.0 if name == "neg" else 253.0)


@pytest.mark.parametrize(
    ("tokens", "constants"),
    [([], []), ([CODE["+"]], [0]), ([1, 1], [0, 0]), ([1, CODE["+"]], [0, 0]), ([99], [0]), ([-1], [0]),
     ([0], [np.inf]), ([0], [np.nan]), ([1], [2.0]), ([1], [0.0, 0.0])],
)  # fmt: skip
def test_malformed_vectors_are_refused(tokens, constants):
    with pytest.raises(ValueError, match=r"token|constant|stack"):
        Equation(np.array(tokens, dtype=np.int16), np.array(constants, dtype=float))


def test_an_equation_is_a_value():
    tokens = np.array([1], dtype=np.int16)
    equation = Equation(tokens, np.zeros(1))
    tokens[0] = 2
    assert equation == parse_infix("ta") != parse_infix("tb")
    assert len({equation, parse_infix("ta")}) == 1
    assert not equation.tokens.flags.writeable
