"""``evosdc equation``: look at an equation file, typeset it, simplify it."""

from dataclasses import replace
from pathlib import Path

import click

from evosdc.cli.options import PATH, takes_options
from evosdc.options import shared
from evosdc.options.model import Options, option


class EquationOptions(Options):
    """Options of ``evosdc equation``."""

    latex: bool = option(False, "Print LaTeX instead of infix text.")
    postorder: bool = option(False, "Print the symbols in postorder, as a genome holds them.")
    simplify: bool = option(False, "Clean it up; the matrices stay what they are.")
    output: Path | None = option(None, "Write the design to this file.", flags=("-o", "--output"), metavar="FILE")
    force: bool = shared.FORCE


@click.command()
@click.argument("file", type=PATH)
@takes_options(EquationOptions)
def equation(file: Path, options: EquationOptions) -> None:
    """Print the equations of FILE, which `evosdc run` wrote as equation.toml or a person by hand."""
    from evosdc.cli.inputs import require_apart
    from evosdc.files.atomic import require_unused, write_text
    from evosdc.randomisation.equations.equation import CONSTANT, SYMBOLS
    from evosdc.randomisation.equations.equation_design import read_equation_design
    from evosdc.randomisation.equations.infix import infix, numeral
    from evosdc_equations.latex import latex
    from evosdc_equations.simplification import simplify

    output = options.output
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
    alpha = design.two_stage
    second = "" if alpha is None else f", two-stage invariant with alpha = {alpha:g}"
    click.echo(f"decoding {design.decoding}, p = {design.p:g}{second}")
    if output is not None:
        write_text(output, design.text())
