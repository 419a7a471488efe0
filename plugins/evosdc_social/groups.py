"""The genotype `groups`: which users are protected together."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import FaultCollector, ParameterError, PluginError
from evosdc.model import (
    Described,
    Grouping,
    Guaranteed,
    Local,
    Masking,
    MaskingMethods,
    Microdata,
    Parameters,
)
from evosdc.model.constraint import Constraint
from evosdc.model.genotype import Dump
from evosdc.table.table import Rows, Table
from evosdc_social.graph import NEIGHBOURS
from evosdc_social.grouping import SEMANTIC_MDAV, partition, require_grouping, require_users
from evosdc_social.moves import KINDS, NOBODY, Labels, Moves, canonical, repaired
from evosdc_social.publication import publication_of
from evosdc_social.space import SCALES, space_of
from evosdc_social.tree import built_words

STARTS: tuple[dict[str, Any], ...] = (
    SEMANTIC_MDAV, {"method": "level-filling"}, {"method": "k-member"}, {"method": "mondrian"},
)  # fmt: skip
"""Methods whose groups start the search, the thesis' own the first."""

SHORT_STARTS: tuple[dict[str, Any], ...] = ({"method": "level-filling"}, {"method": "mondrian"})
"""Those whose time does not grow with the square of the users."""

COMPARED = 10_000
"""Users up to which `evosdc protect` starts from methods, too, that compare all with all."""

FORM = "k-anonymity"
"""The privacy model that groups assure."""

OF_SIZES = (FORM, "subset-anonymity", "global-risk", "individual-risk", "prosecutor-risk", "average-risk")
"""Privacy models that look at the sizes of classes alone, so that groups come to them; others are for other genotypes.
"""

METHOD = "semantic-groups"
"""What initial groups are called after: the masking method that makes them."""


class Groups(Local[Labels], Guaranteed[Labels], Described[Labels]):
    """The number of each user's group, shape (n,), of k to 2k - 1 users each: k-anonymous by construction.

    A group publishes what its members have in common (`evosdc_social.publication`). Users change places, go to other
    groups, groups are shared out anew, made and dissolved; crossover keeps whole groups of both parents (after
    Falkenauer 1998). The search starts from the groups of masking methods on the semantic distance, that of the thesis'
    section 6.2.1 the first.
    """

    class Params(Parameters):
        """Size of groups, what they publish, and what they start from."""

        k: int = Field(3, ge=1, description="least number of users of a group; the greatest is 2k - 1")
        coarsest: dict[str, str | int] = Field(
            default_factory=dict, description='by attribute the coarsest level published: { location = "county" }'
        )
        weights: dict[str, int] = Field(
            default_factory=dict, description="by attribute or list how much it counts in the semantic distance"
        )
        aggregated: bool = Field(
            True, description="whether members of a list publish the group's most frequent value in place of the root"
        )
        methods: tuple[dict[str, Any], ...] = Field(
            STARTS,
            description="masking methods whose groups start the search, with their parameters; k is put in",
        )

    params: Params
    portfolio = None
    generalises = True
    needs = ("methods",)

    def __init__(self, params: Params, microdata: Microdata, methods: MaskingMethods) -> None:
        super().__init__(params, microdata)
        self._methods = methods
        original, collect = microdata.original, FaultCollector()
        with collect.step():
            require_users(len(original), params.k, "genotype groups")
        with collect.step():
            self.space = space_of(original, params.weights)
            self.publication = publication_of(self.space, params.coarsest, params.aggregated)
        if collect.faults:
            raise ParameterError(collect.faults)
        self.leaves = self.publication.leaves(original)
        self._moves = Moves(params.k, self.space, self.leaves)

    @classmethod
    def assurance(cls, microdata: Microdata, required: Sequence[Constraint], bound: float) -> Mapping[str, Any] | None:
        """Return groups of as many users as k-anonymity asks for, judged along the trees; None for what is no graph.

        None, too, where numbers are protected, which have no tree, where fewer users are there, and where models are
        required that look at more than the sizes of classes.
        """
        original, sizes = microdata.original, [one.bound for one in required if one.plain and one.name == FORM]
        k = max(1, *map(ceil, sizes)) if sizes else 0
        known = {attribute.scale for attribute in original.schema.attributes} <= SCALES
        fitting = all(one.name in OF_SIZES for one in required)
        if NEIGHBOURS not in microdata.table.schema or not (known and fitting) or not 0 < k <= len(original):
            return None
        genotype: dict[str, Any] = {"name": "groups", "k": k}
        if len(original) > COMPARED:
            genotype["methods"] = list(SHORT_STARTS)
        return {
            "genotype": genotype,
            "start": {"initial": True},
            "measures": {"il": ["aamil", "cdil", "semantic-dbil"], "dr": ["semantic-dr", "informed-semantic-dr"]},
        }

    @cached_property
    def _initial(self) -> tuple[tuple[Masking, Labels], ...]:
        found = []
        for entry in self.params.methods:
            name = str(entry.get("method", ""))
            given = {"k": self.params.k} | {key: value for key, value in entry.items() if key != "method"}
            method = self._methods.build(Masking(name, given))
            require_grouping(method, f"genotype groups: methods: {name}")
            assert isinstance(method, Grouping), "required above"
            rng = np.random.default_rng(0)
            groups = partition(
                self.microdata.original,
                self.publication,
                self.params.k,
                lambda t, m=method, r=rng: m.classes(t, r),  # type: ignore[misc]
            )
            label = Masking(METHOD, {"k": self.params.k, "inner": {"method": name} | given})
            found.append((label, repaired(groups, self.params.k, self.space, self.leaves, np.random.default_rng(0))))
        return tuple(found)

    def initial_genomes(self) -> Sequence[tuple[Masking, Labels]]:
        """Return the groups of the masking methods, those too large shared out."""
        return self._initial

    def random(self, rng: np.random.Generator) -> Labels:
        """Return groups of random users, all of k but for the last ones."""
        n, k = len(self.leaves), self.params.k
        groups = np.empty(n, dtype=np.int32)
        count = n // k
        groups[rng.permutation(n)] = np.minimum(np.arange(n) // k, count - 1)
        sizes = np.bincount(groups)
        if sizes[-1] >= 2 * k:  # never: n - (count - 1) k < 2k
            raise PluginError("random groups are too large")
        return canonical(groups)

    def crossover(self, a: Labels, b: Labels, rng: np.random.Generator) -> tuple[Labels, Labels]:
        """Return two children, each with half of the groups of one parent and the whole ones of the other."""
        return self._moves.crossed(a, b, rng), self._moves.crossed(b, a, rng)

    def mutate(self, g: Labels, rng: np.random.Generator) -> Labels:
        """Return groups after one or more changes of any kind."""
        for _ in range(max(1, int(rng.poisson(1.0)))):
            g = self._moves.made(g, KINDS[int(rng.integers(len(KINDS)))], rng)
        return g

    @property
    def moves(self) -> tuple[str, ...]:
        """Swaps, moves, groups shared out anew, splits and merges."""
        return KINDS

    def moved(
        self,
        g: Labels,
        kinds: Sequence[str],
        costly: Sequence[bool],
        through: NDArray[np.float64] | None,
        rng: np.random.Generator,
    ) -> list[Labels]:
        """Return the groups after a move each."""

        def costly_record() -> int:
            assert through is not None
            return min(int(through.searchsorted(through[-1] * rng.random(), "right")), len(through) - 1)

        return [
            self._moves.made(g, kind, rng, costly_record if drawn and through is not None else None)
            for kind, drawn in zip(kinds, costly, strict=True)
        ]

    def combined(self, g: Labels, changed: Sequence[Labels]) -> Labels | None:
        """Return groups with the changes of several; where two touch the same groups the first one counts."""
        result, touched, last = g.copy(), np.zeros(len(g), dtype=np.bool_), int(g.max()) + 1
        for other in changed:
            rows = self.changed_rows(g, other)
            if not touched[rows].any():
                result[rows] = other[rows] + last
                last += int(other.max()) + 1
                touched[rows] = True
        return canonical(result)

    def changed_rows(self, parent: Labels, child: Labels) -> Rows:
        """Return the users whose groups have other members."""
        width = int(child.max()) + 1
        pairs, of, counts = np.unique(parent.astype(np.int64) * width + child, return_inverse=True, return_counts=True)
        same = (counts == np.bincount(parent)[pairs // width]) & (counts == np.bincount(child)[pairs % width])
        return np.flatnonzero(~same[of.reshape(-1)])

    def decode(self, g: Labels, rng: np.random.Generator) -> Table:
        """Return what the groups publish. Nothing is random."""
        return self.space.table(self.publication.nodes_of(self.leaves, g))

    def key(self, g: Labels) -> bytes:
        """Return a BLAKE2b hash of the groups."""
        return blake2b(g.tobytes(), digest_size=16).digest()

    def check(self, g: Labels) -> None:
        """Raise `PluginError` for groups of another number of users, of wrong sizes, or not numbered in order."""
        n, k = len(self.leaves), self.params.k
        if g.shape != (n,) or g.dtype != np.int32 or ((g <= NOBODY) | (g >= n)).any():
            raise PluginError(f"groups of shape {g.shape}, wanted a number for each of {n} users")
        sizes = np.bincount(g)
        if sizes.min() < k or sizes.max() >= 2 * k:
            raise PluginError(f"groups of {sizes.min()} to {sizes.max()} users, wanted {k} to {2 * k - 1}")
        if not np.array_equal(canonical(g), g):
            raise PluginError("groups that are not numbered in the order of their first users")

    def dump(self, g: Labels) -> Dump:
        """Return the groups as an array."""
        return {"groups": g}

    def load(self, d: Dump) -> Labels:
        """Return the groups that `dump` wrote."""
        groups = np.array(d["groups"], dtype=np.int32)
        groups.flags.writeable = False
        return groups

    def distance(self, a: Labels, b: Labels) -> float:
        """Return the share of users whose groups have other members."""
        return len(self.changed_rows(a, b)) / len(a)

    def describe(self, g: Labels) -> dict[str, Any]:
        """Return how many groups there are, and of what sizes."""
        sizes, counts = np.unique(np.bincount(g), return_counts=True)
        by_size = {str(size): count for size, count in zip(sizes.tolist(), counts.tolist(), strict=True)}
        return {"k": self.params.k, "groups": int(counts.sum()), "groups_of_size": by_size}

    @property
    def notes(self) -> tuple[str, ...]:
        """Which attributes have a hierarchy that was made for want of one."""
        return built_words(self.microdata.original.schema.attributes)
