"""``evosdc study report``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evosdc.cli.options import PATH, takes_options
from evosdc.options.runs import StudyReportOptions

if TYPE_CHECKING:
    from evosdc.api.studies import StudyReport


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
    _print_pairs(found)
    for sentence in (*found.sentences, *written):
        say(sentence)


def _print_pairs(found: "StudyReport") -> None:
    from rich.table import Table
    from rich.text import Text

    from evosdc.cli.text import harmless, print_table

    title = f"{found['figure']} in pairs: A12 is the share in which the first search is the better one"
    shown = Table(title=title, title_justify="left")
    for heading in ("first", "second"):
        shown.add_column(heading, overflow="fold")
    for heading in ("A12", "95 % interval", "p (Holm)", "p (Nemenyi)"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for pair in found["pairs"]:
        first, second = (Text(harmless(found["searches"][search])) for search in pair["searches"])
        interval = "" if pair["low"] is None else f"{pair['low']:.2f} to {pair['high']:.2f}"
        ranks = "" if pair["p_nemenyi"] is None else f"{pair['p_nemenyi']:.2g}"
        shown.add_row(first, second, f"{pair['a12']:.2f}", interval, f"{pair['p_holm']:.2g}", ranks)
    print_table(shown)
