"""``evosdc judge``."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evosdc.cli.options import PATH, json_option, listed, schema_option

if TYPE_CHECKING:
    from evosdc.calls.second_opinion import SecondOpinion


@click.command()
@click.argument("original")
@click.argument("masked", type=PATH)
@schema_option
@click.option(
    "--protect",
    metavar="A,B,...",
    help="What was masked; default: the quasi-identifiers, and whatever else differs.",
)
@click.option(
    "--claimed", type=click.FloatRange(0, 100), metavar="DR", help="Risk claimed; default: as informed measures say."
)
@click.option("--judges", metavar="A,B,...", help="Measures to ask; default: all judges.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of halves and samples.")
@json_option
def judge(
    original: str,
    masked: Path,
    schema: Path | None,
    protect: str | None,
    claimed: float | None,
    judges: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """Give a second opinion on a MASKED file of an ORIGINAL, a file or a registered data set.

    Judges that took no part in making it say what an intruder or an analyst makes of it, beside chance and beside the
    original, and whether the claimed risk holds; and how many people an informed intruder is expected to find in it.
    """
    from evosdc.calls.judging import judged
    from evosdc.cli.display import display
    from evosdc.cli.inputs import open_source
    from evosdc.cli.results import print_json
    from evosdc.files.masked_file import holds_generalised, read_masked
    from evosdc.plugins.registry import default_registry
    from evosdc.release.identity import identity_of
    from evosdc.release.row_order import reordered_words
    from evosdc.table.schema import Role

    registry = default_registry()
    before = open_source(original, schema)
    names = listed(protect)
    after = read_masked(masked, before, require=names or (), generalised=holds_generalised(masked, before))
    with display(as_json) as shown:
        shown.concluding("asking judges")
        opinion = judged(
            before.table,
            after.table,
            names,
            registry=registry,
            judges=listed(judges),
            claimed=claimed,
            seed=seed,
            answered=shown.judging,
        )
        found = identity_of(before.table, after.table, opinion.attributes, registry)
    # Who names nothing is taken to have masked all that differs, as columns do whose rows were shuffled.
    attributes = before.table.schema.attributes
    masked_for_certain = names or [a.name for a in attributes if a.role is Role.QUASI_IDENTIFIER]
    others = [name for name in after.table.schema.names if name not in masked_for_certain]
    others = others if names or len(others) > 1 else []
    reordered = reordered_words(before.table, after.table, others)
    warnings = (*opinion.warnings, *([reordered] if reordered else ()))
    opinion = replace(opinion, warnings=warnings, identity=found)
    if as_json:
        print_json(opinion.to_json())
        return
    _show(opinion)


def _show(opinion: "SecondOpinion") -> None:
    from rich.table import Table

    from evosdc.calls.verdict import shown
    from evosdc.cli.text import harmless, print_table, say
    from evosdc.printing import not_applicable_sentences
    from evosdc.release.identity import identity_words

    for title, risks in (("Risk, in per cent", True), ("Use, as loss", False)):
        findings = [finding for finding in opinion.findings if (finding.kind == "dr") is risks]
        if not findings:
            continue
        table = Table(title=title, title_justify="left")
        table.add_column("judge", no_wrap=True)
        for heading in ("masked", "chance", "original", "claimed"):
            table.add_column(heading, justify="right", no_wrap=True)
        for finding in findings:
            claim = "" if finding.claim is None else f"{finding.claim:.1f}"
            figures = (shown(finding.masked), f"{finding.chance.value:.3g}", f"{finding.original.value:.3g}", claim)
            style = "bold red" if finding.exceeds else None
            table.add_row(finding.judge, *figures, style=style)
        print_table(table)
        for finding in findings:
            say(f"{finding.judge}: {finding.words}")
    for sentence in not_applicable_sentences(opinion.not_applicable):
        say(f"{sentence}.")
    say(
        f"{opinion.records} records; known to an intruder: {', '.join(opinion.known)}; wanted: "
        f"{', '.join(opinion.wanted)}; seed {opinion.seed}. ± is the standard error; chance is the masked file with "
        "its records shuffled."
    )
    for warning in opinion.warnings:
        click.secho(harmless(f"Warning: {warning}"), fg="yellow", bold=True, err=True)
    if opinion.identity is not None:
        say(identity_words(opinion.identity))
    say(opinion.verdict.sentence)
