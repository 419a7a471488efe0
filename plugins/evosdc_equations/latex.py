r"""Equations in LaTeX: ``\left(1 - p\right) \cdot \frac{N - T_{k} - T_{l}}{...}``; what is written is read back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evosdc.errors import Fault, ParameterError
from evosdc.randomisation.equations.equation import Equation
from evosdc.randomisation.equations.infix import numeral, parse_infix
from evosdc.randomisation.equations.symbols import CONSTANT, SYMBOLS

_ATOM, _SIGN, _PRODUCT, _SUM = 4, 3, 2, 1
_LEFT, _RIGHT = r"\left(", r"\right)"
_NAMES = {symbol.latex: symbol.name for symbol in SYMBOLS if symbol.latex}
_FORMS = {
    "abs": (r"\left|", r"\right|"),
    "sqrt": (r"\sqrt{\left|", r"\right|}"),
    "log": (r"\log\left(1 + \left|", r"\right|\right)"),
    "min": (rf"\min{_LEFT}", _RIGHT),
    "max": (rf"\max{_LEFT}", _RIGHT),
    "if_less": (r"\begin{cases} ", r" & \text{otherwise} \end{cases}"),
}


def latex(equation: Equation) -> str:
    """Return an equation in LaTeX.

    Roots and logarithms show the absolute value that keeps them closed; a division by zero, which is 1, does not show.
    """

    def leaf(token: int, number: float) -> tuple[str, int]:
        if token != CONSTANT:
            return SYMBOLS[token].latex, _ATOM
        return numeral(number), _ATOM if number >= 0 else _SIGN

    def node(token: int, operands: Sequence[tuple[str, int]]) -> tuple[str, int]:
        name = SYMBOLS[token].name
        texts = [text for text, _ in operands]
        if name == "/":
            return rf"\frac{{{texts[0]}}}{{{texts[1]}}}", _ATOM
        if name == "if_less":
            x, y, u, v = texts
            begin, end = _FORMS[name]
            return rf"{begin}{u} & {x} < {y} \\ {v}{end}", _ATOM
        if name in _FORMS:
            begin, end = _FORMS[name]
            return f"{begin}{', '.join(texts)}{end}", _ATOM
        if name == "neg":
            text, binding = operands[0]
            plain = binding >= _ATOM and not (text[0].isdigit() or text[0] == ".")
            return "-" + (text if plain else f"{_LEFT}{text}{_RIGHT}"), _SIGN
        own, sign = (_PRODUCT, r"\cdot") if name == "*" else (_SUM, name)
        left = texts[0] if operands[0][1] >= own else f"{_LEFT}{texts[0]}{_RIGHT}"
        right = texts[1] if operands[1][1] > own else f"{_LEFT}{texts[1]}{_RIGHT}"
        return f"{left} {sign} {right}", own

    return equation.fold(leaf, node)[0]


_OPENING: dict[str, tuple[str, ...]] = {
    r"\frac{": ("numerator",),
    _FORMS["sqrt"][0]: ("shut by }", "sqrt"),
    _FORMS["log"][0]: ("shut by )", "log"),
    _FORMS["min"][0]: ("min",),
    _FORMS["max"][0]: ("max",),
    _FORMS["abs"][0]: ("abs",),
    _LEFT: ("",),
    _FORMS["if_less"][0].strip(): ("u",),
}
"""The parts that a mark opens, the innermost last."""
_BAR = r"\right|"
_OTHERWISE = _FORMS["if_less"][1].strip()
_NEXT = {("numerator", "}{"): "denominator", ("u", "&"): "x", ("x", "<"): "y", ("y", r"\\"): "v"}
"""The part that a mark leads to from another one."""
_CLOSING = {_BAR: ("sqrt", "log", "abs"), _RIGHT: ("min", "max", "")}
_INNER = {mark for _, mark in _NEXT} | {*_CLOSING, _OTHERWISE, "}"}
_MARKS = sorted({*_OPENING, *_INNER, *_NAMES, r"\cdot"}, key=len, reverse=True)
_TOKEN = re.compile("|".join([*map(re.escape, _MARKS), r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", r"\S"]))


def parse_latex(text: str, where: str = "equation") -> Equation:
    """Read an equation in the LaTeX that `latex` writes.

    Raises
    ------
    ParameterError
        The text is not of that form.
    """
    open_parts: list[str] = []
    texts: list[list[str]] = [[]]
    for match in _TOKEN.finditer(text):
        mark = match[0]
        if mark in _NAMES:
            texts[-1].append(_NAMES[mark])
        elif mark in _OPENING:
            for part in _OPENING[mark]:
                open_parts.append(part)
                texts.append([])
        elif mark in _INNER:
            _advance(mark, open_parts, texts, where)
        else:
            texts[-1].append("*" if mark == r"\cdot" else mark)
    if open_parts:
        raise ParameterError(Fault(where, "LaTeX with an open bracket", "balanced brackets"))
    return parse_infix(" ".join(texts[0]), where)


def _advance(mark: str, open_parts: list[str], texts: list[list[str]], where: str) -> None:
    """Go on to the next part of a form, or close the form and put its infix text into what surrounds it."""
    part = open_parts[-1] if open_parts else "nothing"
    if (part, mark) in _NEXT:
        open_parts[-1] = _NEXT[part, mark]
        texts.append([])
        return
    if part == "denominator" and mark == "}":
        divisor, dividend = (" ".join(texts.pop()) for _ in range(2))
        closed = f"(({dividend}) / ({divisor}))"
    elif part == "v" and mark == _OTHERWISE:
        v, y, x, u = (" ".join(texts.pop()) for _ in range(4))
        closed = f"if_less({x}, {y}, {u}, {v})"
    elif part in _CLOSING.get(mark, ()):
        closed = f"{part}({' '.join(texts.pop())})"
    elif (part, mark) in (("shut by }", "}"), ("shut by )", _RIGHT)):
        closed = " ".join(texts.pop())
    else:
        raise ParameterError(Fault(where, f"{mark!r} where nothing of its kind is open", "LaTeX as evosdc writes it"))
    open_parts.pop()
    texts[-1].append(closed)
