"""``evosdc limit``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from evosdc.options import shared
from evosdc.options.model import option, time_limit

if TYPE_CHECKING:
    from evosdc_limit.bound import Limit

_LOSSES = (0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 75.0)  # information losses of the table on the terminal


class LimitOptions(shared.FileOptions, shared.JsonOptions):
    """Compute a bound for IL and DR that no masked file of DATA, a file or a built-in data set, is below.

    IL is the mean of dbil, ctbil and ebil; DR is half of the guess (best-guess or guess-gain), as linkages count as 0.
    Attributes with many categories take up to minutes.
    """

    data: str = shared.DATA
    protect: Sequence[str] | None = shared.PROTECT
    dr: Literal["guess", "guess-gain"] = option("guess", "The measure of DR beside linkages.")
    lines: int | None = option(None, "Supporting lines of the curve; default: 21.", metavar="N", ge=2)
    time: float | None = time_limit("Stop after this time; the bound so far is valid.")


def limit(options: LimitOptions) -> None:
    """Print the bound of a file."""
    from evosdc.assess.defaults import choose_attributes
    from evosdc.cli.inputs import open_source
    from evosdc.cli.text import print_json
    from evosdc.model import Microdata
    from evosdc.time_limit import told_while_slow
    from evosdc_limit.bound import LINES, limit_of

    table = open_source(options.data, options.schema_file, options.reading).table
    chosen = choose_attributes(table.schema, options.protect, otherwise_all=False)
    original, hurried = Microdata(table, chosen).original, options.time is not None
    with told_while_slow("The limit", None if hurried else _tell_slow):
        found = limit_of(original, options.dr, lines=options.lines or LINES, seconds=options.time, curve_first=hurried)
    if options.as_json:
        print_json(found.document())
    else:
        _show(found)


def _tell_slow(what: str, seconds: float) -> None:
    click.echo(f"{what} has taken {seconds:.0f} s so far; with --time 60s it ends with the result so far.", err=True)


def _show(found: "Limit") -> None:
    from evosdc.cli.text import print_rows, say

    least = [found.least_dr(il) for il in _LOSSES]
    shown = 1 + sum(dr > found.curve[-1][1] + 1e-9 for dr in least)
    rows = [(f"{il:.0f}", f"{dr:.3f}") for il, dr in zip(_LOSSES, least, strict=True)][:shown]
    columns = ("information loss (IL) of at most", "leaves a disclosure risk (DR) of at least")
    print_rows(dict.fromkeys(columns, "right"), rows, "The limit")
    guess = "the share of values that an intruder guesses" if found.guess == "guess" else "the gain of guesses"
    say(
        f"With the losses {', '.join(found.losses)} (IL is their mean) and half of {guess} as risk (DR; linkages "
        f"are at least 0), no masked file has a max(IL, DR) below {found.max:.3f}, whatever the method and however "
        "long the search. Other measures, such as those of evosdc protect, have other limits."
    )
    say(f"{found.records} records, {', '.join(found.attributes)}; missing values count as a category.")
    if found.gap > 1e-6:
        better = f"by up to {found.gap:.3f}" if found.gap < float("inf") else "by an unknown amount"
        say(f"Stopped early: the bound is valid, but might be higher {better}. Give it more --time.")
    say("It says where no file can be, not that a file is there: the best may lie some per cent above.")
