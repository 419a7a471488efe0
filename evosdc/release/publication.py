"""Whether a file may be published, and why: the verdict that terminal, report and Python open with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evosdc.release.analyses import AT_MOST
from evosdc.release.requirements import required_words

ACCEPTED = 9.0
"""Per cent of people expected to be found from which a file is not for everybody: the threshold of 0.09 that the
European Medicines Agency (policy 0070, 2016) and Health Canada (2019) set for public release."""

YES, CONDITIONAL, NO = "publishable", "publishable on conditions", "not publishable"
MENTIONED = 0.05
"""Per cent below which nothing is told to be elsewhere."""

MOST_NAMED = 6
"""Names in a sentence; of more, the first few and how many others there are."""


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on.

    Parameters
    ----------
    intruder : mapping or None
        Of `evosdc.release.intruder.Found.to_json`, or of a model of generalised files: ``expected percent records``.
    requirements : sequence of mapping
        ``requirement value met``, as the result has them.
    bounded : bool
        Whether the user's own requirements, all met, bound a risk: then no other bound is asked for.
    holds : bool or None
        Whether judges that the search did not use confirm the claimed risk; None where none was asked.
    contradiction : str
        What they say where they do not.
    analyses : mapping
        Of `evosdc.release.analyses.analyses`; empty where the file was generalised.
    unchanged : sequence of mapping
        Of `evosdc.release.unchanged.Unchanged.to_json`.
    changed, cells : int
        Protected values that differ from the original, of how many.
    idle : bool
        Whether publishing the original would score as well.
    exchanged : sequence of str
        Sentences on exchanged labels.
    above_limit : float or None
        By how many per cent the score lies above what is possible.
    """

    intruder: Mapping[str, Any] | None
    requirements: Sequence[Mapping[str, Any]] = ()
    bounded: bool = False
    holds: bool | None = None
    contradiction: str = ""
    analyses: Mapping[str, Any] | None = None
    unchanged: Sequence[Mapping[str, Any]] = ()
    changed: int = 0
    cells: int = 0
    idle: bool = False
    exchanged: Sequence[str] = ()
    above_limit: float | None = None


def publication(evidence: Evidence) -> dict[str, Any]:
    """Return the verdict as JSON has it.

    Returns
    -------
    dict
        ``publishable`` (true, false; null where there is nothing to judge by), ``headline``, ``reasons`` (why not, or
        what speaks for it), ``conditions`` (what must be known or decided first), ``intruder``, ``trust`` (``yes`` and
        ``no``: what an analyst can and cannot rely on), ``published_unchanged`` (names of columns), ``above_limit``.
    """
    against = _against(evidence)
    conditions = _conditions(evidence)
    judged = evidence.intruder is not None or evidence.holds is not None
    publishable = False if against else True if judged else None
    headline = NO if against else "no verdict" if not judged else CONDITIONAL if conditions else YES
    return {
        "publishable": publishable,
        "headline": headline,
        "reasons": against or _for(evidence),
        "conditions": conditions,
        "intruder": dict(evidence.intruder) if evidence.intruder is not None else None,
        "trust": trust(evidence.analyses or {}),
        "published_unchanged": [str(column["attribute"]) for column in evidence.unchanged],
        "above_limit": evidence.above_limit,
    }


def _against(evidence: Evidence) -> list[str]:
    """Return what forbids to publish the file."""
    broken = [required_words(entry) for entry in evidence.requirements if not entry["met"]]
    reasons = []
    if broken:
        reasons.append(f"It does not fulfil what was required: {named(broken)}.")
    if evidence.holds is False:
        reasons.append(f"Judges that the search did not use contradict its score. {evidence.contradiction}".strip())
    percent = evidence.intruder["percent"] if evidence.intruder is not None else 0.0
    if percent > ACCEPTED and not evidence.bounded:
        reasons.append(
            f"An informed intruder is expected to find {percent:.1f} % of the people. For files that everybody gets, "
            f"health authorities accept {ACCEPTED:g} %; where fewer people get it, state your own bound with --require."
        )
    if evidence.cells and 100 * evidence.changed < evidence.cells:
        reasons.append(f"Only {evidence.changed} of {evidence.cells} protected values differ from the original.")
    if evidence.idle:
        reasons.append("It does not score better than the unprotected original.")
    if evidence.exchanged:
        reasons.append("Labels were exchanged, so that analysts learn what is not so: see the warnings.")
    return reasons


def _for(evidence: Evidence) -> list[str]:
    reasons = []
    if evidence.requirements:
        reasons.append("Everything that was required holds.")
    if evidence.holds:
        reasons.append("Judges that the search did not use confirm its score.")
    if evidence.intruder is not None:
        percent = evidence.intruder["percent"]
        bound = "the bound that was required" if evidence.bounded else f"the {ACCEPTED:g} % accepted for public files"
        reasons.append(f"An informed intruder is expected to find {shown(percent)} % of the people, within {bound}.")
    return reasons


def _conditions(evidence: Evidence) -> list[str]:
    conditions = []
    dangerous = [str(column["attribute"]) for column in evidence.unchanged if column["dangerous"]]
    if dangerous:
        noun, verb, them = ("column", "is", "it") if len(dangerous) == 1 else ("columns", "are", "them")
        conditions.append(
            f"The {noun} {named(dangerous)} {verb} published unchanged, and people can be found by {them}: make sure "
            f"that no intruder can know {them}."
        )
    if evidence.holds is None:
        conditions.append("No judge was asked for a second opinion: evosdc judge gives one.")
    return conditions


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
        worst = ""
        if key and sound:
            most = max(entry[key] for entry in sound)
            told = f"at most {most:.1f} % of the records elsewhere" if most >= MENTIONED else "exactly as they were"
            worst = f" ({told})"
        if not poor:
            yes.append(f"All {len(entries)} {what}{worst}." if len(entries) > 1 else f"The {what}{worst}.")
            continue
        if sound:
            yes.append(f"{len(sound)} of {len(entries)} {what}{worst}.")
        ordered = sorted(poor, key=lambda entry: -distance(entry))
        no.append(f"{what.capitalize()}: {named([title(entry) for entry in ordered], 3)}.")
    if tables:
        no.append("Single records: any protected value of any of them may be another person's.")
    return {"yes": yes, "no": no}


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
    """Return names in running text; of many, the first few."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def shown(percent: float) -> str:
    """Return a share in per cent; one that is not nothing is never written as 0.0."""
    return "less than 0.1" if 0.0 < percent < 0.05 else f"{percent:.1f}"
