"""Proposing a schema for a file: safe enough to run with, and explained so that a user can correct it.

Who could know what about the respondents is for the custodian to say.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from math import floor, log10
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault, HierarchyError
from evosdc.files.column import Column
from evosdc.files.inference.column_proposal import MEASURED, MOST_CATEGORIES, UNDECIDED, Proposal, propose_column
from evosdc.files.inference.missing_codes import MissingCode, code_sentences, suspected_codes
from evosdc.files.inference.name_hints import hint_of, words_of
from evosdc.files.inference.relations import counts_days
from evosdc.files.published import duplicate_sentences, keeps_order, order_sentences
from evosdc.files.schema.hierarchies import HierarchyRule, intervals_of_labels
from evosdc.printing import printable
from evosdc.table.dates import LEVELS, days_of
from evosdc.table.hierarchy import ROOT, Hierarchy, ordered_merging, prefix_hierarchy
from evosdc.table.numerals import numbers, numeral, same_number
from evosdc.table.schema import Attribute, Role, Scale, Schema

if TYPE_CHECKING:
    import pandas as pd

    from evosdc.files.frame import HeldFrame

# texts that are taken for missing values where they occur
MISSING_TEXTS = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "<NA>", "#N/A")
MISSING_NUMBERS = (".", "-")  # texts that are taken for missing values where they occur among numbers only
MOST_PROPOSED = 4
_PEOPLE = 0.2  # different values of an identifier that numbers people, by record; fewer number something else
FEWEST_CATEGORIES = 3
FEWEST_TOGETHER = 8  # fewest attributes treated alike that share one note
_COUNT = re.compile(r"[0-9]+")
_NAMED = 3
_NUMERIC = (
    "Numeric attributes without a demographic name are not proposed: give those that others may know the role "
    "quasi-identifier."
)
Numbers = NDArray[np.float64]
AGE_BANDS = (5.0, 10.0, 20.0)  # widths of age bands at levels 1, 2 and 3, in years
FEWEST = 6  # fewest categories that make a hierarchy worth while
OLDEST = 130.0  # numbers beyond are no ages in years
# counts this far above the least one are merged at levels 1, 2 and 3: 0, 1, 2, 3, 4, 5+; then 0, 1, 2, 3+; 0, 1+
TOPS = (5, 3, 1)
LARGEST_COUNT = 30.0  # larger counts become ranges as other numbers do
MOST_CODES = 20  # more whole numbers are measured, not codes
_DOTTED = re.compile(r"[A-Z][0-9]{1,2}[0-9A-Z]?(?:\.[0-9A-Z]{1,4})?")  # codes of diseases
_CODE = re.compile(r"([A-Za-z]*)([0-9]+[0-9A-Z]*?)((?:[.\-/ ][0-9A-Za-z]+)*)")
_LONG_LIFE = 30
_RANGES = 20
_OF_HOUSEHOLDS = re.compile("hh|hw|household|haushalt|menage|hogar|famil", re.IGNORECASE)
_BEGINNING = 1000


@dataclass(frozen=True)
class Inference:
    """A proposed schema and its reasons."""

    schema: Schema
    # what was guessed and why: a sentence for each attribute, or for many that are treated alike; then on the file
    notes: tuple[str, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)  # by attribute, why it was taken for what it is
    # by attribute of numbers, the hierarchy that is proposed
    rules: Mapping[str, HierarchyRule] = field(default_factory=dict)
    # texts that seem to represent missing values: those that are certain are in the schema, others need
    # confirmation
    suspected: tuple[MissingCode, ...] = ()
    # whether names and values revealed the quasi-identifiers; else the number of categories did
    telling: bool = True

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes on the file, without those on single attributes."""
        explained = frozenset(explanations_of(self.schema.attributes, self.reasons))
        return tuple(note for note in self.notes if note not in explained)


def infer_schema(frame: "pd.DataFrame | HeldFrame") -> Inference:
    """Propose a schema for a DataFrame; columns that can be read in no one way are dropped, with a reason."""
    from evosdc.files.frame import held

    whole = held(frame)
    return infer([part.column for part in whole.parts], whole.declared, {})


def infer(
    columns: Sequence[Column],
    declared: Mapping[str, Attribute] = MappingProxyType({}),
    codes: Mapping[str, Sequence[str]] | None = None,
    labels: Mapping[str, str] = MappingProxyType({}),
    code_labels: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> Inference:
    """Propose a schema for the columns of a file."""
    # `codes`: suspected texts that were confirmed; without them, undecided columns are refused.
    missing = missing_texts(columns)
    suspected = suspected_codes(columns, missing, code_labels)
    own = {name: attribute.missing for name, attribute in declared.items() if attribute.missing}
    for name, texts in [*((code.name, [code.text]) for code in suspected if code.certain), *(codes or {}).items()]:
        own |= {name: tuple(dict.fromkeys((*own.get(name, ()), *texts)))} if texts else {}
    own |= {c.name: (*own[c.name], *same_number(c.texts, own[c.name], c.mark)) for c in columns if c.name in own}
    apart = {column.name: [code.text for code in suspected if code.name == column.name] for column in columns}
    measured = any(word in "".join(words_of(column.name)) for column in columns for word in MEASURED)
    proposals = [
        propose_column(c, missing, own.get(c.name, ()), apart[c.name], measured, labels.get(c.name, "")).typed(
            declared.get(c.name)
        )
        for c in columns
    ]
    if undecided := [p for p in proposals if p.undecided and codes is None]:
        wanted = "one plain way of writing them"
        advice = "Make the file write them so, or say in a schema what the column is: evosdc init DATA."
        given = [p.scale_reason.partition(f": {UNDECIDED}")[0].removeprefix("it holds ") for p in undecided]
        names = [printable(p.attribute.name) for p in undecided]
        raise DataError([Fault(name, said, wanted, advice) for name, said in zip(names, given, strict=True)])
    proposals = _with_one_weight(proposals)
    attributes, chosen = _quasi_identifiers([proposal.attribute for proposal in proposals])
    reasons = {proposal.attribute.name: proposal.reason for proposal in proposals}
    for position, reason in _stays(columns, attributes, missing):
        name = attributes[position].name
        attributes[position] = replace(attributes[position], role=Role.QUASI_IDENTIFIER)
        reasons[name] = f"{reason}, and {reasons[name]}"
    rules: dict[str, HierarchyRule] = {}
    for position, (column, attribute) in enumerate(zip(columns, attributes, strict=True)):
        found: Hierarchy | HierarchyRule | None = None
        if attribute.role is Role.SENSITIVE and attribute.scale is Scale.NOMINAL and len(attribute.categories) > 2:
            found = code_hierarchy(attribute.categories)
        elif attribute.role is Role.QUASI_IDENTIFIER and not attribute.categorical:
            # A rule, since a list of the values would be the file's content.
            values = numbers(column.present((*missing, *attribute.missing, *apart[column.name])), column.mark)
            if values is not None and any(len(np.unique(some)) >= FEWEST for some in (values[:_BEGINNING], values)):
                found = HierarchyRule(widths=widths(values, attribute.decimals, hint_of(attribute.name).age))
        elif attribute.role is Role.QUASI_IDENTIFIER and attribute.hierarchy is None:
            found = hierarchy_of(attribute, apart[column.name])
        if isinstance(found, HierarchyRule):
            rules[attribute.name] = found
        elif found is not None:
            attributes[position] = replace(attribute, hierarchy=found)
    notes = [*explanations_of(attributes, reasons), *chosen]
    others = [repr(text) for text in missing if text]
    if others:
        notes.append(f"{', '.join(others)} and empty values are taken for missing.")
    withheld = {attribute.name for attribute in attributes if not attribute.role.published}
    doubtful = [c for c in suspected if not c.certain and c.name not in withheld and c.text not in own.get(c.name, ())]
    notes += code_sentences(doubtful, own)
    notes += order_sentences([column.name for column in columns if column.name in withheld and keeps_order(column)])
    identifying = [a.name for a in attributes if a.role is Role.IDENTIFIER]
    for column in (column for column in columns if column.name in identifying):
        # Where several records have the number of a person, records are not people.
        own_missing = (*missing, *own.get(column.name, ()))
        texts, size = column.present(own_missing), column.recorded(own_missing)
        if _PEOPLE * size <= len(texts) < size and all(any(map(str.isdigit, text)) for text in texts):
            name = printable(column.name)
            notes.append(
                f"{name} has {len(texts)} different values in {size} records. If it numbers people, some have several "
                "records, and each record is judged as a person of its own. Keep one record of each person, or give "
                f"{name} the role household, so that records of one person are judged together too."
            )
    notes += duplicate_sentences(columns, identifying)
    suspected = tuple(code for code in suspected if code.certain or code in doubtful)
    return Inference(Schema(tuple(attributes), missing), tuple(notes), reasons, rules, suspected, not chosen)


def _stays(
    columns: Sequence[Column], attributes: Sequence[Attribute], missing: tuple[str, ...]
) -> Iterator[tuple[int, str]]:
    """Yield the places of numbers that are the days between two dates which others may know, and the reason."""
    days: dict[str, NDArray[np.float64]] = {}
    for column, one in zip(columns, attributes, strict=True):
        if one.date_format and one.role is Role.QUASI_IDENTIFIER:
            found = days_of(column.texts, one.date_format)
            numbered = np.where(np.isnat(found), np.nan, found.astype(np.int64).astype(np.float64))
            days[one.name] = np.append(numbered, np.nan)[column.index]
    for position, (column, one) in enumerate(zip(columns, attributes, strict=True)):
        lacking = (*missing, *one.missing)
        if len(days) < 2 or one.role not in (Role.OTHER, Role.QUASI_IDENTIFIER) or one.date_format:
            continue
        if one.categorical and numbers(column.present(lacking), column.mark) is None:
            continue
        own = column.record_numbers(lacking, None)
        for first, last in permutations(days, 2):
            if counts_days(own, days[last] - days[first]):
                yield position, f"it is the days from {printable(first)} to {printable(last)}"
                break


def _with_one_weight(proposals: list[Proposal]) -> list[Proposal]:
    """Return proposals of which one is the weight: the first that does not name a household, else the first."""
    weights = [p.attribute.name for p in proposals if p.attribute.role is Role.WEIGHT]
    chosen = next((name for name in weights if not _OF_HOUSEHOLDS.match(name)), weights[0] if weights else "")
    why = f"the weight is {printable(chosen)}: to publish this one as well, give it the role other"
    others = {name for name in weights if name != chosen}
    return [Proposal(replace(p.attribute, role=Role.DROP), why) if p.attribute.name in others else p for p in proposals]


def missing_texts(columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the texts that represent missing values in some columns: the empty one, and the usual ones that occur."""
    usual = {*MISSING_TEXTS, *MISSING_NUMBERS}
    here = [usual.intersection(c.texts if c.held is None else filter(c.held.__contains__, usual)) for c in columns]
    certain = tuple(text for text in MISSING_TEXTS if not text or any(text in own for own in here))

    def among_numbers(column: Column) -> bool:
        if column.held is not None:
            return set(column.held.words) <= {*certain, *MISSING_NUMBERS}
        rest = set(column.texts).difference(certain, MISSING_NUMBERS)
        return bool(rest) and numbers(rest, column.mark) is not None

    within = {text: [c for c, own in zip(columns, here, strict=True) if text in own] for text in MISSING_NUMBERS}
    return certain + tuple(text for text, own in within.items() if own and all(map(among_numbers, own)))


def _quasi_identifiers(attributes: list[Attribute]) -> tuple[list[Attribute], list[str]]:
    """Give some attributes the role when none has it by name; also return notes on the choice."""
    if any(attribute.role is Role.QUASI_IDENTIFIER for attribute in attributes):
        return attributes, []
    free = [attribute for attribute in attributes if attribute.role is Role.OTHER]
    sizes = {a.name: len(a.categories) for a in free if a.categorical}
    wide = [name for name, size in sizes.items() if FEWEST_CATEGORIES <= size <= MOST_CATEGORIES]
    wide.sort(key=lambda name: -sizes[name])
    names = (wide or [name for name, size in sizes.items() if size == 2])[:MOST_PROPOSED]
    left = [_NUMERIC] if len(sizes) < len(free) else []
    if not names:
        return attributes, ["No attribute could be taken for a quasi-identifier: give some that role.", *left]
    kind = (
        f"{FEWEST_CATEGORIES} to {MOST_CATEGORIES} categories, those with the most first" if wide else "two categories"
    )
    note = (
        f"No attribute has a demographic name; taken for quasi-identifiers are attributes with {kind}: "
        f"{printable(', '.join(names))}. Look at this choice."
    )
    return [replace(a, role=Role.QUASI_IDENTIFIER) if a.name in names else a for a in attributes], [note, *left]


def explanations_of(attributes: Sequence[Attribute], reasons: Mapping[str, str]) -> list[str]:
    """Return a sentence for each attribute, and one for many that have a role, a scale and a reason in common."""
    groups: dict[tuple[str, str], list[int]] = {}
    for position, attribute in enumerate(attributes):
        kind = f"{attribute.role}, {attribute.scale_word}"
        groups.setdefault((kind, _COUNT.sub("#", reasons[attribute.name])), []).append(position)
    notes: dict[int, str] = {}
    for (kind, _), positions in groups.items():
        names = [printable(attributes[position].name) for position in positions]
        own = [reasons[attributes[position].name] for position in positions]
        if len(positions) < FEWEST_TOGETHER:
            found = zip(positions, names, own, strict=True)
            notes |= {position: f"{name}: {kind}, since {reason}." for position, name, reason in found}
            continue
        neighbours = positions[-1] - positions[0] == len(positions) - 1
        listed = f"{names[0]} to {names[-1]}" if neighbours else f"{', '.join(names[:_NAMED])}, ..., {names[-1]}"
        # The reasons differ in their numbers only: one sentence has the span of each.
        counts = zip(*([int(count) for count in _COUNT.findall(reason)] for reason in own), strict=True)
        spans = [str(min(c)) if min(c) == max(c) else f"{min(c)} to {max(c)}" for c in counts]
        shared = "".join(text + span for text, span in zip(_COUNT.split(own[0]), [*spans, ""], strict=True))
        notes[positions[0]] = f"{listed} ({len(positions)} attributes): {kind}, since for each, {shared}."
    return [notes[position] for position in sorted(notes)]


def hierarchy_of(attribute: Attribute, apart: Sequence[str] = ()) -> Hierarchy | HierarchyRule | None:
    """Return the hierarchy or rule that is proposed for a categorical attribute, None where none suggests itself."""
    # A rule holds for the next wave too, unlike a list. Few numbers may be codes, whose list is known.
    # `apart`: categories that may represent missing values
    labels, hint = attribute.categories, hint_of(attribute.name)
    if attribute.date_format:
        return rule_of_dates(attribute)
    if len(labels) < FEWEST:
        return None
    try:
        if attribute.scale is Scale.ORDINAL:
            values = numbers(labels)
            if values is None or len(set(values)) < len(labels):
                return ordered_merging(labels)
            plain: list[float] = values.tolist()
            own = [value for label, value in zip(labels, plain, strict=True) if label not in apart] or plain
            if hint.count and min(own) >= 0 and max(own) <= LARGEST_COUNT:
                return top_coded(labels, plain, max(own))
            ranges = widths(own, 0, hint.age)
            if (hint.age or len(labels) > MOST_CODES) and [numeral(value, 0) for value in plain] == list(labels):
                return HierarchyRule(widths=ranges)
            return intervals_of_labels(attribute, ranges)
        lengths, coded = {len(label) for label in labels}, all(any(map(str.isdigit, label)) for label in labels)
        if hint.demographic == "place" and len(lengths) == 1 and min(lengths) > 1 and coded:
            return prefix_hierarchy(labels)
        if hint.code or all(map(_DOTTED.fullmatch, labels)):
            return code_hierarchy(labels)
    except HierarchyError:
        return None
    return None


def code_hierarchy(labels: Sequence[str]) -> Hierarchy | None:
    """Return the hierarchy of the codes of a classification: ``A12.3``, ``A12*``, ``A*``; None where none is merged."""
    # What comes before a point, and the letters or first two digits: chapters of diseases (ICD), divisions of
    # industries (NACE, ISIC), groups of occupations (ISCO).
    parts = [_CODE.fullmatch(label) for label in labels]
    if not all(parts):
        return None
    chapters = [f"{part[1] or part[2][:2]}*" for part in parts if part is not None]
    groups = [f"{part[1]}{part[2]}*" for part in parts if part is not None]
    levels = [column for column in (groups, chapters) if 1 < len(set(column)) < len(labels)]
    if len(levels) == 2 and len(set(groups)) <= len(set(chapters)):
        levels = levels[1:]
    rows = tuple((*row, ROOT) for row in zip(*levels, strict=True))
    return Hierarchy(tuple(labels), rows, "codes") if levels else None


def top_coded(labels: Sequence[str], values: Sequence[float], largest: float) -> Hierarchy | None:
    """Return a hierarchy of counts that merges the greatest ones; None where nothing would be merged."""
    least = int(min(values))
    tops = [least + top for top in TOPS if sum(least + top <= value <= largest for value in values) > 1]
    if not tops:
        return None
    rows = tuple(
        (*(f"{top}+" if top <= value <= largest else label for top in tops), ROOT)
        for label, value in zip(labels, values, strict=True)
    )
    return Hierarchy(tuple(labels), rows, "top coding")


def rule_of_dates(attribute: Attribute) -> HierarchyRule:
    """Return the rule by which days become months, quarters, years; those of births decades too."""
    years = [day.year for day in days_of(attribute.categories, attribute.date_format).tolist() if day is not None]
    levels = LEVELS if max(years, default=0) - min(years, default=0) >= _LONG_LIFE else LEVELS[:3]
    return HierarchyRule(dates=levels[0 if "%d" in attribute.date_format else 1 :])


def widths(values: Sequence[float] | Numbers, decimals: int = 0, age: bool = False) -> tuple[float, ...]:
    """Return widths of ranges at levels 1, 2 and 3: age bands, or a round width for at most 20 ranges."""
    least, most = float(np.min(values)), float(np.max(values))
    if age and most <= OLDEST:
        return AGE_BANDS
    span = most - least
    power = max(floor(log10(span / _RANGES)) if span > 0 else 0, -decimals)
    first = next(w for w in (1, 2, 5, 10) if span / (w * 10.0**power) <= _RANGES or w == 10)
    if power == -decimals:
        first = max(first, 2)
    found = tuple(float(f"{first * times}e{power}") for times in (1, 2, 10))
    # What is wider than all values together says no more than the root does.
    return tuple(width for width in found if width <= span) or found[:1]
