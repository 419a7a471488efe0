"""Keys of an intruder who knows some quasi-identifiers only: all sets of them, up to a size.

A set tells records apart by the distinct keys of all quasi-identifiers: a million records are read once, and
not once for each of a hundred sets.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evosdc.errors import Fault, ParameterError
from evosdc.model import IntruderView, MissingMatch, Parameters, PrivacyModel
from evosdc.table.table import Numbers

Integers = NDArray[np.int64]
MOST_TABLES = 100_000
USUAL_TABLES = 3_000


@dataclass(frozen=True)
class KeySet:
    """What one set of quasi-identifiers tells."""

    names: tuple[str, ...]
    classes: int  # its distinct keys
    alike: float  # pairs of records that match on it
    frequencies: Integers  # how many records match a key, ascending, and of how many keys that is so
    cells: Integers


@dataclass(frozen=True)
class KeySets:
    """What all sets of a size tell."""

    sets: tuple[KeySet, ...]  # in the order of `itertools.combinations`
    least: Integers  # (n,): The smallest frequency of each record over all sets


class SubsetAnonymity(PrivacyModel):
    """k-anonymity of every subset of a size of the quasi-identifiers: for intruders who know some of them only.

    ``k`` is the smallest frequency over all sets of `size` quasi-identifiers (of all of them, where
    there are fewer), as sdcMicro's ``combs`` and mu-Argus's tables do; ``worst`` names the set.
    """

    class Params(Parameters):
        """How many attributes an intruder knows."""

        size: int | None = Field(
            None, ge=1, description="attributes of a set; default: 3, or as many as make at most 6000 sets"
        )

    headline: ClassVar[str] = "k"

    def attainable(self, view: IntruderView) -> tuple[float, float]:
        """Return that nobody shares a key with more records than there are."""
        return 1.0, float(len(view.table))

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the smallest frequency of all sets, the set that has it, and each set's."""
        found = self._sets(view)
        least = {one.names: int(one.frequencies[0]) for one in found.sets}
        worst = min(least, key=lambda names: (least[names], names))
        return {
            "k": least[worst],
            "worst": list(worst),
            "sets": len(least),
            "unique_records": int(np.count_nonzero(found.least == 1)),
            "by_set": {" x ".join(names): k for names, k in least.items()},
        }

    def record_figures(self, view: IntruderView) -> Numbers:
        """Return the smallest frequency of each record over all sets, shape (n,)."""
        return self._sets(view).least.astype(np.float64)

    def _sets(self, view: IntruderView) -> KeySets:
        names = view.quasi_identifiers
        usual = next((size for size in (3, 2) if comb(len(names), size) <= 6_000), 1)
        size = min(self.params.size or usual, len(names))
        if comb(len(names), size) > 100_000:
            where, given = "privacy-model subset-anonymity: size", f"{comb(len(names), size):,} sets"
            raise ParameterError(Fault(where, given, "at most 100,000", "Take a smaller size or fewer attributes."))
        return key_sets(view, size)

    def shortfall(self, view: IntruderView, bound: float) -> float:
        """Return the share of records of a frequency below the bound in some set."""
        return float(np.mean(self._sets(view).least < bound))

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the smallest frequency in a sentence."""
        return f"k = {figures['k']} on {', '.join(figures['worst'])}, the worst of {figures['sets']} sets"


class RiskyCells(PrivacyModel):
    """Unsafe combinations in all tables of one to m quasi-identifiers, as mu-Argus counts them (Hundepool et al. 2014).

    A cell is unsafe where fewer than `threshold` records have it, of tables of 1, 2, ... attributes by one threshold
    for all or by one for each number. The headline is the percentage of records that are in any unsafe cell.
    """

    class Params(Parameters):
        """How large tables are, and from which frequency on cells are safe."""

        dimensions: int | None = Field(
            None, ge=1, description="attributes of a table at most; default: 3, or as many as make at most 3000 tables"
        )
        threshold: tuple[int, ...] = Field(
            (2,), min_length=1, description="least safe frequency, or one for each number of attributes"
        )

        @model_validator(mode="before")
        @classmethod
        def _one(cls, value: Any) -> Any:
            if isinstance(value, dict) and isinstance(value.get("threshold"), int):
                return {**value, "threshold": (value["threshold"],)}
            return value

    headline: ClassVar[str] = "percent"
    larger_is_safer: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return records in unsafe cells, and the unsafe cells of each table."""
        unsafe = np.zeros(len(view.table), dtype=np.bool_)
        cells: dict[str, int] = {}
        by_dimension: dict[str, int] = {}
        for size, threshold in enumerate(self._thresholds(view), 1):
            found = key_sets(view, size)
            unsafe |= found.least < threshold
            rare = {" x ".join(one.names): int(one.cells[one.frequencies < threshold].sum()) for one in found.sets}
            cells |= rare
            by_dimension[str(size)] = sum(rare.values())
        return {
            "percent": 100.0 * float(unsafe.mean()),
            "records": int(unsafe.sum()),
            "unsafe_cells": sum(cells.values()),
            "by_dimension": by_dimension,
            "by_table": cells,
        }

    def record_figures(self, view: IntruderView) -> Numbers:
        """Return in how many unsafe cells each record is, shape (n,)."""
        view, of = distinct_keys(view)
        found = np.zeros(len(view.table))
        for size, threshold in enumerate(self._thresholds(view), 1):
            for _, frequencies in frequencies_by_set(view, size):
                found += frequencies < threshold
        return found[of]

    def _thresholds(self, view: IntruderView) -> tuple[int, ...]:
        """Return the threshold of tables of 1, 2, ... attributes."""
        names = view.quasi_identifiers
        given: tuple[int, ...] = self.params.threshold
        most = min(self.params.dimensions or usual_dimensions(len(names)), len(names))
        if len(given) not in (1, most):
            where, wanted = "privacy-model risky-cells: threshold", f"one number, or one for each of 1 to {most}"
            raise ParameterError(Fault(where, f"{len(given)} numbers", wanted))
        require_few_sets(len(names), most, "privacy-model risky-cells: dimensions")
        return given if len(given) == most else given * most

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the records at stake in a sentence."""
        return (
            f"{figures['records']} records ({figures['percent']:.1f} %) are in one of {figures['unsafe_cells']} unsafe "
            f"cells of tables of up to {max(figures['by_dimension'])} attributes"
        )


class Separation(PrivacyModel):
    """alpha-distinction and alpha-separation (Motwani and Xu 2007): how nearly a set of attributes is a key.

    A set is alpha-distinct where a share alpha of the records is left when all but one of equal ones are removed: its
    distinct keys over the records. It separates the share of pairs of records that differ on it. Both are given for all
    quasi-identifiers, and for every set of up to `dimensions`; the headline is the distinction of all. Under wildcards
    two records differ where they do not match.
    """

    class Params(Parameters):
        """How large sets are."""

        dimensions: int | None = Field(
            None, ge=0, description="attributes of a set at most; default: 3, or as many as make at most 3000 sets"
        )

    headline: ClassVar[str] = "distinction"
    larger_is_safer: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return distinction and separation of all quasi-identifiers and of sets of them."""
        names = view.quasi_identifiers
        given = self.params.dimensions
        most = min(usual_dimensions(len(names)) if given is None else given, len(names))
        require_few_sets(len(names), most, "privacy-model separation: dimensions")
        figures = {}
        for size in range(1, most + 1):
            for one in key_sets(view, size).sets:
                distinction, separation = _distinction_and_separation(view.records, one.classes, one.alike)
                figures[" x ".join(one.names)] = {"distinction": distinction, "separation": separation}
        alike = float((view.classes.counts * (view.frequencies[0] - 1)).sum()) / 2.0
        distinction, separation = _distinction_and_separation(view.records, len(view.classes), alike)
        return {"distinction": distinction, "separation": separation, "sets": figures}

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return both figures in a sentence."""
        return (
            f"keys are distinct for {100.0 * figures['distinction']:.1f} % of the records, and tell "
            f"{100.0 * figures['separation']:.1f} % of all pairs apart"
        )


def _distinction_and_separation(records: int, classes: int, alike: float) -> tuple[float, float]:
    """Return alpha-distinction and alpha-separation; a single record is separated."""
    pairs = records * (records - 1) / 2
    return classes / records, 1.0 - alike / pairs if records > 1 else 1.0


def usual_dimensions(columns: int) -> int:
    """Return 3, or fewer where tables of up to 3 attributes would be more than 3000."""
    sizes = (size for size in (3, 2) if sum(comb(columns, s) for s in range(1, size + 1)) <= USUAL_TABLES)
    return next(sizes, 1)


def require_few_sets(columns: int, most: int, where: str) -> None:
    """Raise for more than 100 000 sets of up to `most` attributes."""
    sets = sum(comb(columns, size) for size in range(1, most + 1))
    if sets > MOST_TABLES:
        raise ParameterError(Fault(where, f"{sets:,} tables", f"at most {MOST_TABLES:,}", "Take a smaller number."))


_found: WeakKeyDictionary[IntruderView, dict[int, KeySets]] = WeakKeyDictionary()


def key_sets(view: IntruderView, size: int) -> KeySets:
    """Return what the sets of `size` quasi-identifiers tell; of one view it is found once."""
    known = _found.setdefault(view, {})
    if size not in known:
        distinct, of = distinct_keys(view)
        sets, least = [], np.full(len(distinct.table), np.iinfo(np.int64).max)
        for one, found in frequencies_by_set(distinct, size):
            sets.append(one)
            np.minimum(least, found, out=least)
        known[size] = KeySets(tuple(sets), least[of])
    return known[size]


def frequencies_by_set(view: IntruderView, size: int) -> Iterator[tuple[KeySet, Integers]]:
    """Yield what each set tells, and how many records match each record of a view on it, shape (n,)."""
    for names in combinations(view.quasi_identifiers, size):
        part = part_of(view, names)
        matching, counts = part.frequencies[0], part.classes.counts
        alike = float((counts * (matching - 1)).sum()) / 2.0
        cells = np.bincount(matching)
        present = np.flatnonzero(cells)
        yield KeySet(names, len(part.classes), alike, present, cells[present]), matching[part.classes.of]


def distinct_keys(view: IntruderView) -> tuple[IntruderView, NDArray[np.int64]]:
    """Return a view with one record for each key and its count, and the place of each record's key, shape (n,)."""
    # Frequencies of keys, and of keys of some of the quasi-identifiers, are those of the whole file. Weights are left
    # out. Where missing values are equal to nothing, records stay as they are.
    if view.missing is MissingMatch.NEVER or view.counts is not None:
        return view, np.arange(len(view.table))
    classes = view.classes
    table = view.table.select(view.quasi_identifiers).take(classes.first)
    kept = replace(view, table=table, sensitive=(), weights=None, household=None, population=None, transitions=None)
    return replace(kept, counts=classes.counts), classes.of


def part_of(view: IntruderView, names: Sequence[str]) -> IntruderView:
    """Return a view of some of the quasi-identifiers; numbers are not ranked again, which takes longest."""
    part = replace(view, quasi_identifiers=tuple(names))
    if view.missing is not MissingMatch.NEVER:
        places = [view.quasi_identifiers.index(name) for name in names]
        vars(part)["codes"] = np.ascontiguousarray(view.codes[:, places])
    return part
