"""Checks of a confidential file: broken edit rules, structural zeros, and columns that disclose others."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evosdc.errors import DataError, Fault
from evosdc.model import Genotype, Microdata, matrices_of
from evosdc.printing import printable, three_digits
from evosdc.table.dependence import Determination, determinations
from evosdc.table.edit_rules import EditRule
from evosdc.table.households import shared_in_households
from evosdc.table.row_positions import disclosed_by_order, position_sentences
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.structural_zeros import THRESHOLD, StructuralZeros, find_structural_zeros
from evosdc.table.table import Table


@dataclass(frozen=True)
class DataCheck:
    """The findings of the checks of a file."""

    records: int
    broken: tuple[tuple[EditRule, int], ...]  # the schema's edit rules, each with the number of records that break it
    zeros: StructuralZeros | None  # none where nothing is protected
    given_away: tuple[Determination, ...]
    told_by_order: tuple[str, ...] = ()  # masked attributes that the order of the rows tells
    # ordinal ones whose categories are words in alphabetical order, which is seldom theirs
    alphabetical: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the findings as JSON-able data: figures and names of attributes, no values of records."""
        zeros = None
        if self.zeros is not None:
            zeros = {
                "threshold": self.zeros.threshold,
                "count": self.zeros.count,
                "attribute_pairs": [
                    {"attributes": [pair.first, pair.second], "count": int(pair.zeros.sum())}
                    for pair in self.zeros.pairs
                ],
                "left_out": [list(pair) for pair in self.zeros.left_out],
            }
        return {
            "records": self.records,
            "edit_rules": [
                {"rule": rule.text, "records": count, "percent": 100.0 * count / self.records}
                for rule, count in self.broken
            ],
            "structural_zeros": zeros,
            "given_away": [d._asdict() for d in self.given_away],
            "told_by_order": list(self.told_by_order),
            "alphabetical": list(self.alphabetical),
        }

    def sentences(self) -> list[str]:
        """Return the findings for people to read."""
        lines = [
            f"edit rule {rule.text}: broken by {count} of {self.records} records ({100.0 * count / self.records:.2f} %)"
            for rule, count in self.broken
        ] or ["The schema has no edit rules."]
        if self.zeros is not None:
            lines.append(zeros_sentence(self.zeros))
        lines += [*given_away_sentences(self.given_away), *position_sentences(self.told_by_order)]
        return lines + [
            f"{printable(name)} is ordinal, and its categories stand in alphabetical order, as they do where the "
            "schema does not list them: losses and methods go by that. List them in their own order."
            for name in self.alphabetical
        ]


def check_records(table: Table, protect: Sequence[str], threshold: float = THRESHOLD) -> DataCheck:
    """Look for broken edit rules, structural zeros, and masked attributes that the rest or the order tells."""
    table.schema.require(protect, "protect")
    broken = tuple((rule, int(rule.broken(table).sum())) for rule in table.schema.edit_rules)
    zeros = find_structural_zeros(table, protect, threshold) if protect else None
    ordered = disclosed_by_order(table, protect)
    alphabetical = tuple(name for name in protect if _alphabetical(table.schema[name]))
    return DataCheck(len(table), broken, zeros, determinations(table, protect), ordered, alphabetical)


def _alphabetical(attribute: Attribute) -> bool:
    """Whether ordered categories are words in alphabetical order; letters alone, such as grades, may well be so."""
    words = attribute.categories
    plain = not any(sign.isdigit() for word in words for sign in word) and max(map(len, words), default=0) > 2
    return attribute.scale is Scale.ORDINAL and len(words) > 2 and plain and list(words) == sorted(words)


def zeros_sentence(zeros: StructuralZeros) -> str:
    """Return the number of structural zeros of a file, and their rule."""
    sentence = "Structural zeros: none were found."
    if zeros.count:
        pairs = len(zeros.pairs)
        combinations = f"{zeros.count} combination{'s' * (zeros.count != 1)}"
        never = "never occur" if zeros.count != 1 else "never occurs"
        sentence = (
            f"Structural zeros: {combinations} in {pairs} pair{'s' * (pairs != 1)} of attributes {never}, although "
            f"{zeros.threshold:g} records or more would be expected of each, or of several together (numbers in bins)."
        )
    if zeros.left_out:
        names = ", ".join(f"{first} with {second}" for first, second in zeros.left_out)
        sentence += f" Not looked at, having too many categories: {printable(names)}."
    return sentence


def given_away_sentences(found: Sequence[Determination]) -> list[str]:
    """Return a warning for each masked attribute that follows from others that are published as they are."""
    warnings = []
    for name in dict.fromkeys(d.masked for d in found):
        by = [d for d in found if d.masked == name]
        sources = ", ".join(
            f"{printable(d.by)} ({f'to within {three_digits(d.within)}, ' if d.within else ''}for "
            f"{100.0 * d.share:.1f} % of the records)"
            for d in by
        )
        warnings.append(
            f"{printable(name)} is masked, but follows from unmasked columns: {sources}. Anyone who has the "
            f"file reads it off. Protect {printable(', '.join(d.by for d in by))} as well, or leave it out of the file."
        )
    return warnings


def recomputed_sentences(recomputed: Mapping[str, str], published: Collection[str]) -> list[str]:
    """Return a sentence for each column that is published as computed from a masked one, or left out."""
    return [
        f"{printable(name)} follows from {printable(by)}: "
        + (
            f"it was computed from the masked {printable(by)}."
            if name in published
            else "it is left out, since the masked column has categories of its own."
        )
        for name, by in recomputed.items()
    ]


def rules_notes(microdata: Microdata, genotype: Genotype[Any]) -> list[str]:
    """Return sentences on the rules of records in a search; none where there was no rule."""
    rules = microdata.rules
    if rules is None:
        return []
    notes = (
        [zeros_sentence(rules.zeros) + " No record of the protected file has one."]
        if rules.zeros and rules.zeros.count
        else []
    )
    if rules.edit_rules:
        notes.append(
            f"No record of the protected file breaks an edit rule: {'; '.join(r.text for r in rules.edit_rules)}."
        )
    if matrices_of(genotype) is not None:
        notes.append(
            "Records that were drawn against these rules went back towards their original values. The transition "
            "matrices, and what is expected of them or guaranteed by them, hold for the draw before that repair."
        )
    return notes


def require_no_split_households(table: Table, protect: Sequence[str]) -> None:
    """Raise where members of a published household would get different values of what they share."""
    # A search changes records one by one. Of a household whose members live in two regions afterwards anybody sees that
    # it was masked, and the majority of its members gives the original away.
    shared = shared_in_households(table, protect)
    if not shared:
        return
    key = table.schema.with_role(Role.HOUSEHOLD)[0]
    given = f"{', '.join(shared)}, the same for all members of a household, beside the household's number {key}"
    wanted = "attributes that members of a household do not share, since records are masked one by one"
    advice = (
        f"Give {key} the role drop, so that members cannot be put together; or leave {', '.join(shared)} out of what "
        "is protected; or protect a file of households, one record each, by itself."
    )
    raise DataError(Fault("protect", given, wanted, advice))
