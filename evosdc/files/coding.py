"""From the texts of columns to the codes and numbers of a `Table`, by a schema.

Texts that say one category in several ways, ``South``, ``south`` and ``67.0`` beside ``67``, are merged, with a remark.
Messages show a value only where it cannot identify a respondent.
"""

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from evosdc.errors import DataError, Fault
from evosdc.files.column import Column, renamed
from evosdc.files.inference.name_hints import hint_of
from evosdc.printing import printable
from evosdc.table.numerals import NumberTexts, number, numeral
from evosdc.table.schema import Attribute, NewValues, Role, Scale, Schema
from evosdc.table.table import MISSING, Table

# sizes of numbers that are read: the fourth powers that statistics take of them still fit a float64
LEAST, MOST = 1e-60, 1e60
WITHOUT = "a value"  # what is in place of a value that is not shown
_SENTENCE_LENGTH, _SENTENCE_WORDS = 25, 4
MOST_MERGED = 10_000  # columns of more distinct texts hold names or free text, no categories
_SHOWN_CATEGORIES, _SHOWN_VARIANTS = 12, 3
_WHOLE = re.compile(r"([+-]?(?:0|[1-9][0-9]*))\.0+")
Variants = Mapping[str, tuple[str, ...]]  # by the text that represents them, the others


class Origin(NamedTuple):
    """Where records come from, for messages."""

    name: str  # a path or a data set
    place: Callable[[int], str]  # from a record's position to words that tell where it stands: ``"line 17"``


def is_shown(name: str, role: Role | None) -> bool:
    """Return whether messages may show values of an attribute, to judge by its role and its name."""
    return (role is None or role.published) and not hint_of(name).identifier


def quoted(text: str, attribute: Attribute) -> str:
    """Return a value in quotes as messages show it; `WITHOUT` for identifiers, columns to drop, and sentences."""
    sentence = len(text) >= _SENTENCE_LENGTH and len(text.split()) >= _SENTENCE_WORDS
    return repr(text) if is_shown(attribute.name, attribute.role) and not sentence else WITHOUT


def encode(columns: Sequence[Column], schema: Schema, origin: Origin) -> Table:
    """Return the table of columns that are in the schema's order."""
    size = len(columns[0]) if columns else 0
    codes = np.empty((size, len(schema.categorical)), dtype=np.int32)
    numbers = np.empty((size, len(schema.numeric)), dtype=np.float64)
    faults: list[Fault] = []
    for column, attribute in zip(columns, schema.attributes, strict=True):
        missing = schema.missing_of(attribute.name)
        if attribute.categorical:
            absent = frozenset(missing)
            by_text = [MISSING if t in absent else attribute.code.get(t, MISSING) for t in column.texts]
            codes[:, schema.categorical.index(attribute)] = np.array([*by_text, MISSING], dtype=np.int32)[column.index]
        else:
            numbers[:, schema.numeric.index(attribute)] = column.record_numbers(missing, attribute.decimals)
        faults += _faults(column, attribute, missing, origin)
    if faults:
        raise DataError(faults)
    codes.flags.writeable = numbers.flags.writeable = False  # so that the table keeps them instead of copying them
    return Table(schema, codes, numbers)


def _faults(column: Column, attribute: Attribute, missing: Sequence[str], origin: Origin) -> Iterator[Fault]:
    """Yield why a column's texts cannot be values of an attribute."""

    def fault(texts: Iterable[str], wanted: str, advice: str) -> Iterator[Fault]:
        """Yield one fault for all texts that do not fit, naming the one that is first."""
        if unfit := sorted(set(texts)):
            record = int(np.argmax(column.standing(unfit)))
            given = f"{quoted(column.texts[column.index[record]], attribute)} in {origin.place(record)}"
            given += f" (and {len(unfit) - 1} more values that do not fit)" if len(unfit) > 1 else ""
            yield Fault(printable(f"{origin.name}, {attribute.name}"), given, wanted, advice)

    if attribute.new_values is NewValues.MISSING:
        return
    texts, hierarchy = column.present(missing), attribute.hierarchy
    leaves = {text: text for text in texts} if hierarchy is not None else {}
    edit = shlex.join(["evosdc", "edit", "SCHEMA", printable(attribute.name)])
    if attribute.categorical:
        listed = printable(", ".join(attribute.categories[:_SHOWN_CATEGORIES])) or "no categories at all"
        if len(attribute.categories) > _SHOWN_CATEGORIES:
            listed += f", ... ({len(attribute.categories)} categories)"
        yield from fault(
            (text for text in texts if text not in attribute.code),
            f"one of {listed}" if is_shown(attribute.name, attribute.role) else "one of its categories",
            "Add it to the categories or to `missing` in the schema, or mend the file; "
            f"`{edit} categories=` takes the list away, `{edit} new_values=missing` counts new values as missing.",
        )
    else:
        held = texts if isinstance(texts, NumberTexts) else NumberTexts(pa.array(list(texts), pa.string()), column.mark)
        sizes = np.abs(held.occurring)
        unread = (sizes > MOST) | ((sizes < LEAST) & (sizes != 0.0))
        words, beyond = held.words, tuple(held.of_cells(np.flatnonzero(unread)))
        yield from fault(
            [*words, *beyond],
            "a number" if words else f"numbers of a size from {LEAST:g} to {MOST:g}, or 0",
            "Add it to `missing` in the schema, choose the scale nominal or ordinal, or mend the file.",
        )
        for text in leaves.keys() - {*words, *beyond}:
            leaves[text] = numeral(number(text, column.mark) or 0.0, attribute.decimals)
    if hierarchy is not None and attribute.role.published:
        rule = "{ prefix = [1, 2] }" if attribute.scale is Scale.NOMINAL else "{ widths = [5, 10] }"
        rule = '{ dates = ["month", "year"] }' if attribute.date_format else rule
        yield from fault(
            (text for text in texts if leaves[text] not in hierarchy.position),
            "a leaf of the attribute's hierarchy",
            f"Add a line for it to the hierarchy file, or give a rule in its place, such as {rule}"
            + (f"; `{edit} new_values=parent` puts new codes beside like ones." if attribute.categorical else "."),
        )


def merged(column: Column, known: Collection[str] = ()) -> tuple[Column, Variants]:
    """Return a column with one text a category, the most frequent or `known` one, and the merged texts."""
    if column.held is not None or len(column.texts) > MOST_MERGED:
        return column, {}
    groups: dict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(column.texts):
        if text:
            groups[_folded(text)].append(place)
    listed: dict[str, list[str]] = defaultdict(list)
    for text in known:
        listed[_folded(text)].append(text)
    if not listed and len(groups) + ("" in column.texts) == len(column.texts):
        return column, {}
    variants: dict[str, tuple[str, ...]] = {}
    counts = column.counts
    for key, places in groups.items():
        own = listed.get(key, ())
        if len(own) == 1 or (len(places) > 1 and not own):
            best = own[0] if own else column.texts[max(places, key=lambda place: (counts[place], -place))]
            if others := tuple(column.texts[place] for place in places if column.texts[place] != best):
                variants[best] = others
    if not variants:
        return column, {}
    chosen = {text: best for best, others in variants.items() for text in others}
    return renamed(column, [chosen.get(text, text) for text in column.texts]), variants


def _folded(text: str) -> str:
    plain = " ".join(text.split()).casefold()
    whole = _WHOLE.fullmatch(plain)
    return whole[1] if whole is not None else plain


def merging_sentences(found: Mapping[str, Variants], schema: Schema) -> list[str]:
    """Return sentences about merged categories, without values of attributes that may identify."""
    notes = []
    for name, variants in found.items():
        if not variants or name not in schema or not schema[name].categorical:
            continue
        where, count = printable(name), sum(map(len, variants.values()))
        if not is_shown(name, schema[name].role):
            notes.append(f"{where}: {count} values are equal to others but for blanks or case, and are taken for them.")
            continue
        pairs = [f"{', '.join(map(repr, texts))} for {best!r}" for best, texts in variants.items()]
        more = f", and {len(pairs) - _SHOWN_VARIANTS} more" if len(pairs) > _SHOWN_VARIANTS else ""
        notes.append(
            f"{where}: {'; '.join(pairs[:_SHOWN_VARIANTS])}{more} are taken, equal but for blanks, case or noughts."
        )
    return notes
