"""Equations as postorder vectors of symbols: operands before their function, so that a stack evaluates them.

Terminals and functions are a reconstruction: the thesis (4.2) shows only that an equation has parameters a and b and
is a postorder vector that a stack evaluates.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Symbol:
    """One symbol."""

    name: str  # as written in infix notation
    arity: int  # how many values it takes; 0 for terminals
    meaning: str  # in words
    latex: str = ""  # of a terminal; of a function, the name of its form only


# All symbols; the position is the token in a postorder vector and is never changed.
SYMBOLS: tuple[Symbol, ...] = (
    Symbol("constant", 0, "a number"),
    Symbol("ta", 0, "T(k), how often the original category k occurs", "T_{k}"),
    Symbol("tb", 0, "T(l), how often the published category l occurs", "T_{l}"),
    Symbol("N", 0, "the sum of all T", "N"),
    Symbol("c", 0, "the number of categories that occur", "c"),
    Symbol("tmin", 0, "the least T of a category that occurs", r"T_{\min}"),
    Symbol("tmax", 0, "the greatest T", r"T_{\max}"),
    Symbol("a", 0, "the position of k among the categories, from 0; 0 where the attribute is nominal", "k"),
    Symbol("b", 0, "the position of l among the categories, from 0; 0 where the attribute is nominal", "l"),
    Symbol("d", 0, "the distance between k and l, in [0, 1]", "d_{kl}"),
    Symbol("p", 0, "the user's parameter, in [0, 1]", "p"),
    Symbol("+", 2, "sum"),
    Symbol("-", 2, "difference"),
    Symbol("*", 2, "product"),
    Symbol("/", 2, "quotient; 1 where the divisor is 0"),
    Symbol("min", 2, "the lesser"),
    Symbol("max", 2, "the greater"),
    Symbol("neg", 1, "the negative"),
    Symbol("abs", 1, "the absolute value"),
    Symbol("sqrt", 1, "square root of the absolute value"),
    Symbol("log", 1, "natural logarithm of 1 plus the absolute value"),
    Symbol("if_less", 4, "if_less(x, y, u, v): u where x < y, else v"),
)

CODE: dict[str, int] = {symbol.name: code for code, symbol in enumerate(SYMBOLS)}
ARITY = np.array([symbol.arity for symbol in SYMBOLS], dtype=np.int64)
ARITY.flags.writeable = False

CONSTANT = 0
TERMINALS: tuple[str, ...] = tuple(s.name for s in SYMBOLS[1:] if s.arity == 0)
FUNCTIONS: tuple[str, ...] = tuple(s.name for s in SYMBOLS if s.arity > 0)
LIMIT = 1e12  # every value is clipped to [-LIMIT, LIMIT]


Tokens = NDArray[np.int16]
Constants = NDArray[np.float64]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Equation:
    """A tree of symbols as a postorder vector."""

    tokens: Tokens  # positions in `evosdc.randomisation.equations.equation.SYMBOLS`
    constants: Constants  # the number at each token that is a constant, 0 elsewhere

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", frozen(self.tokens, np.int16))
        # Adding 0 turns -0 into 0: equal equations then have equal bytes, and notations keep no sign of zero.
        object.__setattr__(self, "constants", frozen(self.constants + 0.0, np.float64))
        complaint = malformed(self.tokens, self.constants, 1)
        if complaint:
            raise ValueError(complaint)

    def __len__(self) -> int:
        return int(self.tokens.size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equation) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    @property
    def _content(self) -> bytes:
        return self.tokens.tobytes() + self.constants.tobytes()

    @property
    def depth(self) -> int:
        """Edges from the root to the deepest terminal; 0 for a lone terminal."""
        return depth_of(self.tokens)

    def fold(self, leaf: Callable[[int, float], T], node: Callable[[int, Sequence[T]], T]) -> T:
        """Return the result of a walk over the tree, operands first; no recursion, however deep the tree."""
        stack: list[T] = []
        for token, number in zip(self.tokens.tolist(), self.constants.tolist(), strict=True):
            arity = SYMBOLS[token].arity
            if arity:
                operands = stack[-arity:]
                del stack[-arity:]
                stack.append(node(token, operands))
            else:
                stack.append(leaf(token, number))
        return stack[0]


def terminal(token: int, number: float = 0.0) -> Equation:
    """Return the equation of one terminal."""
    return Equation(np.array([token], dtype=np.int16), np.array([number]))


def applied(token: int, operands: Sequence[Equation]) -> Equation:
    """Return a function of equations."""
    tokens = np.concatenate([*(o.tokens for o in operands), np.array([token], dtype=np.int16)])
    return Equation(tokens, np.concatenate([*(o.constants for o in operands), np.zeros(1)]))


def malformed(tokens: Tokens, constants: Constants, trees: int) -> str:
    """Return why two vectors are not `trees` well-formed trees one after the other; empty when they are."""
    if tokens.ndim != 1 or tokens.shape != constants.shape:
        return f"tokens of shape {tokens.shape} and constants of shape {constants.shape}"
    if tokens.size == 0 or int(tokens.min()) < 0 or int(tokens.max()) >= len(SYMBOLS):
        return f"a token outside 0..{len(SYMBOLS) - 1}, or none"
    if not (np.abs(constants) <= LIMIT).all() or (constants[tokens != CONSTANT] != 0.0).any():
        return f"a constant outside -{LIMIT:g}..{LIMIT:g}, or one that no token refers to"
    heights = np.cumsum(1 - ARITY[tokens])
    if (heights < 1).any() or heights[-1] != trees:
        return f"a postorder vector that leaves {heights[-1]} values on the stack or takes more than there are"
    return ""


def split(tokens: Tokens, constants: Constants) -> tuple[Equation, ...]:
    """Return the trees that stand one after the other in well-formed vectors."""
    begins = starts(tokens)
    equations: list[Equation] = []
    end = tokens.size
    while end > 0:
        begin = int(begins[end - 1])
        equations.append(Equation(tokens[begin:end], constants[begin:end]))
        end = begin
    return tuple(reversed(equations))


def starts(tokens: Tokens) -> NDArray[np.int64]:
    """Return for each token where its subtree begins."""
    arity, begins = ARITY.tolist(), list[int]()
    for place, token in enumerate(tokens.tolist()):
        begin = place
        for _ in range(arity[token]):
            begin = begins[begin - 1]
        begins.append(begin)
    return np.array(begins, dtype=np.int64)


def depth_of(tokens: Tokens) -> int:
    """Return the depth of the deepest of the trees in a postorder vector."""
    arity, stack = ARITY.tolist(), list[int]()
    for token in tokens.tolist():
        taken = arity[token]
        if taken:
            deepest = max(stack[-taken:])
            del stack[-taken:]
            stack.append(deepest + 1)
        else:
            stack.append(0)
    return max(stack)


def frozen(array: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    """Return a read-only array; a writeable one is copied."""
    if not array.flags.writeable and array.dtype == dtype and array.flags.c_contiguous:
        return array
    owned: NDArray[Any] = np.array(array, dtype=dtype, order="C")
    owned.flags.writeable = False
    return owned
