from deap import gp
from hypothesis import given

from evosdc.randomisation.equations.equation import CODE, applied, terminal
from evosdc.randomisation.equations.infix import parse_infix
from evosdc_equations.variation import equation_of, tree_of
from tests.randomisation.equations.drawing import equations


@given(equations(most=60))
def test_tree_and_postorder_vector_are_two_forms_of_one_thing(equation):
    tree = tree_of(equation)
    assert isinstance(tree, gp.PrimitiveTree)
    assert equation_of(tree) == equation
    assert tree.height == equation.depth
    assert len(tree) == len(equation)


def test_the_tree_is_in_prefix_order():
    tree = tree_of(parse_infix("if_less(ta, tb - 2, 0.5, N)"))
    assert [node.name if node.arity else node.value for node in tree] == ["if_less", "ta", "-", "tb", 2.0, 0.5, "N"]


def test_deep_trees_need_no_recursion():
    equation = terminal(CODE["ta"])
    for _ in range(3000):
        equation = applied(CODE["neg"], [equation])
    assert equation_of(tree_of(equation)) == equation
