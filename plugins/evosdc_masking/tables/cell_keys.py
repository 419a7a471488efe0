"""Frequency tables with noise by cell keys: the same cell of the same people has the same noise in every table."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.seeds import Purpose, stream
from evosdc.table.equivalence import ordered_classes
from evosdc.table.schema import Attribute
from evosdc.table.table import MISSING, Codes, Table
from evosdc_masking.tables.perturbation import PerturbationTable, perturbation_table

_UNIT = 1 << 32
TOTAL = "*"
"""What stands in a margin for an attribute that it sums over."""


def cell_key_table(
    table: Table,
    names: Sequence[str],
    *,
    noise: int = 3,
    variance: float = 1.0,
    smallest: int = 0,
    margins: bool = True,
    seed: int = 1,
) -> pd.DataFrame:
    """Return a frequency table of some attributes with noise, of the combinations that occur.

    The cell key method (Fraser and Wooton 2005; Thompson, Broadfoot and Elazar 2013): every record has a random key
    that is never published, the keys of a cell's records add up, modulo 1, to the cell's key, and that says which noise
    its count gets from `evosdc_masking.tables.perturbation.perturbation_table`. So a cell has the same count in every
    table of the file that is made with the same seed, differences of tables tell nothing that averages out, and cells
    are not exactly additive.

    Parameters
    ----------
    table : Table
    names : sequence of str
        Categorical attributes.
    noise, variance, smallest
        As of `perturbation_table`.
    margins : bool
        Whether the tables of all subsets and the total are told too, with ``*`` for the attributes they sum over.
    seed : int
        Of the records' keys; keep it secret, and use the same one for all tables of a file.

    Returns
    -------
    DataFrame
        A column an attribute, empty for a missing value, and ``count``; cells with a published count of 0 are left out.

    Raises
    ------
    InputError
        Attributes that the file does not have or that are numbers, or noise that cannot be.
    """
    table.schema.require(names, "table")
    numbers = [name for name in names if not table.schema[name].categorical]
    if numbers or not names:
        wanted = "attributes with categories; put numbers into intervals first"
        raise ParameterError(Fault("table", ", ".join(numbers) or "no attribute", wanted))
    drawn = perturbation_table(noise, variance, smallest)
    keys = stream(seed, Purpose.MASK).integers(0, _UNIT, len(table), dtype=np.int64)
    sets = [tuple(names)]
    if margins:
        sets += [chosen for size in range(len(names) - 1, -1, -1) for chosen in combinations(names, size)]
    frames = [_counted(table, names, chosen, keys, drawn) for chosen in sets]
    return pd.concat(frames, ignore_index=True)


def _counted(
    table: Table, names: Sequence[str], chosen: Sequence[str], keys: NDArray[np.int64], drawn: PerturbationTable
) -> pd.DataFrame:
    codes: Codes = np.column_stack([np.zeros(len(table), np.int32), *(table.column(name) for name in chosen)])
    classes = ordered_classes(codes)
    cells, counts = codes[classes.first], classes.counts
    sums = np.zeros(len(cells), dtype=np.int64)
    np.add.at(sums, classes.of, keys)
    published = counts + noise_of(counts, (sums % _UNIT) / _UNIT, drawn)
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


def noise_of(counts: NDArray[np.int64], cell_keys: NDArray[np.float64], drawn: PerturbationTable) -> NDArray[np.int64]:
    """Return the noise of cells by their counts and keys, shape (c,)."""
    cumulated = np.cumsum(drawn.probabilities, axis=1)
    rows = cumulated[np.minimum(counts, len(cumulated) - 1)]
    positions = (cell_keys[:, None] >= rows[:, :-1] - 1e-15).sum(axis=1) if rows.size else np.zeros(0, dtype=np.int64)
    noise: NDArray[np.int64] = np.asarray(drawn.changes[positions], dtype=np.int64)
    return noise
