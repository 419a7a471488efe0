"""``evosdc measure``."""

from __future__ import annotations

from pathlib import Path

import click

from evosdc.cli.options import PATH, attributes_option, json_option, listed, schema_option


@click.command()
@click.argument("original")
@click.argument("masked", type=PATH)
@schema_option
@click.option("--measures", metavar="A,B,...", help="Registered names; default: dbil,ctbil,ebil,id,dbrl,prl.")
@attributes_option("What is judged; default: the quasi-identifiers.")
@json_option
def measure(
    original: str, masked: Path, schema: Path | None, measures: str | None, attributes: str | None, as_json: bool
) -> None:
    """Measure a MASKED file against its ORIGINAL, a file or a registered data set: 0 to 100, less is better."""
    from rich.console import Console
    from rich.table import Table

    from evosdc.api import DEFAULT_MEASURES
    from evosdc.api import measure as measured
    from evosdc.cli.inputs import open_source
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say
    from evosdc.data.source import read_masked
    from evosdc.errors import FaultCollector
    from evosdc.experiment.assembly import aggregation_of
    from evosdc.experiment.model import Measures, Named
    from evosdc.experiment.request import chosen_attributes
    from evosdc.registry import default_registry

    registry = default_registry()
    names = list(dict.fromkeys(DEFAULT_MEASURES if measures is None else listed(measures) or [""]))
    specs, collect = {}, FaultCollector()
    for name in names:
        with collect.step():
            specs[name] = registry.spec("measure", name)
    with collect.step():
        before = open_source(original, schema)
        chosen = chosen_attributes(before.table.schema, listed(attributes), otherwise_all=False)
        after = read_masked(masked, before, require=chosen)
    collect.settle()
    scores = measured(before.table, after.table, names, attributes=chosen)
    by_kind = {
        kind: tuple(Named(name=n) for n in names if getattr(specs[n], "kind", "") == kind) for kind in ("il", "dr")
    }
    if any(by_kind.values()):
        scores = aggregation_of(Measures(il=by_kind["il"], dr=by_kind["dr"]), registry).combine(scores)
    rule = str(before.table.schema.na)
    if as_json:
        print_json(scores | {"attributes": list(chosen), "records": len(before.table), "missing_rule": rule})
        return
    table = Table()
    for heading in ("measure", "score", "kind", "what it is"):
        table.add_column(heading, justify="right" if heading == "score" else "left")
    for name in names:
        table.add_row(name, f"{scores[name]:.4f}", getattr(specs[name], "kind", ""), specs[name].summary)
    for name, text in (("il", "information loss, all measures of it together"), ("dr", "disclosure risk, likewise")):
        if name in scores:
            table.add_row(name.upper(), f"{scores[name]:.4f}", "", text, style="bold")
    Console().print(table)
    say(f"{len(before.table)} records, {', '.join(chosen)}; missing values count by the rule '{rule}'.")
