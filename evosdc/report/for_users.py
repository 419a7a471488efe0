"""The page for users of the published file: what was done to it, what its columns hold, and how to correct for it.

Nothing on it is computed per record of the original. What it tells with the original's help is listed on the page
itself: shares over all records, rounded to tenths, and whether an analysis holds.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evosdc._version import __version__
from evosdc.errors import Fault, InputError
from evosdc.files.atomic import write_text
from evosdc.report import release
from evosdc.report.frames import figure_of, mapping
from evosdc.report.resources import resource, template
from evosdc.report.summary import protected_attributes
from evosdc.report.wording import count, listing
from evosdc.runs.layout import RESULT
from evosdc.runs.reader import RecordedRun, read_run_folders

FEWEST = 100
"""Records from which a rounded share of all of them is told: of fewer, a hundredth is a person or two."""

NAMED = 12
"""Analyses of a kind that are named before the page is unfolded."""

MOST_CATEGORIES = 40
"""Categories of a column that the codebook lists."""

_WITHHELD = ("identifier", "drop")


def write_for_users(folder: Path, target: Path) -> Path:
    """Write the page that may be published with the file of a run.

    Parameters
    ----------
    folder : Path
        Of a single run that has ended.
    target : Path

    Returns
    -------
    Path
        `target`.

    Raises
    ------
    InputError
        No such run, one that tells nothing of its file (it has not ended, or was made by an older version), or one
        whose file is not publishable.
    """
    runs = read_run_folders([folder])
    if len(runs) != 1 or not runs[0].release:
        given = "several runs" if len(runs) > 1 else "a run that has not ended"
        raise InputError([Fault(str(folder), given, f"the folder of one run with its {RESULT}", "Name one run.")])
    if not may_be_published(runs[0]):
        reasons = " ".join(runs[0].result.verdict.reasons)
        raise InputError(
            [Fault(str(folder), "a run whose file is not publishable", "one whose file may be published", reasons)]
        )
    write_text(target, render_for_users(runs[0]))
    return target


def may_be_published(run: RecordedRun) -> bool:
    """Whether nothing in the verdict of a run forbids to publish its file."""
    return run.result.verdict.publishable is not False


def render_for_users(run: RecordedRun) -> str:
    """Return the page as text."""
    shares = changed_shares(run)
    protected = [name for name in protected_attributes(run) if shares.get(name) != 0.0]
    told = run.result.records >= FEWEST
    tables = [mapping(entry) for entry in run.release.get("cross_tables") or ()]
    holding = _holding(run)
    return template("users.html").render(
        title=run.title,
        version=__version__,
        style=resource("style.css"),
        file=run.result.best.file,
        digests=sorted(run.digests.items()),
        records=count(run.result.records - figure_of(run.release.get("omitted"), 0.0)),
        omitted=int(figure_of(run.release.get("omitted"), 0.0)),
        protected=listing(protected),
        single=len(protected) == 1,
        dropped=listing(run.result.dropped_identifiers),
        method=method_of(run),
        parameters=_parameters(run),
        meanings=_meanings(run),
        codebook=[_column(entry, protected, _differing(shares, entry, told)) for entry in release.codebook(run)],
        columns=[
            _column_of_analysis(run, entry) | {"differ": _differing(shares, entry, told)}
            for entry in tables
            if shares.get(str(entry.get("attribute"))) != 0.0
        ],
        holding=[{"kind": kind, "holds": _few(holds), "poor": _few(poor)} for kind, holds, poor in holding],
        more_holding=[(kind, "; ".join(holds) or "none", "; ".join(poor) or "none") for kind, holds, poor in holding]
        if any(len(names) > NAMED for _, *sides in holding for names in sides)
        else [],
        told=told,
    )


def changed_shares(run: RecordedRun) -> dict[str, float]:
    """Return, by column that was to be masked, the share of published values that differ from the original, 0..1."""
    records = run.result.records
    return {name: count / records for name, count in run.result.changed.items()} if records else {}


def _differing(shares: Mapping[str, float], entry: Mapping[str, Any], told: bool) -> str:
    """Return how many values of a column differ, in whole per cent: no exact count, which might tell of one person.

    Where the file is small only whether any differs is told.
    """
    share = 100.0 * shares.get(str(entry.get("attribute")), 0.0)
    if not share:
        return "none"
    if not told:
        return "some"
    return "less than 1 %" if share < 1.0 else "more than 99 %" if share > 99.0 else f"about {share:.0f} %"


def _generalised(tables: list[Mapping[str, Any]]) -> bool:
    return any(entry.get("same_labels") is False for entry in tables)


def method_of(run: RecordedRun) -> str:
    """Return in a sentence how the file was made."""
    tables = [mapping(entry) for entry in run.release.get("cross_tables") or ()]
    if run.analyst:
        return (
            "Values were replaced at random, with probabilities that were fixed beforehand (post-randomisation, PRAM)."
        )
    if _generalised(tables):
        return "Values were made coarser: they are true, but given as groups or intervals. Some may be left out."
    return (
        "Some values of people were exchanged or replaced, so that records are hard to link to them. Tables were kept "
        "close to the original."
    )


def _parameters(run: RecordedRun) -> list[tuple[str, str]]:
    """Return the settings that help a user and no intruder: no risk, no seed, nor which file the search began with."""
    measures = mapping(run.resolved.get("measures"))

    def names(kind: str) -> str:
        listed = measures.get(kind)
        return listing([str(mapping(one).get("name")) for one in listed]) if isinstance(listed, list) else ""

    rows = [
        ("masked columns", listing([n for n in protected_attributes(run) if changed_shares(run).get(n) != 0.0])),
        ("what analysts lose was measured by", names("il")),
        ("missing values counted by the rule", run.result.missing_rule),
        ("made with", f"evosdc {mapping(run.environment).get('evosdc', __version__)}"),
    ]
    return [(name, text) for name, text in rows if text]


def _meanings(run: RecordedRun) -> list[tuple[str, str]]:
    """Return the measures that are named on the page, each in one sentence."""
    told, measures = mapping(run.release.get("meanings")), mapping(run.resolved.get("measures"))
    names = [str(mapping(one).get("name")) for kind in ("il",) for one in measures.get(kind) or ()]
    return [(name, str(told[name])) for name in dict.fromkeys(names) if name in told]


def _column(entry: Mapping[str, Any], protected: list[str], differ: str) -> dict[str, Any]:
    name = str(entry.get("attribute"))
    labels = [str(label) for label in entry.get("categories") or ()]
    shown = labels[:MOST_CATEGORIES]
    more = len(labels) - len(shown)
    if entry.get("role") in _WITHHELD:  # whatever stands in the codebook: values of such columns are never published
        told = str(entry.get("told", "published in another form"))
        return {"name": name, "masked": "no", "scale": "", "values": told, "missing": ""}
    return {
        "name": name,
        "masked": f"yes; {differ} of its values differ" if name in protected else "no: published as it was",
        "scale": str(entry.get("scale", "")),
        "values": "; ".join(shown) + (f"; and {more} more" if more else "") if labels else "numbers",
        "missing": count(figure_of(entry.get("missing"))),
    }


def _column_of_analysis(run: RecordedRun, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return what one masked attribute may be used for, and how it is corrected for."""
    name = str(entry.get("attribute"))
    given = mapping(mapping(run.analyst.get("attributes")).get(name))
    numeric = entry.get("scale") == "numeric"
    if given:
        kind = "as it was" if not given.get("randomised") else "invariant" if given.get("invariant") else "matrix"
    elif entry.get("same_labels") is False:
        kind = "coarser"
    else:
        kind = "numeric" if numeric else "exchanged"
    told = run.result.records >= FEWEST
    share = entry.get("reliability")
    return {
        "name": name,
        "kind": kind,
        "share": f"{figure_of(share):.1f}" if told and isinstance(share, int | float) else "",
        "relation": _relation(run, name, told),
        **_alone(run, name, told),
        "categories": [str(label) for label in given.get("categories") or ()],
        "matrix": [
            (str(label), [f"{value:.3f}" for value in row])
            for label, row in zip(given.get("categories") or (), given.get("matrix") or (), strict=False)
        ],
    }


def _alone(run: RecordedRun, name: str, told: bool) -> dict[str, Any]:
    """Return whether counts of an attribute alone hold, in which classes that was looked at, and by single value."""
    for entry in map(mapping, mapping(run.release.get("analyses")).get("tables") or ()):
        if entry.get("attributes") == [name]:
            values = mapping(entry.get("by_value"))
            return {
                "holds": bool(entry.get("holds")),
                "grouping": str(mapping(entry.get("grouping")).get(name, "")),
                "by_value": bool(values.get("holds")) if values else None,
                "moved": f"{max(figure_of(values.get('moved')), 1.0):.0f}" if values and told else "",
            }
    return {"holds": None, "grouping": "", "by_value": None, "moved": ""}


def _relation(run: RecordedRun, name: str, told: bool) -> dict[str, str] | None:
    """Return how tables of an attribute with others are to be used; None where the run does not tell."""
    for entry in map(mapping, run.release.get("corrections") or ()):
        if entry.get("attribute") == name:
            helps = bool(entry.get("helps")) and told
            return {
                "poor": listing([str(other) for other in entry.get("poor") or ()]),
                "kept": f"{figure_of(entry.get('kept')):g}" if helps else "",
                "nearer": f"{10 * int(figure_of(entry.get('nearer')) / 10):d}" if helps else "",
            }
    return None


def _holding(run: RecordedRun) -> list[tuple[str, list[str], list[str]]]:
    """Return by kind the names of analyses that hold, and of those that do not: no figure."""
    found = mapping(run.release.get("analyses"))
    rows = []
    for key, kind in (("tables", "tables"), ("means", "means"), ("correlations", "rank correlations")):
        entries = [(release.title_of(entry), bool(entry.get("holds"))) for entry in map(mapping, found.get(key) or ())]
        if entries:
            rows.append((kind, [n for n, holds in entries if holds], [n for n, holds in entries if not holds]))
    return rows


def _few(names: list[str]) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - NAMED
    return "; ".join([*names[:NAMED], *([f"and {more} more"] if more > 0 else [])]) or "none"
