"""``evosdc report``."""

from pathlib import Path

import click

from evosdc.cli.options import PATH, takes_options
from evosdc.options.runs import ReportOptions


@click.command()
@click.argument("run_dirs", type=PATH, nargs=-1, required=True, metavar="RUN_DIR ...")
@takes_options(ReportOptions)
def report(run_dirs: tuple[Path, ...], options: ReportOptions) -> None:
    """Write one self-contained HTML page about one or more runs; nothing is evaluated again.

    The page is as confidential as the file. With --for-users it is one that may be published: method, codebook, and how
    to correct for the masking of each column. Of one run without --output both are written into its folder, as at its
    end; the one for users only where the verdict does not forbid to publish the file.
    """
    from evosdc.cli.inputs import require_apart
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say
    from evosdc.errors import DataError, Fault
    from evosdc.files.atomic import require_unused
    from evosdc.report import write_for_users, write_pages, write_report
    from evosdc.runs.layout import FOR_USERS, REPORT, require_run, run_folders
    from evosdc.runs.status import require_complete

    for_users = options.for_users
    if for_users and len(run_dirs) > 1:
        raise DataError(Fault("--for-users", f"{len(run_dirs)} runs", "one run, whose file is published"))
    into_folder, both = options.output is None and len(run_dirs) == 1, False
    if into_folder:
        if not run_folders(run_dirs[0]):
            require_run(run_dirs[0])
        both = not for_users
    target = options.output or (run_dirs[0] if into_folder else Path()) / (FOR_USERS if for_users else REPORT)
    pages = [target, *([run_dirs[0] / FOR_USERS] if both else [])]
    for page in pages:
        require_apart(page, pages=True)
        if page.exists() and not page.read_bytes()[:100].lstrip().lower().startswith(b"<!doctype html"):
            raise DataError(Fault(str(page), "a file that is no web page", "a new file or a report to replace"))
    require_unused(*pages, replace=options.force)
    require_complete(run_dirs)
    if both:
        written = write_pages(run_dirs[0])
    else:
        written = write_for_users(run_dirs[0], target) if for_users else write_report(run_dirs, target)
    users = run_dirs[0] / FOR_USERS if both and (run_dirs[0] / FOR_USERS).exists() else None
    if options.as_json:
        runs = [str(run) for folder in run_dirs for run in run_folders(folder)]
        print_json({"report": str(written), "runs": runs} | ({} if users is None else {"for_users": str(users)}))
        return
    say(f"Report: {written}")
    if users is not None:
        say(f"For users: {users}")
