"""``evosdc table`` and ``evosdc households``."""

from dataclasses import replace
from pathlib import Path

import click

from evosdc.cli.options import PATH, force_option, listed, schema_option


@click.command(short_help="A frequency table with noise by cell keys, to publish beside a file.")
@click.argument("data")
@schema_option
@click.option("--by", "names", required=True, metavar="A,B,...", help="Attributes of the table.")
@click.option("--noise", type=click.IntRange(1, 50), default=3, show_default=True, help="Greatest change of a count.")
@click.option("--variance", type=float, default=1.0, show_default=True, help="Variance of the changes.")
@click.option(
    "--smallest", type=click.IntRange(0, 50), default=0, show_default=True, help="Counts up to this are not published."
)
@click.option("--margins/--no-margins", default=True, show_default=True, help="Tell sums over attributes too, as *.")
@click.option("--seed", type=int, required=True, help="Of the records' keys: secret, and the same for all tables.")
@click.option("-o", "--output", type=PATH, required=True, help="CSV file to write.")
@force_option
def table(
    data: str,
    schema: Path | None,
    names: str,
    noise: int,
    variance: float,
    smallest: int,
    margins: bool,
    seed: int,
    output: Path,
    force: bool,
) -> None:
    """Write a frequency table of DATA in which counts are changed a little, the same cell always alike.

    The cell key method: differences between tables of one file, made with one seed, do not give people away.
    """
    from evosdc.cli.inputs import open_source, require_apart
    from evosdc.files.atomic import require_unused, write_text
    from evosdc_masking.tables.cell_keys import cell_key_table

    source = open_source(data, schema)
    require_apart(output, data, schema)
    require_unused(output, replace=force, advice="Choose another file, or add --force.")
    frame = cell_key_table(
        source.table, listed(names) or (), noise=noise, variance=variance, smallest=smallest, margins=margins, seed=seed
    )
    write_text(output, frame.to_csv(index=False, lineterminator="\n"))
    click.echo(f"{len(frame)} cells: {output}")


@click.command(short_help="A file of persons as one of households, and back.")
@click.argument("data")
@schema_option
@click.option("--household", metavar="A", help="Attribute that tells households apart; default: as in the schema.")
@click.option("--merge", type=PATH, metavar="HOMES", help="A masked file of households, whose values members get.")
@click.option("-o", "--output", type=PATH, required=True, help="File to write.")
@force_option
def households(
    data: str, schema: Path | None, household: str | None, merge: Path | None, output: Path, force: bool
) -> None:
    """Write the households of DATA, one record each with what members share; with --merge put them back.

    What members of a household share has to be masked once for all of them: mask the file of households, then merge.
    """
    from evosdc.calls.disclosure import population_description
    from evosdc.cli.inputs import open_source, require_apart
    from evosdc.files.atomic import require_unused
    from evosdc.files.reading import read_source
    from evosdc.table.schema import Role
    from evosdc.table.table import Table
    from evosdc_masking.households.selection import households_of, merged

    source = open_source(data, schema)
    require_apart(output, data, schema, merge)
    require_unused(output, replace=force, advice="Choose another file, or add --force.")
    first, of, names = households_of(source.table, household)
    if merge is not None:
        homes = read_source(merge, population_description(source.table.schema, names)).table
        source.write(output, merged(source.table, homes, first, of, names))
        click.echo(f"{len(of)} records of {len(first)} households: {output}")
        return
    kept = source.table.schema
    attributes = tuple(a if a.name in names else replace(a, role=Role.DROP) for a in kept.attributes)
    chosen = source.table.take(first)
    table = Table(replace(kept, attributes=attributes, edit_rules=()), chosen.codes, chosen.numbers)
    part = replace(source, table=table, rows=source.rows[first])
    part.write(output, table.select([name for name in names if name in table.schema]))
    click.echo(f"{len(first)} households with {', '.join(names[1:])}: {output}")
