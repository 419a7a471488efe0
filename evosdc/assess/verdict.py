"""Whether a file may be published, and why: the verdict that terminal, report and Python open with."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evosdc.assess.intruder import found_by_intruder, measured_by
from evosdc.assess.unchanged import (
    estimated,
    further_words,
    known_words,
    together_words,
    uncounted_words,
    unknown,
)
from evosdc.assess.utility import destroyed, named, shown, trust
from evosdc.model.constraint import ACCEPTED, CONDITIONAL, YES, without_publishable
from evosdc.plugins.registry import Registry
from evosdc.printing import four_digits
from evosdc.secret import PUBLIC_SEED
from evosdc.table.table import Table


def on_verdict(entry: Mapping[str, Any]) -> bool:
    """Whether a requirement as the result has it is one on the verdict, and bounds no figure."""
    return entry.get("requirement") in (YES, CONDITIONAL)


def figure_words(entry: Mapping[str, Any]) -> str:
    """Return what the file has of what is required: ``12.53``, of four digits, or the headline of the verdict."""
    return str(entry.get("verdict")) if on_verdict(entry) else four_digits(entry["value"])


def required_by_user(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the requirements of a result without the limits that evosdc set itself."""
    return [entry for entry in result.get("requirements") or () if not entry.get("own")]


def unmet(result: Mapping[str, Any], limits: bool = False) -> list[Mapping[str, Any]]:
    """Return the requirements that a result does not fulfil; of a randomised file, as fresh draws decide.

    Parameters
    ----------
    result : mapping
    limits : bool
        Whether the limits that evosdc set itself count as well.
    """
    fresh = (result.get("fresh") or {}).get("requirements") or ()
    decided = {entry["requirement"] for entry in fresh}
    required = (result.get("requirements") or ()) if limits else required_by_user(result)
    own = [entry for entry in required if entry["requirement"] not in decided]
    return [entry for entry in (*fresh, *own) if not entry["met"]]


def required_words(entry: Mapping[str, Any]) -> str:
    """Return a requirement as the result has it; where it is judged over unmasked attributes, with what it is over.

    ``k-anonymity >= 3 over sex, age, urban (urban is published unchanged)``

    Parameters
    ----------
    entry : mapping
        ``requirement``; of privacy models ``quasi_identifiers`` and which of them are ``unmasked``.
    """
    text, unmasked = str(entry.get("requirement")), _names(entry.get("unmasked"))
    if not unmasked:
        return text
    be = "is" if len(unmasked) == 1 else "are"
    over = ", ".join(_names(entry.get("quasi_identifiers")))
    return f"{text} over {over} ({', '.join(unmasked)} {be} published unchanged)"


def unmasked_causes(judged: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a sentence on the quasi-identifiers that are not masked, where requirements are missed over them."""
    missed = [entry for entry in judged if not entry["met"] and entry.get("unmasked")]
    names = list(dict.fromkeys(name for entry in missed for name in _names(entry["unmasked"])))
    if not names:
        return []
    which = " and ".join(str(entry["requirement"]) for entry in missed)
    be, they = ("is", "it") if len(names) == 1 else ("are", "them")
    return [
        f"A cause: {which} counts over all quasi-identifiers of the schema, of which {', '.join(names)} {be} published "
        f"unchanged. Protect {they} as well, or say another role in the schema where no intruder can know {they}."
    ]


def _names(given: Any) -> Sequence[str]:
    return [str(name) for name in given or ()]


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on.

    Parameters
    ----------
    intruder : mapping or None
        Of `evosdc.assess.intruder.Found.to_json`, or of a model of generalised files: ``expected percent records``.
    requirements : sequence of mapping
        ``requirement value met``, as the result has them.
    own_limits : sequence of str
        Those of them that evosdc set itself.
    aims : sequence of str
        Those of the last that keep the search to the bound, since the verdict is required.
    bound : float
        Per cent of the people that an informed intruder may be expected to find.
    bound_by : str
        The requirement that set it; empty for the usual bound.
    two_way : str
        The measure of an informed intruder in both directions; empty where none is offered.
    safer : int or None
        Member of the front in which an informed intruder finds no more than is allowed, where too many are found.
    holds : bool or None
        Whether judges that the search did not use confirm the claimed risk; None where none has said.
    contradiction : str
        What they say where they do not.
    contradicting : sequence of str
        Those of them that link, by which a search can be judged.
    answered, unasked, lacking : int
        How many judges have answered, how many more had no time to, and how many do not apply or have failed.
    used : sequence of str
        Judges that the search used itself, so that their findings are the score.
    analyses : mapping
        Of `evosdc.assess.utility.analyses`; empty where the file was generalised.
    unchanged : sequence of mapping
        Of `evosdc.assess.unchanged.Unchanged.to_json`.
    together : mapping or None
        Of `evosdc.assess.background.Together.to_json`: what all unchanged columns tell together.
    further : sequence of mapping
        Of `evosdc.assess.background.Further.to_json`.
    by_value : tuple of str and float, or None
        Of `evosdc.assess.intruder.found_by_value`.
    changed, cells : int
        Protected values that differ from the original, of how many.
    idle : bool
        Whether publishing the original would score as well.
    exchanged : sequence of str
        Sentences on exchanged labels.
    given_away : sequence of str
        Sentences on masked attributes that the file tells beside the masking: by other columns, or by its order.
    public_seed : bool
        Whether it was drawn from a seed that anybody may know.
    above_limit : float or None
        By how many per cent the score lies above what is possible.
    """

    intruder: Mapping[str, Any] | None
    requirements: Sequence[Mapping[str, Any]] = ()
    own_limits: Sequence[str] = ()
    aims: Sequence[str] = ()
    bound: float = ACCEPTED
    bound_by: str = ""
    two_way: str = ""
    safer: int | None = None
    holds: bool | None = None
    contradiction: str = ""
    contradicting: Sequence[str] = ()
    answered: int = 0
    unasked: int = 0
    lacking: int = 0
    used: Sequence[str] = ()
    analyses: Mapping[str, Any] | None = None
    unchanged: Sequence[Mapping[str, Any]] = ()
    together: Mapping[str, Any] | None = None
    further: Sequence[Mapping[str, Any]] = ()
    by_value: tuple[str, float] | None = None
    changed: int = 0
    cells: int = 0
    idle: bool = False
    exchanged: Sequence[str] = ()
    given_away: Sequence[str] = ()
    public_seed: bool = False
    above_limit: float | None = None


def above_bound(percent: float, bound: float) -> str:
    """Return a share above a bound, with so many digits that this is seen."""
    text = f"{percent:.1f}"
    return text if float(text) > bound else f"{percent:.3g}"


def found_too_many(evidence: Evidence, percent: float) -> str:
    """Return who finds too many, and which member of the front is a file in which nobody does."""
    said = _who_finds(evidence, percent)
    if evidence.safer is None:
        return said
    number = evidence.safer
    return (
        f"{said} Member {number} of the front loses more, and nobody finds more than the {evidence.bound:g} % in it: "
        f"evosdc choose RUN {number} -o NEW makes it a file of its own, RUN being the folder of this run."
    )


def _who_finds(evidence: Evidence, percent: float) -> str:
    """Return who finds too many, and of an intruder with two directions which one does."""
    told = evidence.intruder or {}
    other, turned = told.get("other_percent"), told.get("looks_for") == "masked record"
    same = evidence.bound_by.split()[:1] == [told.get("measure")]
    if turned and same and other is not None and other <= evidence.bound:
        return _in_one_direction(evidence, percent, other)
    found = f"An informed intruder is expected to find {above_bound(percent, evidence.bound)} % of the people"
    if evidence.bound_by:
        more = "" if evidence.two_way in evidence.bound_by else _both(evidence)
        return f"{found}, and {evidence.bound:g} % is what you allowed ({evidence.bound_by}).{more}"
    accepted = f"{found}. For files that everybody gets, health authorities accept {evidence.bound:g} %"
    measure, bound = str(told.get("measure", "")), evidence.bound
    if turned and other is not None:
        # The measure itself looks in the other direction: where it finds so much, this one is within the bound.
        bound = max(math.floor(bound * other / percent), 1)
    keep = f'"{measure} <= {bound:g}"' if measure else ""
    if evidence.aims and turned:
        return (
            f"{accepted}. The search was kept to that in one direction, for the likeliest person of each published "
            f"record; who takes for each person the likeliest published record finds more. A smaller bound lowers both "
            f"as a rule: --require {keep}.{_both(evidence)}"
        )
    if evidence.aims:
        return (
            f"{accepted}. The search was kept to that, since this verdict is required, and came to no such file: give "
            "it more time, mask more attributes, or publish them in fewer categories."
        )
    advice = f": --require {keep}, in an experiment constraints = [{keep}]" if measure else " with --require"
    return (
        f"{accepted}, and nothing that was required keeps the search to that: set this bound{advice}, or another one "
        f"where fewer people get the file.{_both(evidence) if turned else ''}"
    )


def _in_one_direction(evidence: Evidence, percent: float, other: float) -> str:
    """Return that a requirement is met in the direction that it measures, and that the other one finds too many."""
    strict = math.floor(evidence.bound * other / percent)
    name = evidence.bound_by.split()[0]
    advice = f' A smaller bound lowers both as a rule: --require "{name} <= {strict}".' if strict >= 1 else ""
    return (
        "An intruder who takes for each person the likeliest masked record is expected to find "
        f"{above_bound(percent, evidence.bound)} % of the people, above the {evidence.bound:g} % that you allowed. "
        f"What you required, {evidence.bound_by}, is met: it looks in the other direction, for the likeliest person of "
        f"each masked record, and that finds {shown(other)} %. The search lowers that one alone, and the verdict "
        f"counts the greater of both.{advice}{_both(evidence)}"
    )


def _both(evidence: Evidence) -> str:
    """Return how a search is kept to the bound itself in both directions; nothing where no measure does it."""
    keep = f'--require "{evidence.two_way} <= {evidence.bound:g}"'
    return f" Or, slower, to both directions themselves: {keep}." if evidence.two_way else ""


def identity_of(original: Table, masked: Table, names: Sequence[str], registry: Registry) -> dict[str, Any] | None:
    """Return what the verdict on a run's file says of identity; None of a file in other categories.

    Parameters
    ----------
    original, masked : Table
    names : sequence of str
        What was masked.
    registry : Registry

    Returns
    -------
    dict or None
        As `evosdc.assess.intruder.Found.to_json`, without single records; ``accepted`` is the share of the people, in
        per cent, that is accepted for files that everybody gets.
    """
    before, after = original.select(names), masked.select(names)
    found = found_by_intruder(original, after, names, registry) if before.schema == after.schema else None
    if found is None:
        return None
    return {key: value for key, value in found.to_json().items() if key != "at_risk"} | {"accepted": ACCEPTED}


def identity_words(told: Mapping[str, Any]) -> str:
    """Return in words whether so many people may be found in a file that everybody gets."""
    percent, accepted = float(told["percent"]), float(told["accepted"])
    if percent <= accepted:
        share, compared = f"{percent:.1f}", f"within the {accepted:g} % accepted for files that everybody gets"
    else:
        share = above_bound(percent, accepted)
        compared = (
            f"more than the {accepted:g} % that health authorities accept for files that everybody gets: such a file "
            "is not for all"
        )
    return (
        f"Whatever is claimed, an informed intruder is expected to find {share} % of the people "
        f"(by {measured_by(told)}), {compared}."
    )


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
