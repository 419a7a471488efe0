"""Privacy models of the published file beside those of the original, as the run wrote them down."""

from typing import Any

from evosdc.report.frames import mapping
from evosdc.runs.reader import RecordedRun


def privacy_rows(run: RecordedRun) -> dict[str, Any] | None:
    """Return one row for each privacy model, what an intruder knows, and the rule for missing values; None without any.

    A row has name, headline, its values in the original and in the published file, and a sentence on the latter.
    """
    listed = run.risk.get("models")
    rows = [
        {
            "name": str(entry["name"]),
            "headline": str(entry.get("headline", "")).replace("_", " "),
            "original": shown(entry.get("original")),
            "published": shown(entry.get("published")),
            "words": str(entry.get("in_words", "")),
        }
        for entry in map(mapping, listed if isinstance(listed, list) else [])
        if entry.get("name")
    ]
    if not rows:
        return None
    known = run.risk.get("quasi_identifiers")
    names = ", ".join(map(str, known)) if isinstance(known, list) else ""
    return {"rows": rows, "known": names, "rule": str(run.risk.get("missing_rule", ""))}


def shown(value: Any) -> str:
    """Return a figure as text of at most four significant digits; infinite where it has no value."""
    if value is None:
        return "infinite"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
