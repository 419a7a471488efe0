"""Protection by groups of k users: a masking method (thesis, section 6.2.1)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import Field, model_validator

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.model import Grouping, InnerParameters, MaskingMethod
from evosdc.table.schema import Schema
from evosdc.table.table import Table
from evosdc_social.adjacency import NEIGHBOURS, neighbours_in
from evosdc_social.graph import Neighbours
from evosdc_social.partition import partition
from evosdc_social.publication import Publication, publication_of
from evosdc_social.space import SCALES, space_of
from evosdc_social.tree import built_words

SEMANTIC_MDAV = {"method": "mdav", "hierarchies": True}
"""MDAV-generic on the semantic distance: what the thesis' section suggests; a reconstruction."""


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
    """Form groups of at least k users who are alike in meaning; publish for each what their values have in common.

    The published attributes are k-anonymous, edges stay as they are. Location and the like become the lowest common
    ancestor of the group, lists their most frequent member where only the root is common
    (`evosdc_social.publication`). Groups are formed by another masking method on the semantic distance
    (`evosdc_social.space`), by default MDAV-generic.

    Source: thesis, section 6.2.1, of which the headings are known; the algorithm is a reconstruction.
    """

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
        """Raise `ParameterError` telling all at once: scales, bounds, weights, an inner method without groups."""
        collect = FaultCollector()
        with collect.step():
            self.require_support(table, f"method {self.name}")
        with collect.step():
            require_grouping(self.inner, f"method {self.name}: inner")
        with collect.step():
            require_users(len(table), self.params.k, f"method {self.name}")
        with collect.step():
            self.publication(table)
        if collect.faults:
            raise ParameterError(collect.faults)

    def publication(self, table: Table) -> Publication:
        """Return how groups of a table are published."""
        params = self.params
        return publication_of(space_of(table, params.weights), params.coarsest, params.aggregated)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table that groups publish."""
        return self._masked(table, None, rng)

    def mask_given(self, table: Table, auxiliary: Table, rng: np.random.Generator) -> Table:
        """Return the table that groups publish which are alike in their neighbours, too."""
        return self._masked(table, neighbours_in(auxiliary), rng)

    def _masked(self, table: Table, neighbours: Neighbours | None, rng: np.random.Generator) -> Table:
        self.require_fit(table)
        publication, inner = self.publication(table), self.inner
        assert isinstance(inner, Grouping), "required above"

        def group(part: Table) -> Any:
            return inner.classes(part, rng)

        groups = partition(table, publication, self.params.k, group, neighbours, self.params.hashes, rng)
        return publication.space.table(publication.nodes(table, groups))


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
