"""DEAP's view of equations: the primitive set, and the way from postorder vectors to prefix trees and back."""

import random
from collections.abc import Sequence

import numpy as np
from deap import gp

from evosdc.randomisation.equations.equation import Equation, starts
from evosdc.randomisation.equations.symbols import CODE, CONSTANT, SYMBOLS

NUMBER = float
"""The one type of all values: every function takes and gives numbers, so that each is closed under all others."""


def primitive_set(terminals: Sequence[str], functions: Sequence[str], constants: bool) -> gp.PrimitiveSetTyped:
    """Return the set that DEAP draws from.

    Parameters
    ----------
    terminals, functions : sequence of str
        Names of symbols; terminals stand in the set as its arguments.
    constants : bool
        Whether there are ephemeral constants besides.
    """
    pset = gp.PrimitiveSetTyped("equation", [NUMBER] * len(terminals), NUMBER)
    pset.renameArguments(**{f"ARG{i}": name for i, name in enumerate(terminals)})
    for name in functions:
        pset.addPrimitive(_unused, [NUMBER] * SYMBOLS[CODE[name]].arity, NUMBER, name)
    if constants:
        pset.addEphemeralConstant("constant", drawn_constant, NUMBER)
    return pset


def drawn_constant() -> float:
    """Return a number with three decimals in [0, 1] or an integer 1..5, drawn from the lent generator."""
    return round(random.random(), 3) if random.random() < 0.75 else float(random.randint(1, 5))


def _unused(*values: float) -> float:
    """Stand for a function in DEAP's set; equations are evaluated on whole matrices, never by `deap.gp.compile`."""
    raise TypeError("deap.gp cannot compile these equations: evosdc.randomisation.equations.evaluation evaluates them")


_FUNCTION = {s.name: gp.Primitive(s.name, [NUMBER] * s.arity, NUMBER) for s in SYMBOLS if s.arity}
_TERMINAL = {s.name: gp.Terminal(s.name, True, NUMBER) for s in SYMBOLS[1:] if not s.arity}


def tree_of(equation: Equation) -> gp.PrimitiveTree:
    """Return the equation as DEAP's prefix tree."""
    begins = starts(equation.tokens).tolist()
    tokens, constants = equation.tokens.tolist(), equation.constants.tolist()
    nodes: list[object] = []
    pending = [len(tokens) - 1]
    while pending:
        position = pending.pop()
        symbol = SYMBOLS[tokens[position]]
        if tokens[position] == CONSTANT:
            nodes.append(gp.Terminal(constants[position], False, NUMBER))
        else:
            nodes.append(_FUNCTION[symbol.name] if symbol.arity else _TERMINAL[symbol.name])
        # Operands end one before the other, the last one just before its function: pushed last to first.
        end = position - 1
        for _ in range(symbol.arity):
            pending.append(end)
            end = begins[end] - 1
    return gp.PrimitiveTree(nodes)


def equation_of(tree: gp.PrimitiveTree) -> Equation:
    """Return DEAP's prefix tree as a postorder vector."""
    tokens: list[int] = []
    constants: list[float] = []
    waiting: list[tuple[int, int]] = []
    for node in tree:
        if node.arity:
            waiting.append((CODE[node.name], node.arity))
            continue
        symbolic = isinstance(node.value, str)
        tokens.append(CODE[node.value] if symbolic else CONSTANT)
        constants.append(0.0 if symbolic else float(node.value))
        while waiting:
            token, lacking = waiting.pop()
            if lacking > 1:
                waiting.append((token, lacking - 1))
                break
            tokens.append(token)
            constants.append(0.0)
    return Equation(np.array(tokens, dtype=np.int16), np.array(constants))
