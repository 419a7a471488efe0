"""The symbols of equations: quantities of a matrix's cell (k, l), constants, and functions closed over numbers.

Terminals and functions are a reconstruction: the thesis (4.2) shows only that an equation has parameters a and b and
is a postorder vector that a stack evaluates.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Symbol:
    """One symbol.

    Parameters
    ----------
    name : str
        As written in infix notation.
    arity : int
        How many values it takes; 0 for terminals.
    meaning : str
        In words.
    latex : str
        Of a terminal; of a function, the name of its form only.
    """

    name: str
    arity: int
    meaning: str
    latex: str = ""


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
"""All symbols; the position is the token in a postorder vector and is never changed."""

CODE: dict[str, int] = {symbol.name: code for code, symbol in enumerate(SYMBOLS)}
ARITY = np.array([symbol.arity for symbol in SYMBOLS], dtype=np.int64)
ARITY.flags.writeable = False

CONSTANT = 0
TERMINALS: tuple[str, ...] = tuple(s.name for s in SYMBOLS[1:] if s.arity == 0)
FUNCTIONS: tuple[str, ...] = tuple(s.name for s in SYMBOLS if s.arity > 0)
LIMIT = 1e12
"""Every value is clipped to [-LIMIT, LIMIT]."""
