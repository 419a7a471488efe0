"""Disclosure by the order of rows: the order of a column that is left out, and duplicate records."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.files.column import NO_TEXT, Column
from evosdc.printing import printable
from evosdc.table.numerals import values_of

FEWEST_ROWS = 10  # in fewer rows an order may be chance
_NEARLY_ALL = 0.9
# the note on a masked file in the order of its original
IN_ORDER = (
    "Records stand in the order of the original: not for release before they are shuffled (--shuffle). Anyone who "
    "knows that order finds each person by the number of a row."
)
# the note in a result on a file whose rows are not in the order of the original
SHUFFLED = (
    "The records were published in random order. Numbers of records are those of the original; which row of the "
    "protected file each of them is stands in the crosswalk, which is for you alone."
)


def keeps_order(column: Column) -> bool:
    """Whether the rows stand in the order of a column with a distinct value for nearly every row."""
    # Up and down are orders both; rows without a value are passed over.
    index = column.index[column.index != NO_TEXT]
    if len(index) < FEWEST_ROWS or len(np.unique(index)) < _NEARLY_ALL * len(index):
        return False
    steps = np.diff(_places(column)[index])
    return bool((steps >= 0).all() or (steps <= 0).all())


def order_sentences(names: Sequence[str]) -> list[str]:
    """Return a sentence on the columns that are left out and whose order the rows keep; none where there are none."""
    if not names:
        return []
    which, these = printable(", ".join(names)), "it" if len(names) == 1 else "them"
    return [
        f"Rows stand in the order of {which}, left out of the file: who has a list of {these} can tell a record by the "
        "number of its row. Publish them in another order: --shuffle, or shuffle = true below data of an experiment."
    ]


def duplicate_sentences(columns: Sequence[Column], identified: Sequence[str]) -> list[str]:
    """Return a sentence on rows that are equal in every column; none where there are none."""
    # One that identifies is most likely to tell all rows apart.
    likely = sorted(columns, key=lambda column: column.name not in identified)
    if not identified or any(len(c) <= len(c.texts) + 1 and len(np.unique(c.index)) == len(c) for c in likely):
        return []
    doubled = len(columns[0]) - len(np.unique(np.column_stack([column.index for column in columns]), axis=0))
    if not doubled:
        return []
    rows = f"{doubled} rows repeat another one" if doubled > 1 else "1 row repeats another one"
    return [f"{rows} in every column, {printable(', '.join(identified))} included: are they meant to be there twice?"]


def _places(column: Column) -> NDArray[np.intp]:
    """Return the place of each text of a column among its texts in order."""
    values = column.held.values if column.held is not None else values_of(column.texts, column.mark)
    keys = np.array(column.texts) if np.isnan(values).any() else values
    return np.unique(keys, return_inverse=True)[1].astype(np.intp)
