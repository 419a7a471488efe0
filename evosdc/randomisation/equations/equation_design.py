"""A design: one or more equations with all that is needed to make matrices of them, and the file that keeps it."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.randomisation.equations.equation import Equation
from evosdc.randomisation.equations.evaluation import DECODINGS, Decoding, matrix_of, quantities_of
from evosdc.randomisation.equations.infix import infix, parse_infix
from evosdc.randomisation.invariance import diluted, two_stage
from evosdc.randomisation.transition import Frequencies, Matrix
from evosdc.table.schema import Attribute
from evosdc.table.table import Codes

KEYS = ("equation", "equations", "decoding", "p", "two_stage")
_EXAMPLE = 'For example equation = "p * tmin / (ta * (c - 1))".'


@dataclass(frozen=True)
class EquationDesign:
    """How to make the transition matrix of any attribute of any file."""

    equation: Equation | None = None  # for every attribute that has none of its own
    equations: Mapping[str, Equation] = field(default_factory=dict)  # by attribute
    decoding: Decoding = "raw"  # see `evosdc.randomisation.equations.evaluation.matrix_of`
    p: float = 0.5  # the user's parameter, in [0, 1]
    # Where given, the matrix is made invariant by a second stage and diluted to this alpha in [0, 1].
    two_stage: float | None = None

    def matrix(self, column: Codes, attribute: Attribute) -> Matrix:
        """Return the transition matrix of an attribute's column, shape (c, c)."""
        equation = self.equations.get(attribute.name, self.equation)
        if equation is None:
            wanted = f"one of {', '.join(self.equations)}"
            raise ParameterError(
                Fault("equation", f"attribute {attribute.name}", wanted, "Add an equation for it, or one for all.")
            )
        cells = quantities_of(column, attribute, self.p)
        return staged(matrix_of(equation, cells, self.decoding), frequencies_of(column, attribute), self.two_stage)

    def text(self) -> str:
        """Return the design as a TOML document, which `read_equation_design` reads."""
        lines = [f'decoding = "{self.decoding}"', f"p = {self.p!r}"]
        lines += [f"two_stage = {float(self.two_stage)!r}"] if self.two_stage is not None else []
        lines += [f'equation = "{infix(self.equation)}"'] if self.equation is not None else []
        lines += ["", "[equations]"] if self.equations else []
        lines += [f'{json.dumps(name)} = "{infix(equation)}"' for name, equation in self.equations.items()]
        return "\n".join(lines) + "\n"


def frequencies_of(column: Codes, attribute: Attribute) -> Frequencies:
    """Return how often each category of an attribute occurs; missing values are not counted."""
    return np.bincount(column[column >= 0], minlength=len(attribute.categories)).astype(np.int64)


def staged(matrix: Matrix, frequencies: Frequencies, alpha: float | None) -> Matrix:
    """Return a matrix, made invariant by a second stage and diluted where `alpha` is given."""
    return matrix if alpha is None else diluted(two_stage(matrix, frequencies), alpha)


def read_equation_design(path: Path) -> EquationDesign:
    """Read a design from a TOML file."""
    where = str(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ParameterError(Fault(where, "no such file", "an equation file", "Check the path.")) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ParameterError(Fault(where, f"a file that cannot be read ({error})", "a text file, UTF-8")) from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ParameterError(Fault(where, f"text that is not TOML: {error}", "an equation file", _EXAMPLE)) from None
    return parse_equation_design(document, where)


def parse_equation_design(document: Mapping[str, Any], where: str) -> EquationDesign:
    """Return the design that TOML data represent."""
    collect = FaultCollector()

    def refuse(key: str, given: str, wanted: str, advice: str = "") -> None:
        collect.faults.append(Fault(f"{where}: {key}", given, wanted, advice))

    def parsed(key: str, text: Any) -> Equation | None:
        if not isinstance(text, str):
            refuse(key, repr(text), "an equation in quotation marks", _EXAMPLE)
            return None
        with collect.step():
            return parse_infix(text, f"{where}: {key}")
        return None

    def share(key: str, default: float | None) -> float | None:
        value = document.get(key, default)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1):
            refuse(key, repr(value), "a number in [0, 1]")
            return default
        return value

    for key in document:
        if key not in KEYS:
            refuse(key, "an unknown key", f"one of {', '.join(KEYS)}")
    if "equation" not in document and not document.get("equations"):
        refuse("equation", "nothing", "an equation, or a table of equations by attribute", _EXAMPLE)
    decoding = document.get("decoding", "raw")
    if decoding not in DECODINGS:
        refuse("decoding", repr(decoding), f"one of {', '.join(DECODINGS)}")
    table = document.get("equations", {})
    if not isinstance(table, Mapping):
        refuse("equations", repr(table), "a table of equations by attribute")
        table = {}
    single = parsed("equation", document["equation"]) if "equation" in document else None
    several = {name: parsed(f"equations.{name}", text) for name, text in table.items()}
    p, alpha = share("p", 0.5), share("two_stage", None)
    if collect.faults:
        raise ParameterError(collect.faults)
    assert p is not None
    return EquationDesign(single, {n: e for n, e in several.items() if e is not None}, decoding, float(p), alpha)
