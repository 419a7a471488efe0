"""How the columns of a text file write numbers: recognised from their texts, which are kept without thousands marks."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evosdc.files.column import Column, column_of
from evosdc.printing import printable
from evosdc.table.number_texts import parsed
from evosdc.table.numerals import number_formats

_SIGNS = {".": "points", ",": "commas", "'": "apostrophes", "\u2019": "apostrophes"}
_LOOKED_AT = 1 << 12
_PLAIN = "^[+-]?[0-9]+(?:[.,][0-9]+)?$"
_THREE = "[.,][0-9]{3}$"


def with_number_formats(names: Sequence[str], cells: Sequence[Any], separator: str) -> tuple[Column, ...]:
    """Return the columns of a file, given as Arrow arrays of texts, with the decimal marks that their texts have."""
    formats = number_formats([_telling(own) for own in cells], separator)
    columns = []
    for name, own, found in zip(names, cells, formats, strict=True):
        if found.thousands:
            encoded = own.dictionary_encode()
            plain = [found.plain(text) for text in encoded.dictionary.to_pylist()]
            own = pa.array(plain, pa.string()).take(encoded.indices)
        columns.append(column_of(name, own, found.decimal, found.thousands))
    return tuple(columns)


def _telling(cells: Any) -> list[str]:
    """Return texts that tell how a column writes its numbers as well as all of them do."""
    head = cells.slice(0, _LOOKED_AT).unique()
    if 2 * len(head) <= min(len(cells), _LOOKED_AT) or len(cells) <= _LOOKED_AT:
        return list(cells.unique().to_pylist())
    if not np.isnan(parsed(cells)).any() and not pc.all(pc.match_substring_regex(head, _THREE)).as_py():
        return list(head.to_pylist())
    odd = pc.invert(pc.match_substring_regex(cells, _PLAIN))
    # Where each text has three digits behind the mark, one with another number of them decides.
    others = pc.and_(pc.invert(odd), pc.invert(pc.match_substring_regex(cells, _THREE)))
    some = [cells.filter(one).slice(0, _LOOKED_AT).unique() for one in (odd, others)]
    return list(pa.concat_arrays([head, *some]).unique().to_pylist())


def thousands_sentences(columns: Iterable[Column]) -> list[str]:
    """Return what is said of columns whose numbers had thousands marks; usually nothing."""
    said = []
    for column in columns:
        if column.thousands:
            marks = " and ".join(dict.fromkeys(_SIGNS.get(sign, "blanks") for sign in column.thousands))
            said.append(
                f"{printable(column.name)}: {marks} group the digits; the numbers are read and published without them, "
                f"with a decimal {'comma' if column.mark == ',' else 'point'}."
            )
    return said
