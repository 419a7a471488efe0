"""Targeted record swapping of households across geography, and a file of persons as one of households."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import DataError, Fault, FaultCollector, ParameterError
from evosdc.model import Parameters
from evosdc.table.alignment import align_codes
from evosdc.table.equivalence import equivalence_classes, key_codes, told_apart
from evosdc.table.households import shared_in_households
from evosdc.table.role_assignment import assign_role
from evosdc.table.schema import Role, Scale, Schema
from evosdc.table.table import Numbers, Rows, Table
from evosdc_masking.tuning import Untuned


def households_of(table: Table, household: str | None = None) -> tuple[Rows, NDArray[np.int64], tuple[str, ...]]:
    """Return the first record of each household, the household of each record, and what its members share."""
    # household: attribute that tells households apart; by default that of the role.
    known = assign_role(table, Role.HOUSEHOLD, household)
    keys = known.schema.with_role(Role.HOUSEHOLD)
    if len(keys) != 1:
        given = ", ".join(keys) or "no attribute of that role"
        raise DataError(Fault("household", given, "one attribute of households", "Name it by --household."))
    shared = shared_in_households(known, [name for name in known.schema.names if name != keys[0]])
    if not shared:
        raise DataError(Fault("household", f"{keys[0]}, whose members share no attribute", "attributes of households"))
    classes = equivalence_classes(told_apart(key_codes(known, keys)))
    return classes.first.astype(np.intp), classes.of, (keys[0], *shared)


def merged(table: Table, homes: Table, first: Rows, of: NDArray[np.int64], names: Sequence[str]) -> Table:
    """Return the shared attributes of all records with the values that a file of households has for them."""
    # table: the persons; homes: the households, one record each, in the order of their first members; first, of, names:
    # as of `households_of`; the household's own number is not merged.
    key, *shared = names
    held = [name for name in shared if name in homes.schema]
    own = table.take(first).select([key])
    aligned = align_codes(own, homes)
    if not aligned.same_records(own):
        wanted = "the households of the file in the order of their first members"
        raise DataError(Fault("households", f"other numbers {key}", wanted, "Do not sort or cut the file."))
    values = align_codes(table.take(first).select(held), homes)
    return values.take(of.astype(np.intp))


_WHERE = "method record-swapping"
Places = NDArray[np.int64]


class RecordSwapping(Untuned):
    """Exchange the places of households that stand out with those of similar households elsewhere.

    The masked attributes are places, from the coarsest to the finest; those not named by `hierarchy` are carried along.
    At each level, coarse ones first, a person's risk is one over the people of the area with the same values of the
    `risk` attributes, and a household's that of its riskiest member. Households with a member of a combination of fewer
    than `k` people in their area are exchanged with a household that has the same values of the `similar` attributes,
    lies in another area of the level and was not exchanged yet, drawn with probabilities in proportion to risk. At the
    finest level further ones are drawn, likewise, until a share `swap_rate` of the households has moved. The people of
    a household move together: all its places are exchanged, and nothing else. Numbers of households by place and of
    `similar` attributes by place are kept exactly. A household without a partner stays.

    Sources: Shlomo, Tudor and Groom (2010); Eurostat's guidelines for the census of 2021, as recordSwap of sdcMicro.
    Which of several partners, and that one set of similar attributes is tried, are reconstructions.
    """

    class Params(Parameters):
        """Who is at risk, who is similar, and how many move."""

        swap_rate: float = Field(0.05, ge=0, le=1, description="Share of the households that move at least.")
        k: int = Field(3, ge=1, description="Combinations of fewer people in an area are at risk; 1 forces none.")
        risk: tuple[str, ...] = Field(default=(), description="Attributes of people that are at risk where rare.")
        similar: tuple[str, ...] = Field(
            default=(), description="Attributes that exchanged households share, of their first members; size always."
        )
        hierarchy: tuple[str, ...] = Field(
            default=(), description="Masked attributes that form the levels, the coarsest first; default: all of them."
        )
        household: str | None = Field(
            None, description="Attribute that numbers households; default: by role, else every record is one."
        )

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    params: Params

    def auxiliary_names(self, schema: Schema, masked: Sequence[str]) -> tuple[str, ...]:
        """Return the household's number and the attributes of risk and similarity."""
        given = [*self._household(schema), *self.params.risk, *self.params.similar]
        names, collect = tuple(dict.fromkeys(given)), FaultCollector()
        with collect.step():
            schema.require(names, _WHERE)
        both = [name for name in names if name in masked]
        if both:
            wanted = "attributes that are not masked: places alone move"
            collect.faults.append(Fault(_WHERE, f"{', '.join(both)}, masked as well", wanted))
        collect.settle()
        return names

    def _household(self, schema: Schema) -> tuple[str, ...]:
        own = self.params.household
        return (own,) if own is not None else schema.with_role(Role.HOUSEHOLD)[:1]

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` for levels that are not masked."""
        super().require_fit(table)
        strange = [name for name in self.params.hierarchy if name not in table.schema]
        if strange:
            wanted = f"masked attributes: {', '.join(table.schema.names)}"
            raise ParameterError(Fault(f"{_WHERE}: hierarchy", ", ".join(strange), wanted))

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with exchanged places where every record is a household; `mask_given` has the households."""
        named = [*filter(None, [self.params.household]), *self.params.risk, *self.params.similar]
        if named:
            advice = "Call mask_given, or evosdc.mask, which has the whole file."
            raise ParameterError(
                Fault(_WHERE, f"{', '.join(named)} without the file", "the attributes' values", advice)
            )
        return self.mask_given(table, table.select(()), rng)

    def mask_given(self, table: Table, auxiliary: Table, rng: np.random.Generator) -> Table:
        """Return the table with exchanged places."""
        self.require_fit(table)
        own = [name for name in self._household(auxiliary.schema) if name in auxiliary.schema]
        household = equivalence_classes(told_apart(key_codes(auxiliary, own))).of if own else np.arange(len(table))
        first = np.unique(household, return_index=True)[1]
        sizes = np.bincount(household)
        levels = [self._areas(table, depth) for depth in range(1, len(self._levels(table)) + 1)]
        key = np.column_stack((key_codes(auxiliary, self.params.similar)[first], sizes)).astype(np.int32)
        profile = equivalence_classes(key).of
        people = equivalence_classes(key_codes(auxiliary, self.params.risk)).of
        partner = exchanged(household, levels, people, profile, first, self.params.k, self.params.swap_rate, rng)
        return Table(table.schema, table.codes[first[partner]][household], table.numbers)

    def _levels(self, table: Table) -> tuple[str, ...]:
        return self.params.hierarchy or table.schema.names

    def _areas(self, table: Table, depth: int) -> Places:
        """Return each record's area of a level: its place of that level and of all above it."""
        areas: Places = equivalence_classes(key_codes(table, self._levels(table)[:depth])).of
        return areas


def exchanged(
    household: Places,
    levels: Sequence[Places],
    people: Places,
    profile: Places,
    first: Places,
    k: int,
    rate: float,
    rng: np.random.Generator,
) -> Places:
    """Return the household whose places each household gets, shape (h,); itself where it stays."""
    # household (n,): household of each record; levels (n,): area of each record, the coarsest level first; people (n,):
    # class of each record by the attributes of risk; profile (h,): class of each household by what partners share;
    # first (h,): first record of each household, whose area is the household's; k, rate: as of `RecordSwapping`.
    partner = np.arange(len(first))
    moved = np.zeros(len(first), dtype=np.bool_)
    members = [np.flatnonzero(profile == p) for p in range(int(profile.max(initial=-1)) + 1)]
    for depth, areas in enumerate(levels):
        counts = equivalence_classes(np.column_stack((areas, people)).astype(np.int32))
        same = counts.counts[counts.of]
        rarest = np.full(len(first), np.iinfo(np.int64).max)
        np.minimum.at(rarest, household, same)
        risk, area = 1.0 / rarest, areas[first]
        for one in _in_random_order(np.flatnonzero((rarest < k) & ~moved), risk, rng):
            _exchange(int(one), members[profile[one]], area, risk, moved, partner, rng)
        if depth == len(levels) - 1:
            wanted = int(np.ceil(rate * len(first) - 1e-9))
            for one in _in_random_order(np.flatnonzero(~moved), risk, rng):
                if moved.sum() >= wanted:
                    break
                _exchange(int(one), members[profile[one]], area, risk, moved, partner, rng)
    return partner


def _in_random_order(chosen: Places, risk: Numbers, rng: np.random.Generator) -> Places:
    """Return households drawn one after the other without replacement, in proportion to risk."""
    order: Places = chosen[np.argsort(-np.log(rng.random(len(chosen))) / risk[chosen], kind="stable")]
    return order


def _exchange(
    one: int,
    alike: Places,
    area: Places,
    risk: Numbers,
    moved: NDArray[np.bool_],
    partner: Places,
    rng: np.random.Generator,
) -> None:
    """Exchange a household with another of the same profile in another area, unless it moved or there is none."""
    drawn = rng.random()
    if moved[one]:
        return
    free = alike[~moved[alike] & (area[alike] != area[one])]
    if not len(free):
        return
    shares = np.cumsum(risk[free])
    other = int(free[min(int(np.searchsorted(shares, drawn * shares[-1], side="right")), len(free) - 1)])
    partner[one], partner[other] = other, one
    moved[one] = moved[other] = True
