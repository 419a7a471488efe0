"""Frequency tables with noise by cell keys: the same cell of the same people has the same noise in every table.

The noise of counts has the distribution of greatest entropy with mean 0 and a given variance (ptable). Cell keys are
sums of secret numbers of records, which the same people have in every file.

A record's number is a keyed hash of what the record says and of its number among its equals. It does not depend on
where the record stands, on which other records are there, or on how the file was read.
"""

import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize

from evosdc.errors import Fault, ParameterError
from evosdc.files.column import NO_TEXT, Column
from evosdc.secret import Key, Purpose, as_key, chosen_seed
from evosdc.table.equivalence import Classes, Positions, equivalence_classes, ordered_classes
from evosdc.table.numerals import NumberTexts, number
from evosdc.table.schema import Attribute, Role
from evosdc.table.table import MISSING, Codes, Numbers, Table

_EXACT = 1e-6


@dataclass(frozen=True, eq=False)
class PerturbationTable:
    """Distributions of the noise of counts."""

    noise: int  # D, the greatest noise
    changes: NDArray[np.int64]  # shape (2 D + 1,); -D .. D
    # Shape (m, 2 D + 1); row i: of a count i; the last row holds for all greater ones. Row 0 leaves a zero alone
    probabilities: Numbers


def perturbation_table(noise: int, variance: float, smallest: int = 0) -> PerturbationTable:
    """Return the noise of greatest entropy with mean 0 and a variance, for every count."""
    # Published counts are never negative and never 1 .. `smallest`; zeros stay (Fraser and Wooton 2005; Giessing 2016).
    # noise: D, at least 1; variance: V, at most D**2; smallest: counts up to this one, but 0, are not published.
    changes = np.arange(-noise, noise + 1, dtype=np.int64)
    rows = [np.where(changes == 0, 1.0, 0.0)]
    for count in range(1, noise + smallest + 2):
        published = count + changes
        allowed = (published == 0) | (published > smallest)
        row = np.zeros(len(changes))
        row[allowed] = _most_random(changes[allowed].astype(np.float64), variance, count)
        rows.append(row)
    return PerturbationTable(noise, changes, np.array(rows))


def _most_random(values: Numbers, variance: float, count: int) -> Numbers:
    """Return the distribution ``exp(a v + b v**2)`` on some values that has mean 0 and the variance."""
    squares = values**2

    def dual(x: Numbers) -> tuple[float, Numbers]:
        exponents = x[0] * values + x[1] * squares
        top = exponents.max()
        weights = np.exp(exponents - top)
        total = weights.sum()
        shares = weights / total
        gradient = np.array([shares @ values, shares @ squares - variance])
        return float(np.log(total) + top - x[1] * variance), gradient

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where no distribution is, the dual has no minimum: reported below
        found = minimize(dual, np.zeros(2), jac=True, method="BFGS", options={"gtol": 1e-12, "maxiter": 2000})
    exponents = found.x[0] * values + found.x[1] * squares
    weights = np.exp(exponents - exponents.max())
    shares: Numbers = weights / weights.sum()
    if abs(shares @ values) > _EXACT or abs(shares @ squares - variance) > _EXACT:
        given = f"{variance:g} for counts of {count}, with noise of {values.min():g} to {values.max():g}"
        advice = "Choose another variance, a greater noise, or a smaller least count."
        raise ParameterError(Fault("variance", given, "one that noise of mean 0 can have", advice))
    return shares


TOTAL = "*"  # what is in a margin for an attribute that it sums over


def cell_key_table(
    table: Table,
    names: Sequence[str],
    *,
    noise: int = 3,
    variance: float = 1.0,
    smallest: int = 0,
    margins: bool = True,
    unweighted: bool = False,
    seed: int | None = None,
    key: str | Path | None = None,
    columns: Sequence[Column] | None = None,
) -> pd.DataFrame:
    """Return a frequency table of some attributes with noise, of the combinations that occur."""
    # The cell key method (Fraser and Wooton 2005; Thompson, Broadfoot and Elazar 2013): every record has a secret
    # key, a keyed hash of its values and of its number among its equals. The keys of a cell's records add up,
    # modulo 1, to the cell's key, which determines the noise of its count. So the same people have the same count
    # in every table made with the same key file, in whatever order, part or format the file comes. Further tables
    # tell nothing that averages out, and cells are not exactly additive. With sampling weights a published count
    # represents the mean weight of its cell, which counts of records beside it would disclose: a file is published
    # either way. Margins have ``*`` for what they sum over, missing values are empty, and cells with a published
    # count of 0 are left out. `seed` is public: anybody can take its noise away.
    _require_counts(table, names)
    drawn = perturbation_table(noise, variance, smallest)
    if seed is None and key is None:
        advice = "Name a key file, which is kept secret and is the same for all tables of the file."
        raise ParameterError(Fault("key", "neither a key file nor a seed", "one of both", advice))
    secret = as_key(chosen_seed(seed, None if key is None else Path(key)))
    keys = record_keys(columns_of_table(table) if columns is None else columns, secret)
    sets = [tuple(names)]
    if margins:
        sets += [chosen for size in range(len(names) - 1, -1, -1) for chosen in combinations(names, size)]
    weight = table.schema.with_role(Role.WEIGHT)
    weights = table.column(weight[0]).astype(np.float64) if weight and not unweighted else None
    frames = [_counted(table, names, chosen, keys, drawn, weights) for chosen in sets]
    return pd.concat(frames, ignore_index=True)


def _require_counts(table: Table, names: Sequence[str]) -> None:
    """Raise `InputError` for attributes that cannot be tabulated."""
    table.schema.require(names, "table")
    faults = []
    numbers = [name for name in names if not table.schema[name].categorical]
    if numbers or not names:
        wanted = "attributes with categories; put numbers into intervals first"
        faults.append(Fault("table", ", ".join(numbers) or "no attribute", wanted))
    faults += [
        Fault("table", f"{name}, whose role is {table.schema[name].role}", "attributes that may be published")
        for name in names
        if not table.schema[name].role.published
    ]
    if faults:
        raise ParameterError(faults)


def _counted(
    table: Table,
    names: Sequence[str],
    chosen: Sequence[str],
    keys: NDArray[np.int64],
    drawn: PerturbationTable,
    weights: Numbers | None,
) -> pd.DataFrame:
    codes: Codes = np.column_stack([np.zeros(len(table), np.int32), *(table.column(name) for name in chosen)])
    classes = ordered_classes(codes)
    cells, counts = codes[classes.first], classes.counts
    published = counts + noise_of(counts, cell_keys(keys, classes.of, len(cells)), drawn)
    if weights is not None:
        means = np.bincount(classes.of, weights=weights, minlength=len(cells)) / counts
        published = np.rint(published * means).astype(np.int64)
    columns = {}
    for name in names:
        if name not in chosen:
            columns[name] = np.full(len(cells), TOTAL, dtype=object)
        else:
            columns[name] = _labels(table.schema[name], cells[:, 1 + list(chosen).index(name)])
    frame = pd.DataFrame(columns | {"count": published})
    return frame[frame["count"] > 0]


def _labels(attribute: Attribute, codes: NDArray[np.int32]) -> NDArray[np.object_]:
    return np.array(["" if code == MISSING else attribute.categories[code] for code in codes], dtype=object)


def noise_of(counts: NDArray[np.int64], shares: NDArray[np.float64], drawn: PerturbationTable) -> NDArray[np.int64]:
    """Return the noise of cells by their counts and keys, shape (c,)."""
    cumulated = np.cumsum(drawn.probabilities, axis=1)
    rows = cumulated[np.minimum(counts, len(cumulated) - 1)]
    positions = (shares[:, None] >= rows[:, :-1] - 1e-15).sum(axis=1) if rows.size else np.zeros(0, dtype=np.int64)
    return np.asarray(drawn.changes[positions], dtype=np.int64)


UNIT = 1 << 32  # record keys are whole numbers from 0 and below
_SIZE = 4  # bytes of a record key
_TOGETHER = 16  # equals whose keys come from one hash, which has 64 bytes
_WHOLE = 2.0**53  # from here on two whole numbers can be one float: the text tells them apart
_PADDED = re.compile(r"[+-]?0[0-9]")  # codes such as ``007``, which is not 7


def record_keys(columns: Sequence[Column], key: Key) -> Positions:
    """Return the key of each record, ``0 <= key < 2**32``, shape (n,)."""
    # Columns may come in any order; a record with other columns has other keys.
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
    """Return what the published attributes of a table say; identifiers, which may be renumbered, are left out."""
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
    """Yield texts with their lengths before them; nothing of an empty text, which represents a missing value."""
    for text in texts:
        encoded = text.encode("utf-8", "surrogatepass")
        yield b"%d:%b" % (len(encoded), encoded) if encoded else b"-"


def _plain_texts(column: Column) -> Iterable[str]:
    """Yield the texts of a column, numbers as one way of writing them: 3 and 3.0 are the same value."""
    # Another program, or another part of the file, may write a number otherwise, or be read as numbers or as labels.
    texts = column.texts
    if isinstance(texts, NumberTexts) and not texts.padded:
        # A million numbers are not read from their texts once more.
        for place, value in enumerate(texts.values.tolist()):
            yield repr(value + 0.0) if abs(value) < _WHOLE else texts[place]
        return
    for text in texts:
        value = None if _PADDED.match(text) else number(text, column.mark)
        yield text if value is None or abs(value) >= _WHOLE else repr(value + 0.0)


def _starts(contents: Sequence[bytes], columns: Sequence[Column], classes: Classes) -> list[int]:
    """Return the number of the first record of each class among all with its content."""
    # It is 0 but where values are written in several ways, which tables may keep apart: there it goes by the texts.
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
    """Return the key of each cell, 0 to 1: the sum of its records' keys, of which whole ones are left out."""
    sums = np.zeros(cells, dtype=np.int64)
    np.add.at(sums, of, keys)
    return (sums % UNIT) / UNIT
