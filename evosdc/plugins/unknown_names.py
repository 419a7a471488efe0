"""What is said of a name that nothing has."""

from difflib import get_close_matches

from evosdc.errors import Fault, did_you_mean

MOST_TOLD = 24  # more names than these are not all told in a message

NEAREST = 5
LIKENESS = 0.5  # how alike, from 0 to 1, the names are that are told in their place


def unknown_name(where: str, name: str, known: list[str], problems: bool = False) -> Fault:
    """Return the fault of a name that nothing has, with all names or the nearest."""
    advice = did_you_mean(name, known)
    if len(known) > MOST_TOLD:
        near = get_close_matches(name, known, n=NEAREST, cutoff=LIKENESS)
        wanted = f"one of {len(known)} names" + (f", such as {', '.join(near)}" if near else "")
        advice = f"{advice} `evosdc plugins list` shows all.".strip()
    else:
        wanted = f"one of {', '.join(known)}" if known else "nothing: no plugin offers any"
    if problems:
        advice = f"{advice} Some plugins have problems: 'evosdc plugins list' shows them.".strip()
    return Fault(where, repr(name), wanted, advice)
