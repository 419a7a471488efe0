"""The proposal for one column, by its name, its label and its values; rules as in `evosdc.files.inference.proposal`.

Some values tell a role whatever the name: contacts, post codes, free text. A plain ``weight`` is a sampling weight
unless its numbers could be what bodies or births weigh.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evosdc.files.column import Column
from evosdc.files.inference.name_hints import NameHint, hint_of, is_birth, is_code, words_of
from evosdc.files.inference.scales import ScaleGuess, guess_scale, mixed_sentence, whole
from evosdc.table.numerals import NumberTexts, decimals_of, natural_order, numbers
from evosdc.table.schema import Attribute, Role, Scale

MOST_CATEGORIES = 50  # more different values, of a column whose name says so, identify even where records share them
# a demographic attribute with more categories is left out: it has to be recoded before it can be masked
MOST_DEMOGRAPHIC = 2000
LARGEST_HOUSEHOLD = 20  # records that share the number of a household, on average and at most
UNDECIDED = "make the file write them in one plain way, or give the column the scale nominal in a schema"
_FEW = 20
_YES_OR_NO = 2  # different values of a column that may say whether there is a telephone, and not which
_NEARLY_ALL = 0.9
_ONE_VALUE = "it has one value"
_WORDS_DIFFER = "its words differ in nearly every record"
FREE_TEXT_LENGTH = 25  # values of this mean length, in characters, are sentences rather than labels
FREE_TEXT_WORDS = 4.0  # as many words in a value, on average, are sentences as well
FREE_TEXT_DISTINCT = 20  # fewest distinct sentences that are free text; fewer are long labels
_MOST = 0.9
_CONTACTS = (
    (re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"), "its values are mail addresses"),
    (re.compile(r"(?:https?://|www\.)\S+"), "its values are web addresses"),
    (re.compile(r"(?:\d{1,3}\.){3}\d{1,3}"), "its values are addresses of computers"),
    (
        re.compile(r"(?=(?:[^0-9]*[0-9]){9,15}[^0-9]*$)[+(]?[0-9]+[ ()/-]+[0-9 ()/-]+"),
        "its values are telephone numbers",
    ),
    (re.compile(r"[0-9]{3}-[0-9]{2}-[0-9]{4}"), "its values are written as social security numbers"),
    (re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE), "its values are unique identifiers"),
)
_POSTCODES = (
    re.compile(r"[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}"),
    re.compile(r"[0-9]{5}-[0-9]{4}"),
    re.compile(r"[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]"),
    re.compile(r"[0-9]{4} ?[A-Z]{2}"),
)
_COORDINATE = re.compile(r"-?[0-9]{1,3}\.[0-9]{4,}\s*[,; ]\s*-?[0-9]{1,3}\.[0-9]{4,}")
# standard deviation over mean: weights of bodies vary less; design weights of a survey often vary more
MOST_VARIED = 0.5
NORMALISED = 0.02  # how far from 1 the mean of weights may be that were divided by their mean
# weights of births in kilogrammes and pounds, of people in both, of births in grammes
_BODIES = ((0.2, 14.0), (20.0, 450.0), (200.0, 7000.0))
_MEASURED = ("height", "bmi", "birthweight", "birthwt", "gestation", "premie", "waist", "stature", "apgar")


@dataclass(frozen=True)
class Proposal:
    """The proposed attribute of a column."""

    attribute: Attribute
    role_reason: str  # why it has its role; empty where nothing tells one
    scale_reason: str = ""  # why it has its scale; empty where that follows from the role
    undecided: bool = False  # whether its values can be read in no one way

    @property
    def reason(self) -> str:
        """Both reasons as one."""
        return ", and ".join(filter(None, (self.role_reason, self.scale_reason)))

    def typed(self, declared: Attribute | None) -> "Proposal":
        """Return the proposal with the scale that the type of the file's column tells."""
        if declared is None or self.attribute.role in (Role.IDENTIFIER, Role.WEIGHT):
            return self
        if declared.role is not Role.OTHER:
            return Proposal(declared, "the file says so")
        if declared.categorical and not declared.categories:
            return self
        attribute = replace(
            self.attribute, scale=declared.scale, categories=declared.categories, decimals=declared.decimals,
            date_format=declared.date_format, hierarchy=None,
        )  # fmt: skip
        reason = "scale and categories are those of its type" if declared.categorical else "its type is one of numbers"
        missing = self.scale_reason.partition("; ")[2]
        return replace(self, attribute=attribute, scale_reason=f"{reason}; {missing}" if missing else reason)


def propose_column(
    column: Column,
    missing: Sequence[str],
    own: Sequence[str],
    apart: Sequence[str],
    measured: bool,
    label: str = "",
) -> Proposal:
    """Return an attribute for a column, by its name and values, with the reason."""
    found = _by_name_and_values(column, (*missing, *own), apart, measured, label)
    texts = column.present((*missing, *own))
    reason = found.scale_reason
    if len(texts[:2]) == 1 and _ONE_VALUE not in found.reason:
        reason = ", and ".join(filter(None, (reason, _ONE_VALUE)))
    if own:
        reason = f"{reason}; {', '.join(map(repr, own))} taken for missing"
    return replace(found, attribute=replace(found.attribute, missing=tuple(own)), scale_reason=reason)


def _by_name_and_values(
    column: Column, missing: Sequence[str], apart: Sequence[str], measured: bool, label: str
) -> Proposal:
    hint = hint_of(column.name, label)
    says = "its name says" if hint_of(column.name).role is not None else "its label says"
    texts = column.present(missing)
    values = numbers(texts, column.mark)
    measures = values is not None and len(values) > 0
    size = column.recorded(missing)
    if hint.role is Role.HOUSEHOLD and LARGEST_HOUSEHOLD * len(texts) < size:
        # So common a value can only be the size or the kind of a household.
        hint = replace(hint, role=Role.QUASI_IDENTIFIER, unordered=False, ordered=True, demographic="trait")
    past, coded = is_birth(column.name), is_code(column.name)
    guess = guess_scale(column, missing, hint.unordered, hint.ordered, apart, past, coded)
    if guess.undecided and not hint.identifier:
        return Proposal(_nominal(column, texts, Role.DROP), "", f"{guess.undecided}: {UNDECIDED}", True)
    if not guess.date_format and not guess.timed:
        reason = _identifying(hint, texts, values, size)
        if reason == _WORDS_DIFFER:
            reason += mixed_sentence(texts, column.mark)
        if reason:
            return Proposal(_nominal(column, texts, Role.IDENTIFIER), reason)
        # Long labels of a few kinds occur many times, as those of diagnoses; free text hardly ever twice.
        reason = free_text(texts) if values is None and 5 * len(texts) > size else ""
        if reason:
            return Proposal(_nominal(column, texts, Role.DROP), reason)
    if hint.role is Role.WEIGHT and measures and (hint.certain or not measured):
        own = column.record_numbers(missing, None)
        if not hint.certain and (doubt := body_weights(own[~np.isnan(own)])):
            return Proposal(Attribute(column.name, Role.OTHER, Scale.NUMERIC, (), None, guess.decimals), doubt)
        decimals = decimals_of(texts, column.mark)
        return Proposal(
            Attribute(column.name, Role.WEIGHT, Scale.NUMERIC, (), None, decimals), f"{says} a sampling weight"
        )
    if hint.role in (Role.HOUSEHOLD, Role.STRATUM) and texts:
        return Proposal(_nominal(column, texts, hint.role), f"{says} {hint.role}")
    if hint.role is Role.WEIGHT and measures:
        guess = replace(guess, reason=f"{guess.reason}; the file measures bodies, so that this is no sampling weight")
    attribute = Attribute(
        column.name, Role.OTHER, guess.scale, guess.categories, None, guess.decimals, (), guess.date_format
    )
    if hint.role is Role.SENSITIVE and texts and not guess.date_format:
        return Proposal(replace(attribute, role=Role.SENSITIVE), f"{says} something confidential", guess.reason)
    where = place(texts)
    if hint.role is Role.QUASI_IDENTIFIER or guess.date_format or where:
        named = hint.role is Role.QUASI_IDENTIFIER
        role_reason = (
            where
            if where and not named
            else "others may know the day"
            if guess.date_format
            else f"{says[:-5]} is demographic"
        )
        return _demographic(attribute, guess, role_reason)
    return Proposal(attribute, "", guess.reason)


def _demographic(attribute: Attribute, guess: ScaleGuess, role_reason: str) -> Proposal:
    if guess.scale is not Scale.NUMERIC and len(guess.categories) < 2:
        return Proposal(attribute, "", guess.reason)
    if guess.scale is not Scale.NUMERIC and len(guess.categories) > MOST_DEMOGRAPHIC:
        advice = "these are too many categories to be masked as they are: recode it first, or leave it out"
        return Proposal(replace(attribute, role=Role.DROP), role_reason, f"{guess.reason}; {advice}")
    return Proposal(replace(attribute, role=Role.QUASI_IDENTIFIER), role_reason, guess.reason)


def _identifying(hint: NameHint, texts: Sequence[str], values: NDArray[np.float64] | None, size: int) -> str:
    """Return why a column identifies respondents; empty when it does not seem to."""
    # Names and looks of values count at any size; that values differ counts in many records only.
    many = len(texts[: _FEW + 1]) > _FEW
    if hint.identifier and 2 * len(texts) > size:
        return "its name says that it identifies"
    shared = hint.identifier and len(texts) > MOST_CATEGORIES and (values is None or whole(values))
    if shared or (hint.naming and len(texts) > _YES_OR_NO):
        return "its name says that it identifies, though records share values"
    if values is None:
        reached = next((reason for pattern, reason in _CONTACTS if _mostly(texts, pattern)), "")
        if reached:
            return reached
    if many and values is None and len(texts) >= _NEARLY_ALL * size:
        return _WORDS_DIFFER
    if many and values is not None and whole(values) and len(texts) == size:
        return "it counts the records" if np.ptp(values) == size - 1 else ""
    return ""


def _nominal(column: Column, texts: Sequence[str], role: Role) -> Attribute:
    return Attribute(column.name, role, Scale.NOMINAL, natural_order(texts, column.mark))


def place(texts: Sequence[str]) -> str:
    """Return why the values are places, empty where they do not seem to be."""
    if isinstance(texts, NumberTexts) and (not texts.words or len(texts.words) < _MOST * len(texts)):
        return ""  # no number is written as one of these
    if any(_mostly(texts, pattern) for pattern in _POSTCODES):
        return "its values are written as post codes"
    return "its values are positions on a map" if _mostly(texts, _COORDINATE) else ""


def free_text(texts: Sequence[str]) -> str:
    """Return why the values are free text, empty where they do not seem to be."""
    if len(texts) < FREE_TEXT_DISTINCT:
        return ""
    length = sum(map(len, texts)) / len(texts)
    words = sum(len(text.split()) for text in texts) / len(texts)
    if length < FREE_TEXT_LENGTH and words < FREE_TEXT_WORDS:
        return ""
    return f"it is free text, {len(texts)} values of {words:.0f} words on average, which may name people"


def _mostly(texts: Sequence[str], pattern: re.Pattern[str]) -> bool:
    return bool(texts) and sum(bool(pattern.fullmatch(text.strip())) for text in texts) >= _MOST * len(texts)


def measures_bodies(names: Sequence[str]) -> bool:
    """Whether the names of a file's columns tell that it measures bodies: a plain weight is then one of them."""
    joined = ("".join(words_of(name)) for name in names)
    return any(word in name for name in joined for word in _MEASURED)


def body_weights(values: NDArray[np.float64]) -> str:
    """Return the question whether numbers are weights of bodies; empty where they can only be sampling weights."""
    # Sampling weights vary much, are 1 on average, or lie far from what people and births weigh.
    # values (n,)
    low, high, mean = float(values.min()), float(values.max()), float(values.mean())
    span = next(((least, most) for least, most in _BODIES if least <= low and high <= most), None)
    if span is None or abs(mean - 1.0) <= NORMALISED or float(values.std()) > MOST_VARIED * mean:
        return ""
    return (
        f"its numbers from {low:g} to {high:g} could be what bodies or births weigh: does each record stand for that "
        "many people? If so, give it the role weight; if others may know it, quasi-identifier"
    )
