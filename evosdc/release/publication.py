"""Whether a file may be published, and why: the verdict that terminal, report and Python open with."""

from collections.abc import Iterable, Mapping
from typing import Any

from evosdc.model.constraint import CONDITIONAL, YES, without_publishable
from evosdc.release.evidence import Evidence
from evosdc.release.intruder_words import above_bound, found_too_many
from evosdc.release.requirements import required_words
from evosdc.release.trust import destroyed, named, shown, trust
from evosdc.release.unchanged_words import (
    estimated,
    further_words,
    known_words,
    together_words,
    uncounted_words,
    unknown,
)
from evosdc.secret import PUBLIC_SEED

NO = "not publishable"

ASK = "evosdc judge"
"""What asks judges later."""


def verdict_meets(told: Mapping[str, Any], wanted: str) -> bool:
    """Whether a verdict is what was required of it: `YES` without a condition, or `CONDITIONAL`, with or without.

    Parameters
    ----------
    told : mapping
        As `publication` returns it.
    wanted : str
        `YES` or `CONDITIONAL`; the empty text requires nothing.
    """
    accepted = {"": (told["headline"],), YES: (YES,), CONDITIONAL: (YES, CONDITIONAL)}
    return told["headline"] in accepted[wanted]


def on_publication(told: Mapping[str, Any], required: Iterable[str]) -> list[dict[str, Any]]:
    """Return what was required of the verdict, and whether it is that, as ``requirements`` of a result has it.

    Parameters
    ----------
    told : mapping
        As `publication` returns it.
    required : iterable of str
        All that was required.
    """
    _, wanted = without_publishable(required)
    if not wanted:
        return []
    met = verdict_meets(told, wanted)
    return [{"requirement": wanted, "value": float(met), "met": met, "own": False, "verdict": told["headline"]}]


def publication(evidence: Evidence) -> dict[str, Any]:
    """Return the verdict as JSON has it.

    Returns
    -------
    dict
        ``publishable`` (true, false; null where there is nothing to judge by), ``headline``, ``provided`` (the
        conditions in few words; empty without any), ``reasons`` (why not, or what speaks for it), ``conditions`` (what
        must be known or decided first), ``intruder``, ``trust`` (``yes`` and ``no``: what an analyst can and cannot
        rely on), ``published_unchanged`` (names of columns), ``unchanged_together`` (what these tell together),
        ``further`` (what intruders find who know what some of them tell: ``measure knows columns percent``),
        ``by_value`` (the ``attribute`` by whose exact value alone most people are found, and the ``percent``),
        ``bound`` (``percent``, and ``set_by``: the requirement, or null for the usual one), ``above_limit``.
    """
    against = _against(evidence)
    conditions = _conditions(evidence)
    judged = evidence.intruder is not None or evidence.holds is not None
    publishable = False if against else True if judged else None
    headline = NO if against else "no verdict" if not judged else CONDITIONAL if conditions else YES
    return {
        "publishable": publishable,
        "headline": headline,
        "provided": _provided(evidence) if headline == CONDITIONAL else "",
        "reasons": against or _for(evidence),
        "conditions": conditions,
        "intruder": dict(evidence.intruder) if evidence.intruder is not None else None,
        "trust": trust(evidence.analyses or {}),
        "published_unchanged": [str(column["attribute"]) for column in evidence.unchanged],
        "unchanged_together": _with_words(evidence.together) if evidence.together is not None else None,
        "further": [dict(one) for one in evidence.further],
        "by_value": dict(zip(("attribute", "percent"), evidence.by_value, strict=True)) if evidence.by_value else None,
        "bound": {"percent": evidence.bound, "set_by": evidence.bound_by or None},
        "above_limit": evidence.above_limit,
    }


def _against(evidence: Evidence) -> list[str]:
    """Return what forbids to publish the file."""
    missed = [entry for entry in evidence.requirements if not entry["met"]]
    broken = [required_words(entry) for entry in missed if entry["requirement"] not in evidence.own_limits]
    limits = set(evidence.own_limits) - set(evidence.aims)  # whether aims were reached, the intruder tells
    beyond = [required_words(entry) for entry in missed if entry["requirement"] in limits]
    reasons = []
    if broken:
        reasons.append(f"It does not fulfil what was required: {named(broken)}.")
    if beyond:
        reasons.append(f"It is beyond what evosdc asks of a file besides: {named(beyond)}.")
    if evidence.holds is False:
        told = evidence.contradiction[:1].upper() + evidence.contradiction[1:]
        keep = ", ".join(f'--require "{name} <= {evidence.bound:g}"' for name in evidence.contradicting)
        advice = f"A search is kept from that, and takes its time for it, by {keep}." if keep else ""
        said = ("Judges that the search did not use contradict its score.", told, advice)
        reasons.append(" ".join(part for part in said if part))
    percent = evidence.intruder["percent"] if evidence.intruder is not None else 0.0
    if percent > evidence.bound:
        reasons.append(found_too_many(evidence, percent))
    together = evidence.together
    if together is not None and together.get("known_percent", 0.0) > evidence.bound:
        reasons.append(known_words(together, evidence.bound, _allowed(evidence)))
    if evidence.by_value is not None and evidence.by_value[1] > evidence.bound:
        name, found = evidence.by_value
        reasons.append(
            f"By the exact value of {name} alone {above_bound(found, evidence.bound)} % of the people are found, above "
            f"{evidence.bound:g} %: too few of its values were changed. Publish it in classes (global-recoding), or "
            "drop it."
        )
    if evidence.cells and 100 * evidence.changed < evidence.cells:
        reasons.append(f"Only {evidence.changed} of {evidence.cells} protected values differ from the original.")
    if evidence.idle:
        reasons.append("It does not score better than the unprotected original.")
    if evidence.exchanged:
        reasons.append("Labels were exchanged, so that analysts learn what is not so: see the warnings.")
    return [*reasons, *evidence.given_away, *([PUBLIC_SEED] if evidence.public_seed else ())]


def _allowed(evidence: Evidence) -> str:
    return f"that you allowed ({evidence.bound_by})" if evidence.bound_by else "accepted for public files"


def _of_all(evidence: Evidence) -> str:
    """Return how many judges of all that were asked have answered, as the search counts them; nothing where all had."""
    them = "it" if evidence.unasked == 1 else "them"
    why = [
        f"{count} {words}"
        for count, words in (
            (evidence.unasked, f"had no time, {ASK} asks {them}"),
            (evidence.lacking, "had nothing to say of this file"),
        )
        if count
    ]
    asked = evidence.answered + evidence.unasked + evidence.lacking
    return f" ({evidence.answered} of {asked} have answered; {'; '.join(why)})" if why else ""


def _unjudged(evidence: Evidence) -> tuple[str, str] | None:
    """Return that no judge confirms the score and why, in few words and in a sentence; None where that is no matter."""
    if evidence.holds is not None or evidence.used:
        return None
    agree = "judges that the search did not use have to agree; "
    if evidence.answered:
        told = f"The judges that the search did not use say nothing of the risk that it claims{_of_all(evidence)}."
        return agree + "those that were asked say nothing of its score", told
    if evidence.unasked:
        told = f"No judge could answer in the time given: {ASK} asks them."
        return agree + "none of them could answer in the time given", told
    if evidence.lacking:
        return agree + "none of them reads such a file", "No judge has anything to say of this file."
    return agree + "they were not asked yet", f"No judge was asked for a second opinion: {ASK} gives one."


def _for(evidence: Evidence) -> list[str]:
    reasons = []
    required = [entry for entry in evidence.requirements if entry["requirement"] not in evidence.own_limits]
    if required:
        reasons.append(f"Everything that was required holds: {named([required_words(entry) for entry in required])}.")
    if evidence.holds:
        reasons.append(f"Judges that the search did not use confirm its score{_of_all(evidence)}.")
    if evidence.intruder is not None:
        percent = evidence.intruder["percent"]
        found = f"An informed intruder is expected to find {shown(percent)} % of the people"
        reasons.append(f"{found}, within the {evidence.bound:g} % {_allowed(evidence)}.")
    together = evidence.together or {}
    if together.get("known"):
        known = [str(name) for name in together["known"]]
        be, they = ("is", "it is") if len(known) == 1 else ("are", "they are")
        reasons.append(
            f"{named(known)} {be} published unchanged. Though an intruder is taken to know what {they}, he is expected "
            f"to find {shown(together['known_percent'])} %{estimated(together)}."
        )
    reasons += [further_words(one, evidence.bound) for one in _harmless(evidence)]
    return reasons


def _conditions(evidence: Evidence) -> list[str]:
    conditions = []
    dangerous, telling = _dangerous(evidence), _telling(evidence)
    if dangerous:
        noun, verb, them = ("column", "is", "it") if len(dangerous) == 1 else ("columns", "are", "them")
        conditions.append(
            f"The {noun} {_all_named(dangerous)} {verb} published unchanged, and people can be found by {them}: make "
            f"sure that no intruder can know {them}."
        )
    if telling and evidence.together is not None:
        noun, verb = ("column", "is") if len(telling) == 1 else ("columns", "are")
        of_a_person = "it of a person" if len(telling) == 1 else "these columns of a person"
        known = [str(name) for name in evidence.together.get("known") or ()]
        too = f", and so {'is' if len(known) == 1 else 'are'} {named(known)}" if known else ""
        conditions.append(
            f"The {noun} {_all_named(telling)} {verb} published unchanged{too}. {together_words(evidence.together)} "
            f"Make sure that nobody can know {of_a_person}.{uncounted_words(evidence.together)}"
        )
    conditions += [further_words(one, evidence.bound) for one in _further(evidence)]
    off = destroyed(evidence.analyses or {})
    if off:
        noun, verb, them = ("count", "is", "it") if len(off) == 1 else ("counts", "are", "them")
        conditions.append(
            f"The {noun} of {named([f'{name} ({moved:.0f} % of the records elsewhere)' for name, moved in off], 3)} "
            f"{verb} destroyed: whoever counts by {them} learns what is not so. Say so to all who get the file, or "
            "search longer."
        )
    unjudged = _unjudged(evidence)
    if unjudged is not None:
        conditions.append(unjudged[1])
    return conditions


def _all_named(names: list[str]) -> str:
    """Return all names: of a condition on columns somebody has to see to each."""
    return named(names, len(names))


def _with_words(together: Mapping[str, Any]) -> dict[str, Any]:
    return {**together, "words": together_words(together)}


def _provided(evidence: Evidence) -> str:
    """Return on what conditions, in few words: what the first line of a conditional verdict says."""
    names = list(dict.fromkeys([*_telling(evidence), *_dangerous(evidence)]))
    parts = [f"nobody knows {named(names)} from elsewhere"] if names else []
    parts += [f"nobody knows {one['knows']} from elsewhere" for one in _further(evidence)]
    off = [name for name, _ in destroyed(evidence.analyses or {})]
    parts += [f"nobody counts by {named(off, 3)}"] if off else []
    unjudged = _unjudged(evidence)
    if unjudged is not None:
        parts.append(unjudged[0])
    return "; ".join(parts)


def _harmless(evidence: Evidence) -> list[Mapping[str, Any]]:
    return [one for one in evidence.further if one["percent"] is not None and one["percent"] <= evidence.bound]


def _further(evidence: Evidence) -> list[Mapping[str, Any]]:
    """Return the intruders with further knowledge who find more than the bound, or nobody can say how many."""
    harmless = _harmless(evidence)
    return [one for one in evidence.further if one not in harmless]


def _telling(evidence: Evidence) -> list[str]:
    """Return the unchanged columns that are taken to be unknown, where whoever knows them finds more than the bound."""
    together = evidence.together
    return unknown(together) if together is not None and together["found_percent"] > evidence.bound else []


def _dangerous(evidence: Evidence) -> list[str]:
    """Return unchanged columns that are dangerous one by one, and that nothing else in the verdict counts."""
    counted = {*_telling(evidence), *((evidence.together or {}).get("known") or ())}
    names = (str(column["attribute"]) for column in evidence.unchanged if column["dangerous"])
    return [name for name in names if name not in counted]
