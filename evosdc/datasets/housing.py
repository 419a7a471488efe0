"""A made-up housing survey of 1000 records: the data set that needs no download.

A reconstruction in shape only: names and numbers of categories are those of the U.S. Housing Survey 1993 extract
of the literature (three ordinal attributes of 25, 8 and 21 categories, eight nominal ones), which is not public.
Labels, frequencies and dependences are invented: the climate depends on a latent region, the year of construction on
the climate, the fuel on both; the way to work on schooling and place; the reasons for a house and a neighborhood on
the reason for the move. Some categories are rare, and two nominal ones (going by streetcar, heating water with coal)
never occur.

Only integers are drawn and compared, from the generator's raw output, so that one seed gives one file everywhere.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evosdc.datasets import housing_tables as tables
from evosdc.datasets.loading import nominal, ordinal, source_from_lines
from evosdc.files.source import Source
from evosdc.secret import Purpose, stream
from evosdc.table.schema import Role

SEED = 1993
RECORDS = 1000

ATTRIBUTES = (
    ordinal("built", tables.BUILT, Role.QUASI_IDENTIFIER),
    ordinal("degree", tables.DEGREE, Role.QUASI_IDENTIFIER),
    ordinal("grade1", tables.GRADE1, Role.QUASI_IDENTIFIER),
    nominal("metro", tables.METRO),
    nominal("sch", tables.SCH),
    nominal("shp", tables.SHP),
    nominal("tran1", tables.TRAN1),
    nominal("wfuel", tables.WFUEL),
    nominal("whymove", tables.WHYMOVE),
    nominal("whytoh", tables.WHYTOH),
    nominal("whyton", tables.WHYTON),
)

_Codes = NDArray[np.int64]

# Groups of categories, by code, that choose the row of a conditional table.
_COLD = np.repeat([0, 1, 2], [3, 2, 3])
_ERA = np.repeat([0, 1, 2, 3], [5, 4, 6, 10])
_SCHOOLING = np.repeat([0, 1, 2, 3], [13, 1, 3, 4])
_PLACE = np.repeat([0, 1, 2], [3, 3, 3])
_MOTIVE = np.array([4, 4, 4, 0, 0, 0, 0, 1, 2, 1, 1, 1, 2, 2, 3, 3, 2, 4])


def load(paths: Mapping[str, Path]) -> Source:
    """Return the survey; `paths` is empty."""
    return survey()


@lru_cache(maxsize=2)
def survey(seed: int = SEED, records: int = RECORDS) -> Source:
    """Return a survey drawn from a seed."""
    codes = draw(seed, records)
    lines = zip(*([a.categories[code] for code in codes[a.name]] for a in ATTRIBUTES), strict=True)
    return source_from_lines("housing", ATTRIBUTES, list(lines))


def draw(seed: int, records: int) -> Mapping[str, _Codes]:
    """Return the codes of all attributes by name, each of shape (records,)."""
    source = stream(seed, Purpose.GENERATE).bit_generator

    def pick(weights: NDArray[np.int64]) -> _Codes:
        return _picked(weights, np.asarray(source.random_raw(records), dtype=np.uint64))

    region = pick(np.tile(tables.REGIONS, (records, 1)))
    codes = {"metro": pick(_table(tables.METRO_BY_REGION)[region])}
    codes["degree"] = pick(_table(tables.DEGREE_BY_REGION)[region])
    codes["built"] = pick(_table(tables.BUILT_BY_DEGREE)[_COLD[codes["degree"]]])
    era = _ERA[codes["built"]]
    codes["grade1"] = pick(_table(tables.GRADE1_BY_REGION)[region])
    place = _PLACE[codes["metro"]]
    codes["sch"] = pick(_table(tables.SCH_BY_METRO)[place])
    codes["shp"] = pick(_table(tables.SHP_BY_METRO)[place])
    schooling = _table(tables.TRAN1_BY_GRADE1)[_SCHOOLING[codes["grade1"]]]
    codes["tran1"] = pick(schooling * _table(tables.TRAN1_FACTOR_BY_METRO)[codes["metro"]])
    fuel = _table(tables.WFUEL_BY_BUILT)[era]
    codes["wfuel"] = pick(fuel * _table(tables.WFUEL_FACTOR_BY_REGION)[region])
    codes["whymove"] = pick(_table(tables.WHYMOVE_BY_BUILT)[era])
    motive = _MOTIVE[codes["whymove"]]
    codes["whytoh"] = pick(_table(tables.WHYTOH_BY_WHYMOVE)[motive])
    quarter = _table(tables.WHYTON_BY_WHYMOVE)[motive]
    codes["whyton"] = pick(quarter * _table(tables.WHYTON_FACTOR_BY_WHYTOH)[codes["whytoh"]])
    _place_rare(codes, np.asarray(source.random_raw(records), dtype=np.uint64))
    return codes


def _table(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    return np.array(rows, dtype=np.int64)


def _picked(weights: NDArray[np.int64], raw: NDArray[np.uint64]) -> _Codes:
    """Return one category a record by its weights, shape (n, c), and 64 random bits."""
    cumulative = np.cumsum(weights, axis=1)
    total = cumulative[:, -1].astype(np.uint64)
    point = ((raw >> np.uint64(32)) * total >> np.uint64(32)).astype(np.int64)
    codes: _Codes = (point[:, None] >= cumulative).sum(axis=1)
    return codes


def _place_rare(codes: Mapping[str, _Codes], raw: NDArray[np.uint64]) -> None:
    """Put rare categories into records of their own, in the order of random bits."""
    order = np.argsort(raw, kind="stable")
    used = 0
    for name, label, share in tables.RARE:
        attribute = next(a for a in ATTRIBUTES if a.name == name)
        count = -(-share * len(raw) // RECORDS)
        codes[name][order[used : used + count]] = attribute.code[label]
        used += count
