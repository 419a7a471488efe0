"""The tables of the page, as plain rows of text for the template."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from evosdc.printing import figure_text, file_name
from evosdc.report.frames import mapping, measure_names
from evosdc.report.standings import BROKEN, MISSED, Standings
from evosdc.report.wording import count, listing, number, percent, settings
from evosdc.runs.reader import RecordedRun

TOP = 10
TOP_OF_PORTFOLIO = 3


def best_files(run: RecordedRun, ranked: pd.DataFrame, stand: Standings) -> dict[str, Any]:
    """Return the ten best files, then the best of the portfolio that are not among them, then the identity."""
    names = measure_names(run)
    where = np.where(ranked["infeasibility"] > 0, BROKEN, np.where(ranked["outside"] > 0, MISSED, ""))
    rows = ranked.assign(where=where)
    top, below = rows.head(TOP), rows.iloc[TOP:]
    known = below[below["set"] == "portfolio"].head(TOP_OF_PORTFOLIO)
    groups = [(f"The {count(len(top))} best files", top.to_dict("records"))]
    groups.append(("The best portfolio files further down", known.to_dict("records")))
    if stand.identity:
        identity: dict[Any, Any] = {"label": "unprotected original", "alike": 1, "score": stand.identity.score}
        identity["where"] = BROKEN if stand.identity.beyond else ""
        groups.append(("For comparison", [identity | dict(stand.identity.scores)]))
    return {"measures": names, "size": len(ranked), "groups": [group for group in groups if group[1]]}


def category_rows(entry: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return one row a category, and one for missing values: label, before, after, change."""
    rows = list(zip(entry["categories"], entry["before"], entry["after"], strict=True))
    if entry["missing_before"] or entry["missing_after"]:
        rows.append(("missing", entry["missing_before"], entry["missing_after"]))
    return [(name, count(a), count(b), f"{'+' if b > a else ''}{count(b - a)}") for name, a, b in rows]


def distribution_distance(entry: Mapping[str, Any]) -> float:
    """Return half the sum of the absolute differences of shares, in percent: 0 alike, 100 nothing in common."""
    before, after = ([*entry[key], entry[f"missing_{key}"]] for key in ("before", "after"))
    totals = sum(before), sum(after)
    if 0 in totals:
        return float("nan")
    return float(50.0 * sum(abs(b / totals[0] - a / totals[1]) for b, a in zip(before, after, strict=True)))


def setting_rows(run: RecordedRun) -> list[tuple[str, str]]:
    """Return every setting of the experiment, defaults filled in."""
    return [
        (key, file_name(text) if key in ("data.file", "data.schema") else text)
        for key, text in settings(run.resolved)
        if key != "title"
    ]


def version_rows(run: RecordedRun) -> list[tuple[str, str]]:
    """Return the versions of evosdc, Python, the packages and the plugins that the run had."""
    environment = dict(run.environment)
    plugins = environment.pop("plugins", None) or []
    packages = environment.pop("packages", None) or {}
    data = environment.pop("data", None)
    environment.pop("meaning", None)
    rows = [*settings(environment), *settings(packages)]
    for plugin in plugins:
        if isinstance(plugin, Mapping):
            source = f"{plugin.get('distribution', '')} {plugin.get('version', '')}".strip()
            rows.append((f"plugin {plugin.get('name', '')}", source))
    return [*rows, ("digest of the data (SHA-256)", str(data))] if data else rows


def warning_rows(runs: Sequence[RecordedRun]) -> list[tuple[str, str]]:
    """Return each warning of the runs once: its words, and which runs gave it."""
    given: dict[str, list[str]] = {}
    for run in runs:
        for text in run.sentences("warnings"):
            given.setdefault(text, []).append(run.name)
    all_of_them = f"all {count(len(runs))} runs"
    return [(text, all_of_them if len(names) == len(runs) else listing(names)) for text, names in given.items()]


def genome_rows(run: RecordedRun) -> list[tuple[str, str]]:
    """Return how the best file is made, for genomes that are rules and not data."""
    # Shown is what `evosdc.model.Genotype.describe` names. Whatever else a genome holds stays in ``result.json``, since
    # it could hold what stands in records.
    genome = mapping(run.result.best.genome)
    levels, heights, suppressed = genome.get("levels") or {}, genome.get("heights") or {}, genome.get("suppressed")
    of = {name: f" of {heights[name]}" if name in heights else "" for name in levels}
    rows = [(f"level of {name}", f"{level}{of[name]}") for name, level in levels.items()]
    if levels and isinstance(suppressed, int):
        rows.append(("records suppressed", count(suppressed)))
    if bound := genome.get("bound"):
        rows.append((f"{bound['measure']}, least that any node can have", number(bound["least"])))
        rows.append((f"{bound['measure']}, share that could be saved at most", percent(bound["gap"])))
    formulas = {f"step {place}": text for place, text in enumerate(genome.get("plan") or (), 1)}
    formulas |= {"formula": genome.get("equation")}
    formulas |= {f"formula of {name}": text for name, text in (genome.get("equations") or {}).items()}
    return [*rows, *((name, text) for name, text in formulas.items() if isinstance(text, str))]


def privacy_rows(run: RecordedRun) -> dict[str, Any] | None:
    """Return a row for each privacy model, the intruder's knowledge, and the rule for missing values; None without."""
    rows = []
    for entry in filter(None, map(mapping, run.risk.get("models") or ())):
        figures = {key: figure_text(entry.get(key)) for key in ("original", "published")}
        headline = entry.get("headline", "").replace("_", " ")
        rows.append({"name": entry["name"], "headline": headline, "words": entry.get("in_words", "")} | figures)
    known = ", ".join(run.risk.get("quasi_identifiers") or ())
    return {"rows": rows, "known": known, "rule": run.risk.get("missing_rule", "")} if rows else None


_PICTURE_TITLE = re.compile(r"\A<!-- (.*?) -->\n")


def pictures(run: RecordedRun) -> list[dict[str, str]]:
    """Return title and data URI of every picture of a run; embedded as images, in which nothing can run."""
    entries = []
    for place, text in enumerate(run.pictures, 1):
        title = _PICTURE_TITLE.match(text)
        source = f"data:image/svg+xml;base64,{b64encode(text.encode()).decode()}"
        entries.append({"title": title[1] if title else f"picture {place}", "source": source})
    return entries
