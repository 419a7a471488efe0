"""What users are compared by: the trees of all attributes, how far nodes are apart, and how much each counts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, FaultCollector, HierarchyError, ParameterError, did_you_mean
from evosdc.model.scales import require_scales
from evosdc.table.generalisation import LabelReader, interval_label
from evosdc.table.hierarchy import ROOT, Hierarchy, ordered_merging
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import MISSING, Table

Nodes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Tree:
    """The semantic tree of an attribute."""

    # Nodes are labels: the categories first, by their codes, then the labels above them. A label that is at several
    # levels is one node, at the highest of them, as a reader of the file must take it. When published, its distance
    # to a value below counts from that level, though two users whose paths meet in it lower down are nearer.
    # A label above leaves that is also a leaf, in the file or not, is passed over for the next one above, unless that
    # leaf is all below it. A missing value is a node of its own, the last one, below the root.

    attribute: Attribute  # with the hierarchy in use
    labels: tuple[str, ...]  # of the N nodes, without that of missing values
    up: Nodes  # shape (N + 1, height + 1); by node and level the node that is there, negative below its own level
    level: NDArray[np.int64]  # shape (N + 1,); of each node, 0 for categories and missing values
    path: Nodes  # shape (c + 1, height + 1); by category the different nodes on its way up, then -1; none for missing
    sizes: NDArray[np.int64]  # shape (N + 1,); leaves of the hierarchy below each node, in the file or not; missing 0

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
        """Return the node of each category of a published attribute, and last that of a missing value."""
        # A label of another kind, an interval or a set, counts as the lowest node that covers it.
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
            if extent is not None:
                rows = self.up[list(extent.codes)]
                found[place] = rows[0, int(np.argmax((rows == rows[0]).all(axis=0)))]
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
        """Return a level by its name or its number."""
        names = self.attribute.hierarchy.names if self.attribute.hierarchy is not None else ()
        if str(wanted) in names:
            return names.index(str(wanted))
        if str(wanted).isdecimal() and int(wanted) <= self.height:
            return int(wanted)
        raise ParameterError(Fault(f"level of {self.name}", repr(wanted), f"one of {self.level_words}"))


def tree_of(attribute: Attribute) -> Tree:
    """Return the tree of a categorical attribute; see `with_tree` for one without a hierarchy."""
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
    labels = tuple(dict.fromkeys((*categories, *(label for label in (*inner, root) if label not in known))))
    position = {label: place for place, label in enumerate(labels)}
    leaves, missing, height = len(categories), len(labels), hierarchy.height
    up = -2 - np.repeat(np.arange(missing + 1, dtype=np.int32)[:, None], height + 1, axis=1)
    own = np.zeros(missing + 1, dtype=np.int64)
    path = np.full((leaves + 1, height + 1), -1, dtype=np.int32)
    sizes = np.zeros(missing + 1, dtype=np.int64)
    for code, row in enumerate(rows):
        up[code] = [position[label] for label in row]
        nodes = list(dict.fromkeys(up[code].tolist()))
        path[code, : len(nodes)] = nodes
        sizes[nodes] += 1
        for at in range(1, height + 1):
            if up[code, at] >= leaves:
                own[up[code, at]] = max(own[up[code, at]], at)
    for row_codes in up[:leaves]:
        for at in range(1, height + 1):
            node = row_codes[at]
            if node >= leaves and own[node] == at:
                up[node, at:] = row_codes[at:]
    up[missing, :height], up[missing, height] = missing, position[root]
    if not leaves:
        up[position[root], height], own[position[root]] = position[root], height
    for leaf, names in zip(hierarchy.leaves, hierarchy.levels, strict=True):
        if leaf in others:
            above = (position[name] for name in dict.fromkeys(names) if name in position)
            sizes[[node for node in above if node >= leaves]] += 1
    return Tree(attribute, labels, up, own, path, sizes)


def with_tree(attribute: Attribute) -> Attribute:
    """Return an attribute with a hierarchy; one that is made for want of another."""
    # Ordered categories are merged by twos, fours and so on; others are below the root at once.
    if attribute.hierarchy is not None:
        return attribute
    labels = attribute.categories or ("",)
    if attribute.scale is Scale.ORDINAL and len(labels) > 2:
        return replace(attribute, hierarchy=ordered_merging(labels, label=interval_label))
    return replace(attribute, hierarchy=Hierarchy(labels, tuple((ROOT,) for _ in labels)))


def built_words(attributes: Iterable[Attribute]) -> tuple[str, ...]:
    """Return a sentence on attributes without a hierarchy, of which trees are made; none where all have one."""
    made = [attribute for attribute in attributes if attribute.categorical and attribute.hierarchy is None]
    merged = [a.name for a in made if a.scale is Scale.ORDINAL and len(a.categories) > 2]
    flat = [a.name for a in made if a.name not in merged]
    ways = [f"{', '.join(flat)}: a value is published as it is or not at all"] if flat else []
    ways += [f"{', '.join(merged)}: intervals of 2, 4, 8, ... neighbouring values"] if merged else []
    said = f"No hierarchy was given, so that trees were built for {'; for '.join(ways)}."
    advice = 'Name a tree in the schema for others: hierarchy = "FILE.csv"; see docs/social.md.'
    return (f"{said} {advice}",) if made else ()


SCALES = frozenset({Scale.NOMINAL, Scale.ORDINAL})  # scales of attributes that have trees
_MEMBER = re.compile(r"(.+)_([0-9]+)")


def lists_in(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the lists among attributes, ``topics_1``, ``topics_2``, ... from 1 on, by their common name."""
    found: dict[str, dict[int, str]] = {}
    for name in names:
        member = _MEMBER.fullmatch(name)
        if member:
            found.setdefault(member[1], {})[int(member[2])] = name
    return {
        name: tuple(members[place] for place in sorted(members))
        for name, members in found.items()
        if len(members) > 1 and sorted(members) == list(range(1, len(members) + 1))
    }


@dataclass(frozen=True, eq=False)
class SemanticSpace:
    """The trees of a table's attributes."""

    # The distance of two nodes of an attribute is the level of their lowest common ancestor over the height of the
    # tree; that of two users is the mean over attributes, weighted. The members of a list are compared place by place,
    # and share the weight of one attribute.

    trees: tuple[Tree, ...]
    costs: NDArray[np.int64]  # shape (V,); what one level of each attribute adds to a distance, in a unit common to all
    unit: int  # what an attribute of weight 1 adds at most, in the same unit
    schema: Schema  # of the original
    members: NDArray[np.bool_]  # shape (V,); whether an attribute is a member of a list

    @cached_property
    def published(self) -> Schema:
        """The schema of a table of nodes."""
        return replace(self.schema, attributes=tuple(tree.published for tree in self.trees), edit_rules=())

    @cached_property
    def padded(self) -> Nodes:
        """The arrays `up` of all trees, shape (V, most nodes + 1, most levels)."""
        most, levels = max(len(tree.up) for tree in self.trees), max(tree.height + 1 for tree in self.trees)
        found = np.full((len(self.trees), most, levels), -1, dtype=np.int32)
        for place, tree in enumerate(self.trees):
            found[place, : len(tree.up), : tree.height + 1] = tree.up
        return found

    @cached_property
    def heights(self) -> NDArray[np.int64]:
        """Of the trees, shape (V,)."""
        return np.array([tree.height for tree in self.trees], dtype=np.int64)

    def nodes(self, table: Table) -> Nodes:
        """Return the nodes that a table of these attributes publishes, shape (n, V), missing values the last of all."""
        columns = []
        for tree in self.trees:
            attribute = table.schema[tree.name]
            if not attribute.categorical:
                raise ParameterError(Fault(tree.name, "numbers", "labels of its tree"))
            columns.append(tree.nodes_of(attribute, table.column(tree.name))[table.column(tree.name)])
        return np.ascontiguousarray(np.stack(columns, axis=1)) if columns else np.empty((len(table), 0), np.int32)

    def table(self, nodes: Nodes) -> Table:
        """Return the table of nodes, shape (n, V), as it is published."""
        last = np.array([len(tree.labels) for tree in self.trees], dtype=np.int32)
        return Table(self.published, np.where(nodes == last, np.int32(MISSING), nodes), np.empty((len(nodes), 0)))


def without_copies(space: SemanticSpace, leaves: Nodes) -> tuple[SemanticSpace, Nodes]:
    """Return a space and the nodes of its records in which attributes with the same tree and values are one."""
    # It costs what they cost together, so that distances stay as they are.
    first: dict[tuple[bytes, ...], int] = {}
    costs = space.costs.copy()
    for v, tree in enumerate(space.trees):
        same = first.setdefault((np.array(tree.up.shape).tobytes(), tree.up.tobytes(), leaves[:, v].tobytes()), v)
        if same != v:
            costs[same] += costs[v]
    kept = list(first.values())
    trees = tuple(space.trees[v] for v in kept)
    return replace(space, trees=trees, costs=costs[kept], members=space.members[kept]), leaves[:, kept]


def space_of(table: Table, weights: Mapping[str, int] | None = None) -> SemanticSpace:
    """Return the space of a table's attributes."""
    collect = FaultCollector()
    with collect.step():
        require_scales(SCALES, table, "semantic distance", 'Give numbers intervals: scale = "ordinal" and a hierarchy.')
    names = table.schema.names
    lists, given = lists_in(names), dict(weights or {})
    known = [*names, *lists]
    for name, weight in given.items():
        if name not in known or weight < 1:
            wanted = f"whole numbers from 1 for some of {', '.join(known)}"
            collect.faults.append(Fault("weights", f"{name} = {weight}", wanted, did_you_mean(name, known)))
    trees = []
    for attribute in table.schema.categorical:
        with collect.step():
            trees.append(tree_of(attribute))
    if collect.faults:
        raise ParameterError(collect.faults)
    share, listed = {name: (given.get(name, 1), 1) for name in names}, set[str]()
    for name, members in lists.items():
        listed |= set(members)
        share |= {member: (given.get(name, 1) * given.get(member, 1), len(members)) for member in members}
    unit = lcm(*(share[tree.name][1] * max(tree.height, 1) for tree in trees))
    costs = [share[t.name][0] * (unit // (share[t.name][1] * max(t.height, 1))) for t in trees]
    members_of = np.array([tree.name in listed for tree in trees], dtype=np.bool_)
    return SemanticSpace(tuple(trees), np.array(costs, dtype=np.int64), unit, table.schema, members_of)
