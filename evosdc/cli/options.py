"""Options that several commands share."""

import csv
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from evosdc.durations import EXAMPLES, seconds_in

F = TypeVar("F", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)


class DefaultName:
    """The name that is taken on an occasion (`evosdc.specs.OCCASIONS`), looked up when it is needed or shown."""

    def __init__(self, kind: str, occasion: str) -> None:
        self.kind = kind
        self.occasion = occasion

    def __call__(self) -> str:
        """Return the name."""
        from evosdc.plugins.registry import default_registry

        return default_registry().default(self.kind, self.occasion)

    __str__ = __call__


def command_line() -> str:
    """Return what the user typed, for the record; empty where a program called the command."""
    context = click.get_current_context(silent=True)
    words = context.find_root().obj if context is not None else None
    return shlex.join(["evosdc", *words]) if words else ""


def schema_option(command: F) -> F:
    """Add ``--schema``."""
    return click.option("--schema", type=PATH, help="Schema file; inferred from the data when not given.")(command)


def json_option(command: F) -> F:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")(command)


def report_option(command: F) -> F:
    """Add ``--no-report``."""
    return click.option(
        "--report/--no-report", "pages", default=True,
        help="Whether to write web pages; evosdc report RUN_DIR writes them later.",
    )(command)  # fmt: skip


def force_option(command: F) -> F:
    """Add ``--force``."""
    return click.option("--force", is_flag=True, help="Write over files that exist.")(command)


def formulas_option(command: F) -> F:
    """Add ``--neutralise-formulas``."""
    return click.option(
        "--neutralise-formulas",
        "neutralise",
        is_flag=True,
        help="Put a quote before cells that a spreadsheet would take for formulas: = + - @ before text.",
    )(command)


def goal_options(command: F) -> F:
    """Add what a search is for: the attributes, how files are judged, and what must hold."""
    return _with(
        command,
        click.option(
            "--protect", "names", metavar="A,B,...", help="Attributes to protect; default: the quasi-identifiers."
        ),
        click.option(
            "--fitness",
            metavar="NAME",
            help="How IL and DR are combined, for research: max, mean, ...; default: the least loss within --audience.",
        ),
        click.option(
            "--audience",
            type=click.Choice(["public", "researchers", "safe-room"]),
            help="Who gets the file. Of the people 9, 20 or 33 % may be found in it, whichever way an attacker looks.  "
            "[default: public]",
        ),
        click.option(
            "--bound",
            type=click.FloatRange(0, 100, min_open=True),
            metavar="PERCENT",
            help="Of the people, in place of the bound of the audience.",
        ),
        click.option(
            "--il", metavar="A,B,...", help="Measures of information loss; default: by the scales of the attributes."
        ),
        click.option("--dr", metavar="A,B,...", help="Measures of disclosure risk; default likewise."),
        click.option(
            "--require",
            multiple=True,
            metavar="CONDITION",
            help='What the file must fulfil, such as "k-anonymity >= 3", "dr <= 20"; of protect also "publishable" or '
            '"publishable on conditions", what the verdict must be; repeatable.',
        ),
    )


def drawing_options(command: F) -> F:
    """Add what random numbers come from: a key file, or a public seed; without both a fresh key."""
    return _with(
        command,
        click.option(
            "--key", "key_file", type=PATH, metavar="FILE",
            help="Secret key that draws come from, made where FILE does not exist; it repeats the result. Default: a "
            "fresh key.",
        ),
        click.option(
            "--seed", type=click.IntRange(min=0), metavar="N",
            help="Public seed in place of a key, for studies and tests: what it draws is not for release.",
        ),
    )  # fmt: skip


def order_option(command: F) -> F:
    """Add ``--keep-order``."""
    return click.option(
        "--shuffle/--keep-order", default=True, show_default=True,
        help="Publish the records in random order, or in that of DATA, which may tell what is masked.",
    )(command)  # fmt: skip


def crosswalk_option(command: F) -> F:
    """Add ``--crosswalk``."""
    return click.option(
        "--crosswalk", type=PATH, metavar="FILE",
        help="Which masked record is which of the original, where the file was shuffled: a file in the run folder.",
    )(command)  # fmt: skip


def computing_options(command: F) -> F:
    """Add what random numbers come from, and where the work is done."""
    return _with(
        command,
        drawing_options,
        click.option("--executor", default="processes", show_default=True, metavar="NAME"),
        click.option("--workers", type=click.IntRange(min=1), metavar="N"),
    )


def _with(command: F, *options: Callable[[F], F]) -> F:
    """Return a command with options, in the order in which help shows them."""
    for option in reversed(options):
        command = option(command)
    return command


def attributes_option(text: str) -> Callable[[F], F]:
    """Return a decorator that adds ``--attributes``."""
    return click.option("--attributes", metavar="A,B,...", help=text)


def listed(text: str | None) -> list[str] | None:
    """Return the parts of a comma-separated text, None where there is none; parts in double quotes may hold commas."""
    if text is None:
        return None
    return [part for row in csv.reader([text], skipinitialspace=True) for part in map(str.strip, row) if part]


def parameters(settings: Iterable[str]) -> dict[str, Any]:
    """Return the parameters given by ``--set KEY=VALUE``, dotted keys as nested tables.

    Raises
    ------
    ExperimentError
        A setting that is not KEY=VALUE.
    """
    from evosdc.experiment.config.settings import override

    document: dict[str, Any] = {}
    for setting in settings:
        override(document, setting)
    return document


def seconds_of(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """Return the seconds that a text like ``60s``, ``5m`` or ``1.5h`` stands for."""
    if text is None:
        return None
    seconds = seconds_in(text)
    if seconds is None:
        raise click.BadParameter(f"{text!r} is no time; wanted a positive number with s, m or h: {EXAMPLES}.")
    return seconds
