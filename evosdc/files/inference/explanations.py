"""Telling a user what was guessed of a file's attributes, in as few lines as say it."""

import re
from collections.abc import Sequence

from evosdc.printing import printable
from evosdc.table.schema import Attribute

FEWEST_TOGETHER = 8
"""So many attributes that are treated alike share one note."""

_COUNT = re.compile(r"[0-9]+")
_NAMED = 3


def explanations_of(attributes: Sequence[Attribute], reasons: Sequence[str]) -> list[str]:
    """Return a sentence for each attribute, and one for many that have a role, a scale and a reason in common.

    Reasons that differ in their numbers only count as one, and the sentence gives the span of each number. Sentences
    stand in the order of the attributes, shared ones where the first of theirs stands.

    Parameters
    ----------
    attributes : sequence of Attribute
    reasons : sequence of str
        For each attribute why it was taken for what it is: ``it has 7 distinct numbers``.
    """
    groups: dict[tuple[str, str, str], list[int]] = {}
    for position, (attribute, reason) in enumerate(zip(attributes, reasons, strict=True)):
        groups.setdefault((attribute.role, attribute.scale_word, _COUNT.sub("#", reason)), []).append(position)
    notes: dict[int, str] = {}
    for positions in groups.values():
        if len(positions) < FEWEST_TOGETHER:
            for position in positions:
                notes[position] = _note(printable(attributes[position].name), attributes[position], reasons[position])
        else:
            names = f"{_listed([attributes[p].name for p in positions], positions)} ({len(positions)} attributes)"
            shared = f"for each, {_spanning([reasons[position] for position in positions])}"
            notes[positions[0]] = _note(names, attributes[positions[0]], shared)
    return [notes[position] for position in sorted(notes)]


def _note(names: str, attribute: Attribute, reason: str) -> str:
    return f"{names}: {attribute.role}, {attribute.scale_word}, since {reason}."


def _listed(names: Sequence[str], positions: Sequence[int]) -> str:
    first, last = printable(names[0]), printable(names[-1])
    if positions[-1] - positions[0] == len(positions) - 1:
        return f"{first} to {last}"
    return f"{', '.join(map(printable, names[:_NAMED]))}, ..., {last}"


def _spanning(reasons: Sequence[str]) -> str:
    """Return reasons that differ in their numbers only as one, with the span of each number."""
    between = _COUNT.split(reasons[0])
    counts = zip(*([int(count) for count in _COUNT.findall(reason)] for reason in reasons), strict=True)
    spans = [str(min(c)) if min(c) == max(c) else f"{min(c)} to {max(c)}" for c in counts]
    return "".join(text + span for text, span in zip(between, [*spans, ""], strict=True))
