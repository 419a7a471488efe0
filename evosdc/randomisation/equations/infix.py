"""Equations as text: ``(1 - p) * ((N - ta - tb) / ((c - 2) * (N - ta)))``; written equations can be read back."""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

import numpy as np

from evosdc.errors import Fault, ParameterError
from evosdc.randomisation.equations.equation import CODE, CONSTANT, FUNCTIONS, LIMIT, SYMBOLS, TERMINALS, Equation

_ATOM, _SIGN, _PRODUCT, _SUM = 4, 3, 2, 1
_BINDING = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "neg": _SIGN}
_CALLED = tuple(name for name in FUNCTIONS if name not in "+-*/")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<mark>[-+*/(),]))"
)


def infix(equation: Equation) -> str:
    """Return an equation as text. A negative constant is ``-2``, the negative of a constant ``-(2)``."""

    def leaf(token: int, number: float) -> tuple[str, int]:
        if token != CONSTANT:
            return SYMBOLS[token].name, _ATOM
        return numeral(number), _ATOM if number >= 0 else _SIGN

    def node(token: int, operands: Sequence[tuple[str, int]]) -> tuple[str, int]:
        name = SYMBOLS[token].name
        if name not in _BINDING:
            return f"{name}({', '.join(text for text, _ in operands)})", _ATOM
        binding = _BINDING[name]
        if name == "neg":
            text, tight = operands[0]
            return ("-" + (text if tight >= _ATOM and not _numeric(text) else f"({text})")), _SIGN
        (left, left_binding), (right, right_binding) = operands
        left = left if left_binding >= binding else f"({left})"
        right = right if right_binding > binding else f"({right})"
        return f"{left} {name} {right}", binding

    return equation.fold(leaf, node)[0]


def numeral(number: float) -> str:
    """Return the shortest text that is read as this number."""
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def parse_infix(text: str, where: str = "equation") -> Equation:
    """Read an equation; no recursion, however deep the brackets."""
    tokens = list(_tokens(text, where))
    unknown = [word for kind, word in tokens if kind == "name" and word not in TERMINALS and word not in _CALLED]
    if unknown:
        raise ParameterError([_unknown(name, where) for name in dict.fromkeys(unknown)])
    return _Reader(text, where).read(tokens)


class _Reader:
    """Dijkstra's shunting-yard, whose output is the postorder vector itself."""

    def __init__(self, text: str, where: str) -> None:
        self.where = where
        self.shown = text if len(text) <= 60 else f"{text[:57]}..."
        self.out: list[int] = []
        self.numbers: list[float] = []
        self.waiting: list[str] = []
        """Operators, ``(``, and names of functions that stand before a ``(``."""
        self.commas: list[int] = []
        """By open bracket, how many commas it has seen."""

    def read(self, tokens: Sequence[tuple[str, str]]) -> Equation:
        operand_wanted = True
        position = 0
        while position < len(tokens):
            kind, word = tokens[position]
            following = tokens[position + 1] if position + 1 < len(tokens) else ("end", "")
            if operand_wanted:
                if kind == "number":
                    self._emit(CONSTANT, self._number(word))
                    operand_wanted = False
                elif kind == "name" and word in TERMINALS:
                    self._emit(CODE[word])
                    operand_wanted = False
                elif kind == "name":
                    if following != ("mark", "("):
                        raise self._fault(f"{word} without brackets", f"{word}(...)")
                    self.waiting.append(word)
                elif word == "(":
                    self.waiting.append("(")
                    self.commas.append(0)
                elif word == "-" and following[0] == "number":
                    self._emit(CONSTANT, -self._number(following[1]))
                    operand_wanted = False
                    position += 1
                elif word == "-":
                    self.waiting.append("neg ")
                else:
                    raise self._fault(repr(word), "a terminal, a number, a function or (")
            elif kind == "mark" and word in "+-*/":
                self._settle(_BINDING[word])
                self.waiting.append(word)
                operand_wanted = True
            elif word == ",":
                self._settle(0)
                if not self.waiting or len(self.waiting) < 2 or self.waiting[-2] not in _CALLED:
                    raise self._fault("a comma outside a function's brackets", "+ - * / or )")
                self.commas[-1] += 1
                operand_wanted = True
            elif word == ")":
                self._close()
            else:
                raise self._fault(repr(word), "+ - * / or )")
            position += 1
        if operand_wanted:
            raise self._fault("the end of the text", "a terminal, a number, a function or (")
        self._settle(0)
        if self.waiting:
            raise self._fault("an open bracket", "as many ) as (")
        return Equation(np.array(self.out, dtype=np.int16), np.array(self.numbers))

    def _emit(self, token: int, number: float = 0.0) -> None:
        self.out.append(token)
        self.numbers.append(number)

    def _settle(self, binding: int) -> None:
        """Emit waiting operators that bind at least as tightly, up to the last open bracket."""
        while self.waiting and self.waiting[-1] != "(" and _BINDING[self.waiting[-1].strip()] >= binding:
            self._emit(CODE[self.waiting.pop().strip()])

    def _close(self) -> None:
        self._settle(0)
        if not self.waiting:
            raise self._fault("a ) without (", "as many ) as (")
        self.waiting.pop()
        given = self.commas.pop() + 1
        if self.waiting and self.waiting[-1] in _CALLED:
            name = self.waiting.pop()
            wanted = SYMBOLS[CODE[name]].arity
            if given != wanted:
                raise self._fault(f"{name} of {given} values", f"{name} of {wanted}")
            self._emit(CODE[name])

    def _number(self, word: str) -> float:
        number = float(word)
        if number > LIMIT:
            raise self._fault(word, f"a number up to {LIMIT:g}")
        return number

    def _fault(self, given: str, wanted: str) -> ParameterError:
        return ParameterError(Fault(self.where, f"{given} in {self.shown!r}", wanted))


def _tokens(text: str, where: str) -> Iterator[tuple[str, str]]:
    position = 0
    text = text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            rest = text[position:].lstrip()
            given = f"{rest[0]!r} at character {len(text) - len(rest) + 1}"
            raise ParameterError(Fault(where, given, "an equation in infix notation"))
        assert match.lastgroup is not None
        yield match.lastgroup, match[match.lastgroup]
        position = match.end()


def _numeric(text: str) -> bool:
    return text[0].isdigit() or text[0] == "."


def _unknown(name: str, where: str) -> Fault:
    known = (*TERMINALS, *_CALLED)
    close = get_close_matches(name, known, n=1)
    return Fault(where, repr(name), f"one of {', '.join(known)}", f"Did you mean {close[0]!r}?" if close else "")
