"""``evosdc equation``: look at an equation file, typeset it, simplify it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evosdc.options import shared
from evosdc.options.model import Options, argument, names, option

if TYPE_CHECKING:
    from evosdc.randomisation.equations.equation import Equation


class EquationOptions(Options):
    """Print the equations of FILE: an equation.toml of `evosdc run`, or a file written by hand."""

    file: Path = argument(Path())
    latex: bool = option(False, "Print LaTeX instead of infix text.")
    postorder: bool = option(False, "Print the symbols in postorder, as a genome holds them.")
    stack: Sequence[str] | None = names("Also print the stack after each symbol, with these values: a=1,b=3.")
    simplify: bool = option(False, "Shorten the equation without changing its matrices.")
    output: Path | None = option(None, "Write the design to this file.", metavar="FILE")
    force: bool = shared.FORCE


def equation(options: EquationOptions) -> None:
    """Print the equations of a file."""
    from evosdc.cli.inputs import require_apart
    from evosdc.files.atomic import require_unused, write_text
    from evosdc.randomisation.equations.equation import CONSTANT, SYMBOLS
    from evosdc.randomisation.equations.equation_design import read_equation_design
    from evosdc.randomisation.equations.infix import infix, numeral
    from evosdc_equations.latex import latex
    from evosdc_equations.simplification import simplify

    file, output = options.file, options.output
    if options.latex and options.postorder:
        raise click.UsageError("Choose one of --latex and --postorder.")
    if output is not None:
        require_apart(output, file)
        require_unused(output, replace=options.force)
    design = read_equation_design(file)
    if options.simplify:
        single = simplify(design.equation, design.decoding) if design.equation is not None else None
        each = {name: simplify(one, design.decoding) for name, one in design.equations.items()}
        design = replace(design, equation=single, equations=each)
    listed = [("all attributes", design.equation)] if design.equation is not None else []
    for name, one in [*listed, *design.equations.items()]:
        text = latex(one) if options.latex else infix(one)
        if options.postorder:
            symbols = zip(one.tokens.tolist(), one.constants.tolist(), strict=True)
            text = " ".join(numeral(number) if token == CONSTANT else SYMBOLS[token].name for token, number in symbols)
        click.echo(f"{name}: {text}")
        click.echo(f"  {len(one)} nodes, depth {one.depth}")
        for symbol, stack in stacks(one, numbers_of(options.stack)) if options.stack is not None else ():
            click.echo(f"  {symbol:>8}  [{', '.join(f'{value:g}' for value in stack)}]")
    alpha = design.two_stage
    second = "" if alpha is None else f", two-stage invariant with alpha = {alpha:g}"
    click.echo(f"decoding {design.decoding}, p = {design.p:g}{second}")
    if output is not None:
        write_text(output, design.text())


def numbers_of(given: Sequence[str]) -> dict[str, float]:
    """Return the values of terminals by name, of texts such as a=1."""
    from evosdc.errors import Fault, ParameterError
    from evosdc.randomisation.equations.equation import TERMINALS

    found, wanted = {}, f"NAME=NUMBER, NAME one of {', '.join(TERMINALS)}"
    for text in given:
        name, _, number = text.partition("=")
        try:
            found[name] = float(number)
        except ValueError:
            raise ParameterError(Fault("--stack", repr(text), wanted)) from None
        if name not in TERMINALS:
            raise ParameterError(Fault("--stack", repr(text), wanted))
    return found


def stacks(equation: "Equation", known: Mapping[str, float]) -> Iterator[tuple[str, list[float]]]:
    """Yield each symbol of an equation in postorder, and the stack after it."""
    import numpy as np

    from evosdc.errors import Fault, ParameterError
    from evosdc.randomisation.equations.equation import CONSTANT, SYMBOLS, TERMINALS, applied, terminal
    from evosdc.randomisation.equations.evaluation import Quantities, values
    from evosdc.randomisation.equations.infix import numeral

    nothing = Quantities(np.zeros((1 + len(TERMINALS), 1)), np.zeros(1, dtype=np.intp), 1, 0.0)
    stack: list[float] = []
    for token, number in zip(equation.tokens.tolist(), equation.constants.tolist(), strict=True):
        symbol = SYMBOLS[token]
        if token == CONSTANT:
            stack.append(number)
        elif symbol.arity:
            operands = [terminal(CONSTANT, value) for value in stack[-symbol.arity :]]
            stack[-symbol.arity :] = [float(values(applied(token, operands), nothing)[0, 0])]
        elif symbol.name in known:
            stack.append(known[symbol.name])
        else:
            raise ParameterError(Fault("--stack", f"no value of {symbol.name}", f"{symbol.name}=NUMBER"))
        yield numeral(number) if token == CONSTANT else symbol.name, list(stack)
