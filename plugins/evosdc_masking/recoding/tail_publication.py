"""What top and bottom coding publish for a tail: the threshold, an average of the tail, or a label."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evosdc.table.generalisation import bound_label
from evosdc.table.numerals import numeral
from evosdc.table.table import Table
from evosdc_masking.anonymity.publication import labelled_table
from evosdc_masking.averages import lower_median
from evosdc_masking.frequencies import frequencies
from evosdc_masking.recoding.tails import NumberTail

Output = Literal["threshold", "median", "mean", "label"] | None


def coded_categories(alone: Table, tail: NDArray[np.int64], highest: bool, output: Output) -> Table:
    """Return an ordinal attribute whose tail is one category, the lower median of its records unless told otherwise.

    Parameters
    ----------
    alone : Table
        The attribute, shape (n, 1).
    tail : ndarray of int64
        Codes of the tail's categories; fewer than two change nothing.
    highest : bool
        Which end it is.
    output : {"threshold", "median", "label"} or None
    """
    if tail.size < 2:
        return alone
    attribute, column = alone.schema.attributes[0], alone.codes[:, 0]
    innermost = int(tail.min() if highest else tail.max())
    size = len(attribute.categories)
    if output == "label":
        groups = np.append(np.arange(size), -1)
        groups[tail] = size
        label = bound_label(attribute.categories[innermost], highest)
        return labelled_table(alone, attribute, (*attribute.categories, label), groups[column])
    merged = innermost
    if output != "threshold":
        counts = frequencies(column, size)
        found = int(lower_median(np.where(np.isin(np.arange(size), tail), counts, 0)))
        merged = found if found >= 0 else innermost
    recoding = np.append(np.arange(size), -1).astype(np.int32)
    recoding[tail] = merged
    return Table(alone.schema, recoding[alone.codes], alone.numbers)


def coded_numbers(alone: Table, tail: NumberTail, highest: bool, output: Output) -> Table:
    """Return a numeric attribute whose tail is one number, the threshold unless told otherwise, or one label.

    With labels every number becomes its numeral, so that the attribute is nominal whatever the file holds.
    """
    attribute, column = alone.schema.attributes[0], alone.numbers[:, 0]
    if output == "label":
        distinct, positions = np.unique(column, return_inverse=True)
        labels = [_numeral(value, attribute.decimals) for value in distinct[~np.isnan(distinct)].tolist()]
        groups = np.where(np.isnan(column), -1, positions.reshape(-1))
        if tail.inside.any():
            labels.append(bound_label(_numeral(tail.innermost, attribute.decimals), highest))
            groups[tail.inside] = len(labels) - 1
        return labelled_table(alone, attribute, labels, groups)
    published = column.copy()
    if tail.inside.any():
        ascending = np.sort(column[tail.inside])
        # sums of the largest floats would overflow; a power of two is divided out and in again without rounding
        mean = np.clip(np.ldexp(np.ldexp(ascending, -64).mean(), 64), ascending[0], ascending[-1])
        averages = {"median": ascending[(ascending.size - 1) // 2], "mean": mean}
        published[tail.inside] = averages.get(output or "threshold", tail.threshold)
    return Table(alone.schema, alone.codes, published[:, None])


def _numeral(value: float, decimals: int) -> str:
    """Return the text of a number, with more decimals than the attribute's where it has more."""
    text = numeral(value, decimals)
    return text if float(text) == value else repr(value)
