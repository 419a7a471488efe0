"""Protection by groups of k users (thesis, section 6.2.1): masking methods, and the one adapter to other partitions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.model import Grouping, InnerParameters, MaskingMethod, Parameters
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Rows, Table
from evosdc_social.graph import NEIGHBOURS, Neighbours, neighbours_in
from evosdc_social.level_vectors import LevelVectors
from evosdc_social.space import SCALES, Nodes, SemanticSpace, built_words, space_of, without_copies

Labels = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Publication:
    """How groups are published."""

    # The lowest common ancestor stands for the values of all members. Members of a list, topics for one, publish the
    # group's most frequent value where only the root is common to all, the first of several, if `aggregated`. Where a
    # value is coarser than the bound of its attribute the root stands in its place (both rules are reconstructions).

    space: SemanticSpace
    bounds: NDArray[np.int64]  # shape (V,); the highest level of each attribute that is published, besides the root
    frequent: NDArray[np.bool_]  # shape (V,); whether the most frequent value is published in place of the root

    @property
    def roots(self) -> Nodes:
        """The root of each tree, shape (V,)."""
        return np.array([tree.root for tree in self.space.trees], dtype=np.int32)

    def table(self, original: Table, groups: Labels) -> Table:
        """Return the table that groups publish."""
        return self.space.table(self.nodes_of(self.space.nodes(original), groups))

    def nodes_of(self, leaves: Nodes, groups: Labels) -> Nodes:
        """Return the nodes that records publish, shape (n, V), by those of the original."""
        order = np.argsort(groups, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(groups)))).astype(np.int64)
        space = self.space
        return _published(space.padded, space.heights, self.bounds, self.frequent, self.roots, leaves, order, starts)


def publication_of(space: SemanticSpace, coarsest: Mapping[str, str | int], aggregated: bool = True) -> Publication:
    """Return how groups are published."""
    space.schema.require(coarsest, "coarsest")
    bounds = [t.level_called(coarsest[t.name]) if t.name in coarsest else t.height for t in space.trees]
    return Publication(space, np.array(bounds, dtype=np.int64), space.members & aggregated)


@njit(cache=True)
def _published(
    up: NDArray[np.int32],
    heights: NDArray[np.int64],
    bounds: NDArray[np.int64],
    frequent: NDArray[np.bool_],
    roots: Nodes,
    leaves: Nodes,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
) -> Nodes:
    result = np.empty(leaves.shape, dtype=np.int32)
    for group in range(starts.size - 1):
        begin, end = starts[group], starts[group + 1]
        for v in range(leaves.shape[1]):
            first = leaves[order[begin], v]
            level = 0
            for place in range(begin + 1, end):
                other = leaves[order[place], v]
                while up[v, first, level] != up[v, other, level]:
                    level += 1
            node = up[v, first, level]
            if level == heights[v] and frequent[v] and level > 0:
                best = 0
                for place in range(begin, end):
                    count = 0
                    value = leaves[order[place], v]
                    for again in range(begin, end):
                        count += leaves[order[again], v] == value
                    if count > best or (count == best and value < node):
                        best = count
                        node = value
            elif level > bounds[v]:
                node = roots[v]
            for place in range(begin, end):
                result[order[place], v] = node
    return result


Group = Callable[[Table], NDArray[np.int64]]  # returns the group of each of at least k records, from 0 without gaps


def partition(
    original: Table,
    publication: Publication,
    k: int,
    group: Group,
    neighbours: Neighbours | None = None,
    hashes: int = 0,
    rng: np.random.Generator | None = None,
) -> NDArray[np.int32]:
    """Return the number of each user's group, shape (n,), from 0 without gaps."""
    # The method is given the attributes with their trees, each as often as it counts, so that distances which it adds
    # up are the semantic distance. Users who have the same values at bounds are grouped by themselves; those of whom
    # there are fewer than k are grouped together, with the smallest other ones where they are still too few.
    places = np.empty((0, len(original)), dtype=np.int64)
    if neighbours is not None and hashes and rng is not None:
        places = np.stack([rng.permutation(len(original)) for _ in range(hashes)])
    table = _weighted(original, publication.space, neighbours, places)
    result = np.empty(len(original), dtype=np.int32)
    taken = 0
    for rows in parts_within(original, publication, k):
        classes = group(table.take(rows))
        result[rows] = taken + classes
        taken += int(classes.max()) + 1
    return result


def parts_within(original: Table, publication: Publication, k: int) -> list[Rows]:
    """Return the positions of the users that are grouped by themselves, at least k in each part."""
    trees, leaves = publication.space.trees, publication.space.nodes(original)
    bounded = [v for v, tree in enumerate(trees) if publication.bounds[v] < tree.height]
    if not bounded:
        return [np.arange(len(original), dtype=np.intp)]
    keys = np.stack([trees[v].up[leaves[:, v], publication.bounds[v]] for v in bounded], axis=1)
    _, of, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(counts, kind="stable").tolist()
    small = [part for part in order if counts[part] < k]
    held = int(counts[small].sum())
    while 0 < held < k and len(small) < len(order):
        small.append(order[len(small)])
        held += int(counts[small[-1]])
    together = set(small)
    members = [np.flatnonzero(of.reshape(-1) == part) for part in range(len(counts)) if part not in together]
    rest = np.flatnonzero(np.isin(of.reshape(-1), small))
    return [*members, rest] if rest.size else members


def _weighted(original: Table, space: SemanticSpace, neighbours: Neighbours | None, hashes: NDArray[np.int64]) -> Table:
    """Return the attributes with their trees, each as often as it counts, and behind them columns of neighbourhoods."""
    whole = [int(cost) * max(tree.height, 1) for cost, tree in zip(space.costs.tolist(), space.trees, strict=True)]
    common = int(np.gcd.reduce([*whole, space.unit]))
    attributes: list[Attribute] = []
    columns: list[NDArray[np.int32]] = []

    # A list's members have their share of its weight already: under names of their own they are no list again.
    def add(attribute: Attribute, column: NDArray[np.int32], times: int, listed: bool = False) -> None:
        for number in range(times):
            name = attribute.name if number == 0 and not listed else f"{attribute.name} ({number + 1})"
            attributes.append(replace(attribute, name=name, role=Role.QUASI_IDENTIFIER))
            columns.append(column)

    for v, (tree, weight) in enumerate(zip(space.trees, whole, strict=True)):
        add(tree.attribute, original.codes[:, v], weight // common * max(len(hashes), 1), bool(space.members[v]))
    if neighbours is not None:
        labels = tuple(map(str, range(2 * len(original))))
        for number, places in enumerate(hashes):
            kind = Attribute(f"neighbourhood {number + 1}", Role.QUASI_IDENTIFIER, Scale.NOMINAL, labels)
            # The least place of a neighbour of each user; for the lonely a place that nobody else has.
            least = np.arange(len(places), 2 * len(places))
            np.minimum.at(least, neighbours.users, places[neighbours.ends])
            add(kind, least.astype(np.int32), space.unit // common)
    schema = replace(original.schema, attributes=tuple(attributes), edit_rules=())
    return Table(schema, np.stack(columns, axis=1), np.empty((len(original), 0)))


# MDAV-generic on the semantic distance: what the thesis' section suggests; a reconstruction
SEMANTIC_MDAV = {"method": "mdav", "hierarchies": True}


class GroupParameters(InnerParameters):
    """Least size of groups, how they are formed and what they publish."""

    k: int = Field(3, ge=1, description="least number of users of a group")
    coarsest: dict[str, str | int] = Field(
        default_factory=dict,
        description='by attribute the coarsest level that is published, by name or number: { location = "county" }; '
        "what would be coarser is not published at all, and users who share a value at the level form groups first",
    )
    weights: dict[str, int] = Field(
        default_factory=dict,
        description="by attribute how much it counts in the semantic distance, whole numbers from 1; a list, such as "
        "topics for topics_1, topics_2, ..., counts as one attribute",
    )
    aggregated: bool = Field(
        True, description="whether members of a list publish the group's most frequent value in place of the root"
    )
    hashes: int = Field(
        0,
        ge=0,
        description="min-wise hashes that estimate the Jaccard distance of neighbourhoods, which then counts as one "
        "attribute; 0: neighbourhoods are of no account",
    )
    inner: dict[str, Any] = Field(
        default_factory=lambda: dict(SEMANTIC_MDAV),
        description='the method that forms groups, with its parameters: "k-member", "mondrian", "mdav", or any that '
        "groups records",
    )

    @model_validator(mode="before")
    @classmethod
    def _size_of_groups(cls, value: Any) -> Any:
        """Give the inner method the size of groups, where it says none."""
        if not isinstance(value, Mapping):
            return value
        inner = value.get("inner", SEMANTIC_MDAV)
        inner = {"method": inner} if isinstance(inner, str) and "{" not in inner else inner
        if isinstance(inner, Mapping):
            inner = {"k": value.get("k", 3), **inner}
        return {**value, "inner": inner}


class SemanticGrouping(MaskingMethod):
    """Form groups of at least k users who are alike in meaning; publish for each what their values have in common."""

    # The published attributes are k-anonymous, edges stay as they are. Groups are formed by another masking method on
    # the semantic distance, by default MDAV-generic. Source: thesis, section 6.2.1, of which the headings are known;
    # the algorithm is a reconstruction.

    class Params(GroupParameters):
        """Least size of groups, how they are formed and what they publish."""

    supports = SCALES
    name = "semantic-groups"
    params: Params

    def __init__(self, params: Params, inner: MaskingMethod) -> None:
        super().__init__(params)
        self.inner = inner

    @property
    def generalises(self) -> bool:
        """Labels above the categories are published."""
        return True

    def auxiliary_names(self, schema: Schema, masked: Sequence[str]) -> tuple[str, ...]:
        """Return the column of neighbours where their Jaccard distance counts."""
        return (NEIGHBOURS,) if self.params.hashes else ()

    def remarks(self, table: Table) -> tuple[str, ...]:
        """Return which attributes have a tree that was built."""
        return built_words(table.schema.attributes)

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` with all at once: scales, bounds, weights, an inner method without groups."""
        where = f"method {self.name}"
        require_all(
            lambda: self.require_support(table, where),
            lambda: require_grouping(self.inner, f"{where}: inner"),
            lambda: require_users(len(table), self.params.k, where),
            lambda: self.publication(table),
        )

    def publication(self, table: Table) -> Publication:
        """Return how groups of a table are published."""
        params = self.params
        return publication_of(space_of(table, params.weights), params.coarsest, params.aggregated)

    def mask_given(self, table: Table, auxiliary: Table, rng: np.random.Generator) -> Table:
        """Return the table that groups publish which are alike in their neighbours, too."""
        return self.mask(table, rng, neighbours_in(auxiliary))

    def mask(self, table: Table, rng: np.random.Generator, neighbours: Neighbours | None = None) -> Table:
        """Return the table that groups publish."""
        self.require_fit(table)
        publication, inner = self.publication(table), self.inner
        assert isinstance(inner, Grouping), "required above"
        groups = partition(
            table,
            publication,
            self.params.k,
            lambda part: inner.classes(part, rng),
            neighbours,
            self.params.hashes,
            rng,
        )
        return publication.table(table, groups)


def require_all(*checks: Callable[[], object]) -> None:
    """Raise `ParameterError` with the faults of all checks."""
    collect = FaultCollector()
    for check in checks:
        with collect.step():
            check()
    if collect.faults:
        raise ParameterError(collect.faults)


def require_grouping(inner: MaskingMethod, where: str) -> None:
    """Raise `ParameterError` where a method has no groups of records."""
    if not isinstance(inner, Grouping):
        wanted = "a method that groups records, such as mdav, k-member, r-gather or mondrian"
        raise ParameterError(Fault(where, "a method without groups", wanted))


def require_users(n: int, k: int, where: str) -> None:
    """Raise `ParameterError` where there are fewer users than a group has."""
    if n < k or n == 0:
        given = f"k = {k} for {n} user{'' if n == 1 else 's'}"
        raise ParameterError(Fault(where, given, "at most as many as there are users, at least one"))


class LevelFilling(Grouping):
    """Group users who have the same values, then those who share the next levels of their trees, and so on."""

    # Vectors of levels are taken in the order of what they cost in semantic distance; users without a group who have
    # the same nodes at a vector make groups of k to 2k - 1, if there are k of them. Fewer than k are left at the end:
    # they join the last group. A greedy method of evosdc's own.

    class Params(Parameters):
        """Least size of groups, and what members of a list publish."""

        k: int = Field(3, ge=1, description="least number of users of a group")
        aggregated: bool = Field(
            True, description="whether members of a list publish the group's most frequent value in place of the root"
        )

    supports = SCALES
    name = "level-filling"
    params: Params

    @property
    def generalises(self) -> bool:
        """Labels above the categories are published."""
        return True

    def remarks(self, table: Table) -> tuple[str, ...]:
        """Return which attributes have a tree that was built."""
        return built_words(table.schema.attributes)

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` with all at once: scales, k above the number of users, too many levels."""
        where = f"method {self.name}"
        require_all(
            lambda: self.require_support(table, where),
            lambda: require_users(len(table), self.params.k, where),
            lambda: self._vectors(table),
        )

    def classes(self, table: Table, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the number of each user's group, shape (n,); users are taken in the order of the file."""
        (vectors, leaves), k = self._vectors(table), self.params.k
        groups = np.full(len(table), -1, dtype=np.int64)
        free: NDArray[np.intp] = np.arange(len(table))
        count = 0
        for vector in range(len(vectors)):
            if len(free) < k:
                break
            keys = vectors.keys(leaves[free], vector)
            order = np.argsort(keys, kind="stable")
            for members in np.split(free[order], np.flatnonzero(np.diff(keys[order])) + 1):
                if len(members) >= k:
                    pieces = len(members) // k
                    groups[members] = count + np.arange(len(members)) * pieces // len(members)
                    count += pieces
            free = free[groups[free] < 0]
        groups[free] = count - 1
        return groups

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table that groups publish: lowest common ancestors, of lists the most frequent value."""
        self.require_fit(table)
        publication = publication_of(space_of(table), {}, self.params.aggregated)
        return publication.table(table, self.classes(table, rng).astype(np.int32))

    def _vectors(self, table: Table) -> tuple[LevelVectors, Nodes]:
        """Return the vectors of levels and the nodes of users, for attributes that weigh several times but once."""
        space = space_of(table)
        judged, leaves = without_copies(space, space.nodes(table))
        return LevelVectors(judged, f"method {self.name}"), leaves
