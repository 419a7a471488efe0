"""What privacy models find, as ``evosdc risk`` and ``evosdc large risk`` print it."""

from collections.abc import Mapping
from typing import Any

FIRST = 5
"""Models that are shown where not all are wanted."""


def show_models(
    chosen: Mapping[str, Mapping[str, Any]], figures: Mapping[str, Any], instead: str = "", every: bool = True
) -> None:
    """Print the verdicts, and a row for each model, those that do not apply last.

    Parameters
    ----------
    chosen : mapping of str to mapping
        Parameters of the models by name.
    figures : mapping
        Figures by model; why others have none in ``not_applicable``.
    instead : str
        The verdict where theirs do not hold.
    every : bool
        Whether all models are shown; else those with a verdict first, of the others as many as make `FIRST`.
    """
    from rich.table import Table
    from rich.text import Text

    from evosdc.assess.risk import build_models
    from evosdc.cli.text import harmless, print_table, say
    from evosdc.plugins.registry import default_registry

    built = build_models(chosen, default_registry())
    verdicts = {name: model.verdict(figures) for name, model in built.items() if name in figures and not instead}
    for verdict in (instead, *verdicts.values()):
        if verdict:
            say(f"Verdict: {verdict}")
    table = Table(box=None, pad_edge=False)
    table.add_column("privacy model", no_wrap=True)
    table.add_column("figure", justify="right", no_wrap=True)
    table.add_column("what it means")
    ordered = sorted(built, key=lambda name: (name not in figures, not every and not verdicts.get(name)))
    listed = ordered if every else [name for name in ordered if name in figures][:FIRST]
    for name in listed:
        if name in figures:
            figure = f"{built[name].headline.replace('_', ' ')} {shown(figures[name][built[name].headline])}"
            table.add_row(name, figure, Text(harmless(built[name].in_words(figures[name]))))
        else:
            table.add_row(name, "-", Text(f"does not apply: {figures['not_applicable'][name]}"), style="dim")
    print_table(table)
    if len(listed) < len(built):
        say(f"{len(built) - len(listed)} more privacy models: --all shows them.")


def shown(value: Any) -> str:
    """Return a figure as text of at most four significant digits; infinite where it has no value."""
    if value is None:
        return "infinite"
    return str(value) if isinstance(value, int) else f"{value:.4g}"
