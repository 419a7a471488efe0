"""Reads the LaTeX that `evosdc_equations.latex` writes: so that tests see that it says all of an equation."""

from __future__ import annotations

import re

from evosdc.randomisation.equations.equation import SYMBOLS, Equation
from evosdc.randomisation.equations.infix import parse_infix
from evosdc_equations.latex import FORMS, LEFT, RIGHT

_NAMES = {symbol.latex: symbol.name for symbol in SYMBOLS if symbol.latex}
_OPENING: dict[str, tuple[str, ...]] = {
    r"\frac{": ("numerator",),
    FORMS["sqrt"][0]: ("shut by }", "sqrt"),
    FORMS["log"][0]: ("shut by )", "log"),
    FORMS["min"][0]: ("min",),
    FORMS["max"][0]: ("max",),
    FORMS["abs"][0]: ("abs",),
    LEFT: ("",),
    FORMS["if_less"][0].strip(): ("u",),
}
"""The parts that a mark opens, the innermost last."""
_BAR = r"\right|"
_OTHERWISE = FORMS["if_less"][1].strip()
_NEXT = {("numerator", "}{"): "denominator", ("u", "&"): "x", ("x", "<"): "y", ("y", r"\\"): "v"}
"""The part that a mark leads to from another one."""
_CLOSING = {_BAR: ("sqrt", "log", "abs"), RIGHT: ("min", "max", "")}
_INNER = {mark for _, mark in _NEXT} | {*_CLOSING, _OTHERWISE, "}"}
_MARKS = sorted({*_OPENING, *_INNER, *_NAMES, r"\cdot"}, key=len, reverse=True)
_TOKEN = re.compile("|".join([*map(re.escape, _MARKS), r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", r"\S"]))


def parse_latex(text: str) -> Equation:
    """Read an equation in the LaTeX that `latex` writes."""
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
            _advance(mark, open_parts, texts)
        else:
            texts[-1].append("*" if mark == r"\cdot" else mark)
    if open_parts:
        raise ValueError("a bracket is open")
    return parse_infix(" ".join(texts[0]))


def _advance(mark: str, open_parts: list[str], texts: list[list[str]]) -> None:
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
    elif (part, mark) in (("shut by }", "}"), ("shut by )", RIGHT)):
        closed = " ".join(texts.pop())
    else:
        raise ValueError(f"{mark!r} where nothing of its kind is open")
    open_parts.pop()
    texts[-1].append(closed)
