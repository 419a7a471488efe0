"""The verdict and the changes of the file, as the run stored them, in words for the page."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from evosdc.printing import NOT_CHECKED, NOT_YET_CHECKED
from evosdc.report.wording import count, listing, number, percent
from evosdc.runs.reader import RecordedRun
from evosdc.runs.result import Requirement, RiskLine

STATES = {
    "publishable": ("good", "Publishable"),
    "publishable on conditions": ("fair", "Publishable on conditions"),
    "not publishable": ("bad", "Not publishable"),
    "no verdict": ("none", "No verdict"),
}

SHOWN = 8  # analyses of a kind that stand on the page; the others are folded away
MANY = 7  # classes from which the headings of a cross-table stand upright

# characters that headings have room for side by side without a break within a word, where tables are narrowest
ROOM = 22


class Definitions:
    """Each measure in one sentence, at the first place of its name on the page."""

    def __init__(self, meanings: Mapping[str, Any]) -> None:
        self._left = {str(name): str(text) for name, text in meanings.items()}

    def first(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Return those of the names, with their sentences, that were not defined yet."""
        known = [name for name in dict.fromkeys(names) if name in self._left]
        return [(name, self._left.pop(name)) for name in known]


def verdict(run: RecordedRun, definitions: Definitions) -> dict[str, Any] | None:
    """Return the content of the verdict box; None for runs without a verdict."""
    if not run.ended:
        return None
    found, clean = run.result.verdict, run.without_paths
    style, headline = STATES.get(found.headline, STATES["no verdict"])
    conditions = list(map(clean, found.conditions))
    together = clean((found.unchanged_together or {}).get("words"))
    groups: dict[str, list[Mapping[str, Any]]] = {}  # columns that are published for the same reason of concern
    for column in run.release.get("published_unchanged") or ():
        groups.setdefault(column["why"], []).append(column)
    return {
        "style": style,
        "headline": headline,
        "provided": clean(found.provided),
        "reasons": list(map(clean, found.reasons)),
        "conditions": conditions,
        "advice": list(map(clean, found.advice)),
        "risks": list(map(_risk, found.risks)),
        "intruder": _intruder(found.intruder, definitions) if found.intruder else None,
        "requirements": [_requirement(entry, definitions) for entry in run.result.requirements],
        "trust": list(map(clean, found.trust.yes)),
        "mistrust": list(map(clean, found.trust.no)),
        "published_unchanged": [
            {
                "names": listing([column["attribute"] for column in members]),
                "why": why,
                "dangerous": any(column.get("dangerous") for column in members),
            }
            for why, members in groups.items()
        ],
        "together": "" if any(together in text for text in conditions) else together,
        "above": "" if found.above_limit is None else number(found.above_limit, 1),
    }


def _risk(line: RiskLine) -> dict[str, str]:
    """Return one of the three risks as boxes show it."""
    # Of singling out the figure is that of the worst off, with which the words begin.
    shown_first = line.worst if line.risk == "Singling out" and line.worst is not None else line.mean
    states = NOT_CHECKED, NOT_YET_CHECKED, "does not apply"
    figure = next((state for state in states if line.words.startswith(state)), "")
    if shown_first is not None:
        figure = f"{shown_first:+.1f} points" if line.risk == "Inference" else percent(shown_first)
    mark, state = {True: ("yes-mark", "within its bound"), False: ("no-mark", "above its bound"), None: ("", "")}[
        line.kept
    ]
    words = f"{line.words[:1].upper()}{line.words[1:]}."
    shown = {"name": line.risk, "figure": figure, "words": words, "reason": line.reason, "measure": line.measure}
    return shown | ({"mark": "", "state": ""} if line.kept is None else {"mark": mark, "state": state})


def _requirement(entry: Requirement, definitions: Definitions) -> dict[str, Any]:
    further = entry.model_extra or {}
    return {
        "text": further.get("words", entry.requirement),
        "met": entry.met,
        "value": further.get("verdict") or number(entry.value),
        "own": entry.own,
        "meaning": "".join(sentence for _, sentence in definitions.first(entry.requirement.split()[:1])),
    }


def _intruder(found: Mapping[str, Any], definitions: Definitions) -> dict[str, str]:
    how = "for each masked record the likeliest person"
    if found.get("looks_for") == "masked record":
        how = "for each person the likeliest masked record"
    name = str(found.get("measure", ""))
    return {
        "how": how,
        "known": listing(list(found.get("known") or ())),
        "measure": name,
        "meaning": "".join(sentence for _, sentence in definitions.first([name])),
    }


def columns(run: RecordedRun) -> list[dict[str, Any]]:
    """Return one row for each masked attribute: how many values changed, and whether its counts hold."""
    tables = (run.release.get("analyses") or {}).get("tables") or ()
    counts = {entry["attributes"][0]: entry for entry in tables if len(entry["attributes"]) == 1}
    rows = []
    for entry in run.release.get("cross_tables") or ():
        changed, own = 100.0 - entry["kept"], counts.get(entry["attribute"])
        row = {"name": entry["attribute"], "scale": entry["scale"], "changed": percent(changed)}
        row |= {"part": f"{changed / 100.0:.3f}", "moved": percent(own["moved"]) if own else ""}
        rows.append(row | {"holds": own["holds"] if own else None})
    return rows


def cross_tables(run: RecordedRun) -> list[dict[str, Any]]:
    """Return one entry for each masked attribute: its published values by original value, in per cent of each row."""
    return [_cross_table(entry) for entry in run.release.get("cross_tables") or ()]


def _cross_table(entry: Mapping[str, Any]) -> dict[str, Any]:
    columns, same = entry["published"], entry["same_labels"]
    rows = []
    for place, (label, counts) in enumerate(zip(entry["original"], entry["counts"], strict=True)):
        total = sum(counts)
        cells = []
        for at, (column, value) in enumerate(zip(columns, counts, strict=True)):
            share = value / total if total else 0.0
            text = "" if not value else "<1" if share < 0.005 else f"{100.0 * share:.0f}"
            title = f"{label} published as {column}: {count(value)} records"
            cells.append({"share": f"{share:.3f}", "text": text, "title": title, "same": same and at == place})
        rows.append({"label": label, "records": count(total), "by_class": cells})
    longest, many = max(map(len, columns), default=0), len(columns) > MANY
    upright = many or longest * len(columns) > ROOM
    shown = {"attribute": entry["attribute"], "scale": entry["scale"], "columns": columns, "rows": rows, "same": same}
    return shown | {"upright": upright, "many": many, "changed": percent(100.0 - entry["kept"])}


def analyses(run: RecordedRun) -> list[dict[str, Any]]:
    """Return tables, means and correlations before and after, a section each: those that are furthest off first."""
    found, sections = run.release.get("analyses") or {}, []

    def section(title: str, first: str, headings: list[str], key: str, off: Callable[[Any], float], row: Any) -> None:
        entries = sorted(found.get(key) or (), key=lambda entry: (entry["holds"], -off(entry)))
        if entries:
            rows = [row(entry) | {"holds": entry["holds"]} for entry in entries]
            text = f"{count(sum(entry['holds'] for entry in entries))} of {count(len(entries))} hold"
            shown = {"title": title, "first": first, "headings": headings, "summary": text}
            sections.append(shown | {"rows": rows[:SHOWN], "more": rows[SHOWN:]})

    both = ["original", "published", "in another sample"]
    moved = ["counts off by, %", "in another sample, %"]
    section("Tables", "table", moved, "tables", lambda entry: entry["moved"] / max(entry["sampling"], 1e-9), _of_table)
    section("Means", "mean of", both, "means", _apart, _of_mean)
    section("Rank correlations", "correlation of", both, "correlations", _apart, _of_correlation)
    return sections


def title_of(entry: Mapping[str, Any]) -> str:
    """Return the subject of an analysis, in few words."""
    if "attributes" in entry:
        return " x ".join(entry["attributes"])
    return f"{entry['of']} by {entry['by']}" if entry["by"] else str(entry["of"])


def _of_table(entry: Mapping[str, Any]) -> dict[str, Any]:
    values = [number(entry["moved"], 1), number(entry["sampling"], 1)]
    under = f"in the published groups of {listing(entry['coarser'])}" if entry.get("coarser") else ""
    share = f"{min(entry['moved'] / 50.0, 1.0):.3f}"
    return {"name": title_of(entry), "under": under, "values": values, "share": share}


def _of_mean(entry: Mapping[str, Any]) -> dict[str, Any]:
    under = ""
    if entry["by"]:
        under = (
            f"group {entry['group']}, furthest off of {entry['groups']}; on average {number(entry['average'])} times"
        )
    values = [_figure(entry[key]) for key in ("before", "after", "error")]
    share = f"{min(_apart(entry) / 10.0, 1.0):.3f}"
    return {"name": title_of(entry), "under": under, "values": values, "share": share}


def _of_correlation(entry: Mapping[str, Any]) -> dict[str, Any]:
    values = [number(entry[key]) for key in ("before", "after", "error")]
    share = f"{min(abs(entry['before'] - entry['after']), 1.0):.3f}"
    return {"name": " and ".join(entry["attributes"]), "values": values, "share": share}


def _apart(entry: Mapping[str, Any]) -> float:
    return float(abs(entry["before"] - entry["after"]) / max(entry["error"], 1e-9))


def _figure(value: float) -> str:
    """Return a mean with about four digits, whatever its size."""
    size = abs(value)
    return number(value, 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 1 else 3)


def records_at_risk(run: RecordedRun) -> dict[str, Any] | None:
    """Return how many records are likelier to be found than not, and the first of them by position, never by value."""
    found = run.release.get("records") or {}
    if "likely" not in found:
        return None
    groups = groupby(found["at_risk"], key=lambda entry: round(100 * entry["chance"]))
    shown = {name: count(found[name]) for name in ("records", "likely", "sure")} | {"none": not found["likely"]}
    return shown | {
        "groups": [(f"{chance} %", ", ".join(str(entry["record"]) for entry in group)) for chance, group in groups],
        "shown": count(len(found["at_risk"])),
        "all": len(found["at_risk"]) >= found["likely"],
        "measure": found["measure"],
    }
