r"""Equations in LaTeX: ``\left(1 - p\right) \cdot \frac{N - T_{k} - T_{l}}{...}``; no two equations look alike."""

from collections.abc import Sequence

from evosdc.randomisation.equations.equation import CONSTANT, SYMBOLS, Equation
from evosdc.randomisation.equations.infix import numeral

_ATOM, _SIGN, _PRODUCT, _SUM = 4, 3, 2, 1
LEFT, RIGHT = r"\left(", r"\right)"
FORMS = {
    "abs": (r"\left|", r"\right|"),
    "sqrt": (r"\sqrt{\left|", r"\right|}"),
    "log": (r"\log\left(1 + \left|", r"\right|\right)"),
    "min": (rf"\min{LEFT}", RIGHT),
    "max": (rf"\max{LEFT}", RIGHT),
    "if_less": (r"\begin{cases} ", r" & \text{otherwise} \end{cases}"),
}


def latex(equation: Equation) -> str:
    """Return an equation in LaTeX."""
    # Roots and logarithms show the absolute value that keeps them closed; a division by zero, which is 1, does not
    # show.

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
            begin, end = FORMS[name]
            return rf"{begin}{u} & {x} < {y} \\ {v}{end}", _ATOM
        if name in FORMS:
            begin, end = FORMS[name]
            return f"{begin}{', '.join(texts)}{end}", _ATOM
        if name == "neg":
            text, binding = operands[0]
            plain = binding >= _ATOM and not (text[0].isdigit() or text[0] == ".")
            return "-" + (text if plain else f"{LEFT}{text}{RIGHT}"), _SIGN
        own, sign = (_PRODUCT, r"\cdot") if name == "*" else (_SUM, name)
        left = texts[0] if operands[0][1] >= own else f"{LEFT}{texts[0]}{RIGHT}"
        right = texts[1] if operands[1][1] > own else f"{LEFT}{texts[1]}{RIGHT}"
        return f"{left} {sign} {right}", own

    return equation.fold(leaf, node)[0]
