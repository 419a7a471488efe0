"""Proposing a schema for a file: good enough to run with, and explained so that a user can correct it.

Scales follow the rules of `evosdc.files.inference.scales`. Roles follow these, the first that fits:

1. *identifier*: the name says so (``ssn``, ``email``, ``surname``, ``patient_id``, ...) and the values are many; or
   words that are different in nearly every record; or whole numbers that count the records;
2. *weight*, *household*, *stratum*: by name; a plain ``weight`` is a sampling weight unless the file also has a height;
3. *sensitive*: by name (``disease``, ``diagnosis``, ``income``, ``salary``, ``religion``, ...);
4. *quasi-identifier*: categorical attributes with a demographic name (``age``, ``sex``, ``zip``, ``education``,
   ...). When the file has none, the categorical attributes with 3 to 50 categories, at most four, those with the most
   categories first; when it has none of these either, up to four with two categories. Numeric attributes are never
   proposed: what masks and measures categories cannot take them;
5. *other*: all else.

These are guesses. Who could know what about the respondents is for the custodian to say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evosdc.files.column import Column
from evosdc.files.inference.explanations import explanations_of
from evosdc.files.inference.name_hints import hint_of
from evosdc.files.inference.scales import ScaleGuess, guess_scale, whole
from evosdc.printing import printable
from evosdc.table.numerals import decimals_of, numbers
from evosdc.table.schema import Attribute, Role, Scale, Schema

if TYPE_CHECKING:
    import pandas as pd

MISSING_TEXTS = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "<NA>", "#N/A")
"""Texts that are taken for missing values where they occur."""

MISSING_NUMBERS = (".", "-")
"""Texts that are taken for missing values where they occur among numbers only."""

MOST_PROPOSED = 4
FEWEST_CATEGORIES, MOST_CATEGORIES = 3, 50
MOST_DEMOGRAPHIC = 500
"""A demographic attribute with more categories is left alone: masking it needs a hierarchy."""

_FEW = 20
_NEARLY_ALL = 0.9
_NUMERIC = (
    "Numeric attributes are not proposed: declare one ordinal to have it protected by a search, or mask it by a method "
    "for numbers with evosdc mask."
)
_ONE_VALUE = "it has one value"


@dataclass(frozen=True)
class Inference:
    """A proposed schema and what led to it.

    Parameters
    ----------
    schema : Schema
    notes : tuple of str
        What was guessed and why: a sentence for each attribute, or for many that are treated alike; then on the file.
    """

    schema: Schema
    notes: tuple[str, ...]


def infer_schema(frame: "pd.DataFrame") -> Inference:
    """Propose a schema for a DataFrame of text; values that are no text count as their text, NaN as missing."""
    from evosdc.files.frame import columns_of, declared

    parts = columns_of(frame)
    return infer([part.column for part in parts], declared(frame, parts))


def infer(columns: Sequence[Column], declared: Mapping[str, Attribute] | None = None) -> Inference:
    """Propose a schema for the columns of a file; `declared` are scales and categories that the file's types tell."""
    missing = missing_texts(columns)
    tall = any("height" in column.name.lower() for column in columns)
    proposals = [_declared(_propose(column, missing, tall), (declared or {}).get(column.name)) for column in columns]
    attributes, chosen = _quasi_identifiers([attribute for attribute, _ in proposals])
    notes = [*explanations_of(attributes, [reason for _, reason in proposals]), *chosen]
    others = [repr(text) for text in missing if text]
    if others:
        notes.append(f"{', '.join(others)} and empty values are taken for missing.")
    return Inference(Schema(tuple(attributes), missing), tuple(notes))


def missing_texts(columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the texts that stand for missing values in some columns: the empty one, and the usual ones that occur."""
    occurring = {text for column in columns for text in column.texts}
    certain = tuple(text for text in MISSING_TEXTS if not text or text in occurring)
    return certain + tuple(
        text for text in MISSING_NUMBERS if text in occurring and _among_numbers(text, columns, certain)
    )


def _among_numbers(text: str, columns: Sequence[Column], missing: Sequence[str]) -> bool:
    return all(
        numbers(set(column.texts).difference(missing, MISSING_NUMBERS), column.mark)
        for column in columns
        if text in column.texts
    )


def _propose(column: Column, missing: Sequence[str], tall: bool) -> tuple[Attribute, str]:
    attribute, reason = _by_name_and_values(column, missing, tall)
    if len(column.present(missing)) == 1 and _ONE_VALUE not in reason:
        reason = f"{reason}, and {_ONE_VALUE}"
    return attribute, reason


def _by_name_and_values(column: Column, missing: Sequence[str], tall: bool) -> tuple[Attribute, str]:
    hint = hint_of(column.name)
    texts = column.present(missing)
    values = numbers(texts, column.mark)
    size = int(column.counts().sum()) - sum(
        int(count) for text, count in zip(column.texts, column.counts(), strict=True) if text in missing
    )
    reason = _identifying(hint.identifier, texts, values, size)
    if reason:
        return _nominal(column, texts, Role.IDENTIFIER), reason
    if hint.role is Role.WEIGHT and values and (hint.certain or not tall):
        decimals = decimals_of(texts, column.mark)
        return Attribute(column.name, Role.WEIGHT, Scale.NUMERIC, (), None, decimals), "its name says a sampling weight"
    if hint.role in (Role.HOUSEHOLD, Role.STRATUM) and texts:
        return _nominal(column, texts, hint.role), f"its name says {hint.role}"
    guess = guess_scale(column, missing, hint.unordered)
    role, why = Role.OTHER, guess.reason
    if hint.role is Role.SENSITIVE and texts:
        role, why = Role.SENSITIVE, f"its name says something confidential, and {guess.reason}"
    elif hint.role is Role.QUASI_IDENTIFIER:
        role, why = _demographic(guess, why)
    return Attribute(column.name, role, guess.scale, guess.categories, None, guess.decimals), why


def _declared(proposal: tuple[Attribute, str], declared: Attribute | None) -> tuple[Attribute, str]:
    if declared is None or proposal[0].role in (Role.IDENTIFIER, Role.WEIGHT):
        return proposal
    attribute = replace(proposal[0], scale=declared.scale, categories=declared.categories, decimals=0)
    return attribute, f"{proposal[1]}; scale and categories are those of its type"


def _demographic(guess: ScaleGuess, why: str) -> tuple[Role, str]:
    if guess.scale is Scale.NUMERIC:
        return Role.OTHER, f"it is demographic but numeric, which asks for intervals or another scale, and {why}"
    if len(guess.categories) < 2:
        return Role.OTHER, why
    if len(guess.categories) > MOST_DEMOGRAPHIC:
        advice = "it is demographic but has too many categories to be masked without a hierarchy: look at it"
        return Role.OTHER, f"{advice}, and {why}"
    return Role.QUASI_IDENTIFIER, f"its name is demographic, and {why}"


def _identifying(by_name: bool, texts: Sequence[str], values: Sequence[float] | None, size: int) -> str:
    """Return why a column identifies respondents; empty when it does not seem to."""
    many = len(texts) > _FEW
    if by_name and many and 2 * len(texts) > size:
        return "its name says that it identifies"
    if by_name and len(texts) > MOST_CATEGORIES and (values is None or whole(values)):
        return "its name says that it identifies, though records share values"
    if many and values is None and len(texts) >= _NEARLY_ALL * size:
        return "its words differ in nearly every record"
    if many and values is not None and len(texts) == size and whole(values) and max(values) - min(values) == size - 1:
        return "it counts the records"
    return ""


def _nominal(column: Column, texts: Sequence[str], role: Role) -> Attribute:
    from evosdc.table.numerals import natural_order

    return Attribute(column.name, role, Scale.NOMINAL, natural_order(texts, column.mark))


def _quasi_identifiers(attributes: list[Attribute]) -> tuple[list[Attribute], list[str]]:
    """Give some attributes the role when none has it by name; also return notes on the choice."""
    if any(attribute.role is Role.QUASI_IDENTIFIER for attribute in attributes):
        return attributes, []
    free = [attribute for attribute in attributes if attribute.role is Role.OTHER]
    wide = [a for a in free if a.categorical and FEWEST_CATEGORIES <= len(a.categories) <= MOST_CATEGORIES]
    binary = [a for a in free if a.categorical and len(a.categories) == 2]
    wide.sort(key=lambda a: -len(a.categories))
    left = [_NUMERIC] if any(not attribute.categorical for attribute in free) else []
    for candidates, kind in (
        (wide, f"with {FEWEST_CATEGORIES} to {MOST_CATEGORIES} categories, those with the most first"),
        (binary, "with two categories"),
    ):
        if candidates:
            names = [attribute.name for attribute in candidates[:MOST_PROPOSED]]
            changed = [replace(a, role=Role.QUASI_IDENTIFIER) if a.name in names else a for a in attributes]
            note = (
                f"No attribute has a demographic name; taken for quasi-identifiers are attributes {kind}: "
                f"{printable(', '.join(names))}. Look at this choice."
            )
            return changed, [note, *left]
    return attributes, ["No attribute could be taken for a quasi-identifier: give some that role.", *left]
