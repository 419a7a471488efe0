"""Frequency tables with noise by cell keys: the same cell of the same people has the same noise in every table."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.files.column import Column
from evosdc.secret import as_key, chosen_seed
from evosdc.table.equivalence import ordered_classes
from evosdc.table.schema import Attribute, Role
from evosdc.table.table import MISSING, Codes, Table
from evosdc_masking.tables.perturbation import PerturbationTable, perturbation_table
from evosdc_masking.tables.record_keys import cell_keys, columns_of_table, record_keys

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
    unweighted: bool = False,
    seed: int | None = None,
    key: str | Path | None = None,
    columns: Sequence[Column] | None = None,
) -> pd.DataFrame:
    """Return a frequency table of some attributes with noise, of the combinations that occur.

    The cell key method (Fraser and Wooton 2005; Thompson, Broadfoot and Elazar 2013): every record has a secret key,
    the keys of a cell's records add up, modulo 1, to the cell's key, and that says which noise its count gets from
    `evosdc_masking.tables.perturbation.perturbation_table`. A record's key is a keyed hash of its values and of its
    number among its equals (`evosdc_masking.tables.record_keys`). So the same people have the same count in every table
    that is made with the same key file, in whatever order, part or format the file comes. Further tables tell nothing
    that averages out, and cells are not exactly additive.

    Parameters
    ----------
    table : Table
    names : sequence of str
        Attributes with categories, neither identifiers nor to be dropped.
    noise, variance, smallest
        As of `perturbation_table`.
    margins : bool
        Whether the tables of all subsets and the total are told too, with ``*`` for the attributes they sum over.
    unweighted : bool
        Whether records are counted although the file has sampling weights. Weighted counts are not offered: published
        beside counts of records they tell the mean weight of a cell without any noise.
    seed : int, optional
        A public seed in place of a key file, for studies and tests: anybody can take its noise away again.
    key : str or Path, optional
        Key file, made where there is none. Keep it secret, and use the same one for all tables of a file.
    columns : sequence of Column, optional
        What records' keys are made of; by default all attributes of `table` but identifiers and those to be dropped.

    Returns
    -------
    DataFrame
        A column an attribute, empty for a missing value, and ``count``; cells with a published count of 0 are left out.

    Raises
    ------
    InputError
        Attributes that cannot be tabulated, sampling weights without `unweighted`, noise that cannot be, a key file
        that cannot be read or made, or neither key nor seed.
    """
    _require_counts(table, names, unweighted)
    drawn = perturbation_table(noise, variance, smallest)
    if seed is None and key is None:
        advice = "Name a key file, which is kept secret and is the same for all tables of the file."
        raise ParameterError(Fault("key", "neither a key file nor a seed", "one of both", advice))
    secret = as_key(chosen_seed(seed, None if key is None else Path(key)))
    keys = record_keys(columns_of_table(table) if columns is None else columns, secret)
    sets = [tuple(names)]
    if margins:
        sets += [chosen for size in range(len(names) - 1, -1, -1) for chosen in combinations(names, size)]
    frames = [_counted(table, names, chosen, keys, drawn) for chosen in sets]
    return pd.concat(frames, ignore_index=True)


def _require_counts(table: Table, names: Sequence[str], unweighted: bool) -> None:
    """Raise `InputError` for attributes that cannot be tabulated, and for weights that would be passed over."""
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
    weights = table.schema.with_role(Role.WEIGHT)
    if weights and not unweighted:
        advice = "Add --unweighted (unweighted=True) to count records, or give the attribute another role."
        given = f"{', '.join(weights)}: sampling weights, which cell keys do not protect"
        faults.append(Fault("table", given, "a table of records", advice))
    if faults:
        raise ParameterError(faults)


def _counted(
    table: Table, names: Sequence[str], chosen: Sequence[str], keys: NDArray[np.int64], drawn: PerturbationTable
) -> pd.DataFrame:
    codes: Codes = np.column_stack([np.zeros(len(table), np.int32), *(table.column(name) for name in chosen)])
    classes = ordered_classes(codes)
    cells, counts = codes[classes.first], classes.counts
    published = counts + noise_of(counts, cell_keys(keys, classes.of, len(cells)), drawn)
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
    noise: NDArray[np.int64] = np.asarray(drawn.changes[positions], dtype=np.int64)
    return noise
