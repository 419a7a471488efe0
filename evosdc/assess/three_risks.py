"""The three risks of the Article 29 Working Party (WP216, 2014), each with its measure, bound, mean and worst.

Terminal, report, dossier and JSON read these lines. The verdict forbids a file where one is above its bound.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from evosdc.model.constraint import ACCEPTED, AUDIENCES, MOST_SURE, TIMES_BOUND
from evosdc.printing import NO_TIME, NOT_CHECKED, NOT_YET_CHECKED
from evosdc.runs.result import RiskLine

TAIL: Final = "tail"  # the family of judges of the people worst off

# the family of judges whose figure bounds inference: right guesses of members minus those of others
EXCESS: Final = "excess"

RESTORED: Final = "minimality"  # the family of the judge of coarser and suppressed values

HISTORY: Final = "history"  # the family of the judge of all releases together

# points by which a learner may guess more sensitive values of the people in a file than of others: the estimate, and
# the low end of its interval. Of the surest tenth the low end may be no greater than the estimate of all.
MOST_EXCESS, MOST_CERTAIN = 5.0, 2.0

# Points to each side of an excess that is known well enough. The interval is wider than the truth: the same people are
# members in some trials and others in some, which it leaves out.
NARROW = 4.0


def most_sure(bound: float) -> float:
    """Return the per cent of the matches that look surest, and of isolated people, that may be right."""
    return max(MOST_SURE, TIMES_BOUND * bound)


def reason_of(bound: float, set_by: str = "") -> str:
    """Return the reason for the bound on re-identified people."""
    if set_by:
        return f"required by {set_by}"
    if bound == ACCEPTED:
        return (
            "the threshold of 0.09 of the European Medicines Agency (policy 0070) and Health Canada, "
            "applied to the mean over all people"
        )
    if bound in AUDIENCES.values():
        return f"the risk in groups of {round(100.0 / bound)} people"
    return "set by --bound"


def three_risks(
    intruder: Mapping[str, Any] | None,
    bound: float,
    set_by: str,
    tails: Mapping[str, Mapping[str, Any]],
    members: Mapping[str, Any] | None,
    sensitive: bool = True,
    history: Mapping[str, Any] | None = None,
    waiting: bool = False,
) -> list[RiskLine]:
    """Return singling out, linkability and inference; `waiting` says whether judges had no time yet."""
    tail = next(iter(tails.items()), ("", {}))
    return [
        _restored(*tail, bound, set_by)
        if tail[1].get("family") == RESTORED
        else _singling_out(*tail, most_sure(bound), waiting),
        _linkability(intruder, dict(tail[1].get("details") or {}), bound, set_by, history),
        _inference(members, sensitive),
    ]


def _singling_out(judge: str, found: Mapping[str, Any], most: float, waiting: bool) -> RiskLine:
    line = RiskLine(
        risk="Singling out", measure=judge, bound=most, worst_bound=most, worst_of="the 20 surest matches",
        reason="one in three, the risk in groups of three people"
        if most == MOST_SURE
        else f"{TIMES_BOUND:g} times the bound on the mean",
        words=NOT_YET_CHECKED if waiting else NOT_CHECKED,
    )  # fmt: skip
    if "value" not in found:
        return line
    worst, mean = float(found["value"]), (found.get("details") or {}).get("surest_tenth")
    tenth = "" if mean is None else f", {mean:.0f} % of the surest tenth of all matches"
    words = f"{worst:.0f} % of the 20 surest matches are right{tenth}; at most {most:.0f} % may be"
    kept = max(worst, mean or 0.0) <= most
    return line.model_copy(update={"mean": mean, "worst": worst, "kept": kept, "words": words})


def _restored(judge: str, found: Mapping[str, Any], bound: float, set_by: str) -> RiskLine:
    value = float(found["value"])
    words = f"{value:.1f} % of the people are alone with a coarser value that can be restored; at most {bound:g} %"
    return RiskLine(
        risk="Singling out", measure=judge, bound=bound, worst_bound=bound, worst_of="", mean=value, worst=None,
        reason=reason_of(bound, set_by), kept=value <= bound, words=words,
    )  # fmt: skip


def _linkability(
    intruder: Mapping[str, Any] | None,
    tail: Mapping[str, float],
    bound: float,
    set_by: str,
    history: Mapping[str, Any] | None,
) -> RiskLine:
    line = RiskLine(
        risk="Linkability", measure=str((intruder or {}).get("measure", "")), bound=bound, worst_bound=most_sure(bound),
        worst_of="the tenth of the people least like others", reason=reason_of(bound, set_by), words=NOT_CHECKED,
    )  # fmt: skip
    if intruder is None:
        return line
    mean, worst = float(intruder["percent"]), tail.get("most_isolated_tenth")
    isolated = "" if worst is None else f", {worst:.0f} % of the tenth least like others"
    homes = float(intruder.get("homes_percent") or 0.0)
    isolated += f", {homes:.1f} % with the others of their households" if homes else ""
    together = 0.0 if history is None else float(history["value"])
    isolated += "" if history is None else f", {together:.1f} % with the earlier releases"
    words = (
        f"{intruder['expected']:.0f} of {intruder['records']} people re-identified ({mean:.1f} %){isolated}; "
        f"at most {bound:g} %; unprotected {intruder['original_percent']:.1f} %"
    )
    kept = max(mean, together) <= bound and (worst is None or worst <= line.worst_bound)
    return line.model_copy(update={"mean": mean, "worst": worst, "kept": kept, "words": words})


def _inference(members: Mapping[str, Any] | None, sensitive: bool) -> RiskLine:
    line = RiskLine(
        risk="Inference", measure="", bound=MOST_EXCESS, worst_bound=MOST_EXCESS,
        worst_of="the tenth that a learner is surest of",
        reason=f"at most {MOST_EXCESS:g} points more right guesses than about people who are not in the file, "
        f"and at most {MOST_CERTAIN:g} at the low end of the interval",
        words=NOT_CHECKED if sensitive else "does not apply: the schema declares no sensitive column",
    )  # fmt: skip
    found = inferred(members)
    if found is None:
        why = why_not(members) if members is not None else ""
        state = NOT_YET_CHECKED if why == NO_TIME or why.startswith("the time given") else NOT_CHECKED
        return line.model_copy(update={"words": f"{state} ({why})"}) if why else line
    name, one = found
    details, mean, low = one.get("details") or {}, float(one["value"]), float(one["low"])
    worst, worst_low = details.get("surest_tenth"), details.get("surest_tenth_low")
    tenth = "" if worst is None else f", {worst:+.1f} for the surest tenth"
    words = (
        f"{mean:+.1f} points for people in the file [{low:.1f} to {one['high']:.1f}]{tenth}; at most {MOST_EXCESS:g}, "
        f"{MOST_CERTAIN:g} at the low end"
    )
    kept = mean <= MOST_EXCESS and low <= MOST_CERTAIN and (worst_low is None or worst_low <= MOST_EXCESS)
    return line.model_copy(update={"measure": name, "mean": mean, "worst": worst, "kept": kept, "words": words})


def is_clear(members: Mapping[str, Any]) -> bool:
    """Return whether an excess is known well enough: more people would hardly change what is said of it."""
    found = inferred(members)
    if found is None:
        return True
    low, high = float(found[1]["low"]), float(found[1]["high"])
    return high - low <= 2.0 * NARROW or low > MOST_EXCESS or high <= MOST_EXCESS


def inferred(members: Mapping[str, Any] | None) -> tuple[str, Mapping[str, Any]] | None:
    """Return the judge whose figure bounds inference, and its finding; None where none has answered."""
    found = ((members or {}).get("judges") or {}).items()
    return next(((name, one) for name, one in found if one["family"] == EXCESS), None)


def why_not(members: Mapping[str, Any]) -> str:
    """Return why no judge by members and others has answered."""
    lacking = members.get("not_applicable") or {}
    return str(members.get("not_checked") or next(iter(lacking.values()), "no answer"))


def above_their_bounds(lines: list[RiskLine], members: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Yield reasons against publication, each with a title: the tails, then inference; the verdict has that of all."""
    singling, linkability, inference = lines
    if singling.kept is False and singling.worst is None:
        yield "singling out", f"{singling.words}. Publish coarser values, or groups of more people."
    elif singling.kept is False:
        tenth = "" if singling.mean is None else f", those of the surest tenth in {singling.mean:.0f} %"
        yield (
            "singling out",
            f"The matches that look surest are right in {singling.worst:.0f} % of the cases{tenth}, more than "
            f"{singling.bound:.0f} %. Search longer, or publish fewer categories.",
        )
    if linkability.worst is not None and linkability.worst > linkability.worst_bound:
        yield (
            "people least like others",
            f"Of the tenth of the people who are least like others {linkability.worst:.0f} % are re-identified, more "
            f"than {linkability.worst_bound:.0f} %. Publish outliers in classes (top-bottom-coding), or search longer.",
        )
    if inference.kept is False:
        yield from (("inference", text) for text in learned_too_much(members))


def learned_too_much(members: Mapping[str, Any] | None) -> list[str]:
    """Return why not to publish, where a learner guesses more of the people in the file than of others."""
    found, line = inferred(members), _inference(members, True)
    if found is None or line.kept is not False:
        return []
    one, (own, others) = found[1], (found[1]["details"][side] for side in ("members", "others"))
    surest = "" if line.worst is None else f" Of the tenth that it is surest of, {line.worst:.1f} points more."
    return [
        f"A learner guesses a sensitive value of {own:.1f} % of the people in the file and of {others:.1f} % of other "
        f"people: {one['value']:.1f} points more [{one['low']:.1f} to {one['high']:.1f}]; at most {MOST_EXCESS:g} are "
        f"accepted, and {MOST_CERTAIN:g} at the low end.{surest} Mask the sensitive column too, or publish fewer "
        "categories."
    ]


def members_words(members: Mapping[str, Any]) -> list[str]:
    """Return findings of judges by members and others, in lines: sizes and time, then each one's sentence."""
    if "not_checked" in members:
        return [f"Members and others: not checked ({members['not_checked']})."]
    by = f"by the plan of the run ({members['generations']} generations, {members['seconds']:g} s)"
    people = f"{members['members']} people protected {by}, {members['others']} people not in that file"
    if members.get("trials", 1) > 1:
        people += f"; inference: mean of {members['trials']} parts of the people, each protected by itself"
    lines = [f"Members and others: {people}; intervals by bootstrap."]
    for name, one in members["judges"].items():
        beside = ", ".join(f"{key.replace('_', ' ')} {value:.1f}" for key, value in (one.get("details") or {}).items())
        lines.append(f"{name}: {one['words']}" + (f" Beside it: {beside}." if beside else ""))
    lines += [f"{name}: not checked ({why})." for name, why in (members.get("not_applicable") or {}).items()]
    return [*lines, *learned_too_much(members)]
