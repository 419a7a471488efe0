"""``evosdc table`` and ``evosdc households``."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evosdc.cli.options import PATH, force_option, schema_option
from evosdc.options.written import listed

if TYPE_CHECKING:
    from evosdc.files.column import Column
    from evosdc.files.source import Source


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
@click.option(
    "--unweighted", is_flag=True, help="Count records although DATA has sampling weights; counts are never weighted."
)
@click.option(
    "--key",
    "key_file",
    type=PATH,
    metavar="FILE",
    help="Key file, made where there is none: kept secret, and the same for all tables of DATA.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    help="Public seed in place of a key, for studies and tests: the table is not for release.",
)
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
    unweighted: bool,
    key_file: Path | None,
    seed: int | None,
    output: Path,
    force: bool,
) -> None:
    """Write a frequency table of DATA in which counts are changed a little, the same cell always alike.

    The cell key method: differences between tables of one file, made with one key, do not give people away.
    """
    from evosdc.cli.inputs import open_source, require_apart
    from evosdc.cli.text import say
    from evosdc.errors import Fault, ParameterError
    from evosdc.files.atomic import require_unused, write_text
    from evosdc.printing import printable
    from evosdc.secret import PUBLIC_SEED
    from evosdc.table.schema import Role
    from evosdc_masking.tables.cell_keys import cell_key_table

    if key_file is None and seed is None:
        raise click.UsageError("Name a key file by --key FILE: keep it secret, and use it for all tables of DATA.")
    source = open_source(data, schema)
    require_apart(output, data, schema, key_file)
    if key_file is not None and key_file.resolve() == output.resolve():
        raise ParameterError(Fault("--key", printable(str(key_file)), "another file than the table's"))
    require_unused(output, replace=force, advice="Choose another file, or add --force.")
    made = key_file is not None and not key_file.exists()
    frame = cell_key_table(
        source.table,
        listed(names) or (),
        noise=noise,
        variance=variance,
        smallest=smallest,
        margins=margins,
        unweighted=unweighted,
        seed=seed,
        key=key_file,
        columns=_columns_of(source),
    )
    write_text(output, frame.to_csv(index=False, lineterminator="\n"))
    counted = ", of records and not of those they stand for" if source.table.schema.with_role(Role.WEIGHT) else ""
    say(f"{len(frame)} cells{counted}: {output}")
    if made:
        say(f"Made the key file {key_file}: keep it secret, and use it for all tables of {data}.")
    if seed is not None:
        say(PUBLIC_SEED)


def _columns_of(source: "Source") -> list["Column"]:
    """Return what tells who a record is, as it stands in the file; without what a schema calls an identifier or drops.

    Texts do not depend on what is guessed of scales and missing values, which another part of the file may suggest
    otherwise. Nor do roles count that are guessed.
    """
    withheld = source.table.schema.withheld if source.inference is None else ()
    columns = zip(source.table.schema.names, source.original.columns, strict=True)
    return [column.of_records(source.rows) for name, column in columns if name not in withheld]


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
    from evosdc.assess.risk import population_description
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
