"""Record linkage by intruders who know some of the attributes only."""

from math import hypot

import numpy as np
from pydantic import Field

from evosdc.model import Estimate, Estimated, Judge
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc.time_limit import check_time
from evosdc_judges.classes import Codes
from evosdc_judges.draws import Draw, drawn, subsets
from evosdc_judges.intervals import in_per_cent, mean_of, wilson
from evosdc_judges.nearest import costs_of, linked
from evosdc_judges.people import People, people_of
from evosdc_judges.sorted_records import SortedRecords, sorted_records
from evosdc_judges.transitions import joint_counts, surprise


class PartialLinkage(Judge):
    """Mean share of records linked, over intruders who know each subset of the attributes, times 100.

    Every non-empty subset of the attributes is what one intruder knows. He links masked records to originals in two
    ways, and the greater share counts: by the least sum of category distances, and by the greatest likelihood
    ``sum log P(published | original)`` with the transitions of the file itself, for which a relabelling hides nothing.
    Where t originals tie, a link counts 1/t. The score
    is the mean over the subsets: range 0..100, smaller is better.

    With more than `subsets` of them, so many are drawn; of more than `records` records, so many are linked, to all
    originals. The interval tells what both draws leave open: Wilson's, and the normal one over drawn subsets. In the
    likelihood a class is taken to be published in one further way, as the file as a whole is: a reconstruction, as is
    the greater of two linkages.

    A missing value is a class of its own; numbers are taken by `bins` classes.
    """

    supports = frozenset(Scale)
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
        """Find the distinct originals of every subset.

        Raises
        ------
        ParameterError
            There are fewer than 8 records.
        """
        self.require_support(original)
        people = people_of(original, self.params.bins, self.params.seed, "measure partial-linkage")
        return FittedPartialLinkage(people, self.params)


class FittedPartialLinkage(Estimated):
    """`PartialLinkage` of one original."""

    def __init__(self, people: People, params: PartialLinkage.Params) -> None:
        self._people = people
        self._asked = people.sampled(np.arange(len(people), dtype=np.intp), params.records)
        width = people.codes.shape[1]
        self._subsets = subsets(width, params.subsets, drawn(people.seed, Draw.SUBSETS))
        self._all = len(self._subsets) == (1 << width) - 1
        self._distinct: list[SortedRecords] = []
        for names in self._subsets:
            self._distinct.append(sorted_records(people.codes[:, names]))

    def estimate(self, masked: Table) -> Estimate:
        """Return the mean share with its interval."""
        people = self._people
        plain, named = people.classes.of(masked), people.published(masked)
        likelihoods = [
            surprise(joint_counts(people.codes[:, v], named[:, v], int(size))).T
            for v, size in enumerate(people.classes.sizes)
        ]
        shares = np.array(
            [
                max(self._share(position, plain, people.classes.distances), self._share(position, named, likelihoods))
                for position in range(len(self._subsets))
            ]
        )
        value = float(shares.mean())
        among_people = wilson(value * len(self._asked), len(self._asked))
        low, high = value - among_people.low, among_people.high - value
        if len(self._asked) == len(people):
            low = high = 0.0
        drawn_subsets = 0.0 if self._all else mean_of(shares).high - value
        return in_per_cent(Estimate(value, value - hypot(low, drawn_subsets), value + hypot(high, drawn_subsets)))

    def _share(self, position: int, published: Codes, matrices: tuple[Numbers, ...] | list[Numbers]) -> float:
        check_time()
        names = self._subsets[position]
        searched = self._distinct[position]
        asked = np.ascontiguousarray(published[self._asked][:, names])
        costs = costs_of([matrices[v] for v in names])
        return float(linked(asked, searched.of_record[self._asked], searched, costs).mean())
