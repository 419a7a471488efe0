"""Which values a cell may take, and how the numbers of a file are coded as whole ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.table.numerals import COUNTABLE
from evosdc.table.schema import Scale
from evosdc.table.table import MISSING, Numbers, Table


@dataclass(frozen=True, eq=False)
class CellDomain:
    """The valid codes of each attribute, categorical ones first."""

    # A missing value is valid where the original has some: it then is a category like any other, and the last in order.

    sizes: NDArray[np.int64]  # (V,): How many values are valid
    categories: NDArray[np.int64]  # (V,): How many of them are not missing
    ordinal: NDArray[np.bool_]  # (V,)
    free: NDArray[np.int64]  # attributes with at least two valid values: those that can be mutated
    coding: "NumberCoding"  # of the numeric attributes


@dataclass(frozen=True, eq=False)
class NumberCoding:
    """Numbers as whole numbers of units, the last decimal of the schema, from a base."""

    # A file may hold values up to one range of the original below and above it, as noise makes them. Mutation only
    # leads to values within the range of the original.

    scale: Numbers  # (Q,): Units of 1: ten to the power of the decimals
    base: NDArray[np.int64]  # (Q,): Units of code 0: the least value of the original less the range
    # (Q,): Range of the original in units; codes ``reach`` to ``2 reach`` are its values, 0 to ``3 reach`` are valid.
    reach: NDArray[np.int64]
    missing: Numbers  # (Q,): Share of missing values in the original
    deviation: Numbers  # (Q,): Standard deviation of the original in units

    def codes(self, numbers: Numbers) -> NDArray[np.int64]:
        """Return the codes of numbers, shape (n, Q): rounded to units, and cut off one range beyond the original."""
        known = np.nan_to_num(numbers)
        codes = np.rint(known * self.scale).astype(np.int64) - self.base
        return np.where(np.isnan(numbers), MISSING, np.clip(codes, 0, 3 * self.reach))

    def numbers(self, codes: NDArray[Any]) -> Numbers:
        """Return the numbers of codes, shape (n, Q)."""
        numbers: Numbers = (codes + self.base) / self.scale
        numbers[codes == MISSING] = np.nan
        return numbers


def domain_of(original: Table) -> CellDomain:
    """Return the domain of the cells of a file."""
    coding = coding_of(original)
    categories = [len(a.categories) for a in original.schema.categorical]
    counts = np.array([*categories, *(coding.reach + 1).tolist()], dtype=np.int64)
    absent = (original.codes == MISSING).any(axis=0)
    missing = np.concatenate([absent, coding.missing > 0])
    sizes = counts + missing
    ordinal = np.array([a.scale is Scale.ORDINAL for a in original.schema.categorical] + [False] * len(coding.reach))
    return CellDomain(sizes, counts, ordinal, np.flatnonzero(sizes >= 2), coding)


def coding_of(original: Table) -> NumberCoding:
    """Return the coding of the numeric attributes of a file; raises as `domain_of`."""
    count = len(original.schema.numeric)
    scale, deviation, missing = np.ones(count), np.zeros(count), np.zeros(count)
    base, reach = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    collect = FaultCollector()
    for j, attribute in enumerate(original.schema.numeric):
        column = original.numbers[:, j]
        known = column[~np.isnan(column)]
        scale[j] = 10.0**attribute.decimals
        missing[j] = 1.0 - len(known) / len(column)
        if not len(known):
            continue
        if np.abs(known).max() * scale[j] > COUNTABLE:
            given = f"numbers with {attribute.decimals} decimals of which some exceed {COUNTABLE / scale[j]:g}"
            advice = (
                f"Write fewer decimals in the schema, as by `evosdc edit SCHEMA {attribute.name} decimals=2`, "
                "or protect the attribute in larger units."
            )
            wanted = "numbers whose last decimal a computer can count"
            collect.faults.append(Fault(f"genotype cells: {attribute.name}", given, wanted, advice))
            continue
        units = np.rint(known * scale[j]).astype(np.int64)
        reach[j] = units.max() - units.min()
        base[j] = units.min() - reach[j]
        deviation[j] = units.std()
    if collect.faults:
        raise ParameterError(collect.faults)
    return NumberCoding(scale, base, reach, missing, deviation)
