"""Targeted record swapping of households across geography, and a file of persons as one of households."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import DataError, Fault, ParameterError
from evosdc.model import Parameters
from evosdc.printing import printable
from evosdc.table.alignment import align_codes
from evosdc.table.equivalence import equivalence_classes, key_codes, missing_apart
from evosdc.table.households import differing_homes, shared_in_households
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import MISSING, Numbers, Rows, Table, assign_role
from evosdc_masking.auxiliary import ReadingOthers
from evosdc_masking.tuning import Untuned


def households_of(
    table: Table, household: str | None = None, place: Callable[[int], str] = "record {}".format
) -> tuple[Rows, NDArray[np.int64], tuple[str, ...]]:
    """Return the first record of each household, the household of each record, and what its members share."""
    # `place` says where a record is in its file, from its position.
    known = assign_role(table, Role.HOUSEHOLD, household)
    keys = known.schema.with_role(Role.HOUSEHOLD)
    if len(keys) != 1:
        given = ", ".join(keys) or "no attribute of that role"
        raise DataError(Fault("household", given, "one attribute of households", "Name it by --household."))
    shared = shared_in_households(known, [name for name in known.schema.names if name != keys[0]])
    if not shared:
        given = f"{keys[0]}, whose members share no attribute"
        raise DataError(Fault("household", given, "attributes of households", _nearest_to_shared(known, place)))
    classes = equivalence_classes(missing_apart(key_codes(known, keys)))
    return classes.first.astype(np.intp), classes.of, (keys[0], *shared)


def _nearest_to_shared(table: Table, place: Callable[[int], str]) -> str:
    """Return which attribute differs in the fewest households."""
    found = differing_homes(table, table.schema.names)
    if not found:
        return "Each household has one member."
    name, rows = min(found.items(), key=lambda entry: len(entry[1]))
    homes = "1 household" if len(rows) == 1 else f"{len(rows)} households"
    return f"{printable(name)} differs in {homes}, first in {place(int(rows[0]))}. Correct it if it is a slip."


def renumbered(table: Table, key: str, of: NDArray[np.int64], numbers: Rows) -> Table:
    """Return the column of households with new numbers, given by household from 0; without one there is none."""
    labels = tuple(str(number) for number in range(1, len(numbers) + 1))
    attribute = Attribute(key, table.schema[key].role, Scale.NOMINAL, labels)
    codes = np.where(table.absent(key), MISSING, numbers[of]).astype(np.int32)
    schema = replace(table.schema, attributes=(attribute,), edit_rules=())
    return Table(schema, codes[:, None], np.empty((len(table), 0)))


def merged(table: Table, homes: Table, first: Rows, of: NDArray[np.int64], names: Sequence[str]) -> Table:
    """Return the shared attributes of all records with the values that a file of households has for them."""
    # `homes` are in the order of their first members; `first`, `of` and `names` are those of `households_of`.
    key, *shared = names
    held = [name for name in shared if name in homes.schema]
    own = table.take(first).select([key])
    aligned = align_codes(own, homes)
    if not aligned.same_records(own):
        wanted = "the households of the file in the order of their first members"
        raise DataError(Fault("households", f"other numbers {key}", wanted, "Do not sort or cut the file."))
    values = align_codes(table.take(first).select(held), homes)
    return values.take(of.astype(np.intp))


Places = NDArray[np.int64]


class RecordSwapping(ReadingOthers, Untuned):
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
        risk: tuple[str, ...] = Field((), description="Attributes of people that are at risk where rare.")
        similar: tuple[str, ...] = Field(
            (), description="Attributes that exchanged households share, of their first members; size always."
        )
        hierarchy: tuple[str, ...] = Field(
            (), description="Masked attributes that form the levels, the coarsest first; default: all of them."
        )
        household: str | None = Field(
            None, description="Attribute that numbers households; default: by role, else every record is one."
        )

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    where = "method record-swapping"
    read_identifiers = True
    params: Params

    def named(self, schema: Schema | None = None) -> Sequence[str]:
        """Return the household's number and the attributes of risk and similarity."""
        own = () if self.params.household is None else (self.params.household,)
        household = own if own or schema is None else self._household(schema)
        return [*household, *self.params.risk, *self.params.similar]

    def _household(self, schema: Schema) -> tuple[str, ...]:
        own = self.params.household
        return (own,) if own is not None else schema.with_role(Role.HOUSEHOLD)[:1]

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` for levels that are not masked."""
        super().require_fit(table)
        strange = [name for name in self.params.hierarchy if name not in table.schema]
        if strange:
            wanted = f"masked attributes: {', '.join(table.schema.names)}"
            raise ParameterError(Fault(f"{self.where}: hierarchy", ", ".join(strange), wanted))

    def mask_given(self, table: Table, auxiliary: Table, rng: np.random.Generator) -> Table:
        """Return the table with exchanged places."""
        self.require_fit(table)
        own = [name for name in self._household(auxiliary.schema) if name in auxiliary.schema]
        household = equivalence_classes(missing_apart(key_codes(auxiliary, own))).of if own else np.arange(len(table))
        first = np.unique(household, return_index=True)[1]
        sizes = np.bincount(household)
        places = self.params.hierarchy or table.schema.names
        # An area of a level is its place and those of all levels above it.
        areas = [equivalence_classes(key_codes(table, places[:depth])).of for depth in range(1, len(places) + 1)]
        key = np.column_stack((key_codes(auxiliary, self.params.similar)[first], sizes)).astype(np.int32)
        profile = equivalence_classes(key).of
        people = equivalence_classes(key_codes(auxiliary, self.params.risk)).of
        partner = exchanged(household, areas, people, profile, first, self.params.k, self.params.swap_rate, rng)
        return Table(table.schema, table.codes[first[partner]][household], table.numbers)


def exchanged(
    household: Places, levels: Sequence[Places], people: Places, profile: Places, first: Places, k: int, rate: float,
    rng: np.random.Generator,
) -> Places:  # fmt: skip
    """Return the household whose places each household gets, shape (h,); itself where it stays."""
    # household, people (n,): household of each record, and its class by the attributes of risk; levels (n,): area of
    # each record, the coarsest level first; profile, first (h,): class of each household by what partners share, and
    # its first record, whose area is the household's; k, rate: as of `RecordSwapping`.
    partner, moved = np.arange(len(first)), np.zeros(len(first), dtype=np.bool_)
    members = [np.flatnonzero(profile == p) for p in range(int(profile.max(initial=-1)) + 1)]
    for depth, areas in enumerate(levels):
        counts = equivalence_classes(np.column_stack((areas, people)).astype(np.int32))
        rarest = np.full(len(first), np.iinfo(np.int64).max)
        np.minimum.at(rarest, household, counts.counts[counts.of])
        risk, area = 1.0 / rarest, areas[first]

        def exchange(chosen: Places, wanted: int, risk: Numbers = risk, area: Places = area) -> None:
            """Exchange households, in random order by risk, until enough have moved; some have no partner."""
            for one in chosen[np.argsort(-np.log(rng.random(len(chosen))) / risk[chosen], kind="stable")].tolist():
                if moved.sum() >= wanted:
                    return
                drawn = rng.random()
                alike = members[profile[one]]
                free = alike[~moved[alike] & (area[alike] != area[one])]
                if not moved[one] and len(free):
                    shares = np.cumsum(risk[free])
                    place = int(np.searchsorted(shares, drawn * shares[-1], side="right"))
                    other = int(free[min(place, len(free) - 1)])
                    partner[one], partner[other] = other, one
                    moved[one] = moved[other] = True

        exchange(np.flatnonzero((rarest < k) & ~moved), len(first) + 1)
        if depth == len(levels) - 1:
            exchange(np.flatnonzero(~moved), int(np.ceil(rate * len(first) - 1e-9)))
    return partner
