"""``evosdc report``."""

from pathlib import Path

import click

from evosdc.cli.options import PATH, force_option, json_option


@click.command()
@click.argument("run_dirs", type=PATH, nargs=-1, required=True, metavar="RUN_DIR ...")
@click.option("-o", "--output", type=PATH, default=Path("report.html"), show_default=True, metavar="FILE")
@force_option
@click.option("--for-users", is_flag=True, help="Write the page for users of a run's file, which may be published.")
@json_option
def report(run_dirs: tuple[Path, ...], output: Path, force: bool, for_users: bool, as_json: bool) -> None:
    """Write one self-contained HTML page about one or more runs; nothing is evaluated again.

    The page is as confidential as the file. With --for-users it is one that may be published: method, codebook, and how
    to correct for the masking of each column.
    """
    from evosdc.cli.inputs import require_apart
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say
    from evosdc.errors import DataError, Fault
    from evosdc.files.atomic import require_unused
    from evosdc.report import write_for_users, write_report
    from evosdc.runs.completeness import require_complete
    from evosdc.runs.layout import run_folders

    require_apart(output, pages=True)
    if output.exists() and not output.read_bytes()[:100].lstrip().lower().startswith(b"<!doctype html"):
        raise DataError(Fault(str(output), "a file that is no web page", "a new file or a report to replace"))
    require_unused(output, replace=force)
    if for_users and len(run_dirs) > 1:
        raise DataError(Fault("--for-users", f"{len(run_dirs)} runs", "one run, whose file is published"))
    require_complete(run_dirs)
    written = write_for_users(run_dirs[0], output) if for_users else write_report(run_dirs, output)
    if as_json:
        runs = [str(run) for folder in run_dirs for run in run_folders(folder)]
        print_json({"report": str(written), "runs": runs})
        return
    say(f"Report: {written}")
