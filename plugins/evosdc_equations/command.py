"""``evosdc equation``: look at an equation file, typeset it, simplify it."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evosdc.cli.options import force_option

if TYPE_CHECKING:
    from evosdc.randomisation.equations.equation_design import EquationDesign


@click.command(short_help="Print the equations that a run found.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--latex", "as_latex", is_flag=True, help="Print LaTeX instead of infix text.")
@click.option("--simplify", "simplified", is_flag=True, help="Clean it up; the matrices stay what they are.")
@click.option("--algebra", is_flag=True, help="Clean up further with sympy, checked on made-up files to 1e-12.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the design to this file.")
@force_option
def equation(file: Path, as_latex: bool, simplified: bool, algebra: bool, output: Path | None, force: bool) -> None:
    """Print the equations of FILE, which `evosdc run` wrote as equation.toml or a person by hand."""
    from evosdc.cli.inputs import require_apart
    from evosdc.files.atomic import require_unused, write_text
    from evosdc.randomisation.equations.equation_design import read_equation_design
    from evosdc.randomisation.equations.infix import infix
    from evosdc_equations.latex import latex

    if output is not None:
        require_apart(output, file)
        require_unused(output, replace=force)
    design = read_equation_design(file)
    if simplified or algebra:
        design = _cleaned(design, algebra)
    listed = [("all attributes", design.equation)] if design.equation is not None else []
    for name, one in [*listed, *design.equations.items()]:
        click.echo(f"{name}: {latex(one) if as_latex else infix(one)}")
        click.echo(f"  {len(one)} nodes, depth {one.depth}")
    click.echo(f"decoding {design.decoding}, p = {design.p:g}" + _second_stage(design.two_stage))
    if output is not None:
        write_text(output, design.text())


def _cleaned(design: "EquationDesign", algebra: bool) -> "EquationDesign":
    from evosdc_equations.algebra import shortened
    from evosdc_equations.simplification import simplify

    clean = shortened if algebra else simplify
    single = clean(design.equation, design.decoding) if design.equation is not None else None
    each = {name: clean(one, design.decoding) for name, one in design.equations.items()}
    return replace(design, equation=single, equations=each)


def _second_stage(alpha: float | None) -> str:
    return "" if alpha is None else f", two-stage invariant with alpha = {alpha:g}"
