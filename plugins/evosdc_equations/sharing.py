"""Trees in which equal subtrees are one node, so that comparing them costs nothing, however deep they are."""

from collections.abc import Sequence

import numpy as np

from evosdc.randomisation.equations.equation import Equation, applied, terminal
from evosdc.randomisation.equations.evaluation import values
from evosdc.randomisation.equations.quantities import quantities
from evosdc.randomisation.equations.symbols import CODE, CONSTANT

_COMMUTATIVE = {CODE[name] for name in ("+", "*", "min", "max")}
_ANY_FILE = quantities(np.array([1, 1]), np.zeros((2, 2)), False, 0.0)


class SharedNodes:
    """Nodes by number; operands have smaller numbers than what is made of them."""

    def __init__(self) -> None:
        self._nodes: list[tuple[int, float, tuple[int, ...]]] = []
        self._numbers: dict[tuple[int, float, tuple[int, ...]], int] = {}
        self.intervals: dict[int, tuple[float, float]] = {}

    def terminal(self, token: int, number: float) -> int:
        """Return the node of a terminal."""
        return self._node(token, number + 0.0, ())

    def constant(self, number: float) -> int:
        """Return the node of a constant."""
        return self.terminal(CONSTANT, number)

    def applied(self, token: int, operands: Sequence[int]) -> int:
        """Return the node of a function of nodes."""
        return self._node(token, 0.0, tuple(operands))

    def token(self, node: int) -> int:
        """Return a node's symbol."""
        return self._nodes[node][0]

    def operands(self, node: int) -> tuple[int, ...]:
        """Return a node's operands."""
        return self._nodes[node][2]

    def number(self, node: int) -> float | None:
        """Return a constant's number; None for any other node."""
        return self._nodes[node][1] if self._nodes[node][0] == CONSTANT else None

    def all_constant(self, nodes: Sequence[int]) -> bool:
        """Whether all nodes are constants."""
        return all(self._nodes[node][0] == CONSTANT for node in nodes)

    def value(self, node: int) -> float:
        """Return the value of a function of constants, by the evaluator itself, so that folding changes no bit."""
        token, _, operands = self._nodes[node]
        equation = applied(token, [terminal(CONSTANT, self._nodes[operand][1]) for operand in operands])
        return float(values(equation, _ANY_FILE)[0, 0])

    def equation(self, root: int) -> Equation:
        """Return the tree below a node as an equation."""
        tokens: list[int] = []
        numbers: list[float] = []
        pending = [root]
        while pending:
            token, number, operands = self._nodes[pending.pop()]
            tokens.append(token)
            numbers.append(number)
            pending.extend(operands)
        # A walk from the root, last operand first, is the postorder vector backwards.
        return Equation(np.array(tokens[::-1], dtype=np.int16), np.array(numbers[::-1]))

    def _node(self, token: int, number: float, operands: tuple[int, ...]) -> int:
        shared = tuple(sorted(operands)) if token in _COMMUTATIVE else operands
        known = self._numbers.get((token, number, shared))
        if known is None:
            known = self._numbers[token, number, shared] = len(self._nodes)
            self._nodes.append((token, number, operands))
        return known
