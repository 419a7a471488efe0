"""Groups from the finest levels upwards: a masking method whose time grows with the users, not with their square."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import FaultCollector, ParameterError
from evosdc.model import Grouping, Parameters
from evosdc.table.table import Table
from evosdc_social.grouping import require_users
from evosdc_social.level_vectors import LevelVectors
from evosdc_social.publication import publication_of
from evosdc_social.space import SCALES, space_of, without_copies
from evosdc_social.tree import Nodes, built_words


class LevelFilling(Grouping):
    """Group users who have the same values, then those who share the next levels of their trees, and so on.

    Vectors of levels are taken in the order of what they cost in semantic distance; users without a group who have the
    same nodes at a vector make groups of k to 2k - 1, if there are k of them. Fewer than k are left at the end: they
    join the last group. A greedy method of evosdc's own.
    """

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
        """Raise `ParameterError` telling all at once: scales, k above the number of users, too many levels."""
        collect = FaultCollector()
        with collect.step():
            self.require_support(table, f"method {self.name}")
        with collect.step():
            require_users(len(table), self.params.k, f"method {self.name}")
        with collect.step():
            self._vectors(table)
        if collect.faults:
            raise ParameterError(collect.faults)

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
            ends = np.flatnonzero(np.diff(keys[order], append=keys[order[-1]] - 1))
            for members in _buckets(free[order], ends):
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
        return publication.space.table(publication.nodes(table, self.classes(table, rng).astype(np.int32)))

    def _vectors(self, table: Table) -> tuple[LevelVectors, Nodes]:
        """Return the vectors of levels and the nodes of users, for attributes that weigh several times but once."""
        space = space_of(table)
        judged, leaves = without_copies(space, space.nodes(table))
        return LevelVectors(judged, f"method {self.name}"), leaves


def _buckets(users: NDArray[np.intp], ends: NDArray[np.intp]) -> Sequence[NDArray[np.intp]]:
    return np.split(users, ends[:-1] + 1)
