"""Texts that say one category in several ways: ``South``, ``south`` and ``67.0`` beside ``67`` are merged, and said."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping

from evosdc.files.column import Column, renamed
from evosdc.files.quoting import is_shown
from evosdc.printing import printable
from evosdc.table.schema import Schema

MOST = 10_000  # columns of more distinct texts hold names or free text, no categories
_SHOWN = 3
_WHOLE = re.compile(r"([+-]?(?:0|[1-9][0-9]*))\.0+")
Variants = Mapping[str, tuple[str, ...]]  # by the text that stands for them, the others


def merged(column: Column, known: Collection[str] = ()) -> tuple[Column, Variants]:
    """Return a column with one text a category, the most frequent or `known` one, and the merged texts."""
    if column.held is not None or len(column.texts) > MOST:
        return column, {}
    groups: dict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(column.texts):
        if text:
            groups[_folded(text)].append(place)
    chosen: dict[str, str] = {}
    listed: dict[str, list[str]] = defaultdict(list)
    for text in known:
        listed[_folded(text)].append(text)
    if not listed and len(groups) + ("" in column.texts) == len(column.texts):
        return column, {}
    variants: dict[str, tuple[str, ...]] = {}
    counts = column.counts()
    for key, places in groups.items():
        own = listed.get(key, ())
        if len(own) > 1 or (len(places) == 1 and not own):
            continue
        best = own[0] if own else column.texts[max(places, key=lambda place: (counts[place], -place))]
        others = tuple(column.texts[place] for place in places if column.texts[place] != best)
        if others:
            variants[best] = others
            chosen |= dict.fromkeys(others, best)
    return (renamed(column, [chosen.get(text, text) for text in column.texts]) if chosen else column), variants


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
        more = f", and {len(pairs) - _SHOWN} more" if len(pairs) > _SHOWN else ""
        notes.append(f"{where}: {'; '.join(pairs[:_SHOWN])}{more} are taken, equal but for blanks, case or noughts.")
    return notes
