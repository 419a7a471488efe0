"""What was required of a published file, in words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evosdc.model.constraint import CONDITIONAL, YES
from evosdc.printing import four_digits


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
