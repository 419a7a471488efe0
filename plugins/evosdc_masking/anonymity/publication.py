"""What a class publishes when its values are generalised: one label for each attribute, covering all of them.

The labels are those of `evosdc.table.generalisation`. Numbers and ordinal categories become the closed interval from
the least to the greatest, nominal ones the set of those that occur; categories with a hierarchy become their lowest
common ancestor. A class in which all have the same value publishes that value, and one that mixes missing and present
values publishes ``*`` (a reconstruction: the sources know no missing values).
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Design, Grouping
from evosdc.table.generalisation import interval_label, number_interval_label, set_label
from evosdc.table.hierarchy import ROOT, Hierarchy
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Codes, Numbers, Table
from evosdc_masking.averages import ClassAveraging, ClassNumbers, aggregated
from evosdc_masking.tuning import QUADRATIC

Labels = list[str | None]


class ClusterPublishing(ClassAveraging, Grouping):
    """A method that finds clusters of at least k records and publishes the average or the labels of each."""

    params: Any

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return k from 2 to a quarter of the file; nothing for large files, which take too long to cluster."""
        return super().designs(table) if len(table) <= QUADRATIC else []

    @property
    def generalises(self) -> bool:
        """Whether intervals, sets and labels of hierarchies are published."""
        return bool(self.params.output == "interval")

    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the table in which the records of a cluster are the same."""
        classes = self.classes(table, rng)
        if self.generalises:
            return generalised(table, classes, getattr(self.params, "hierarchies", True))
        return aggregated(table, classes, self.params.average, weights)

    @abstractmethod
    def classes(self, table: Table, rng: np.random.Generator) -> ClassNumbers:
        """Return the number of each record's cluster, shape (n,), from 0 without gaps."""


class Members:
    """The records of each class, by the number of each record's class, 0 and up, without gaps."""

    def __init__(self, classes: ClassNumbers) -> None:
        sizes = np.bincount(classes)
        self.classes, self.order, self.starts = classes, np.argsort(classes, kind="stable"), np.cumsum(sizes) - sizes

    def ends(self, values: NDArray[Any]) -> tuple[list[Any], list[Any]]:
        """Return the least and the greatest value of each class."""
        ordered = values[self.order]
        return np.minimum.reduceat(ordered, self.starts).tolist(), np.maximum.reduceat(ordered, self.starts).tolist()


def generalised(table: Table, classes: ClassNumbers, by_hierarchy: bool = True) -> Table:
    """Return the table in which all records of a class have one label for each attribute, which covers their values."""
    # Its schema is its own: labels follow the categories of the original, and an attribute with any label that is none
    # of them is nominal, as numeric ones always are.
    members = Members(np.asarray(classes, dtype=np.int64))
    attributes: list[Attribute] = []
    columns: list[Codes] = []
    for attribute in table.schema.attributes:
        column = table.column(attribute.name)
        labels = (
            _category_labels(attribute, np.asarray(column, dtype=np.int64), members, by_hierarchy)
            if attribute.categorical
            else _number_labels(attribute, np.asarray(column, dtype=np.float64), members)
        )
        published, codes = labelled(attribute, labels)
        attributes.append(published)
        columns.append(codes[members.classes])
    schema = replace(table.schema, attributes=tuple(attributes))
    return Table(schema, np.stack(columns, axis=1), np.empty((len(table), 0)))


def labelled(attribute: Attribute, labels: Sequence[str | None]) -> tuple[Attribute, Codes]:
    """Return the attribute that has these labels beside its own categories, and their codes, None as missing."""
    categories = tuple(dict.fromkeys((*attribute.categories, *(label for label in labels if label is not None))))
    code = {label: position for position, label in enumerate(categories)}
    codes = np.array([MISSING if label is None else code[label] for label in labels], dtype=np.int32)
    if attribute.categorical and len(categories) == len(attribute.categories):
        return attribute, codes
    return replace(attribute, scale=Scale.NOMINAL, categories=categories, decimals=0), codes


def labelled_table(table: Table, attribute: Attribute, labels: Sequence[str], groups: ClassNumbers) -> Table:
    """Return one attribute of a table with a label for each record's group, shape (n, 1); group -1 is missing."""
    published, codes = labelled(attribute, [*labels, None])
    schema = replace(table.schema, attributes=(published,))
    return Table(schema, codes[groups][:, None], np.empty((len(table), 0)))


def _number_labels(attribute: Attribute, column: Numbers, members: Members) -> Labels:
    # a class without present numbers has its least value above its greatest
    low, _ = members.ends(np.where(np.isnan(column), np.inf, column))
    _, high = members.ends(np.where(np.isnan(column), -np.inf, column))
    _, mixed = members.ends(np.isnan(column))
    labels: Labels = []
    for least, greatest, some_missing in zip(low, high, mixed, strict=True):
        if some_missing:
            labels.append(None if least > greatest else ROOT)
        else:
            labels.append(number_interval_label(least, greatest, attribute.decimals))
    return labels


def _category_labels(attribute: Attribute, column: ClassNumbers, members: Members, by_hierarchy: bool) -> Labels:
    low, high = members.ends(column)
    if by_hierarchy and attribute.hierarchy is not None:
        ancestors = _ancestors(attribute.hierarchy, attribute.categories, column, members)
    elif attribute.scale is Scale.ORDINAL:
        names = attribute.categories
        ends = zip(low, high, strict=True)
        ancestors = [interval_label(names[a], names[b]) if a != MISSING else ROOT for a, b in ends]
    else:
        ancestors = _sets(attribute.categories, column, members)
    return [
        ancestor if least != MISSING else (None if greatest == MISSING else ROOT)
        for ancestor, least, greatest in zip(ancestors, low, high, strict=True)
    ]


def _sets(categories: Sequence[str], column: ClassNumbers, members: Members) -> list[str]:
    size = len(categories) + 1
    found: list[list[str]] = [[] for _ in members.starts]
    for pair in np.unique(members.classes * size + column + 1).tolist():
        number, code = divmod(pair, size)
        if code > 0:
            found[number].append(categories[code - 1])
    return [set_label(names) if names else ROOT for names in found]


def _ancestors(hierarchy: Hierarchy, categories: Sequence[str], column: ClassNumbers, members: Members) -> list[str]:
    """Return the lowest common ancestor of each class; of a class with missing values it is of no account."""
    nodes, labels = hierarchy.nodes(categories)
    found = [""] * len(members.starts)
    for level in range(hierarchy.height, -1, -1):
        of_records = np.append(nodes[:, level], np.int32(-1))[column]
        for number, (least, greatest) in enumerate(zip(*members.ends(of_records), strict=True)):
            if least == greatest and least >= 0:
                found[number] = labels[level][least]
    return found
