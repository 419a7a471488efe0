"""The page: run folders in, one HTML file out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evosdc.errors import FaultCollector
from evosdc.files.atomic import check_writable, write_text
from evosdc.report import comparison, figures, frames, release, summary, sweep, tables
from evosdc.report.frames import mapping
from evosdc.report.fresh_draws import fresh_measures, fresh_rows, fresh_verdicts
from evosdc.report.opinion import second_opinion
from evosdc.report.resources import page
from evosdc.report.standings import Standings, standings
from evosdc.report.wording import MISSING_RULES, number
from evosdc.runs.comparison import one_search
from evosdc.runs.rank_tests import METHOD
from evosdc.runs.reader import RecordedRun, read_run_folders

LARGEST = 2_000_000  # bytes of a page, at most, unless it is about a single run: plotly takes three quarters of them


def write_report(folders: Sequence[Path], target: Path) -> Path:
    """Write one self-contained page about one or more runs."""
    collect, runs = FaultCollector(), list[RecordedRun]()
    with collect.step():
        runs += read_run_folders(folders)
    with collect.step():
        check_writable(target)
    collect.settle()
    write_text(target, render(runs))
    return target


def render(runs: Sequence[RecordedRun]) -> str:
    """Return the page as text; of several runs as many are shown in full as `LARGEST` allows, one at least."""
    stands = [standings(run) for run in runs]
    groups = sweep.groups_of(runs, stands)
    swept = _sweep(groups, runs) if groups else None
    if groups:
        leaders = sweep.shown_in_full(groups)
        shown = [pair for pair in zip(runs, stands, strict=True) if pair[0] in leaders]
        runs, stands = [run for run, _ in shown], [stand for _, stand in shown]
    compared = _comparison(runs, stands) if len(runs) > 1 else None
    sections: list[dict[str, Any]] = []
    text = ""
    for position, (run, stand) in enumerate(zip(runs, stands, strict=True), 1):
        sections.append(_section(run, stand, f"run-{position}"))
        titles = list(dict.fromkeys(run.title for run in runs))
        longer = page(
            "page.html", titles=titles, total=len(runs), runs=sections, sweep=swept,
            comparison=compared, title=titles[0] if len(titles) == 1 else f"{len(runs)} runs of evosdc",
            contents=_contents(sections, swept, compared),
        )  # fmt: skip
        if text and len(longer.encode()) > LARGEST:
            break
        text = longer
    return text


def _section(run: RecordedRun, stand: Standings, anchor: str) -> dict[str, Any]:
    """Return all that the template shows of one run."""
    frame = frames.files(run)
    history = frames.history(run)
    opinion = second_opinion(run)
    made = frames.operators(run)
    ranked = frames.ranking(frame)
    definitions = release.Definitions(mapping(run.release.get("meanings")))
    # In the order of the page, since a measure is defined at its first place.
    verdict = release.verdict(run, definitions)
    if opinion:
        for row in (row for _, listed in opinion["groups"] for row in listed):
            row["meaning"] = "".join(text for _, text in definitions.first([row["name"]]))
    has_map = {"il", "dr"} <= set(frame.columns) and bool((frame["il"].notna() & frame["dr"].notna()).any())
    return {
        "anchor": anchor,
        "name": run.name,
        "title": run.title,
        "notice": summary.notice(run),
        "warnings": [text for text in run.sentences("warnings") if text not in (verdict or {}).get("reasons", ())],
        "verdict": verdict,
        "columns": release.columns(run),
        "cross_tables": release.cross_tables(run),
        "analyses": release.analyses(run),
        "records_at_risk": release.records_at_risk(run),
        "perturbed": any(run.result.perturbed.values()),
        "sentences": summary.sentences(run, stand),
        "key_figures": summary.key_figures(stand),
        "meanings": summary.meanings(run, stand),
        "caveats": summary.caveats(run, stand),
        "map": figures.il_dr_map(frame, stand) if has_map else None,
        "map_definitions": definitions.first(frames.measure_names(run)) if has_map else [],
        "best_definitions": definitions.first(frames.measure_names(run)),
        "bounded": bool((frame["outside"] > 0).any()),
        "thinned": int((frame["set"] == "population").sum()) > figures.MOST_POINTS,
        "evolution": figures.evolution(history, run.option("fitness")),
        "generations": len(history),
        "best": tables.best_files(run, ranked, stand) if len(ranked) else None,
        "opinion": opinion,
        "frequencies": _frequencies(run),
        "privacy": tables.privacy_rows(run),
        "written_file": "the file that was written" if stand.published else "the best file",
        "fresh_verdicts": fresh_verdicts(run),
        "fresh_measures": fresh_measures(run),
        "fresh": fresh_rows(run),
        "matrices": figures.matrix_entries(run),
        "matrix_proof": figures.proof_sentences(run),
        "operators": frames.operator_totals(made).to_dict("records"),
        "operator_figure": figures.operator_lines(frames.operator_rates(made)) if len(made) else None,
        "genome": tables.genome_rows(run),
        "pictures": tables.pictures(run),
        "settings": tables.setting_rows(run),
        "versions": tables.version_rows(run),
        "missing_rule": MISSING_RULES.get(run.result.missing_rule, ""),
        "digest": run.result.digest,
        "files": sorted(run.digests.items()),
        "unreadable": run.unreadable,
    }


def _frequencies(run: RecordedRun) -> list[dict[str, Any]]:
    entries = []
    for entry in frames.frequencies(run):
        names, size = entry["categories"], len(entry["categories"])
        wide = size > figures.FEW_CATEGORIES
        shown = {
            "distance": number(tables.distribution_distance(entry), 1),
            "rows": tables.category_rows(entry),
            "wide": wide,
            "pooled": bool(names and figures.POOLED.fullmatch(names[-1])),
            "labels_left_out": wide and len(figures.labelled(size)) < size,
            "figure": figures.frequency_bars(entry) if names else None,
        }
        entries.append(entry | shown)
    return entries


def _comparison(runs: Sequence[RecordedRun], stands: Sequence[Standings]) -> dict[str, Any]:
    table = comparison.comparison(runs, stands)
    verdict, alike = comparison.comparability_text(runs), comparison.same_plane(runs)
    bests = comparison.map_of_bests(runs, stands) if alike else None
    attained = comparison.attainment([(runs[0].title, runs)]) if alike and one_search(runs) else None
    overlaid = None if verdict else comparison.overlaid_evolution(runs)
    plane = comparison.overlaid_plane(runs) if verdict and alike else None
    return {
        "rows": table.to_dict("records"),
        "spread": [] if verdict else comparison.spread(table).rename_axis("run").reset_index().to_dict("records"),
        "verdict": verdict,
        "repeated": comparison.repeated(runs),
        "warnings": tables.warning_rows(runs),
        "has": {name: bool(table[name].notna().any()) for name in ("il", "dr", "fresh", "changed")},
        "has_data": "data" in comparison.differences(runs),
        "evolution": overlaid,
        "plane": plane,
        "map": bests,
        "attainment": attained,
    }


def _sweep(groups: Sequence[sweep.Group], runs: Sequence[RecordedRun]) -> dict[str, Any]:
    # Runs of one sweep are about the same file unless the sweep itself changes it.
    comparable = len({(run.option("fitness"), str(run.resolved.get("data"))) for run in runs}) == 1
    fronts = [(group.label, [run for run, _ in group.members]) for group in groups]
    attained = comparison.attainment(fronts) if comparison.same_plane(runs) else None
    return {
        "runs": len(runs),
        "listed": sweep.run_rows(groups),
        "warnings": tables.warning_rows(runs),
        "in_full": len(sweep.shown_in_full(groups)),
        "evolution": sweep.evolution(groups) if comparable else None,
        "rows": sweep.rows(groups),
        "findings": sweep.findings(groups, comparable),
        "has": {name: any(group.figures[name] for group in groups) for name in sweep.FIGURES},
        "names": sweep.FIGURES,
        "method": METHOD,
        "attainment": attained,
        "figures": [(name, title, sweep.boxes(groups, name)) for name, title in sweep.FIGURES.items()],
    }


def _contents(
    sections: Sequence[dict[str, Any]], swept: dict[str, Any] | None, compared: dict[str, Any] | None
) -> list[tuple[str, str]]:
    """Return anchors and titles of the page's parts: its runs, or the sections of its only one."""
    entries = [("sweep", "The sweep")] if swept else []
    entries += [("comparison", "The runs compared")] if compared else []
    if entries:
        return [*entries, *((section["anchor"], section["name"]) for section in sections)]
    run = sections[0]
    return [(f"{run['anchor']}-{anchor}", title) for key, anchor, title in _SECTIONS if not key or run[key]]


# sections in the order of the page: what makes them stand there, anchor, title
_SECTIONS = (
    ("verdict", "verdict", "Verdict"),
    ("warnings", "warnings", "Warnings"),
    ("map", "files", "Loss and risk"),
    ("columns", "columns", "Columns before and after"),
    ("analyses", "analyses", "What analyses give"),
    ("records_at_risk", "records", "Who is at risk"),
    ("verdict", "basis", "What the verdict rests on"),
    ("opinion", "opinion", "Independent attacks"),
    ("", "summary", "How the file was made"),
    ("fresh", "fresh", "On fresh draws"),
    ("privacy", "privacy", "The file by itself"),
    ("best", "best", "The best files"),
    ("pictures", "pictures", "Pictures"),
    ("frequencies", "frequencies", "Categories"),
    ("matrices", "matrices", "Transition matrices"),
    ("evolution", "evolution-section", "Evolution"),
    ("", "caveats", "What to bear in mind"),
    ("", "settings", "Settings and versions"),
)
