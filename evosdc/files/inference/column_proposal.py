"""What one column is proposed as, by its name and its values; rules as in `evosdc.files.inference.proposal`."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evosdc.files.column import Column
from evosdc.files.inference.name_hints import NameHint, hint_of, is_birth
from evosdc.files.inference.scales import ScaleGuess, guess_scale, whole
from evosdc.files.inference.value_hints import contact, free_text, place
from evosdc.files.inference.weights import body_weights
from evosdc.table.held_numbers import extremes
from evosdc.table.number_texts import more_than
from evosdc.table.numerals import decimals_of, natural_order, number, numbers
from evosdc.table.schema import Attribute, Role, Scale

MOST_CATEGORIES = 50
"""More different values, of a column whose name says so, identify even where records share them."""

MOST_DEMOGRAPHIC = 2000
"""A demographic attribute with more categories is left out: it has to be recoded before it can be masked."""

LARGEST_HOUSEHOLD = 20
"""Records that share the number of a household, on average and at most."""

UNDECIDED = "make the file write them alike, or give the column the scale nominal in a schema"

_FEW = 20
_YES_OR_NO = 2
"""Different values of a column that may say whether there is a telephone, and not which."""

_LOOKED_AT = 1000
"""Texts among which numbers are counted."""

_NEARLY_ALL = 0.9
_ONE_VALUE = "it has one value"
_WORDS_DIFFER = "its words differ in nearly every record"


def propose_column(
    column: Column, missing: Sequence[str], own: Sequence[str], apart: Sequence[str], measured: bool
) -> tuple[Attribute, str]:
    """Return an attribute for a column, by its name and values, with the reason.

    Parameters
    ----------
    column : Column
    missing, own : sequence of str
        Texts of missing values, in the whole file and in this column alone.
    apart : sequence of str
        Suspected codes of missing values, which stay categories of their own.
    measured : bool
        Whether the file measures bodies, so that a weight may be one.
    """
    attribute, reason = _by_name_and_values(column, (*missing, *own), apart, measured)
    texts = column.present((*missing, *own))
    if not more_than(texts, 1) and len(texts) == 1 and _ONE_VALUE not in reason:
        reason = f"{reason}, and {_ONE_VALUE}"
    if own:
        reason = f"{reason}; {', '.join(map(repr, own))} taken for missing"
    return replace(attribute, missing=tuple(own)), reason


def _by_name_and_values(
    column: Column, missing: Sequence[str], apart: Sequence[str], measured: bool
) -> tuple[Attribute, str]:
    hint = hint_of(column.name)
    texts = column.present(missing)
    values = numbers(texts, column.mark)
    size = column.recorded(missing)
    if hint.role is Role.HOUSEHOLD and LARGEST_HOUSEHOLD * len(texts) < size:
        # So many share each value that it can only be how large or of what kind the household is.
        hint = replace(hint, role=Role.QUASI_IDENTIFIER, unordered=False, ordered=True, demographic="trait")
    guess = guess_scale(column, missing, hint.unordered, hint.ordered, apart, is_birth(column.name))
    if guess.undecided and not hint.identifier:
        return _nominal(column, texts, Role.DROP), f"{guess.undecided}: {UNDECIDED}"
    if not guess.date_format and not guess.timed:
        reason = _identifying(hint, texts, values, size)
        if reason == _WORDS_DIFFER and (share := _number_share(texts, column.mark)) > 0.5:
            few = "if these are missing values, name them under missing, and give the column the scale numeric"
            reason = f"{reason}; {int(100 * share)} % of them are numbers, and the others texts: {few}"
        if reason:
            return _nominal(column, texts, Role.IDENTIFIER), reason
        # Long labels of a few kinds are told many times, as those of diagnoses; free text hardly ever twice.
        reason = free_text(texts) if values is None and 5 * len(texts) > size else ""
        if reason:
            return _nominal(column, texts, Role.DROP), reason
    if hint.role is Role.WEIGHT and values and (hint.certain or not measured):
        if not hint.certain and (doubt := body_weights(_repeated(column, missing))):
            return Attribute(column.name, Role.OTHER, Scale.NUMERIC, (), None, guess.decimals), doubt
        decimals = decimals_of(texts, column.mark)
        return Attribute(column.name, Role.WEIGHT, Scale.NUMERIC, (), None, decimals), "its name says a sampling weight"
    if hint.role in (Role.HOUSEHOLD, Role.STRATUM) and texts:
        return _nominal(column, texts, hint.role), f"its name says {hint.role}"
    if hint.role is Role.WEIGHT and values:
        guess = replace(guess, reason=f"{guess.reason}; the file measures bodies, so that this is no sampling weight")
    attribute = Attribute(
        column.name, Role.OTHER, guess.scale, guess.categories, None, guess.decimals, (), guess.date_format
    )
    if hint.role is Role.SENSITIVE and texts and not guess.date_format:
        why = f"its name says something confidential, and {guess.reason}"
        return replace(attribute, role=Role.SENSITIVE), why
    where = place(texts)
    if hint.role is Role.QUASI_IDENTIFIER or guess.date_format or where:
        role, why = _demographic(guess, where if where and hint.role is not Role.QUASI_IDENTIFIER else "")
        return replace(attribute, role=role), why
    return attribute, guess.reason


def _repeated(column: Column, missing: Sequence[str]) -> NDArray[np.float64]:
    """Return the number of each record that has one."""
    values = column.record_numbers(missing, None)
    return values[~np.isnan(values)]


def _demographic(guess: ScaleGuess, where: str) -> tuple[Role, str]:
    told = where or ("others may know the day" if guess.date_format else "its name is demographic")
    reason = f"{told}, and {guess.reason}"
    if guess.scale is Scale.NUMERIC:
        return Role.QUASI_IDENTIFIER, reason
    if len(guess.categories) < 2:
        return Role.OTHER, guess.reason
    if len(guess.categories) > MOST_DEMOGRAPHIC:
        advice = "these are too many categories to be masked as they are: recode it first, or leave it out"
        return Role.DROP, f"{reason}; {advice}"
    return Role.QUASI_IDENTIFIER, reason


def _identifying(hint: NameHint, texts: Sequence[str], values: Sequence[float] | None, size: int) -> str:
    """Return why a column identifies respondents; empty when it does not seem to.

    Names and the looks of values tell it at any size; that values differ tells it of many records only.
    """
    many = more_than(texts, _FEW)
    if hint.identifier and 2 * len(texts) > size:
        return "its name says that it identifies"
    shared = hint.identifier and len(texts) > MOST_CATEGORIES and (values is None or whole(values))
    if shared or (hint.naming and len(texts) > _YES_OR_NO):
        return "its name says that it identifies, though records share values"
    if values is None and (reached := contact(texts)):
        return reached
    if many and values is None and len(texts) >= _NEARLY_ALL * size:
        return _WORDS_DIFFER
    if many and values is not None and whole(values) and len(texts) == size:
        least, most = extremes(values)
        return "it counts the records" if most - least == size - 1 else ""
    return ""


def _number_share(texts: Sequence[str], mark: str) -> float:
    """Return which part of the first texts are numbers; 0..1."""
    looked_at = texts[:_LOOKED_AT]
    return sum(number(text, mark) is not None for text in looked_at) / len(looked_at)


def _nominal(column: Column, texts: Sequence[str], role: Role) -> Attribute:
    return Attribute(column.name, role, Scale.NOMINAL, natural_order(texts, column.mark))
