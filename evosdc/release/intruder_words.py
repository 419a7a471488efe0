"""In words: that an informed intruder finds too many people, and which requirement would keep a search from it."""

import math

from evosdc.release.evidence import Evidence
from evosdc.release.trust import shown


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
