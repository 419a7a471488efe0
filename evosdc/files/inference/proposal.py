"""Proposing a schema for a file: safe enough to run with, and explained so that a user can correct it.

Scales follow the rules of `evosdc.files.inference.scales`, hierarchies those of
`evosdc.files.inference.hierarchy_proposals`. Roles follow these, the first that fits:

1. *identifier*: the name says so (``ssn``, ``email``, ``surname``, ``patient_id``, ...) and the values are many; or the
   values are mail addresses, telephone numbers and the like; or words that are different in nearly every record; or
   whole numbers that count the records;
2. *drop*: free text, whose many long values may name people; and what is demographic but has more categories than can
   be masked;
3. *weight*, *household*, *stratum*: by name, a household by a number that few records share; a plain ``weight`` is a
   sampling weight unless the file also measures bodies or its numbers could be weights of bodies
   (`body_weights`);
4. *sensitive*: by name (``disease``, ``diagnosis``, ``religion``, ``debt``, ...);
5. *quasi-identifier*: dates, places, and attributes with a demographic name, numeric ones too (``age``, ``sex``,
   ``zip``, ``education``, ``married``, ``income``, ...). When the file has none, the categorical attributes with 3 to
   50 categories, at most four, those with the most categories first; when it has none of these either, up to four with
   two categories;
6. *other*: all else.

These are guesses. Who could know what about the respondents is for the custodian to say.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evosdc.errors import DataError, Fault
from evosdc.files.column import Column
from evosdc.files.inference.column_proposal import MOST_CATEGORIES, UNDECIDED, measures_bodies, propose_column
from evosdc.files.inference.hierarchy_proposals import (
    code_hierarchy,
    hierarchy_of,
    rule_for,
    rule_of_dates,
    rule_of_numbers,
)
from evosdc.files.inference.missing_codes import MissingCode, code_sentences, suspected_codes
from evosdc.files.row_order import duplicate_sentences, keeps_order, order_sentences
from evosdc.files.schema.hierarchies import HierarchyRule
from evosdc.printing import printable
from evosdc.table.numerals import numbers, same_number
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


@dataclass(frozen=True)
class Inference:
    """A proposed schema and its reasons."""

    schema: Schema
    # what was guessed and why: a sentence for each attribute, or for many that are treated alike; then on the file
    notes: tuple[str, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)  # by attribute, why it was taken for what it is
    # by attribute of numbers, the hierarchy that is proposed
    rules: Mapping[str, HierarchyRule] = field(default_factory=dict)
    # texts that seem to stand for missing values: those that are certain are in the schema, others need
    # confirmation
    suspected: tuple[MissingCode, ...] = ()
    # whether names and values revealed the quasi-identifiers; else the number of categories did
    telling: bool = True

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes on the file, without those on single attributes."""
        attributes = self.schema.attributes
        explained = frozenset(explanations_of(attributes, [self.reasons[a.name] for a in attributes]))
        return tuple(note for note in self.notes if note not in explained)


def infer_schema(frame: "pd.DataFrame | HeldFrame") -> Inference:
    """Propose a schema for a DataFrame; columns that can be read in no one way are dropped, with a reason."""
    from evosdc.files.frame import declared, held

    whole = held(frame)
    return infer([part.column for part in whole.parts], declared(whole.frame, whole.parts), {})


def infer(
    columns: Sequence[Column],
    declared: Mapping[str, Attribute] | None = None,
    codes: Mapping[str, Sequence[str]] | None = None,
    labels: Mapping[str, str] | None = None,
    code_labels: Mapping[str, Mapping[str, str]] | None = None,
) -> Inference:
    """Propose a schema for the columns of a file."""
    # `codes`: suspected texts that were confirmed; without them, undecided columns are refused.
    missing = missing_texts(columns)
    suspected = suspected_codes(columns, missing, code_labels or {})
    own = {name: attribute.missing for name, attribute in (declared or {}).items() if attribute.missing}
    for name, texts in [*((code.name, [code.text]) for code in suspected if code.certain), *(codes or {}).items()]:
        own |= {name: tuple(dict.fromkeys((*own.get(name, ()), *texts)))} if texts else {}
    own |= {c.name: (*own[c.name], *same_number(c.texts, own[c.name], c.mark)) for c in columns if c.name in own}
    measured = measures_bodies([column.name for column in columns])
    apart: dict[str, list[str]] = {}
    for code in suspected:
        apart.setdefault(code.name, []).append(code.text)
    proposals = [
        propose_column(
            column,
            missing,
            own.get(column.name, ()),
            apart.get(column.name, ()),
            measured,
            (labels or {}).get(column.name, ""),
        ).typed((declared or {}).get(column.name))
        for column in columns
    ]
    reasons = [proposal.reason for proposal in proposals]
    undecided = [proposal for proposal in proposals if proposal.undecided] if codes is None else []
    if undecided:
        advice = "Make the file write them so, or say in a schema what the column is: evosdc init DATA."
        found = [p.scale_reason.partition(f": {UNDECIDED}")[0].removeprefix("it holds ") for p in undecided]
        names = [printable(proposal.attribute.name) for proposal in undecided]
        wanted = "one plain way of writing them"
        raise DataError([Fault(name, given, wanted, advice) for name, given in zip(names, found, strict=True)])
    attributes, chosen = _quasi_identifiers([proposal.attribute for proposal in proposals])
    rules: dict[str, HierarchyRule] = {}
    for position, (column, attribute) in enumerate(zip(columns, attributes, strict=True)):
        rule = None
        if attribute.role is Role.SENSITIVE and attribute.scale is Scale.NOMINAL and len(attribute.categories) > 2:
            attributes[position] = replace(attribute, hierarchy=code_hierarchy(attribute.categories))
        if attribute.role is not Role.QUASI_IDENTIFIER:
            continue
        own_codes = apart.get(column.name, ())
        if not attribute.categorical:
            values = numbers(column.present((*missing, *attribute.missing, *own_codes)), column.mark)
            rule = rule_for(attribute, values) if values is not None and len(values) else None
        elif attribute.hierarchy is None:
            rule = rule_of_dates(attribute) if attribute.date_format else rule_of_numbers(attribute, own_codes)
            if rule is None:
                attributes[position] = replace(attribute, hierarchy=hierarchy_of(attribute, own_codes))
        rules |= {attribute.name: rule} if rule is not None else {}
    notes = [*explanations_of(attributes, reasons), *chosen]
    others = [repr(text) for text in missing if text]
    if others:
        notes.append(f"{', '.join(others)} and empty values are taken for missing.")
    decided = {(name, text) for name, texts in own.items() for text in texts}
    left_out = {attribute.name for attribute in attributes if not attribute.role.published}
    open_ = tuple(
        code
        for code in suspected
        if code.certain or ((code.name, code.text) not in decided and code.name not in left_out)
    )
    notes += code_sentences([code for code in open_ if not code.certain])
    withheld = [column for column, a in zip(columns, attributes, strict=True) if not a.role.published]
    notes += order_sentences([column.name for column in withheld if keeps_order(column)])
    identifying = [a.name for a in attributes if a.role is Role.IDENTIFIER]
    notes += [text for c in columns if c.name in identifying for text in _repeated(c, (*missing, *own.get(c.name, ())))]
    notes += duplicate_sentences(columns, identifying)
    explained = {a.name: reason for a, reason in zip(attributes, reasons, strict=True)}
    return Inference(Schema(tuple(attributes), missing), tuple(notes), explained, rules, open_, not chosen)


def _repeated(column: Column, missing: Sequence[str]) -> list[str]:
    """Return a sentence on the numbers of people that several records have: then records are not people."""
    texts, size = column.present(missing), column.recorded(missing)
    different = len(texts)
    if not _PEOPLE * size <= different < size or not all(any(map(str.isdigit, text)) for text in texts):
        return []
    name = printable(column.name)
    return [
        f"{name} has {different} different values in {size} records. If it numbers people, some have several records, "
        "and each record is judged as a person of its own. Keep one record of each person, or give "
        f"{name} the role household, so that records of one person are judged together too."
    ]


def missing_texts(columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the texts that stand for missing values in some columns: the empty one, and the usual ones that occur."""
    occurring = {text for column in columns if column.held is None for text in column.texts}
    usual = (*MISSING_TEXTS, *MISSING_NUMBERS)
    occurring |= {text for column in columns if column.held is not None for text in usual if text in column.held}
    certain = tuple(text for text in MISSING_TEXTS if not text or text in occurring)
    return certain + tuple(
        text for text in MISSING_NUMBERS if text in occurring and _among_numbers(text, columns, certain)
    )


def _among_numbers(text: str, columns: Sequence[Column], missing: Sequence[str]) -> bool:
    return all(
        set(column.held.words) <= {*missing, *MISSING_NUMBERS}
        if column.held is not None
        else bool(rest := set(column.texts).difference(missing, MISSING_NUMBERS))
        and numbers(rest, column.mark) is not None
        for column in columns
        if text in column.texts
    )


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


def explanations_of(attributes: Sequence[Attribute], reasons: Sequence[str]) -> list[str]:
    """Return a sentence for each attribute, and one for many that have a role, a scale and a reason in common."""
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
