"""``evosdc table``, ``evosdc households``, ``evosdc classes`` and ``evosdc estimate``."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evosdc.options import shared
from evosdc.options.model import argument, names, option

if TYPE_CHECKING:
    from evosdc.files.column import Column
    from evosdc.files.source import Source

_SLIPS = 20  # at most one household in this many differs in an attribute by mistake


class EstimateOptions(shared.FileOptions, shared.JsonOptions):
    """Estimate counts of the original from MASKED, a file that was published by post-randomisation (PRAM).

    The standard errors cover the randomisation, not the sampling.
    """

    masked: Path = argument(Path())
    matrices: Path = option(..., "The transition matrices: MASKED.matrices.json.", metavar="FILE")
    protect: Sequence[str] = names("One attribute, or those of a table of counts.", ...)
    weight: str | None = option(None, "Attribute of sampling weights; totals are then estimated.", metavar="NAME")


class TableOptions(shared.FileOptions):
    """Write a frequency table of DATA in which counts are changed a little, the same cell always alike.

    The cell key method: differences between tables of one file, made with one key, do not give people away.
    """

    data: str = shared.DATA
    by: Sequence[str] = names("Attributes of the table.", ...)
    noise: int = option(3, "Greatest change of a count.", metavar="N", ge=1, le=50)
    variance: float = option(1.0, "Variance of the changes.", metavar="V")
    smallest: int = option(0, "Counts up to this are not published.", metavar="N", ge=0, le=50)
    margins: bool = option(True, "Tell sums over attributes too, as *.")
    unweighted: bool = option(False, "Count records although DATA has sampling weights. Publish one of the two alone.")
    key: Path | None = option(
        None, "Key file, made where there is none: kept secret, and the same for all tables of DATA.", metavar="FILE"
    )
    seed: int | None = shared.SEED
    output: Path = shared.OUTPUT_FILE
    force: bool = shared.FORCE


class ClassesOptions(shared.FileOptions):
    """Write the classes of equal records of MASKED: their values, records, sensitive values, radius and mean distance.

    Radius and mean distance are from the ORIGINAL records to what the class publishes, the average where that is a
    label: the sum over attributes, the whole range of each counting 1.
    """

    original: str = shared.DATA
    masked: Path = argument(Path())
    crosswalk: Path | None = shared.CROSSWALK
    protect: Sequence[str] | None = names("What makes the classes; default: the quasi-identifiers.")
    sensitive: Sequence[str] | None = names("What is listed of each class; default: what the schema says is sensitive.")
    output: Path = shared.OUTPUT_FILE
    force: bool = shared.FORCE


class HouseholdsOptions(shared.FileOptions):
    """Write the households of DATA, one record each with what members share; with --merge put them back.

    What members of a household share has to be masked once for all of them: mask the file of households, then merge.
    """

    data: str = shared.DATA
    household: str | None = option(
        None, "Attribute that tells households apart; default: as in the schema.", metavar="A"
    )
    merge: Path | None = option(None, "A masked file of households, whose values members get.", metavar="HOMES")
    keep_numbers: bool = option(False, "With --merge: keep the numbers of households, which a register may have.")
    output: Path = shared.OUTPUT_FILE
    force: bool = shared.FORCE


def table(options: TableOptions) -> None:
    """Write a table of changed counts."""
    from evosdc.cli.inputs import open_source, require_apart
    from evosdc.cli.text import say
    from evosdc.errors import Fault, ParameterError
    from evosdc.files.atomic import require_unused, write_text
    from evosdc.files.formats import text_separator
    from evosdc.printing import printable
    from evosdc.secret import PUBLIC_SEED
    from evosdc.table.schema import Role
    from evosdc_masking.tables import cell_key_table

    data, output, key_file, seed = options.data, options.output, options.key, options.seed
    if key_file is None and seed is None:
        raise click.UsageError("Name a key file by --key FILE: keep it secret, and use it for all tables of DATA.")
    separator = text_separator(output)
    source = open_source(data, options.schema_file, options.reading)
    require_apart(output, data, options.schema_file, key_file)
    if key_file is not None and key_file.resolve() == output.resolve():
        raise ParameterError(Fault("--key", printable(str(key_file)), "another file than the table's"))
    require_unused(output, replace=options.force, advice="Choose another file, or add --force.")
    made = key_file is not None and not key_file.exists()
    frame = cell_key_table(
        source.table,
        options.by,
        noise=options.noise,
        variance=options.variance,
        smallest=options.smallest,
        margins=options.margins,
        unweighted=options.unweighted,
        seed=seed,
        key=key_file,
        columns=_columns_of(source),
    )
    write_text(output, frame.to_csv(index=False, sep=separator, lineterminator="\n"))
    weight = next(iter(source.table.schema.with_role(Role.WEIGHT)), "")
    counted = ", of records and not of those they stand for" if options.unweighted else f", weighted by {weight}"
    say(f"{len(frame)} cells{counted if weight else ''}: {output}")
    if weight:
        say("Publish weighted counts or counts of records, not both: together they disclose the mean weight of a cell.")
    if made:
        say(f"Made the key file {key_file}: keep it secret, and use it for all tables of {data}.")
    if seed is not None:
        say(PUBLIC_SEED)


def classes(options: ClassesOptions) -> None:
    """Write the classes of a masked file."""
    from evosdc.assess.defaults import choose_attributes
    from evosdc.cli.inputs import matched_tables, open_source, require_apart, require_comparable
    from evosdc.cli.text import say
    from evosdc.files.atomic import require_unused, write_text
    from evosdc.files.formats import text_separator
    from evosdc.files.source import holds_generalised
    from evosdc.table.schema import Role
    from evosdc_masking.anonymity.published_classes import published_classes

    original, masked = options.original, options.masked
    require_comparable("classes", masked, options.crosswalk)
    separator = text_separator(options.output)
    source = open_source(original, options.schema_file, options.reading)
    require_apart(options.output, original, masked, options.schema_file, options.crosswalk)
    require_unused(options.output, replace=options.force, advice="Choose another file, or add --force.")
    schema = source.table.schema
    chosen = choose_attributes(schema, options.protect, otherwise_all=False)
    given = schema.with_role(Role.SENSITIVE) if options.sensitive is None else options.sensitive
    sensitive = [name for name in schema.named(given, "sensitive") if options.sensitive or name not in chosen]
    generalised = holds_generalised(masked, source)
    before, after = matched_tables(source, masked, options.crosswalk, [*chosen, *sensitive], generalised)
    frame = published_classes(before, after, chosen, sensitive)
    write_text(options.output, frame.to_csv(index=False, sep=separator, lineterminator="\n"))
    sizes, distance = frame["records"], float((frame["mean distance"] * frame["records"]).sum() / len(before))
    said = f"{len(frame)} classes of {sizes.min()} to {sizes.max()} records, {sizes.mean():.1f} on average"
    say(f"{said}; greatest radius {frame['radius'].max():.3f}, mean distance {distance:.3f}: {options.output}")


def _columns_of(source: "Source") -> list["Column"]:
    """Return what tells who a record is, as it stands in the file; without what a schema withholds."""
    # Texts do not depend on inferred scales and missing values: another part of the file may suggest others.
    # Inferred roles do not count either.
    withheld = source.table.schema.withheld if source.inference is None else ()
    columns = zip(source.table.schema.names, source.original.columns, strict=True)
    return [column.of_records(source.rows) for name, column in columns if name not in withheld]


def households(options: HouseholdsOptions) -> None:
    """Write households, or put them back."""
    from evosdc.assess.risk import population_description
    from evosdc.cli.inputs import open_source, require_apart
    from evosdc.cli.text import warn
    from evosdc.files.atomic import require_unused
    from evosdc.files.source import read_source
    from evosdc.secret import chosen_seed
    from evosdc.table.row_positions import random_order
    from evosdc.table.schema import Role
    from evosdc.table.table import Table
    from evosdc_masking.swapping.record_swapping import households_of, merged, renumbered

    data, output, merge = options.data, options.output, options.merge
    source = open_source(data, options.schema_file, options.reading)
    require_apart(output, data, options.schema_file, merge)
    require_unused(output, replace=options.force, advice="Choose another file, or add --force.")
    places = source.rows
    first, of, kept = households_of(
        source.table, options.household, lambda record: source.original.place(int(places[record]))
    )
    if merge is not None:
        homes = read_source(merge, population_description(source.table.schema, kept)).table
        masked = merged(source.table, homes, first, of, kept)
        if not options.keep_numbers:
            numbers = renumbered(source.table, kept[0], of, random_order(len(first), chosen_seed(None), 0))
            masked = masked.beside({kept[0]: numbers.column(kept[0])}, numbers.schema)
        source.write(output, masked)
        click.echo(f"{len(of)} records of {len(first)} households: {output}")
        return
    schema = source.table.schema
    attributes = tuple(a if a.name in kept else replace(a, role=Role.DROP) for a in schema.attributes)
    chosen = source.table.take(first)
    table = Table(replace(schema, attributes=attributes, edit_rules=()), chosen.codes, chosen.numbers)
    part = replace(source, table=table, rows=source.rows[first])
    part.write(output, table.select([name for name in kept if name in table.schema]))
    click.echo(f"{len(first)} households with {', '.join(kept[1:])}: {output}")
    warn(_nearly_shared(source, options.household, len(first)))


def _nearly_shared(source: "Source", household: str | None, homes: int) -> Iterator[str]:
    """Yield which attributes differ in so few households that it may be a slip, with the line of one of them."""
    from evosdc.table.households import differing_homes
    from evosdc.table.schema import Role
    from evosdc.table.table import assign_role

    table = assign_role(source.table, Role.HOUSEHOLD, household)
    for name, rows in differing_homes(table, table.schema.names).items():
        if 0 < len(rows) <= max(1, homes // _SLIPS):
            which = "1 household" if len(rows) == 1 else f"{len(rows)} households"
            place = source.original.place(int(source.rows[rows[0]]))
            yield f"{name} is not among them: it differs in {which}, first in {place}. Correct it if it is a slip."


def estimate(options: EstimateOptions) -> None:
    """Print estimated counts."""
    from evosdc.cli.text import print_json, print_rows
    from evosdc.files.source import read_published
    from evosdc.randomisation.estimation import estimate_after_pram

    chosen = list(options.protect)
    table = read_published(options.masked, options.schema_file, **options.reading).table
    found = estimate_after_pram(table, options.matrices, chosen, weight=options.weight)
    rows = found.reset_index().astype(dict.fromkeys(chosen, str)).to_dict(orient="records")
    if options.as_json:
        print_json({"attributes": chosen, "cells": rows})
        return
    shown = [
        [*(str(row[name]) for name in chosen), *(f"{row[column]:.1f}" for column in found.columns)] for row in rows
    ]
    columns = dict.fromkeys(chosen, "whole") | dict.fromkeys(("published", "estimated", "standard error"), "right")
    print_rows(columns, shown, box=False)
