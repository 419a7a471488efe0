"""The verdict and what became of the file, as the run wrote them down, in words for the page."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from evosdc.report.frames import figure_of, mapping
from evosdc.report.verdicts import percent
from evosdc.report.wording import count, listing, number
from evosdc.runs.reader import RecordedRun

STATES = {
    "publishable": ("good", "Publishable"),
    "publishable on conditions": ("fair", "Publishable on conditions"),
    "not publishable": ("bad", "Not publishable"),
    "no verdict": ("none", "No verdict"),
}

SHOWN = 8
"""Analyses of a kind that stand on the page; the others are folded away."""

MANY = 7
"""Classes from which the headings of a cross-table stand upright."""

ROOM = 22
"""Characters that headings have room for side by side without a break within a word, where tables are narrowest."""


class Definitions:
    """Each measure in one sentence, told once: where its name stands on the page first.

    Parameters
    ----------
    meanings : mapping of str to str
    """

    def __init__(self, meanings: Mapping[str, Any]) -> None:
        self._left = {str(name): str(text) for name, text in meanings.items()}

    def first(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Return those of the names, with their sentences, that were not told yet."""
        known = [name for name in dict.fromkeys(names) if name in self._left]
        return [(name, self._left.pop(name)) for name in known]


def verdict(run: RecordedRun, definitions: Definitions) -> dict[str, Any] | None:
    """Return what the verdict box shows; None for runs that gave none."""
    if not run.ended:
        return None
    told = run.result.verdict
    style, headline = STATES.get(told.headline, STATES["no verdict"])
    required = [_requirement(entry.model_dump(), definitions) for entry in run.result.requirements]
    conditions = [run.told(text) for text in told.conditions]
    together = run.told(mapping(told.unchanged_together).get("words"))
    return {
        "style": style,
        "headline": headline,
        "provided": run.told(told.provided),
        "reasons": [run.told(text) for text in told.reasons],
        "conditions": conditions,
        "risks": risks([line.model_dump() for line in told.risks]),
        "intruder": _intruder(mapping(told.intruder), told.bound.model_dump(), definitions),
        "requirements": required,
        "trust": [run.told(text) for text in told.trust.yes],
        "mistrust": [run.told(text) for text in told.trust.no],
        "published_unchanged": _unchanged([mapping(column) for column in run.release.get("published_unchanged") or ()]),
        "together": "" if any(together in text for text in conditions) else together,
        "opinion": run.told(run.result.second_opinion.text),
        "above": "" if told.above_limit is None else number(told.above_limit, 1),
    }


def risks(lines: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return the three risks of a verdict as boxes show them."""
    marks = {True: "yes-mark", False: "no-mark"}
    states = {True: "within its bound", False: "above its bound"}
    return [
        {
            "name": str(line["risk"]),
            "figure": _of_risk(line),
            "words": f"{str(line['words'])[:1].upper()}{str(line['words'])[1:]}.",
            "reason": str(line["reason"]),
            "measure": str(line["measure"]),
            "mark": marks.get(line["kept"], ""),
            "state": states.get(line["kept"], ""),
        }
        for line in lines
    ]


def _of_risk(line: Mapping[str, Any]) -> str:
    mean = line.get("mean")
    if not isinstance(mean, int | float):
        return "not checked" if str(line["words"]).startswith("not checked") else "none"
    return f"{mean:+.1f} points" if line["risk"] == "Inference" else percent(mean)


def _unchanged(columns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return columns that are published for the same reason of concern together, by name."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for column in columns:
        groups.setdefault(str(column.get("why")), []).append(column)
    return [
        {
            "names": listing([str(column.get("attribute")) for column in members]),
            "why": why,
            "dangerous": any(column.get("dangerous") for column in members),
        }
        for why, members in groups.items()
    ]


def _requirement(entry: Mapping[str, Any], definitions: Definitions) -> dict[str, Any]:
    text = str(entry.get("requirement", ""))
    name = text.split()[0] if text else ""
    return {
        "text": str(entry.get("words", text)),
        "met": bool(entry.get("met")),
        "value": str(entry["verdict"]) if "verdict" in entry else number(figure_of(entry.get("value"))),
        "own": bool(entry.get("own")),
        "meaning": "".join(sentence for _, sentence in definitions.first([name])),
    }


def _intruder(told: Mapping[str, Any], bound: Mapping[str, Any], definitions: Definitions) -> dict[str, Any] | None:
    if not told:
        return None
    records = figure_of(told.get("records"))
    share, before = figure_of(told.get("percent")), figure_of(told.get("original_percent"))
    name = str(told.get("measure", ""))
    return {
        "expected": count(figure_of(told.get("expected"))),
        "records": count(records),
        "share": percent(share),
        "bound": f"{figure_of(bound.get('percent')):g}",
        "how": "for each person the likeliest masked record"
        if told.get("looks_for") == "masked record"
        else "for each masked record the likeliest person",
        "before": f"{count(before * records / 100.0)} ({percent(before)})",
        "known": listing([str(known) for known in told.get("known") or ()]),
        "measure": name,
        "meaning": "".join(sentence for _, sentence in definitions.first([name])),
    }


def columns(run: RecordedRun) -> list[dict[str, Any]]:
    """Return one row for each masked attribute: how many values changed, and whether its counts hold."""
    tables = [mapping(entry) for entry in mapping(run.release.get("analyses")).get("tables") or ()]
    counts = {str(entry["attributes"][0]): entry for entry in tables if len(entry["attributes"]) == 1}
    rows = []
    for entry in map(mapping, run.release.get("cross_tables") or ()):
        name, changed = str(entry["attribute"]), 100.0 - figure_of(entry.get("kept"))
        own = mapping(counts.get(name))
        rows.append(
            {
                "name": name,
                "scale": str(entry.get("scale", "")),
                "changed": percent(changed),
                "part": f"{changed / 100.0:.3f}",
                "moved": percent(figure_of(own.get("moved"))) if own else "",
                "holds": bool(own["holds"]) if own else None,
            }
        )
    return rows


def cross_tables(run: RecordedRun) -> list[dict[str, Any]]:
    """Return one entry for each masked attribute: what its values became, in per cent of each row."""
    return [_cross_table(mapping(entry)) for entry in run.release.get("cross_tables") or ()]


def _cross_table(entry: Mapping[str, Any]) -> dict[str, Any]:
    columns = [str(label) for label in entry["published"]]
    same = bool(entry.get("same_labels"))
    rows = []
    for place, (label, counts) in enumerate(zip(entry["original"], entry["counts"], strict=True)):
        total = sum(counts)
        cells = [
            {
                "share": f"{value / total:.3f}" if total else "0",
                "text": _whole(100.0 * value / total) if total and value else "",
                "told": f"{label} published as {column}: {count(value)} records",
                "same": same and at == place,
            }
            for at, (column, value) in enumerate(zip(columns, counts, strict=True))
        ]
        rows.append({"label": str(label), "records": count(total), "by_class": cells})
    longest = max(map(len, columns), default=0)
    return {
        "attribute": str(entry["attribute"]),
        "scale": str(entry.get("scale", "")),
        "columns": columns,
        "rows": rows,
        "upright": len(columns) > MANY or longest * len(columns) > ROOM,
        "many": len(columns) > MANY,
        "changed": percent(100.0 - figure_of(entry.get("kept"))),
        "same": same,
    }


def _whole(share: float) -> str:
    return "<1" if share < 0.5 else f"{share:.0f}"


def analyses(run: RecordedRun) -> list[dict[str, Any]]:
    """Return tables, means and correlations before and after, a section each: those that are furthest off first."""
    found = mapping(run.release.get("analyses"))
    sections = []
    tables = [mapping(entry) for entry in found.get("tables") or ()]
    if tables:
        rows = [
            {
                "name": " x ".join(map(str, entry["attributes"])),
                "values": [number(entry["moved"], 1), number(entry["sampling"], 1)],
                "share": f"{min(entry['moved'] / 50.0, 1.0):.3f}",
                "holds": bool(entry["holds"]),
            }
            for entry in sorted(tables, key=lambda entry: (entry["holds"], -_off(entry, "moved", "sampling")))
        ]
        sections.append(_section("Tables", "table", ["records elsewhere, %", "in another sample, %"], rows))
    means = [mapping(entry) for entry in found.get("means") or ()]
    if means:
        rows = [
            {
                "name": f"{entry['of']} by {entry['by']}" if entry.get("by") else str(entry["of"]),
                "under": _furthest(entry) if entry.get("by") else "",
                "values": [_figure(entry["before"]), _figure(entry["after"]), _figure(entry["error"])],
                "share": f"{min(_apart(entry) / 10.0, 1.0):.3f}",
                "holds": bool(entry["holds"]),
            }
            for entry in sorted(means, key=lambda entry: (entry["holds"], -_apart(entry)))
        ]
        sections.append(_section("Means", "mean of", ["original", "published", "in another sample"], rows))
    correlations = [mapping(entry) for entry in found.get("correlations") or ()]
    if correlations:
        rows = [
            {
                "name": " and ".join(map(str, entry["attributes"])),
                "values": [number(entry["before"]), number(entry["after"]), number(entry["error"])],
                "share": f"{min(abs(entry['before'] - entry['after']), 1.0):.3f}",
                "holds": bool(entry["holds"]),
            }
            for entry in sorted(correlations, key=lambda entry: (entry["holds"], -_apart(entry)))
        ]
        headings = ["original", "published", "in another sample"]
        sections.append(_section("Rank correlations", "correlation of", headings, rows))
    return sections


def _furthest(entry: Mapping[str, Any]) -> str:
    """Return which group a mean is of, and by what all groups were judged; earlier versions told the group alone."""
    if "average" not in entry:
        return f"group {entry['group']}"
    return f"group {entry['group']}, furthest off of {entry['groups']}; on average {number(entry['average'])} times"


def title_of(entry: Mapping[str, Any]) -> str:
    """Return what an analysis is about, in few words."""
    if "attributes" in entry:
        return " x ".join(map(str, entry["attributes"]))
    return f"{entry['of']} by {entry['by']}" if entry.get("by") else str(entry["of"])


def _section(title: str, first: str, headings: list[str], rows: list[dict[str, Any]]) -> dict[str, Any]:
    held = sum(row["holds"] for row in rows)
    return {
        "title": title, "first": first, "headings": headings, "rows": rows[:SHOWN], "more": rows[SHOWN:],
        "told": f"{count(held)} of {count(len(rows))} hold",
    }  # fmt: skip


def _off(entry: Mapping[str, Any], value: str, yardstick: str) -> float:
    return figure_of(entry.get(value)) / max(figure_of(entry.get(yardstick)), 1e-9)


def _apart(entry: Mapping[str, Any]) -> float:
    return abs(figure_of(entry.get("before")) - figure_of(entry.get("after"))) / max(figure_of(entry["error"]), 1e-9)


def _figure(value: float) -> str:
    """Return a mean with about four digits, whatever its size."""
    size = abs(value)
    return number(value, 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 1 else 3)


def records_at_risk(run: RecordedRun) -> dict[str, Any] | None:
    """Return how many records are likelier to be found than not, and the first of them by position, never by value."""
    told = mapping(run.release.get("records"))
    if "likely" not in told:
        return None
    listed = [mapping(entry) for entry in told.get("at_risk") or ()]
    groups = [
        (f"{chance} %", ", ".join(str(entry["record"]) for entry in group))
        for chance, group in groupby(listed, key=lambda entry: round(100 * figure_of(entry.get("chance"))))
    ]
    return {
        "records": count(figure_of(told.get("records"))),
        "likely": count(figure_of(told.get("likely"))),
        "sure": count(figure_of(told.get("sure"))),
        "none": not told.get("likely"),
        "groups": groups,
        "shown": count(len(listed)),
        "all": len(listed) >= figure_of(told.get("likely"), 0.0),
        "measure": str(told.get("measure", "")),
    }


def codebook(run: RecordedRun) -> Iterator[Mapping[str, Any]]:
    """Yield what may be told of each column of the published file."""
    yield from (mapping(entry) for entry in run.release.get("codebook") or ())
