"""``evosdc study report``."""

from pathlib import Path

import click

from evosdc.cli.options import PATH, takes_options
from evosdc.options.runs import StudyReportOptions


@click.group()
def study() -> None:
    """Statistics of studies over data sets, searches and seeds."""


@study.command()
@click.argument("folders", type=PATH, nargs=-1, required=True, metavar="FOLDER ...")
@takes_options(StudyReportOptions)
def report(folders: tuple[Path, ...], options: StudyReportOptions) -> None:
    """Test whether searches differ over data sets and seeds; nothing is evaluated again.

    FOLDER is a study, or a run. Friedman's test with Nemenyi's post-hoc test ranks the searches over data sets,
    Wilcoxon's test within data sets and A12 with a bootstrap interval compare them in pairs, and curves show the share
    of targets reached after so many evaluations.
    """
    from evosdc.api.studies import study_report
    from evosdc.cli.inputs import require_apart
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say
    from evosdc.files.atomic import require_unused
    from evosdc.runs.status import require_complete

    output, ioh = options.output, options.ioh
    for path in (output, ioh):
        if path is not None:
            require_apart(path)
            require_unused(path, replace=options.force)
    require_complete(folders)
    found = study_report(folders, figure=options.figure, block=options.block)
    written = []
    if output is not None:
        written.append(f"Page: {found.report(output, overwrite=True)}")
    if ioh is not None:
        written.append(f"Progress for IOHanalyzer, as custom csv format: {found.export(ioh, overwrite=True)}")
    if options.as_json:
        print_json(dict(found))
        return
    for sentence in (*found.sentences, *written):
        say(sentence)
