"""What analysts can rely on in a published file, and what not, in sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

from evosdc.release.analyses import AT_MOST

MENTIONED = 0.05
"""Per cent below which nothing is told to be elsewhere."""

MOST_NAMED = 6
"""Names in a sentence; of more, the first few and how many others there are."""


def trust(analyses: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return in sentences which analyses give what the original gives, and which do not."""
    yes: list[str] = []
    no: list[str] = []
    tables = analyses.get("tables") or ()
    kinds = (
        ("counts of single attributes", [entry for entry in tables if len(entry["attributes"]) == 1], "moved"),
        ("tables of two attributes", [entry for entry in tables if len(entry["attributes"]) == 2], "moved"),
        ("means", list(analyses.get("means") or ()), ""),
        ("rank correlations", list(analyses.get("correlations") or ()), ""),
    )
    for what, entries, key in kinds:
        if not entries:
            continue
        sound = [entry for entry in entries if entry["holds"]]
        poor = [entry for entry in entries if not entry["holds"]]
        ordered = sorted(poor, key=lambda entry: -distance(entry))
        if len(poor) >= len(sound):
            few = f" {len(sound)} of {len(entries)} hold." if sound else ""
            no.append(f"{what.capitalize()}: {named([title(entry) for entry in ordered], 3)}.{few}")
            continue
        worst = ""
        if key and sound:
            most = max(entry[key] for entry in sound)
            told = "exactly as they were"
            if most > 0.0:
                told = f"at most {most:.1f} % of the records elsewhere" if most >= MENTIONED else "nearly as they were"
            worst = f"{_grouped(sound)} ({told})"
        if not poor:
            yes.append(f"All {len(entries)} {what}{worst}." if len(entries) > 1 else f"The {what}{worst}.")
            continue
        yes.append(f"{len(sound)} of {len(entries)} {what}{worst}.")
        no.append(f"{what.capitalize()}: {named([title(entry) for entry in ordered], 3)}.")
    no += _by_value(tables)
    if tables:
        no.append("Single records: any protected value of any of them may be another person's.")
    return {"yes": yes, "no": no}


def _grouped(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return in which classes sound tables were looked at: of single attributes each, of pairs that there were some."""
    found = {name: words for entry in entries for name, words in (entry.get("grouping") or {}).items()}
    if not found:
        return ""
    if any(len(entry["attributes"]) > 1 for entry in entries):
        return ", each attribute in at most 12 classes"
    return f", {named([f'{name} {words}' for name, words in found.items()])}"


def _by_value(tables: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return which counts hold in classes, and do not by single values."""
    off = [
        f"{title(entry)} ({entry['by_value']['moved']:.1f} % of the records elsewhere)"
        for entry in tables
        if entry["holds"] and entry.get("by_value") and not entry["by_value"]["holds"]
    ]
    return [f"Counts by single value, which hold in classes alone: {named(off)}."] if off else []


def destroyed(analyses: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the masked attributes whose own counts nobody can use, and how much of them is elsewhere, the worst first.

    More than `AT_MOST` per cent of the records are then in another category than in the original's counts.
    """
    single = [entry for entry in analyses.get("tables") or () if len(entry["attributes"]) == 1]
    off = [(title(entry), float(entry["moved"])) for entry in single if entry["moved"] > AT_MOST]
    return sorted(off, key=lambda entry: -entry[1])


def distance(entry: Mapping[str, Any]) -> float:
    """Return how far an analysis is off, in units of what another sample of the same size would differ by."""
    if "moved" in entry:
        return float(entry["moved"]) / max(min(float(entry["sampling"]), AT_MOST), 1e-9)
    return abs(float(entry["before"]) - float(entry["after"])) / max(float(entry["error"]), 1e-9)


def title(entry: Mapping[str, Any]) -> str:
    """Return what an analysis is about, in few words."""
    if "attributes" in entry:
        return " x ".join(map(str, entry["attributes"]))
    return f"{entry['of']} by {entry['by']}" if entry["by"] else str(entry["of"])


def named(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Return names in running text; of many, the first few: a single one more is as short as to say so."""
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def shown(percent: float) -> str:
    """Return a share in per cent; one that is not nothing is never written as 0.0."""
    return "less than 0.1" if 0.0 < percent < 0.05 else f"{percent:.1f}"
