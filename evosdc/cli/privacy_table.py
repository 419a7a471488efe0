"""What privacy models find, as ``evosdc risk`` and ``evosdc large risk`` print it."""

from collections.abc import Mapping
from typing import Any


def show_models(chosen: Mapping[str, Mapping[str, Any]], figures: Mapping[str, Any], instead: str = "") -> None:
    """Print a row for each model, those that do not apply last, and the verdicts.

    Parameters
    ----------
    chosen : mapping of str to mapping
        Parameters of the models by name.
    figures : mapping
        Figures by model; why others have none in ``not_applicable``.
    instead : str
        The verdict where theirs do not hold.
    """
    from rich.table import Table
    from rich.text import Text

    from evosdc.assess.risk import build_models
    from evosdc.cli.text import harmless, print_table, say
    from evosdc.plugins.registry import default_registry

    table = Table()
    table.add_column("privacy model", no_wrap=True)
    table.add_column("figure", justify="right", no_wrap=True)
    table.add_column("what it means")
    built = build_models(chosen, default_registry())
    for name, model in sorted(built.items(), key=lambda entry: entry[0] not in figures):
        if name in figures:
            figure = f"{model.headline.replace('_', ' ')} {shown(figures[name][model.headline])}"
            table.add_row(name, figure, Text(harmless(model.in_words(figures[name]))))
        else:
            table.add_row(name, "-", Text(f"does not apply: {figures['not_applicable'][name]}"), style="dim")
    print_table(table)
    if instead:
        say(f"Verdict: {instead}")
    for name in () if instead else sorted(figures.keys() & built.keys()):
        if verdict := built[name].verdict(figures):
            say(f"Verdict: {verdict}")


def shown(value: Any) -> str:
    """Return a figure as text of at most four significant digits; infinite where it has no value."""
    if value is None:
        return "infinite"
    return str(value) if isinstance(value, int) else f"{value:.4g}"
