"""``evosdc measure``."""

from __future__ import annotations

from pathlib import Path

import click

from evosdc.cli.options import PATH, attributes_option, json_option, listed, schema_option


@click.command()
@click.argument("original", type=PATH)
@click.argument("masked", type=PATH)
@schema_option
@click.option("--measures", metavar="A,B,...", help="Registered names; default: dbil,ctbil,ebil,id,dbrl,prl.")
@attributes_option("What is judged; default: the quasi-identifiers.")
@json_option
def measure(
    original: Path, masked: Path, schema: Path | None, measures: str | None, attributes: str | None, as_json: bool
) -> None:
    """Measure a MASKED file against its ORIGINAL: information loss and disclosure risk, 0 to 100, less is better."""
    from rich.console import Console
    from rich.table import Table

    from evosdc.api import DEFAULT_MEASURES, chosen_attributes
    from evosdc.api import measure as measured
    from evosdc.cli.results import print_json
    from evosdc.data.source import read_masked, read_source
    from evosdc.registry import default_registry

    before = read_source(original, schema)
    names = listed(measures) or list(DEFAULT_MEASURES)
    registry = default_registry()
    specs = {name: registry.spec("measure", name) for name in names}
    after = read_masked(masked, before)
    chosen = chosen_attributes(before.table.schema, listed(attributes))
    scores = measured(before.table, after.table, names, attributes=chosen)
    rule = str(before.table.schema.na)
    if as_json:
        print_json(scores | {"attributes": list(chosen), "records": len(before.table), "missing_rule": rule})
        return
    table = Table()
    for heading in ("measure", "score", "kind", "what it is"):
        table.add_column(heading, justify="right" if heading == "score" else "left")
    for name, score in scores.items():
        table.add_row(name, f"{score:.4f}", getattr(specs[name], "kind", ""), specs[name].summary)
    Console().print(table)
    click.echo(f"{len(before.table)} records, {', '.join(chosen)}; missing values count by the rule '{rule}'.")
