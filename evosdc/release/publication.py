"""Whether a file may be published, and why: the verdict that terminal, report and Python open with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evosdc.release.acceptance import ACCEPTED
from evosdc.release.requirements import required_words
from evosdc.release.trust import named, shown, trust

YES, CONDITIONAL, NO = "publishable", "publishable on conditions", "not publishable"


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on.

    Parameters
    ----------
    intruder : mapping or None
        Of `evosdc.release.intruder.Found.to_json`, or of a model of generalised files: ``expected percent records``.
    requirements : sequence of mapping
        ``requirement value met``, as the result has them.
    bound : float
        Per cent of the people that an informed intruder may be expected to find.
    bound_by : str
        The requirement that set it; empty for the usual bound.
    holds : bool or None
        Whether judges that the search did not use confirm the claimed risk; None where none was asked.
    contradiction : str
        What they say where they do not.
    analyses : mapping
        Of `evosdc.release.analyses.analyses`; empty where the file was generalised.
    unchanged : sequence of mapping
        Of `evosdc.release.unchanged.Unchanged.to_json`.
    together : mapping or None
        Of `evosdc.release.unchanged_together.Together.to_json`: what all unchanged columns tell together.
    by_value : tuple of str and float, or None
        Of `evosdc.release.intruder.found_by_value`.
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
    bound: float = ACCEPTED
    bound_by: str = ""
    holds: bool | None = None
    contradiction: str = ""
    analyses: Mapping[str, Any] | None = None
    unchanged: Sequence[Mapping[str, Any]] = ()
    together: Mapping[str, Any] | None = None
    by_value: tuple[str, float] | None = None
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
        ``no``: what an analyst can and cannot rely on), ``published_unchanged`` (names of columns),
        ``unchanged_together`` (what these tell together), ``by_value`` (the ``attribute`` by whose exact value alone
        most people are found, and the ``percent``), ``bound`` (``percent``, and ``set_by``: the requirement, or
        null for the usual one), ``above_limit``.
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
        "unchanged_together": dict(evidence.together) if evidence.together is not None else None,
        "by_value": dict(zip(("attribute", "percent"), evidence.by_value, strict=True)) if evidence.by_value else None,
        "bound": {"percent": evidence.bound, "set_by": evidence.bound_by or None},
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
    if percent > evidence.bound:
        reasons.append(_found_too_many(evidence, percent))
    if evidence.by_value is not None and evidence.by_value[1] > evidence.bound:
        name, found = evidence.by_value
        reasons.append(
            f"By the exact value of {name} alone {found:.1f} % of the people are found, above {evidence.bound:g} %: "
            "too few of its values were changed. Publish it in classes (global-recoding), or drop it."
        )
    if evidence.cells and 100 * evidence.changed < evidence.cells:
        reasons.append(f"Only {evidence.changed} of {evidence.cells} protected values differ from the original.")
    if evidence.idle:
        reasons.append("It does not score better than the unprotected original.")
    if evidence.exchanged:
        reasons.append("Labels were exchanged, so that analysts learn what is not so: see the warnings.")
    return reasons


def _found_too_many(evidence: Evidence, percent: float) -> str:
    found = f"An informed intruder is expected to find {percent:.1f} % of the people"
    if evidence.bound_by:
        return f"{found}, and {evidence.bound:g} % is what you allowed ({evidence.bound_by})."
    measure = str((evidence.intruder or {}).get("measure", ""))
    advice = f': --require "{measure} <= 20"' if measure else " with --require"
    return (
        f"{found}. For files that everybody gets, health authorities accept {evidence.bound:g} %, and nothing that was "
        f"required sets another bound on this intruder; where fewer people get the file, set one{advice}."
    )


def _for(evidence: Evidence) -> list[str]:
    reasons = []
    if evidence.requirements:
        reasons.append("Everything that was required holds.")
    if evidence.holds:
        reasons.append("Judges that the search did not use confirm its score.")
    if evidence.intruder is not None:
        percent = evidence.intruder["percent"]
        allowed = f"{evidence.bound:g} %"
        who = f"that you allowed ({evidence.bound_by})" if evidence.bound_by else "accepted for public files"
        found = f"An informed intruder is expected to find {shown(percent)} % of the people"
        reasons.append(f"{found}, within the {allowed} {who}.")
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
    together = evidence.together
    if together is not None and together["found_percent"] > evidence.bound:
        conditions.append(_known_together(together))
    if evidence.holds is None:
        conditions.append("No judge was asked for a second opinion: evosdc judge gives one.")
    return conditions


def _known_together(together: Mapping[str, Any]) -> str:
    names = [str(name) for name in together["columns"]]
    columns = f"The column {names[0]} is" if len(names) == 1 else f"The columns {named(names)} are"
    by, them = ("it", "this column") if len(names) == 1 else ("them together", "these columns")
    unique, found = shown(together["unique_percent"]), shown(together["found_percent"])
    return (
        f"{columns} published unchanged: {unique} % of the people are unique by {by}, and an informed intruder who "
        f"knows {them}, too, is expected to find {found} %. Make sure that nobody can know {them} of a person."
    )
