"""The tree of an attribute: its categories, what stands above them, and how far each two nodes are apart."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, HierarchyError, ParameterError
from evosdc.table.generalisation import LabelReader, interval_label
from evosdc.table.hierarchy import ROOT, Hierarchy
from evosdc.table.schema import Attribute, Scale

Nodes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Tree:
    """The semantic tree of an attribute.

    Nodes are labels: the categories first, by their codes, then the labels above them. A label that stands at several
    levels is one node, at the highest of them, as whoever reads it in a published file must take it: published it is so
    many levels from a value below it, though two users whose paths meet in it lower down are nearer to each other. A
    label above leaves that is also a leaf, in the file or not, is passed over for the next one above, unless that leaf
    is all below it. A missing value is a node of its own, the last one, below the root.

    Parameters
    ----------
    attribute : Attribute
        With the hierarchy in use.
    labels : tuple of str
        Of the N nodes, without that of missing values.
    up : ndarray of int32, shape (N + 1, height + 1)
        By node and level the node that stands there. Below a node's own level nothing does: a negative number.
    level : ndarray of int64, shape (N + 1,)
        Of each node, 0 for categories and missing values.
    path : ndarray of int32, shape (c + 1, height + 1)
        By category the different nodes on its way up, -1 where there are no more; none for a missing value.
    sizes : ndarray of int64, shape (N + 1,)
        How many leaves of the hierarchy are below each node, those that are no category of the file, too; 0 for missing
        values.
    """

    attribute: Attribute
    labels: tuple[str, ...]
    up: Nodes
    level: NDArray[np.int64]
    path: Nodes
    sizes: NDArray[np.int64]

    @property
    def name(self) -> str:
        """Of the attribute."""
        return self.attribute.name

    @property
    def height(self) -> int:
        """Levels above the categories."""
        return int(self.up.shape[1]) - 1

    @property
    def leaves(self) -> int:
        """How many categories there are."""
        return len(self.attribute.categories)

    @property
    def root(self) -> int:
        """The node above all."""
        return int(self.up[-1, -1])

    @cached_property
    def published(self) -> Attribute:
        """The attribute whose categories are the nodes."""
        if len(self.labels) == self.leaves:
            return replace(self.attribute, hierarchy=None)
        return replace(self.attribute, categories=self.labels, hierarchy=None, date_format="")

    @cached_property
    def _position(self) -> dict[str, int]:
        return {label: position for position, label in enumerate(self.labels)}

    def nodes_of(self, attribute: Attribute, column: NDArray[Any] | None = None) -> Nodes:
        """Return the node of each category of a published attribute, and last that of a missing value.

        A label of another kind, an interval or a set, counts as the lowest node that covers it.

        Parameters
        ----------
        attribute : Attribute
        column : ndarray of int32, shape (n,), optional
            Of its codes, so that messages tell the first record that is meant.

        Raises
        ------
        ParameterError
            Labels that are none of the attribute, numbers of them.
        """
        if attribute.categories in (self.labels, self.attribute.categories):
            return np.append(np.arange(len(attribute.categories)), len(self.labels)).astype(np.int32)
        reader = LabelReader(self.attribute)
        found, foreign = np.empty(len(attribute.categories) + 1, dtype=np.int32), list[int]()
        for place, label in enumerate(attribute.categories):
            if label in self._position:
                found[place] = self._position[label]
                continue
            extent = reader.read(label)
            foreign += [place] if extent is None else []
            found[place] = self.root if extent is None else self._covering(extent.codes)
        if foreign:
            here = [] if column is None else np.flatnonzero(np.isin(column, foreign)).tolist()
            first = f", the first of them in record {here[0] + 1}" if here else ""
            given, wanted = f"{len(foreign)} labels that stand for no values{first}", "labels of the attribute's tree"
            advice = "Give the schema that the file was protected with; its hierarchy has to name every label."
            raise ParameterError(Fault(f"attribute {self.name}", given, f"{wanted}: {self.level_words}", advice))
        found[-1] = len(self.labels)
        return found

    @property
    def level_words(self) -> str:
        """The levels by their names, else by their numbers."""
        hierarchy = self.attribute.hierarchy
        names = hierarchy.names if hierarchy is not None else ()
        return ", ".join(names) if names else ", ".join(map(str, range(self.height + 1)))

    def level_called(self, wanted: str | int) -> int:
        """Return a level by its name or its number.

        Raises
        ------
        ParameterError
            There is none.
        """
        hierarchy = self.attribute.hierarchy
        found = hierarchy.level(str(wanted)) if hierarchy is not None else None
        if found is None and str(wanted).isdecimal() and int(wanted) <= self.height:
            found = int(wanted)
        if found is None:
            raise ParameterError(Fault(f"level of {self.name}", repr(wanted), f"one of {self.level_words}"))
        return found

    def _covering(self, codes: Sequence[int]) -> int:
        rows = self.up[list(codes)]
        same = (rows == rows[0]).all(axis=0)
        return int(rows[0, int(np.argmax(same))])


def tree_of(attribute: Attribute) -> Tree:
    """Return the tree of a categorical attribute; see `with_tree` for one without a hierarchy.

    Raises
    ------
    HierarchyError
        The hierarchy lacks a category.
    """
    attribute = with_tree(attribute)
    hierarchy, categories = attribute.hierarchy, attribute.categories
    assert hierarchy is not None
    lacking = hierarchy.lacking(categories)
    if lacking:
        given = f"no line for {lacking[0]!r}" + (f" and {len(lacking) - 1} more" if len(lacking) > 1 else "")
        raise HierarchyError(Fault(hierarchy.origin, given, f"all values of {attribute.name}", "Add a line for each."))
    columns = [hierarchy.generalise(categories, level) for level in range(hierarchy.height + 1)]
    root = hierarchy.levels[0][-1]
    below: dict[str, set[int]] = {}
    for column in columns:
        for code, label in enumerate(column):
            below.setdefault(label, set()).add(code)
    known = attribute.code
    others = {label for label in hierarchy.leaves if label not in known}
    rows = [list(labels) for labels in zip(*columns, strict=True)]
    for row in rows:
        for level in range(hierarchy.height - 1, 0, -1):
            if row[level] in others or (row[level] in known and len(below[row[level]]) > 1):
                row[level] = row[level + 1]
    inner = dict.fromkeys(row[level] for level in range(1, hierarchy.height + 1) for row in rows)
    labels = (*categories, *(label for label in (*inner, root) if label not in known))
    labels = tuple(dict.fromkeys(labels))
    pairs = zip(hierarchy.leaves, hierarchy.levels, strict=True)
    paths = [above for leaf, above in pairs if leaf in others]
    return _with_leaves(_assembled(attribute, labels, rows, hierarchy.height, root), paths)


def _with_leaves(tree: Tree, others: Sequence[Sequence[str]]) -> Tree:
    """Return a tree that knows of leaves which are no categories, by the labels above each of them."""
    position = {label: place for place, label in enumerate(tree.labels) if place >= tree.leaves}
    sizes = tree.sizes.copy()
    for labels in others:
        sizes[[position[label] for label in dict.fromkeys(labels) if label in position]] += 1
    return replace(tree, sizes=sizes)


def _assembled(attribute: Attribute, labels: tuple[str, ...], rows: list[list[str]], height: int, root: str) -> Tree:
    position = {label: place for place, label in enumerate(labels)}
    leaves, missing = len(attribute.categories), len(labels)
    up = -2 - np.repeat(np.arange(missing + 1, dtype=np.int32)[:, None], height + 1, axis=1)
    level = np.zeros(missing + 1, dtype=np.int64)
    path = np.full((leaves + 1, height + 1), -1, dtype=np.int32)
    sizes = np.zeros(missing + 1, dtype=np.int64)
    for code, row in enumerate(rows):
        up[code] = [position[label] for label in row]
        nodes = list(dict.fromkeys(up[code].tolist()))
        path[code, : len(nodes)] = nodes
        sizes[nodes] += 1
        for at in range(1, height + 1):
            if up[code, at] >= leaves:
                level[up[code, at]] = max(level[up[code, at]], at)
    for row_codes in up[:leaves]:
        for at in range(1, height + 1):
            node = row_codes[at]
            if node >= leaves and level[node] == at:
                up[node, at:] = row_codes[at:]
    up[missing, :height], up[missing, height] = missing, position[root]
    if not leaves:
        up[position[root], height], level[position[root]] = position[root], height
    return Tree(attribute, labels, up, level, path, sizes)


def with_tree(attribute: Attribute) -> Attribute:
    """Return an attribute with a hierarchy; one that is made for want of another.

    Ordered categories are merged by twos, fours and so on; others stand below the root at once.
    """
    if attribute.hierarchy is not None:
        return attribute
    labels = attribute.categories or ("",)
    if attribute.scale is Scale.ORDINAL and len(labels) > 2:
        return replace(attribute, hierarchy=_merging(labels))
    return replace(attribute, hierarchy=Hierarchy(labels, tuple((ROOT,) for _ in labels)))


def built_words(attributes: Iterable[Attribute]) -> tuple[str, ...]:
    """Return a sentence on attributes without a hierarchy, of which trees are made; none where all have one."""
    made = [attribute for attribute in attributes if attribute.categorical and attribute.hierarchy is None]
    merged = [a.name for a in made if a.scale is Scale.ORDINAL and len(a.categories) > 2]
    flat = [a.name for a in made if a.name not in merged]
    ways = [f"{', '.join(flat)}: a value is published as it is or not at all"] if flat else []
    ways += [f"{', '.join(merged)}: intervals of 2, 4, 8, ... neighbouring values"] if merged else []
    told = f"No hierarchy was given, so that trees were built for {'; for '.join(ways)}."
    return (
        (f'{told} Name a tree in the schema for others: hierarchy = "FILE.csv"; see docs/social.md.',) if made else ()
    )


def _merging(labels: Sequence[str]) -> Hierarchy:
    """Return a hierarchy that merges 2, 4, 8, ... neighbours of ordered categories in intervals of them."""
    rows = []
    for position in range(len(labels)):
        row, size = [], 2
        while size < len(labels):
            first = position // size * size
            row.append(interval_label(labels[first], labels[min(first + size, len(labels)) - 1]))
            size *= 2
        rows.append((*row, ROOT))
    return Hierarchy(tuple(labels), tuple(rows))
