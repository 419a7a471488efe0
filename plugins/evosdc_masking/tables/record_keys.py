"""The secret number of each record that cell keys are sums of: the same people have the same ones in every file.

A record's number is a keyed hash of what the record says and of its number among its equals. It does not depend on
where the record stands, on which other records are there, or on how the file was read.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.files.column import NO_TEXT, Column
from evosdc.secret import Key, Purpose
from evosdc.table.equivalence import Classes, Positions, equivalence_classes
from evosdc.table.number_texts import NumberTexts
from evosdc.table.numerals import number
from evosdc.table.table import Table

UNIT = 1 << 32
"""Record keys are whole numbers from 0 and below."""

_SIZE = 4
"""Bytes of a record key."""

_TOGETHER = 16
"""Equals whose keys come from one hash, which has 64 bytes."""

_EXACT = 2.0**53
"""From here on two whole numbers can be one float: the text tells them apart."""

_PADDED = re.compile(r"[+-]?0[0-9]")
"""Codes such as ``007``, which is not 7."""


def record_keys(columns: Sequence[Column], key: Key) -> Positions:
    """Return the key of each record, ``0 <= key < 2**32``, shape (n,).

    Parameters
    ----------
    columns : sequence of Column
        What tells who a record is, in any order. A record with other columns has other keys.
    key : Key
        Nobody without it can compute them.
    """
    columns = sorted(columns, key=lambda column: column.name)
    classes = equivalence_classes(np.column_stack([column.index for column in columns]).astype(np.int32))
    # The names are hashed once, and their hash is the key of all that follows.
    named = Key(key.derived(Purpose.CELL_KEYS).hashed(b"".join(_framed(column.name for column in columns))))
    contents = _contents(columns, classes.first)
    starts = _starts(contents, columns, classes)
    drawn = (_drawn(named, *one) for one in zip(contents, starts, classes.counts.tolist(), strict=True))
    keys = np.empty(len(classes.of), dtype=np.int64)
    # Records that are equal lie in the same cell of every table, so it is all one which of them has which number.
    keys[classes.members] = np.frombuffer(b"".join(drawn), dtype="<u4")
    return keys


def columns_of_table(table: Table) -> list[Column]:
    """Return what the published attributes of a table say; identifiers, which may be numbered anew, are left out."""
    columns = []
    for attribute in table.schema.attributes:
        if attribute.role.published and attribute.categorical:
            columns.append(Column(attribute.name, attribute.categories, table.column(attribute.name).astype(np.int32)))
        elif attribute.role.published:
            values, places = np.unique(table.column(attribute.name), return_inverse=True)
            index = np.where(np.isnan(values)[places], NO_TEXT, places).astype(np.int32)
            columns.append(Column(attribute.name, tuple(map(repr, values.tolist())), index))
    return columns


def _contents(columns: Sequence[Column], rows: Positions) -> list[bytes]:
    """Return what some records say: the values of all columns, so that no two contents read the same."""
    parts = []
    for column in columns:
        # A missing value has no text, and is no empty one either.
        texts = np.array([*_framed(_plain_texts(column)), b"-"], dtype=object)
        parts.append(texts[column.index[rows]].tolist())
    return [b"".join(values) for values in zip(*parts, strict=True)]


def _framed(texts: Iterable[str]) -> Iterable[bytes]:
    """Yield texts with their lengths before them; nothing of an empty text, which stands for a missing value."""
    for text in texts:
        encoded = text.encode("utf-8", "surrogatepass")
        yield b"%d:%b" % (len(encoded), encoded) if encoded else b"-"


def _plain_texts(column: Column) -> Iterable[str]:
    """Yield the texts of a column, numbers as one way of writing them: 3 and 3.0 are the same value.

    Another program, or another part of the file, may write a number otherwise, or be read as numbers or as labels.
    """
    texts = column.texts
    if isinstance(texts, NumberTexts) and not texts.padded:
        # A million numbers are not read from their texts once more.
        for place, value in enumerate(texts.values.tolist()):
            yield repr(value + 0.0) if abs(value) < _EXACT else texts[place]
        return
    for text in texts:
        value = None if _PADDED.match(text) else number(text, column.mark)
        yield text if value is None or abs(value) >= _EXACT else repr(value + 0.0)


def _starts(contents: Sequence[bytes], columns: Sequence[Column], classes: Classes) -> list[int]:
    """Return the number of the first record of each class among all with its content.

    It is 0 but where values are written in several ways, which tables may keep apart: there it goes by the texts.
    """
    starts = [0] * len(contents)
    if len(set(contents)) == len(contents):
        return starts
    places = defaultdict(list)
    for place, content in enumerate(contents):
        places[content].append(place)

    def written(place: int) -> list[str]:
        row = classes.first[place]
        return [column.texts[column.index[row]] if column.index[row] != NO_TEXT else "" for column in columns]

    for alike in places.values():
        before = 0
        for place in sorted(alike, key=written) if len(alike) > 1 else ():
            starts[place] = before
            before += int(classes.counts[place])
    return starts


def _drawn(key: Key, content: bytes, start: int, count: int) -> bytes:
    """Return the keys of some of the records of one content, four bytes each."""
    blocks = range(start // _TOGETHER, -(-(start + count) // _TOGETHER))
    drawn = b"".join(key.hashed(b"%b/%d" % (content, block), _SIZE * _TOGETHER) for block in blocks)
    skipped = start % _TOGETHER
    return drawn[_SIZE * skipped : _SIZE * (skipped + count)]


def cell_keys(keys: Positions, of: Positions, cells: int) -> NDArray[np.float64]:
    """Return the key of each cell, 0 to 1: the sum of its records' keys, of which whole ones are left out.

    Parameters
    ----------
    keys : ndarray of int64, shape (n,)
    of : ndarray of int64, shape (n,)
        Cell of each record.
    cells : int
    """
    sums = np.zeros(cells, dtype=np.int64)
    np.add.at(sums, of, keys)
    shares: NDArray[np.float64] = (sums % UNIT) / UNIT
    return shares
