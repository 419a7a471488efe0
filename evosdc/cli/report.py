"""``evosdc report``."""

from __future__ import annotations

from pathlib import Path

import click

from evosdc.cli.options import PATH


@click.command()
@click.argument("run_dirs", type=PATH, nargs=-1, required=True, metavar="RUN_DIR ...")
@click.option("-o", "--output", type=PATH, default=Path("report.html"), show_default=True, metavar="FILE")
def report(run_dirs: tuple[Path, ...], output: Path) -> None:
    """Write one self-contained HTML page about one or more runs; nothing is evaluated again."""
    from evosdc.data.source import check_writable
    from evosdc.report import write_report

    check_writable(output)
    click.echo(f"Report: {write_report(run_dirs, output)}")
