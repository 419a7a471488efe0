"""``evosdc watch``."""

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evosdc.cli.options import PATH, takes_options
from evosdc.cli.signals import Stopped, forget
from evosdc.options.runs import WatchOptions

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from evosdc.experiment.study_status import Status

GRACE = 10.0
"""Seconds to wait for a run that is only about to begin."""


@click.command()
@click.argument("run_dir", type=PATH)
@takes_options(WatchOptions)
def watch(run_dir: Path, options: WatchOptions) -> int:
    """Follow a run or a study until it ends; Ctrl-C leaves it alone. Exit status 0 when it finished, else 1."""
    from rich.console import Console

    from evosdc.runs.status import FINISHED

    try:
        found = _followed(run_dir, options.interval, Console())
    except KeyboardInterrupt as error:
        if isinstance(error, Stopped) and error.number != signal.SIGINT:
            raise
        forget()
        return 0
    return 0 if found.phase == FINISHED else 1


def _followed(path: Path, interval: float, console: "Console") -> "Status":
    from time import monotonic, sleep

    from rich.live import Live

    from evosdc.cli.status import line
    from evosdc.cli.text import harmless, say
    from evosdc.experiment.study_status import read_status
    from evosdc.runs.status import WAITING

    found, told, began = read_status(path), "", monotonic()
    live = Live(_table(found), console=console, refresh_per_second=4) if console.is_terminal else None
    if live is not None:
        live.start()
    try:
        while True:
            if live is not None:
                live.update(_table(found), refresh=True)
            elif (text := line(found)) != told:
                console.print(harmless(text), highlight=False, soft_wrap=True, markup=False)
                told = text
            if not found.active and not (found.phase == WAITING and monotonic() < began + GRACE):
                return found
            sleep(interval)
            found = read_status(path)
    finally:
        if live is not None:
            live.stop()
            say(line(found))


def _table(found: "Status") -> "Table":
    from rich.table import Table
    from rich.text import Text

    from evosdc.cli.status import rows
    from evosdc.cli.text import harmless

    table = Table(show_header=False, box=None, pad_edge=False)
    for name, text in rows(found):
        table.add_row(Text(harmless(name), style="bold"), Text(harmless(text)))
    return table
