"""The page for users of the published file: how it was masked, what its columns hold, and how to correct for that.

Nothing on it is computed per record of the original. What it tells with the original's help is listed on the page
itself: shares over all records, rounded to tenths, and whether an analysis holds.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evosdc._version import __version__
from evosdc.errors import Fault, InputError
from evosdc.files.atomic import write_text
from evosdc.printing import printable
from evosdc.report.frames import protected_attributes
from evosdc.report.release import title_of
from evosdc.report.resources import page
from evosdc.report.wording import count, listing
from evosdc.runs.layout import RESULT
from evosdc.runs.reader import RecordedRun, read_run_folders

FEWEST = 100  # fewest records for a rounded share to be reported: of fewer, a hundredth is a person or two
NAMED = 12  # analyses of a kind that are named before the page is unfolded
MOST_CATEGORIES = 40  # categories of a column that the codebook lists

_WITHHELD = ("identifier", "drop")
_ANY_VALUE = "*"  # root of each hierarchy: the category that stands for all values


def write_for_users(folder: Path, target: Path) -> Path:
    """Write the page that may be published with the file of a run."""
    run = ended_run(folder)
    if not may_be_published(run):
        given, wanted = "a run whose file is not publishable", "one whose file may be published"
        raise InputError(Fault(printable(str(folder)), given, wanted, " ".join(run.result.verdict.reasons)))
    write_text(target, render_for_users(run))
    return target


def ended_run(folder: Path) -> RecordedRun:
    """Return the run of a folder; raises `InputError` where it holds several, or has not ended."""
    runs = read_run_folders([folder])
    if len(runs) != 1 or not runs[0].release:
        given = "several runs" if len(runs) > 1 else "a run that has not ended"
        raise InputError(
            Fault(printable(str(folder)), given, f"the folder of one run with its {RESULT}", "Name one run.")
        )
    return runs[0]


def may_be_published(run: RecordedRun) -> bool:
    """Whether nothing in the verdict of a run forbids to publish its file."""
    return run.result.verdict.publishable is not False


def render_for_users(run: RecordedRun) -> str:
    """Return the page as text."""
    # by column that was to be masked, the share of published values that differ from the original
    records = run.result.records
    shares = {name: cells / records for name, cells in run.result.changed.items()} if records else {}
    protected = [name for name in protected_attributes(run) if shares.get(name) != 0.0]
    shown = records >= FEWEST
    tables = [entry for entry in run.release.get("cross_tables") or () if shares.get(entry["attribute"]) != 0.0]
    differ = {name: _differing(share, shown) for name, share in shares.items()}
    holding, omitted = _holding(run), int(run.release.get("omitted") or 0)
    masked_by = [str(one["name"]) for one in (run.resolved.get("measures") or {}).get("il") or ()]
    meanings = run.release.get("meanings") or {}
    parameters = (
        ("masked columns", listing(protected)),
        ("what analysts lose was measured by", listing(masked_by)),
        ("missing values counted by the rule", run.result.missing_rule),
        ("made with", f"evosdc {run.environment.get('evosdc', __version__)}"),
    )
    unfolded = any(len(names) > NAMED for _, *sides in holding for names in sides)
    return page(
        "users.html",
        title=run.title,
        file=run.result.best.file,
        digests=sorted(run.digests.items()),
        records=count(records - omitted),
        omitted=omitted,
        protected=listing(protected),
        single=len(protected) == 1,
        truthful=bool(run.result.perturbed) and not any(run.result.perturbed.values()),
        dropped=listing(run.result.dropped_identifiers),
        method=method_of(run),
        parameters=[(name, text) for name, text in parameters if text],
        meanings=[(name, meanings[name]) for name in dict.fromkeys(masked_by) if name in meanings],
        codebook=[
            _column(entry, protected, differ.get(entry["attribute"], "none"))
            for entry in run.release.get("codebook") or ()
        ],
        columns=[
            _column_of_analysis(run, one, shown) | {"differ": differ.get(one["attribute"], "none")} for one in tables
        ],
        holding=[{"kind": kind, "holds": _few(holds), "poor": _few(poor)} for kind, holds, poor in holding],
        more_holding=[
            (kind, "; ".join(holds) or "none", "; ".join(poor) or "none") for kind, holds, poor in holding if unfolded
        ],
        shown=shown,
    )


def _differing(share: float, shown: bool) -> str:
    """Return how many values of a column differ, in whole per cent: no exact count, which might disclose one person."""
    if not share:
        return "none"
    if not shown:
        return "some"
    return "less than 1 %" if share < 0.01 else "more than 99 %" if share > 0.99 else f"about {100.0 * share:.0f} %"


def method_of(run: RecordedRun) -> str:
    """Return in a sentence how the file was made."""
    if run.analyst:
        return (
            "Values were replaced at random, with probabilities that were fixed beforehand (post-randomisation, PRAM)."
        )
    if not all(entry["same_labels"] for entry in run.release.get("cross_tables") or ()):
        return "Values were made coarser: they are true, but given as groups or intervals. Some may be left out."
    return (
        "Some values of people were exchanged or replaced, so that records are hard to link to them. Tables were kept "
        "close to the original."
    )


def _column(entry: Mapping[str, Any], protected: list[str], differ: str) -> dict[str, Any]:
    name, labels = entry["attribute"], entry.get("categories") or []
    called = f"{name}: {entry['label']}" if entry.get("label") else name
    more = len(labels) - MOST_CATEGORIES
    if entry.get("role") in _WITHHELD:  # whatever stands in the codebook: values of such columns are never published
        shown = str(entry.get("described", "published in another form"))
        return {"name": called, "masked": "no", "scale": "", "values": shown, "missing": ""}
    values = "; ".join([*labels[:MOST_CATEGORIES], *([f"and {more} more"] if more > 0 else [])]) or "numbers"
    masked = f"yes; {differ} of its values differ" if name in protected else "no: published as it was"
    masked = "yes; withheld" if name in protected and labels == [_ANY_VALUE] else masked
    missing = count(entry.get("missing"))
    return {"name": called, "masked": masked, "scale": entry.get("scale", ""), "values": values, "missing": missing}


def _column_of_analysis(run: RecordedRun, entry: Mapping[str, Any], shown: bool) -> dict[str, Any]:
    """Return the valid uses of one masked attribute, and how to correct for its masking."""
    name, share = entry["attribute"], entry.get("reliability")
    given = (run.analyst.get("attributes") or {}).get(name)
    if given:
        kind = "as it was" if not given.get("randomised") else "invariant" if given.get("invariant") else "matrix"
    else:
        listed: Mapping[str, Any] = next(
            (one for one in run.release.get("codebook") or () if one["attribute"] == name), {}
        )
        withheld = listed.get("categories") == [_ANY_VALUE] and not listed.get("missing")
        kind = (
            "withheld"
            if withheld
            else "coarser"
            if not entry["same_labels"]
            else "numeric"
            if entry["scale"] == "numeric"
            else "exchanged"
        )
    labels, matrix = ((given or {}).get(key) or () for key in ("categories", "matrix"))
    relation = None
    for one in run.release.get("corrections") or ():
        if one["attribute"] == name:
            helps = one["helps"] and shown
            kept, nearer = (f"{one['kept']:g}", str(10 * int(one["nearer"] / 10))) if helps else ("", "")
            relation = {"poor": listing(one["poor"]), "kept": kept, "nearer": nearer}
    return {
        "name": name,
        "kind": kind,
        "share": f"{share:.1f}" if shown and share is not None else "",
        "relation": relation,
        **_alone(run, name, shown),
        "categories": list(labels),
        "matrix": [(label, [f"{value:.3f}" for value in row]) for label, row in zip(labels, matrix, strict=False)],
    }


def _alone(run: RecordedRun, name: str, shown: bool) -> dict[str, Any]:
    """Return whether counts of an attribute alone hold, in which classes this was checked, and by single value."""
    for entry in (run.release.get("analyses") or {}).get("tables") or ():
        if entry["attributes"] == [name]:
            values = entry.get("by_value")
            moved = f"{max(values['moved'], 1.0):.0f}" if values and shown else ""
            by_value = values["holds"] if values else None
            grouping = entry.get("grouping", {}).get(name, "")
            return {"holds": entry["holds"], "grouping": grouping, "by_value": by_value, "moved": moved}
    return {"holds": None, "grouping": "", "by_value": None, "moved": ""}


def _holding(run: RecordedRun) -> list[tuple[str, list[str], list[str]]]:
    """Return by kind the names of analyses that hold, and of those that do not: no figure."""
    # A table that holds in classes is none of single values where the page says not to count by these.
    found, rows = run.release.get("analyses") or {}, []
    tables = found.get("tables") or ()
    coarse = {entry["attributes"][0] for entry in tables if not (entry.get("by_value") or {"holds": True})["holds"]}
    for key, kind in (("tables", "tables"), ("means", "means"), ("correlations", "rank correlations")):
        sound, poor = list[str](), list[str]()
        for entry in found.get(key) or ():
            in_classes = key == "tables" and entry["holds"] and coarse.intersection(entry["attributes"])
            note = " (in published groups)" if entry.get("coarser") else " (in classes)" if in_classes else ""
            (sound if entry["holds"] else poor).append(title_of(entry) + note)
        rows += [(kind, sound, poor)] if sound or poor else []
    return rows


def _few(names: list[str]) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - NAMED
    return "; ".join([*names[:NAMED], *([f"and {more} more"] if more > 0 else [])]) or "none"
