"""Attributes in a few classes, the same before and after masking, and tables of published by original class."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Numbers, Table

MOST_CLASSES = 12  # classes of a table that a page can show legibly
QUANTILES = 10  # classes of about equal frequency that numbers are taken by
ABSENT = "missing"  # label of the class of missing values

Classes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Classed:
    """One attribute in classes."""

    attribute: Attribute  # as the original has it
    labels: tuple[str, ...]  # of the classes in the original and in the published file
    published_labels: tuple[str, ...]
    original: Classes  # the class of each record in either file
    published: Classes

    @property
    def comparable(self) -> bool:
        """Whether both files are in the same classes."""
        return self.labels == self.published_labels

    @property
    def grouping(self) -> str:
        """How values are put together, in words; empty where each value of the original is a class of its own."""
        size, groups = len(self.attribute.categories), len(self.labels) - (self.labels[-1:] == (ABSENT,))
        if not self.attribute.categorical:
            return f"in {groups} bands of about equal frequency" if groups > 1 else "in one class"
        if size <= groups:
            return ""
        if self.attribute.scale is Scale.NOMINAL:
            return f"by its {groups - 1} commonest values, the other {size - groups + 1} as one"
        return f"in {groups} bands of about {size / groups:.0f} values"

    @property
    def joint(self) -> NDArray[np.int64]:
        """Records by original class (rows) and published class (columns)."""
        width = len(self.published_labels)
        counts = np.bincount(self.original * width + self.published, minlength=len(self.labels) * width)
        return counts.reshape(len(self.labels), width)


def classed(original: Table, published: Table, name: str, most: int = MOST_CLASSES) -> Classed:
    """Return an attribute of both files in at most `most` classes, and one of missing values where there are any."""
    # Neighbours in an order are merged into classes of about equal frequency; of unordered categories all but the
    # commonest are one class. Numbers are taken by quantiles of the original, written with three digits, so that no
    # label tells a single record's value. Labels of generalised attributes are grouped for themselves.
    before, after = original.schema[name], published.schema[name]
    first, second = original.column(name), published.column(name)
    if not before.categorical and not after.categorical:
        codes, labels = _of_numbers(np.concatenate([first, second]), np.asarray(first, dtype=np.float64), most)
        labels, codes = _with_missing(labels, codes)
        return Classed(before, labels, labels, codes[: len(first)], codes[len(first) :])
    if before.categorical and before.categories == after.categories:
        labels, coding = _grouped(before, np.asarray(first), most)
        codes = np.append(coding, MISSING)[np.concatenate([first, second]).astype(np.int64)]
        labels, codes = _with_missing(labels, codes)
        return Classed(before, labels, labels, codes[: len(first)], codes[len(first) :])
    own, labels = _side(original, name, most)
    other, published_labels = _side(published, name, most)
    return Classed(before, labels, published_labels, own, other)


def _side(table: Table, name: str, most: int) -> tuple[Classes, tuple[str, ...]]:
    """Return one file's own classes of an attribute."""
    attribute, column = table.schema[name], table.column(name)
    if not attribute.categorical:
        numbers = np.asarray(column, dtype=np.float64)
        codes, labels = _of_numbers(numbers, numbers, most)
    else:
        labels, coding = _grouped(attribute, np.asarray(column), most)
        codes = np.append(coding, MISSING)[np.asarray(column, dtype=np.int64)]
    labels, codes = _with_missing(labels, codes)
    return codes, labels


def _grouped(attribute: Attribute, column: NDArray[np.generic], most: int) -> tuple[tuple[str, ...], Classes]:
    """Return labels of classes and the class of each category; categories that do not occur go with a neighbour."""
    size = len(attribute.categories)
    if size <= most:
        return attribute.categories, np.arange(size, dtype=np.int64)
    known = column.astype(np.int64)
    counts = np.bincount(known[known != MISSING], minlength=size)
    if attribute.scale is not Scale.NOMINAL:
        middle = np.cumsum(counts) - counts / 2
        wanted = np.minimum((most * middle / max(int(counts.sum()), 1)).astype(np.int64), most - 1)
        coding = np.unique(wanted, return_inverse=True)[1].astype(np.int64)
        labels = []
        for group in range(int(coding.max()) + 1):
            own = np.flatnonzero(coding == group)
            ends = attribute.categories[own[0]], attribute.categories[own[-1]]
            labels.append(ends[0] if len(own) == 1 else f"{ends[0]} to {ends[1]}")
        return tuple(labels), coding
    kept = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    coding = np.full(size, len(kept), dtype=np.int64)
    coding[kept] = np.arange(len(kept))
    return (*(attribute.categories[place] for place in kept), f"{size - len(kept)} others"), coding


def _of_numbers(numbers: Numbers, original: Numbers, most: int) -> tuple[Classes, tuple[str, ...]]:
    known = original[~np.isnan(original)]
    size = min(QUANTILES, most)
    edges = np.unique(np.quantile(known, np.arange(1, size) / size)) if len(known) else np.zeros(0)
    edges = _without_empty(edges, numbers[~np.isnan(numbers)])
    codes = np.searchsorted(edges, numbers, side="left").astype(np.int64)
    codes[np.isnan(numbers)] = MISSING
    texts = [str(np.format_float_positional(float(f"{edge:.3g}"), trim="-")) for edge in edges.tolist()]
    if not texts:
        return codes, ("any",)
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    return codes, (f"up to {texts[0]}", *between, f"above {texts[-1]}")


def _without_empty(edges: Numbers, numbers: Numbers) -> Numbers:
    """Return the edges without those of bands in which there is no number: where many are equal, quantiles are too."""
    counts = np.bincount(np.searchsorted(edges, numbers, side="left"), minlength=len(edges) + 1)
    # An empty band goes with the next one, the last with the one before.
    kept = counts[:-1] > 0
    filled = np.flatnonzero(counts)
    if len(filled) and filled[-1] < len(edges):
        kept[filled[-1]] = False
    remaining: Numbers = edges[kept]
    return remaining


def _with_missing(labels: tuple[str, ...], codes: Classes) -> tuple[tuple[str, ...], Classes]:
    absent = codes == MISSING
    if not absent.any():
        return labels, codes
    return (*labels, ABSENT), np.where(absent, len(labels), codes)


def cross_tables(original: Table, published: Table, protect: Sequence[str]) -> list[dict[str, Any]]:
    """Return, for each masked attribute, counts of records by original class (rows) and published class (columns)."""
    listed = []
    for name in protect:
        classes = classed(original, published, name)
        listed.append(
            {
                "attribute": name,
                "scale": str(classes.attribute.scale),
                "original": list(classes.labels),
                "published": list(classes.published_labels),
                "counts": classes.joint.tolist(),
                "kept": _unchanged(original, published, name),
                "same_labels": classes.comparable,
                "missing": _missing(original, published, name),
            }
        )
        if not classes.attribute.categorical and not published.schema[name].categorical:
            before, after = (np.asarray(table.column(name), dtype=np.float64) for table in (original, published))
            listed[-1]["reliability"] = _reliability(before, after)
    return listed


def _missing(original: Table, published: Table, name: str) -> dict[str, int]:
    """Return the missing values before and after, and the known values that became missing, record by record."""
    before, after = original.absent(name), published.absent(name)
    return {"before": int(before.sum()), "after": int(after.sum()), "suppressed": int((after & ~before).sum())}


def _reliability(before: Numbers, after: Numbers) -> float:
    """Return the squared correlation of original and published numbers; 0 where one of them does not vary."""
    known = ~(np.isnan(before) | np.isnan(after))
    first, second = before[known], after[known]
    if len(first) < 2 or first.std() == 0.0 or second.std() == 0.0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1] ** 2)


def _unchanged(original: Table, published: Table, name: str) -> float:
    before, after = original.schema[name], published.schema[name]
    first, second = original.column(name), published.column(name)
    if before.categorical and after.categorical and before.categories != after.categories:
        texts = [[*attribute.categories, ""] for attribute in (before, after)]
        same = [texts[0][a] == texts[1][b] for a, b in zip(first.tolist(), second.tolist(), strict=True)]
        return 100.0 * float(np.mean(same)) if same else 0.0
    if before.categorical != after.categorical:
        return 0.0
    equal = (first == second) | (np.isnan(first) & np.isnan(second) if not before.categorical else False)
    return 100.0 * float(np.mean(equal))
