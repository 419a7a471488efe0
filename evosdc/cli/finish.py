"""``evosdc finish``."""

from pathlib import Path

import click

from evosdc.cli.options import PATH, takes_options
from evosdc.options.runs import FinishOptions


@click.command()
@click.argument("run_dir", type=PATH)
@takes_options(FinishOptions)
def finish(run_dir: Path, options: FinishOptions) -> None:
    """End a run or study from elsewhere, with its best file so far, front and report written; resume still goes on.

    A run that goes on, here or on another computer, ends after its generation. Of one that was killed they are written
    from its newest checkpoint. Exit status 1 where it had not ended in time, or the best file so far does not fulfil
    what was required.
    """
    from evosdc.api.finishing import finish as finished
    from evosdc.cli.results import print_json
    from evosdc.cli.run import leave_by
    from evosdc.cli.status import line
    from evosdc.cli.text import say
    from evosdc.experiment.study_status import read_status
    from evosdc.runs.layout import RESULT, read_object

    said = finished(run_dir, time=options.time)
    found = read_status(run_dir)
    if options.as_json:
        print_json(said)
    else:
        say(line(found))
        for file in said["files"]:
            say(f"Best file so far: {file}")
        if said["report"] is not None:
            say(f"Report:           {said['report']}")
        if found.active:
            say("It was asked to end, and does so after its generation.")
    if found.active:
        click.get_current_context().exit(1)
    if (run_dir / RESULT).exists():
        leave_by(read_object(run_dir / RESULT), options.as_json)
