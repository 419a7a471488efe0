"""Record linkage by intruders who know some of the attributes only."""

from collections.abc import Sequence
from math import hypot

import numpy as np
from pydantic import Field

from evosdc.model import Estimate, Estimated, Judge
from evosdc.table.table import Numbers, Table
from evosdc.time_limit import check_time
from evosdc_judges.classes import Codes, joint_counts, surprise
from evosdc_judges.intervals import in_per_cent, mean_of, wilson
from evosdc_judges.nearest import costs_of, linked, sorted_records
from evosdc_judges.people import Draw, People, PeopleJudge, Positions, drawn, subsets


class PartialLinkage(PeopleJudge):
    """Mean share of records linked, over intruders who know each subset of the attributes, times 100."""

    # Every non-empty subset of the attributes is what one intruder knows, or `subsets` drawn ones. He links masked
    # records to originals in two ways, and the greater share counts: by the least sum of category distances, and by the
    # greatest likelihood ``sum log P(published | original)``, for which a relabelling hides nothing. The transitions of
    # each half of the people are those of the other half: a rare value would else tell by itself whose record has it,
    # even in a file whose records are in random order. Where t originals tie, a link counts 1/t. Of more than `records`
    # records a sample is linked, to all originals. The interval says what both draws leave open. The greater of two
    # linkages, and one further way in which a class is published, are reconstructions.

    name = "partial-linkage"
    known = True
    intruder = "knows some of the attributes only"
    does = "links"
    sentence = (
        "An intruder who knows some of the attributes, whichever, links {masked} % in the mean; {chance} % by chance, "
        "{original} % without masking."
    )

    class Params(Judge.Params):
        """Bounds."""

        bins: int = Field(32, ge=2, le=1000, description="Classes of a numeric attribute.")
        subsets: int = Field(31, ge=1, le=4095, description="Subsets of attributes, at most.")
        records: int = Field(1000, ge=1, description="Masked records that are linked, at most.")

    params: Params

    def fit(self, original: Table) -> "FittedPartialLinkage":
        """Find the distinct originals of every subset."""
        return FittedPartialLinkage(self.people(original), self.params)


class FittedPartialLinkage(Estimated):
    """`PartialLinkage` of one original."""

    def __init__(self, people: People, params: PartialLinkage.Params) -> None:
        self._people = people
        self._queries = people.sampled(len(people), params.records)
        sides = people.halves()
        self._parts = [(taught, np.intersect1d(self._queries, others)) for taught, others in (sides, sides[::-1])]
        width = people.codes.shape[1]
        self._subsets = subsets(width, params.subsets, drawn(people.seed, Draw.SUBSETS))
        self._all = len(self._subsets) == (1 << width) - 1
        self._distinct = [sorted_records(people.codes[:, names]) for names in self._subsets]

    def estimate(self, masked: Table) -> Estimate:
        """Return the mean share with its interval."""
        people = self._people
        plain, named = people.classes.of(masked), people.published(masked)
        informed = [(queries, self._likelihoods(named, taught)) for taught, queries in self._parts]
        ways = (plain, [(self._queries, people.classes.distances)]), (named, informed)
        positions = range(len(self._subsets))
        shares = np.array([max(self._share(position, *way) for way in ways) for position in positions])
        value = float(shares.mean())
        among_people = wilson(value * len(self._queries), len(self._queries))
        low, high = value - among_people.low, among_people.high - value
        if len(self._queries) == len(people):
            low = high = 0.0
        drawn_subsets = 0.0 if self._all else mean_of(shares).high - value
        return in_per_cent(Estimate(value, value - hypot(low, drawn_subsets), value + hypot(high, drawn_subsets)))

    def _likelihoods(self, published: Codes, taught: Positions) -> list[Numbers]:
        """Return by attribute the costs of published classes (rows) and original ones, as some pairs show them."""
        original = self._people.codes
        return [
            surprise(joint_counts(original[taught, v], published[taught, v], int(size))).T
            for v, size in enumerate(self._people.classes.sizes)
        ]

    def _share(self, position: int, published: Codes, parts: Sequence[tuple[Positions, Sequence[Numbers]]]) -> float:
        """Return the share of links of one intruder, whose costs differ by the parts of the queried records."""
        names, searched = self._subsets[position], self._distinct[position]
        links = 0.0
        for queries, matrices in parts:
            check_time()
            costs = costs_of([matrices[v] for v in names])
            asked = np.ascontiguousarray(published[queries][:, names])
            links += float(linked(asked, searched.of_record[queries], searched, costs).sum())
        return links / len(self._queries)
