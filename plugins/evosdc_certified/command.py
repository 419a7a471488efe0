"""``evosdc certify``."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from evosdc.cli.options import PATH, drawing_options, json_option, schema_option, seconds_of
from evosdc.options.written import listed


def _bounds_of(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, tuple[float, float]] = {}
    for text in texts:
        name, _, ends = text.rpartition("=")
        low, _, high = ends.partition(":")
        try:
            found[name] = (float(low), float(high))
        except ValueError:
            name = ""
        if not name:
            raise click.BadParameter(f"{text!r} is no bound; wanted NAME=LEAST:GREATEST, such as AGE=0:99.")
    return found


@click.command(short_help="Make a file with a proof: differentially private.")
@click.argument("data")
@schema_option
@click.option("--epsilon", type=float, help="How much the file may tell of one person: 1 is strong, 10 weak.")
@click.option("--delta", type=float, help="Default: the power of ten that is not above 1 / records squared.")
@click.option("--attributes", metavar="A,B,...", help="What to publish; default: all but identifiers and households.")
@click.option(
    "--bounds", multiple=True, callback=_bounds_of, metavar="NAME=LEAST:GREATEST",
    help="Public bounds of a numeric attribute; repeatable.",
)  # fmt: skip
@click.option("--unit", type=click.Choice(["person", "household"]), default="person", show_default=True)
@click.option("--largest", type=click.IntRange(min=1), metavar="N", help="People of a household that count.")
@click.option(
    "--workload", default="pairs", show_default=True, metavar="pairs|triples|FILE",
    help="Which tables the file should keep; a FILE has one a line: AGE,SEX.",
)  # fmt: skip
@click.option(
    "--time", "seconds", callback=seconds_of, metavar="5m", help="Stop then; default: a fixed number of moves."
)
@click.option(
    "--moves", type=click.IntRange(min=1), metavar="N", help="Moves of the evolution; repeats an earlier one."
)
@click.option(
    "--records", type=click.IntRange(min=1), metavar="N", help="Default: as many as the original, by its tables."
)
@drawing_options
@click.option("-o", "--output", type=PATH, metavar="DIR", help="New run folder; default: below runs/.")
@click.option("--quiet", is_flag=True, help="No progress.")
@json_option
def certify(
    data: str,
    schema: Path | None,
    epsilon: float | None,
    delta: float | None,
    attributes: str | None,
    bounds: Mapping[str, tuple[float, float]],
    unit: str,
    largest: int | None,
    workload: str,
    seconds: float | None,
    moves: int | None,
    records: int | None,
    key_file: Path | None,
    seed: int | None,
    output: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Make a file with a proof of DATA: a file, or the run folder of an earlier certified file.

    Noisy tables are measured once, then a file is evolved on them. The proof holds against every attacker, whatever he
    knows. Categories and bounds have to be public: the schema lists them. A run folder as DATA is used for its tables,
    at no further price.
    """
    from evosdc.cli.inputs import is_dataset, open_source
    from evosdc.cli.results import print_json
    from evosdc.runs.layout import free_folder
    from evosdc_certified.certify import certify as make

    given: Any = data
    public: Any = schema
    if is_dataset(data):
        given = open_source(data, schema).table  # whatever its schema lists was published with it
        public = given.schema
    folder = free_folder(Path("runs"), "certified") if output is None else output
    shown = _Progress(quiet or as_json)
    made = make(
        given, epsilon, delta=delta, schema=public, attributes=listed(attributes), bounds=bounds, unit=unit,
        largest=largest, workload=workload, time=seconds, moves=moves, records=records, seed=seed, key=key_file,
        output=folder, say=shown,
    )  # fmt: skip
    shown.end()
    if as_json:
        print_json(made.result | {"folder": str(folder)})
    else:
        _show(made.result, folder)
    if not made.verdict["publishable"]:
        raise SystemExit(1)


class _Progress:
    """One line on standard error that says how far the work is."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet or not sys.stderr.isatty()

    def __call__(self, text: str) -> None:
        if not self.quiet:
            click.echo(f"\r\x1b[K{text[:100]}", err=True, nl=False)

    def end(self) -> None:
        """Clear the line."""
        if not self.quiet:
            click.echo("\r\x1b[K", err=True, nl=False)


def _show(result: Mapping[str, Any], folder: Path) -> None:
    from evosdc.cli.text import say, warn

    verdict = result["verdict"]
    say(f"Verdict: {verdict['headline'].upper()}")
    for sentence in (*verdict["reasons"], *verdict["conditions"]):
        say(sentence)
    misfit = result["misfit"]
    say(
        f"{result['records']} records. Their tables differ from the noisy ones by {misfit['file']:.0f}; the original "
        f"is expected at {misfit['expected_of_the_original']:.0f}."
    )
    say(f"Taken as public: {len(result['privacy']['public'])} statements; check them in the report.")
    warn(result["notes"])
    say(f"The file: {folder / 'best.csv'}")
    say(f"The report: {folder / 'report.html'}")
