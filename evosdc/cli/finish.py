"""``evosdc finish``."""

from pathlib import Path

import click

from evosdc.cli.options import PATH, json_option, seconds_of


@click.command()
@click.argument("run_dir", type=PATH)
@click.option(
    "--wait", "patience", callback=seconds_of, default="120s", show_default=True, metavar="60s",
    help="How long to wait for a run to end.",
)  # fmt: skip
@json_option
def finish(run_dir: Path, patience: float, as_json: bool) -> None:
    """End a run or study from elsewhere, with its best file so far, front and report written; resume still goes on.

    A run that goes on, here or on another computer, ends after its generation. Of one that was killed they are written
    from its newest checkpoint. Exit status 1 where it had not ended in time.
    """
    from evosdc.cli.results import print_json
    from evosdc.cli.status import line
    from evosdc.cli.text import say
    from evosdc.experiment.study.finish import finish as finished
    from evosdc.experiment.study.finish import runs_of
    from evosdc.plugins.registry import default_registry
    from evosdc.report import write_pages
    from evosdc.runs.layout import RESULT, read_object

    found = finished(run_dir, default_registry(), patience)
    written = [run.folder for run in runs_of(found) if (run.folder / RESULT).exists()]
    files = [str(folder / read_object(folder / RESULT)["best"]["file"]) for folder in written]
    report = write_pages(run_dir) if files else None
    if as_json:
        print_json(found.to_json() | {"files": files, "report": None if report is None else str(report)})
    else:
        say(line(found))
        for file in files:
            say(f"Best file so far: {file}")
        if report is not None:
            say(f"Report:           {report}")
        if found.active:
            say("It was asked to end, and does so after its generation.")
    if found.active:
        click.get_current_context().exit(1)
