"""``evosdc measure``."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import click

from evosdc.cli.options import PATH, attributes_option, json_option, listed, parameters, schema_option


@click.command()
@click.argument("original")
@click.argument("masked", type=PATH)
@schema_option
@click.option(
    "--measures",
    metavar="A,B,...",
    help="Registered names; default: by role, as evosdc protect; of a registered data set those of the literature; "
    "of generalised files lm and dm.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME.KEY=VALUE",
    help="A parameter of a measure: ctbil.K=3.",
)
@click.option(
    "--linkage",
    type=click.Choice(["max", "mean"]),
    default="max",
    show_default=True,
    help="What DR takes of several record linkages: the greatest, or their mean.",
)
@attributes_option("What is judged; default: the quasi-identifiers.")
@click.option("--baselines", is_flag=True, help="Also the scores of the original itself and of its records permuted.")
@json_option
def measure(
    original: str,
    masked: Path,
    schema: Path | None,
    measures: str | None,
    settings: tuple[str, ...],
    linkage: Literal["max", "mean"],
    attributes: str | None,
    baselines: bool,
    as_json: bool,
) -> None:
    """Measure a MASKED file against its ORIGINAL, a file or a registered data set: less is better.

    Losses and risks lie between 0 and 100. Generalised files are judged by the losses of generalisation.
    """
    import json

    from evosdc.calls.attribute_choice import choose_attributes
    from evosdc.calls.defaults import default_measures, entries_by_role
    from evosdc.calls.measurement import score_table
    from evosdc.cli.inputs import is_dataset, open_source
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say, warn
    from evosdc.errors import FaultCollector
    from evosdc.files.masked_file import holds_generalised, read_masked
    from evosdc.model import Microdata
    from evosdc.plugins.registry import default_registry
    from evosdc.release.perturbation import differs
    from evosdc.release.row_order import reordered_words

    registry = default_registry()
    collect = FaultCollector()
    names = None if measures is None else list(dict.fromkeys(listed(measures) or [""]))
    of: dict[str, tuple[str, ...]] = {}
    risks: Literal["mean", "max"] = "mean"
    offered = registry.names("measure")
    for name in names or ():
        with collect.step():
            registry.spec("measure", name)
    with collect.step():
        before = open_source(original, schema)
        chosen = choose_attributes(before.table.schema, listed(attributes), otherwise_all=False)
        if names is None:
            if holds_generalised(masked, before):
                names = list(registry.defaults("measure", "generalised"))
            elif is_dataset(original):
                usual = default_measures(before.table.schema.select(chosen), registry)
                names = [*usual["il"], *usual["dr"]]
            else:
                entries = entries_by_role(Microdata(before.table, chosen), registry)
                names, of, risks = list(entries), {name: own for name, own in entries.items() if own}, "max"
        known = [name for name in names if name in offered]
        generalised = any(registry.implementation("measure", name).generalised for name in known)
        after = read_masked(masked, before, require=chosen, generalised=generalised)
    with collect.step():
        params = _params(names or [], parameters(settings))
    collect.settle()
    assert names is not None
    judged = score_table(before.table, after.table, params, chosen, registry, baselines, of)
    figures = {"score": judged.scores}
    if baselines:
        figures |= {"identity": judged.identity, "permutation": judged.permutation}
    specs: dict[str, Any] = {name: registry.spec("measure", name) for name in names}
    figures = {heading: _combined(scores, specs, linkage, risks, registry) for heading, scores in figures.items()}
    rule = str(before.table.schema.na)
    unmeasured = [name for name in after.table.schema.names if name not in chosen]
    differing = [name for name in unmeasured if differs(before.table, after.table, name)]
    reordered = reordered_words(before.table, after.table, unmeasured)
    told = [reordered or f"{', '.join(differing)}: other than in the original, and not measured; see --attributes."]
    judged = replace(judged, warnings=(*judged.warnings, *(told if differing else ())))
    warn(judged.warnings)
    if as_json:
        besides: dict[str, Any] = {"attributes": list(chosen), "records": len(before.table), "missing_rule": rule}
        besides |= {"linkage": linkage, "risks": risks, "of": of, "parameters": judged.parameters}
        besides |= {"warnings": list(judged.warnings)} if judged.warnings else {}
        if baselines:
            besides["baselines"] = {heading: figures[heading] for heading in ("identity", "permutation")}
        print_json(dict(figures["score"]) | besides)
        return
    _show(figures, specs)
    linkages = [name for name, spec in specs.items() if spec.kind == "dr" and spec.family == "linkage"]
    for name, given in judged.parameters.items():
        if given:
            say(f"{name}: {', '.join(f'{key} = {json.dumps(value)}' for key, value in given.items())}")
    if len(linkages) > 1:
        say(f"DR takes the {'greatest' if linkage == 'max' else 'mean'} of {', '.join(linkages)}.")
    for name, own in of.items():
        say(f"{name} judges {', '.join(own)}.")
    if risks == "max":
        say("DR is the greatest of the risks: of linkage by what an intruder knows, of inference of what is sensitive.")
    say(f"{len(before.table)} records, {', '.join(chosen)}; missing values count by the rule '{rule}'.")
    if baselines:
        say("identity: the original itself; permutation: its records in random order.")


def _params(names: list[str], given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the parameters by measure; raises `ExperimentError` for those of a measure that is not taken."""
    from evosdc.errors import ExperimentError, Fault, did_you_mean

    faults = [
        Fault(
            "--set",
            f"a parameter of {name!r}",
            f"NAME.KEY=VALUE for one of {', '.join(names)}",
            did_you_mean(name, names),
        )
        for name, value in given.items()
        if name not in names or not isinstance(value, dict)
    ]
    if faults:
        raise ExperimentError(faults)
    return {name: dict(given.get(name, {})) for name in names}


def _combined(
    scores: Mapping[str, float],
    specs: Mapping[str, Any],
    linkage: Literal["max", "mean"],
    risks: Literal["mean", "max"],
    registry: Any,
) -> dict[str, float]:
    """Return the scores with IL and DR, where there are measures of that kind."""
    from evosdc.experiment.build.problem import aggregation_of
    from evosdc.experiment.config.experiment import MeasureEntry, Measures

    by_kind = {
        kind: tuple(MeasureEntry(name=n) for n, spec in specs.items() if spec.kind == kind) for kind in ("il", "dr")
    }
    if not any(by_kind.values()):
        return dict(scores)
    measures = Measures(il=by_kind["il"], dr=by_kind["dr"], linkage=linkage, risks=risks)
    return dict(aggregation_of(measures, registry).combine(scores))


def _show(figures: Mapping[str, Mapping[str, float]], specs: Mapping[str, Any]) -> None:
    from rich.table import Table

    from evosdc.cli.text import print_table

    table = Table()
    table.add_column("measure")
    for heading in figures:
        table.add_column(heading, justify="right")
    for heading in ("kind", "what it is"):
        table.add_column(heading)
    for name, spec in specs.items():
        table.add_row(name, *(f"{scores[name]:.4f}" for scores in figures.values()), spec.kind, spec.summary)
    for name, text in (("il", "information loss, all measures of it together"), ("dr", "disclosure risk, likewise")):
        if name in figures["score"]:
            table.add_row(name.upper(), *(f"{scores[name]:.4f}" for scores in figures.values()), "", text, style="bold")
    print_table(table)
