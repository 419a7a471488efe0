"""What users are compared by: the trees of all attributes, and how much each counts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, FaultCollector, ParameterError, did_you_mean
from evosdc.model.scales import require_scales
from evosdc.table.schema import Scale, Schema
from evosdc.table.table import MISSING, Table
from evosdc_social.tree import Nodes, Tree, tree_of

SCALES = frozenset({Scale.NOMINAL, Scale.ORDINAL})
"""Scales of attributes that have trees."""

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
    """The trees of a table's attributes.

    The distance of two nodes of an attribute is the level of their lowest common ancestor over the height of the tree;
    that of two users is the mean over attributes, weighted. The members of a list are compared place by place, and
    share the weight of one attribute.

    Parameters
    ----------
    trees : tuple of Tree
    costs : ndarray of int64, shape (V,)
        What one level of each attribute adds to a distance, in a unit common to all.
    unit : int
        What an attribute of weight 1 adds at most, in the same unit.
    schema : Schema
        Of the original.
    members : ndarray of bool, shape (V,)
        Whether an attribute is a member of a list.
    """

    trees: tuple[Tree, ...]
    costs: NDArray[np.int64]
    unit: int
    schema: Schema
    members: NDArray[np.bool_]

    @cached_property
    def greatest(self) -> int:
        """The greatest distance of two users, in the unit of the costs."""
        return int(sum(cost * tree.height for cost, tree in zip(self.costs.tolist(), self.trees, strict=True)))

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
        """Return the nodes that a table of these attributes publishes, shape (n, V), missing values the last of all.

        Raises
        ------
        ParameterError
            Labels that are none of their attributes.
        """
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
    """Return a space and the nodes of its records in which attributes with the same tree and values are one.

    It costs what they cost together, so that distances stay as they are.

    Parameters
    ----------
    space : SemanticSpace
    leaves : ndarray of int32, shape (n, V)
    """
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
    """Return the space of a table's attributes.

    Parameters
    ----------
    table : Table
        Nominal and ordinal attributes.
    weights : mapping of str to int, optional
        Whole numbers by attribute or list; 1 where none is given.

    Raises
    ------
    ParameterError, HierarchyError
        Numeric attributes, weights of attributes that there are not, hierarchies that lack categories; all at once.
    """
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
