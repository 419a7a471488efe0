"""``evosdc report``, ``dossier``, ``compare`` and ``study report``: pages and statistics of runs that have ended."""

from pathlib import Path

from evosdc.api import runs as of_runs
from evosdc.cli.inputs import require_apart
from evosdc.cli.text import answer, print_json, print_rows, say
from evosdc.errors import DataError, Fault
from evosdc.files.atomic import require_unused, write_text
from evosdc.options.runs import CompareOptions, DossierOptions, ReportOptions, StudyReportOptions
from evosdc.report import write_for_users, write_pages, write_report
from evosdc.report.dossier import write_dossier
from evosdc.runs.comparison import TITLES
from evosdc.runs.layout import FOR_USERS, REPORT, require_run, run_folders
from evosdc.runs.status import require_complete


def report(options: ReportOptions) -> None:
    """Write pages about runs."""
    for_users, runs = options.for_users, list(options.run_dirs)
    if for_users and len(runs) > 1:
        raise DataError(Fault("--for-users", f"{len(runs)} runs", "one run, whose file is published"))
    into_folder = options.output is None and len(runs) == 1
    if into_folder and not run_folders(runs[0]):
        require_run(runs[0])
    both = into_folder and not for_users
    target = options.output or (runs[0] if into_folder else Path()) / (FOR_USERS if for_users else REPORT)
    users = runs[0] / FOR_USERS
    for page in (target, users) if both else (target,):
        require_apart(page, pages=True)
        if page.exists() and not page.read_bytes()[:100].lstrip().lower().startswith(b"<!doctype html"):
            raise DataError(Fault(str(page), "a file that is no web page", "a new file or a report to replace"))
        require_unused(page, replace=options.force)
    require_complete(runs)
    if both:
        written = write_pages(runs[0])
    else:
        written = write_for_users(runs[0], target) if for_users else write_report(runs, target)
    document = {"report": str(written), "runs": [str(run) for folder in runs for run in run_folders(folder)]}
    lines = [f"Report: {written}"]
    if both and users.exists():
        document |= {"for_users": str(users)}
        lines.append(f"For users: {users}")
    answer(options, document, lines)


def dossier(options: DossierOptions) -> None:
    """Write the dossier of a release."""
    require_run(options.run_dir)
    if options.output is not None:
        require_apart(options.output, options.release, pages=True)
        require_unused(options.output, replace=options.force)
    page, form, answers = write_dossier(options.run_dir, options.release, options.output)
    left, lines = answers.open_questions, [f"Dossier: {page}"]
    if left:
        lines.append(f"{left} questions are not answered. Answer them in {form} and type the command again.")
    answer(options, {"dossier": str(page), "release": str(form), "open_questions": left}, lines)


def compare(options: CompareOptions) -> None:
    """Print and write how searches differ."""
    surfaces = options.surfaces
    if surfaces is not None:
        require_apart(surfaces)
        require_unused(surfaces, replace=options.force)
    require_complete(options.run_dirs)
    found = of_runs.compare(options.run_dirs, paired=options.paired)
    if surfaces is not None:
        write_text(surfaces, found.surfaces.to_csv(index=False, lineterminator="\n"))
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
    single = all(len(group["runs"]) == 1 for group in found["groups"])
    if known:
        print_rows(columns, rows, "Figures of each run" if single else "Medians of the runs of each search")
    else:
        say("No figures: each run breaks a bound, so that its file is none to compare.")
    for sentence in found.sentences:
        say(sentence)
    if surfaces is not None:
        say(f"Attainment surfaces: {surfaces}")


def study_report(options: StudyReportOptions) -> None:
    """Print and write the statistics of a study."""
    output, ioh = options.output, options.ioh
    for path in (output, ioh):
        if path is not None:
            require_apart(path)
            require_unused(path, replace=options.force)
    require_complete(options.folders)
    found = of_runs.study_report(options.folders, figure=options.figure, block=options.block)
    written = []
    if output is not None:
        written.append(f"Page: {found.report(output, overwrite=True)}")
    if ioh is not None:
        written.append(f"Progress for IOHanalyzer, as custom csv format: {found.export(ioh, overwrite=True)}")
    if options.as_json:
        print_json(found)
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
