"""Noisy tables: all that a certified file is made of, and how they are kept."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from evosdc.errors import DataError, Fault
from evosdc.files.atomic import write_text
from evosdc.printing import printable
from evosdc_certified.domain import Cells, Domain

Counts = NDArray[np.float64]
Groups = NDArray[np.int32]

VERSION = 1
FILE = "private-tables.json"  # the file of a run folder that holds the tables

# Groups of an ordered attribute in tables of several: as a rule, and where noise is small beside them.
GROUPS, MOST_GROUPS = 20, 50

SMALL = 30.0  # standard deviations of the noise that a group holds before there are more groups than as a rule


# Standard deviations of the noise below which a missing value is taken never to occur; noise exceeds them in 3e-5.
HIDDEN = 4.0


@dataclass(frozen=True, eq=False)
class NoisyTable:
    """Counts of one combination of attributes, with noise."""

    # Positions of the attributes in the domain. A table of one attribute counts its cells, one of several its groups
    columns: tuple[int, ...]
    counts: Counts  # shape (cells,); in C order
    sigma: float  # standard deviation of the noise of every count


@dataclass(frozen=True)
class Payment:
    """One measurement and its cost in zero-concentrated differential privacy."""

    what: str
    rho: float


@dataclass(frozen=True)
class Budget:
    """A guarantee: what a certified file may tell of one unit."""

    epsilon: float
    delta: float
    rho: float  # the zero-concentrated differential privacy that implies both
    unit: str = "person"  # ``person`` or ``household``
    largest: int = 1  # records of a unit at most; further ones were left out


@dataclass(frozen=True, eq=False)
class PrivateTables:
    """Everything that was measured; whatever is computed from it has the same guarantee."""

    domain: Domain
    budget: Budget
    tables: tuple[NoisyTable, ...]
    groups: tuple[Groups, ...]  # by attribute, the group of each cell in tables of several attributes
    payments: tuple[Payment, ...] = ()
    left_out: tuple[str, ...] = ()  # tables of the workload that have too many cells

    @property
    def spent(self) -> float:
        """The price of all measurements together."""
        return sum(payment.rho for payment in self.payments)

    def of_one(self, column: int) -> Counts:
        """Return the counts of one attribute, none below 0, which sum to `records`; shape (cells,)."""
        # A missing value that the noise hides is taken never to occur.
        found = next(table for table in self.tables if table.columns == (column,))
        counts = found.counts.copy()
        if counts[-1] < HIDDEN * found.sigma:
            counts[-1] = -np.inf
        return on_simplex(counts, float(self.records))

    @property
    def records(self) -> int:
        """How many records the original has, by its tables: the mean of their sums, by their precision."""
        sums = np.array([table.counts.sum() for table in self.tables])
        weights = 1.0 / np.array([len(table.counts) * table.sigma**2 for table in self.tables])
        return max(1, round(float((sums * weights).sum() / weights.sum())))

    def with_tables(self, *more: NoisyTable, groups: tuple[Groups, ...] | None = None) -> "PrivateTables":
        """Return these tables with further ones."""
        return replace(self, tables=(*self.tables, *more), groups=self.groups if groups is None else groups)

    def shape(self, columns: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the table of some attributes."""
        if len(columns) == 1:
            return (self.domain.sizes[columns[0]],)
        return tuple(int(self.groups[place].max()) + 1 for place in columns)

    def positions(self, cells: Cells) -> NDArray[np.int64]:
        """Return to which counts of all tables, one after the other, records belong; shape (n, T)."""
        found = np.empty((len(cells), len(self.tables)), dtype=np.int64)
        begin = 0
        for place, table in enumerate(self.tables):
            found[:, place] = begin + self._index(cells, table.columns)
            begin += len(table.counts)
        return found

    def _index(self, cells: Cells, columns: Sequence[int]) -> NDArray[np.int64]:
        if len(columns) == 1:
            return cells[:, columns[0]].astype(np.int64)
        groups = [self.groups[place][cells[:, place]] for place in columns]
        return np.ravel_multi_index(groups, self.shape(columns)).astype(np.int64)

    def count(self, cells: Cells, columns: Sequence[int]) -> Counts:
        """Return the table of some attributes of records, without noise."""
        size = int(np.prod(self.shape(columns)))
        return np.bincount(self._index(cells, columns), minlength=size).astype(np.float64)

    @cached_property
    def target(self) -> Counts:
        """The counts of all tables, one after the other."""
        return np.concatenate([table.counts for table in self.tables])

    @cached_property
    def weight(self) -> Counts:
        """One over the variance of the noise of each of these counts."""
        return np.repeat([table.sigma**-2 for table in self.tables], [len(table.counts) for table in self.tables])

    def counts(self, positions: NDArray[np.int64]) -> Counts:
        """Return the counts of all tables of records, without noise."""
        return np.bincount(positions.ravel(), minlength=len(self.target)).astype(np.float64)

    def misfit(self, counts: Counts, records: int) -> float:
        """Return the squared differences of a file's counts to the noisy ones, over the variance of their noise."""
        scale = self.records / max(1, records)
        return float((self.weight * (counts * scale - self.target) ** 2).sum())

    @property
    def expected(self) -> float:
        """The misfit that the original itself is expected to have: one for each cell."""
        return float(len(self.target))

    def score(self, misfit: Any) -> Any:
        """Return a misfit, or several, as 0..100: 50 where it is the one expected of the original."""
        return 100.0 * misfit / (misfit + self.expected)

    def write(self, path: Path) -> None:
        """Write the tables for the owner alone."""
        document = {
            "version": VERSION,
            "budget": vars(self.budget),
            "payments": [vars(payment) for payment in self.payments],
            "left_out": self.left_out,
            "domain": asdict(self.domain),
            "groups": [group.tolist() for group in self.groups],
            "tables": [
                {"columns": t.columns, "sigma": t.sigma, "counts": [round(c) for c in t.counts]} for t in self.tables
            ],
        }
        write_text(path, json.dumps(document, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, path: Path) -> "PrivateTables":
        """Return the tables of a file; raise `DataError` where it holds none."""
        where = printable(str(path))
        wanted = f"a file {FILE} that evosdc certify wrote"
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if found["version"] != VERSION:
                raise DataError(Fault(where, f"version {found['version']}", f"version {VERSION}"))
            tables = tuple(
                NoisyTable(tuple(t["columns"]), np.array(t["counts"], dtype=np.float64), float(t["sigma"]))
                for t in found["tables"]
            )
            groups = tuple(np.array(group, dtype=np.int32) for group in found["groups"])
            payments = TypeAdapter(tuple[Payment, ...]).validate_python(found["payments"])
            domain = TypeAdapter(Domain).validate_python(found["domain"])
            budget = TypeAdapter(Budget).validate_python(found["budget"])
            return cls(domain, budget, tables, groups, payments, tuple(found["left_out"]))
        except OSError as error:
            raise DataError(Fault(where, error.strerror or "an unreadable file", wanted)) from None
        except (ValueError, KeyError, TypeError, IndexError):
            raise DataError(Fault(where, "a file that holds no such tables", wanted)) from None


def on_simplex(counts: Counts, total: float) -> Counts:
    """Return the nearest counts, by squared distance, of which none is below 0 and which sum to a total."""
    descending = np.sort(counts)[::-1]
    excess = (np.cumsum(descending) - total) / np.arange(1, len(counts) + 1)
    last = int(np.flatnonzero(descending > excess)[-1])
    found: Counts = np.maximum(counts - excess[last], 0.0)
    return found


def groups_of(counts: Counts, sigma: float, total: float, ordered: bool) -> Groups:
    """Return groups of cells for tables of several attributes, by the noisy counts of one."""
    # Neighbouring cells of an ordered attribute are joined until a group holds a share of the records, and more than
    # its noise. Of a nominal one the cells that the noise hides are joined. The last cell, of the missing value, is no
    # neighbour, and is joined with the others that the noise hides.
    size, clean = len(counts), on_simplex(counts, total)
    hidden = clean < 3.0 * sigma
    groups = np.zeros(size, dtype=np.int32)
    if size - 1 <= GROUPS or not ordered:
        shown = np.flatnonzero(~hidden)
        groups[shown] = np.arange(len(shown))
        groups[hidden] = len(shown)
        return np.unique(groups, return_inverse=True)[1].astype(np.int32)
    least = max(3.0 * sigma, total / MOST_GROUPS, min(total / GROUPS, SMALL * sigma))
    group, mass = 0, 0.0
    for cell in range(size - 1):
        groups[cell] = group
        mass += float(clean[cell])
        if mass >= least and float(clean[cell + 1 : -1].sum()) >= least / 2.0:
            group, mass = group + 1, 0.0
    groups[-1] = group if hidden[-1] else group + 1
    return groups
