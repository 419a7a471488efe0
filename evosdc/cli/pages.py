"""``evosdc report``, ``dossier``, ``compare`` and ``study report``: pages and statistics of runs that have ended."""

from pathlib import Path

import click

from evosdc.cli.inputs import require_apart
from evosdc.cli.options import PATH, takes_options
from evosdc.cli.text import print_json, print_rows, say
from evosdc.errors import DataError, Fault
from evosdc.files.atomic import require_unused, write_text
from evosdc.options.runs import CompareOptions, DossierOptions, ReportOptions, StudyReportOptions
from evosdc.runs.layout import FOR_USERS, REPORT, require_run, run_folders
from evosdc.runs.status import require_complete


@click.command()
@click.argument("run_dirs", type=PATH, nargs=-1, required=True, metavar="RUN_DIR ...")
@takes_options(ReportOptions)
def report(run_dirs: tuple[Path, ...], options: ReportOptions) -> None:
    """Write one self-contained HTML page about one or more runs; nothing is evaluated again.

    The page is as confidential as the file. With --for-users it is one that may be published: method, codebook, and how
    to correct for the masking of each column. Of one run without --output both are written into its folder, as at its
    end; the one for users only where the verdict does not forbid to publish the file.
    """
    from evosdc.report import write_for_users, write_pages, write_report

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


@click.command()
@click.argument("run_dir", type=PATH, metavar="RUN")
@takes_options(DossierOptions)
def dossier(run_dir: Path, options: DossierOptions) -> None:
    """Write the dossier of a release as one page for screen and paper: what it rests on, and who signs it.

    Purpose, recipients, environment, attackers, identifiers, thresholds with reasons, methods, tests by attack, a
    protocol for people who try to re-identify, utility, suppressions, earlier releases, review and sign-off; and which
    section serves ISO/IEC 27559, ICO, UKAN, HIPAA, EMA 0070 and NIST SP 800-188. A question without an answer stays
    visible.
    """
    from evosdc.report.dossier import write_dossier

    release, output = options.release, options.output
    require_run(run_dir)
    if output is not None:
        require_apart(output, release, pages=True)
        require_unused(output, replace=options.force)
    page, form, answers = write_dossier(run_dir, release, output)
    if options.as_json:
        document = {"dossier": str(page), "release": str(form), "open_questions": answers.open_questions}
        print_json(document)
        return
    say(f"Dossier: {page}")
    if answers.open_questions:
        say(f"{answers.open_questions} questions are not answered. Answer them in {form} and type the command again.")


@click.command()
@click.argument("run_dirs", type=PATH, nargs=-1, required=True, metavar="RUN_DIR ...")
@takes_options(CompareOptions)
def compare(run_dirs: tuple[Path, ...], options: CompareOptions) -> None:
    """Compare the searches of finished runs by rank tests and effect sizes; nothing is evaluated again.

    Runs that differ in their seeds alone are one search, replicates and settings of studies among them. Compared are
    fitness, IL and DR of the best files, and of the fronts hypervolume, IGD+ and the additive epsilon indicator.
    """
    from evosdc.printing import csv_text
    from evosdc.runs.comparison import TITLES, compare_runs, sentences
    from evosdc.runs.reader import read_run_folders

    surfaces = options.surfaces
    if surfaces is not None:
        require_apart(surfaces)
        require_unused(surfaces, replace=options.force)
    require_complete(run_dirs)
    found = compare_runs(read_run_folders(run_dirs), options.paired)
    if surfaces is not None:
        corners = [
            [group["label"], name, *corner]
            for group in found["groups"]
            for name, own in group["surfaces"].items()
            for corner in own
        ]
        write_text(surfaces, csv_text([["search", "surface", "il", "dr"], *corners]))
    if options.as_json:
        print_json(found)
        return
    known = [name for name in TITLES if any(group["spread"][name]["n"] for group in found["groups"])]
    rows = []
    for group in found["groups"]:
        medians = [group["spread"][name]["median"] for name in known]
        figures = ["" if value is None else f"{value:.3f}" for value in medians]
        rows.append([group["label"], str(len(group["runs"])), *figures])
    columns = {"search": "left"} | dict.fromkeys(["runs", *(TITLES[name] for name in known)], "right")
    print_rows(columns, rows, "Medians of the runs of each search")
    for sentence in sentences(found):
        say(sentence)
    if surfaces is not None:
        say(f"Attainment surfaces: {surfaces}")


@click.group()
def study() -> None:
    """Statistics of studies over data sets, searches and seeds."""


@study.command("report")
@click.argument("folders", type=PATH, nargs=-1, required=True, metavar="FOLDER ...")
@takes_options(StudyReportOptions)
def study_report(folders: tuple[Path, ...], options: StudyReportOptions) -> None:
    """Test whether searches differ over data sets and seeds; nothing is evaluated again.

    FOLDER is a study, or a run. Friedman's test with Nemenyi's post-hoc test ranks the searches over data sets,
    Wilcoxon's test within data sets and A12 with a bootstrap interval compare them in pairs, and curves show the share
    of targets reached by number of evaluations.
    """
    from evosdc.api import runs as of_runs

    output, ioh = options.output, options.ioh
    for path in (output, ioh):
        if path is not None:
            require_apart(path)
            require_unused(path, replace=options.force)
    require_complete(folders)
    found = of_runs.study_report(folders, figure=options.figure, block=options.block)
    written = []
    if output is not None:
        written.append(f"Page: {found.report(output, overwrite=True)}")
    if ioh is not None:
        written.append(f"Progress for IOHanalyzer, as custom csv format: {found.export(ioh, overwrite=True)}")
    if options.as_json:
        print_json(dict(found))
        return
    rows = []
    for pair in found["pairs"]:
        first, second = (found["searches"][search] for search in pair["searches"])
        interval = "" if pair["low"] is None else f"{pair['low']:.2f} to {pair['high']:.2f}"
        ranks = "" if pair["p_nemenyi"] is None else f"{pair['p_nemenyi']:.2g}"
        rows.append([first, second, f"{pair['a12']:.2f}", interval, f"{pair['p_holm']:.2g}", ranks])
    columns = dict.fromkeys(("first", "second"), "left")
    columns |= dict.fromkeys(("A12", "95 % interval", "p (Holm)", "p (Nemenyi)"), "right")
    title = f"{found['figure']} in pairs: A12 is the share in which the first search is the better one"
    print_rows(columns, rows, title)
    for sentence in (*found.sentences, *written):
        say(sentence)
