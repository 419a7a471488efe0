"""Layout of tables by category: one flat array for all attributes, a missing value at index 0 of each axis."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.table.schema import Schema
from evosdc.table.table import MISSING, Codes, Table

Integers = NDArray[np.int64]
Counts = NDArray[np.int32]


@dataclass(frozen=True)
class Domains:
    """Where each attribute's square table by (category, category) is in a flat array."""

    # The entry of codes (a, b) of attribute v is at ``offsets[v] + (a + 1) * widths[v] + (b + 1)``: digits are codes
    # plus one, so a missing value has digit 0.

    widths: Integers  # (V,): Number of categories plus one
    offsets: Integers  # (V + 1,): The last is the length of the flat array

    def flattened(self, matrices: Sequence[NDArray[np.int64]]) -> Integers:
        """Return matrices by code, whose last row and column are those of a missing value, in the flat layout."""
        return np.concatenate([np.roll(matrix, 1, axis=(0, 1)).ravel() for matrix in matrices])


def domains_of(schema: Schema) -> Domains:
    """Return the layout for a schema's categorical attributes."""
    widths = np.array([len(a.categories) + 1 for a in schema.categorical], dtype=np.int64)
    return Domains(widths, np.concatenate(([0], np.cumsum(widths * widths))))


def counts_of(codes: Codes, v: int, size: int) -> NDArray[np.float64]:
    """Return how often each of `size` categories of attribute `v` occurs; missing values are not counted."""
    column = codes[:, v]
    return np.bincount(column[column >= 0], minlength=size).astype(np.float64)


def require_same_shape(original: Table, masked: Table) -> None:
    """Refuse a masked table with other records or attributes: a mistake of the caller."""
    if masked.codes.shape != original.codes.shape or masked.numbers.shape != original.numbers.shape:
        raise ValueError("the masked table has other records or attributes than the original")


def require_aligned(original: Table, masked: Table) -> None:
    """Refuse a masked table that kernels, which check no bounds, could not read safely."""
    if masked.codes.shape != original.codes.shape:
        raise ValueError(f"masked table of shape {masked.codes.shape}, original of shape {original.codes.shape}")
    sizes = np.array([len(a.categories) for a in original.schema.categorical], dtype=np.int64)
    if masked.codes.min(initial=0) < MISSING or (masked.codes.max(axis=0, initial=MISSING) >= sizes).any():
        raise ValueError("the masked table holds a code outside its attribute's categories")


def sums_of_parts(steps: Integers, ends: Integers) -> Integers:
    """Return the sums of consecutive parts along the first axis, each given by its end; a part may be empty."""
    running = np.zeros((len(steps) + 1, *steps.shape[1:]), dtype=np.int64)
    np.cumsum(steps, axis=0, out=running[1:])
    sums: Integers = running[ends]
    sums[1:] -= running[ends[:-1]]
    return sums
