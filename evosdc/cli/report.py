"""``evosdc report``."""

from pathlib import Path

import click

from evosdc.cli.options import PATH


@click.command()
@click.argument("run_dirs", type=PATH, nargs=-1, required=True, metavar="RUN_DIR ...")
@click.option("-o", "--output", type=PATH, default=Path("report.html"), show_default=True, metavar="FILE")
def report(run_dirs: tuple[Path, ...], output: Path) -> None:
    """Write one self-contained HTML page about one or more runs; nothing is evaluated again."""
    from evosdc.cli.inputs import require_apart
    from evosdc.cli.text import say
    from evosdc.errors import DataError, Fault
    from evosdc.report import write_report

    require_apart(output)
    if output.exists() and not output.read_bytes()[:100].lstrip().lower().startswith(b"<!doctype html"):
        raise DataError(Fault(str(output), "a file that is no web page", "a new file or a report to replace"))
    say(f"Report: {write_report(run_dirs, output)}")
