"""Linkability: two sets of attributes of one person, held apart, meet in the released file."""

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Estimate, Estimated, Judge
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc.time_limit import check_time
from evosdc_judges.draws import Draw, drawn
from evosdc_judges.intervals import excess, in_per_cent, repeated, wilson
from evosdc_judges.nearest import costs_of, met, parted
from evosdc_judges.people import People, people_of
from evosdc_judges.released import Released, released
from evosdc_judges.transitions import apart


class Linkability(Judge):
    """Share of people whose two halves of knowledge meet in one released record, beyond control, times 100.

    Giomi et al. (2023): an attacker has two files about the same people, with different attributes, and joins them
    through the released one. For each person he takes the released record nearest to what the first file says, and the
    one nearest to what the second says; where they are one record, the person's entries are joined. Of t records that
    tie each is taken with chance 1/t. With a the share among people in the released half, c the share among people
    whose masked records were withheld, the figure is ``100 (a - c) / (1 - c)``. Range 0..100, smaller is better; the
    interval follows from Wilson's of both rates, widened by what repeated halves differ in.

    Attributes are divided in two at random for each pair of halves; distances are those of categories, numbers by
    `bins` ordered classes; labels are read as they are meant, so exchanged labels hide nothing. Reconstructions: the
    share for ties (the paper compares sets of k neighbours), the random division, the mean over repeats.
    """

    supports = frozenset(Scale)
    known = True
    intruder = "joins two files about the same people through the released one"
    does = "links"
    sentence = (
        "Of the people, {masked} % have two sets of attributes joined through the file beyond control; {chance} % by "
        "chance, {original} % without masking."
    )

    class Params(Judge.Params):
        """Halves and attacks."""

        repeats: int = Field(4, ge=1, le=100, description="Times that halves, and attributes, are divided.")
        bins: int = Field(20, ge=2, le=1000, description="Classes of a numeric attribute.")
        attacks: int = Field(500, ge=1, description="People of each half that are attacked, at most.")

    params: Params

    def fit(self, original: Table) -> "FittedLinkability":
        """Classify the original.

        Raises
        ------
        ParameterError
            There are fewer than 8 records, or one attribute only.
        """
        self.require_support(original)
        people = people_of(original, self.params.bins, self.params.seed, "measure linkability", 2)
        return FittedLinkability(people, self.params)


class FittedLinkability(Estimated):
    """`Linkability` of one original."""

    def __init__(self, people: People, params: Linkability.Params) -> None:
        self._people = people
        self._params = params
        # Asked are originals; a released label that stands for no class is at distance 1 from all.
        everything = [np.arange(int(size) + 1, dtype=np.int32) for size in people.classes.sizes]
        self._costs = costs_of([apart(d, read) for d, read in zip(people.classes.distances, everything, strict=True)])

    def estimate(self, masked: Table) -> Estimate:
        """Return the excess with its interval; O(attacks * distinct records) at most for each half."""
        published = self._people.published(masked)
        found = [self._attacked(released(self._people, published, r), r) for r in range(self._params.repeats)]
        return in_per_cent(repeated(found))

    def _attacked(self, half: Released, repeat: int) -> Estimate:
        people = self._people
        first = _divided(people.codes.shape[1], drawn(people.seed, Draw.SUBSETS, repeat))
        records, rates = parted(half.read, first), []
        for side, positions in enumerate((half.inside, half.outside)):
            check_time()
            asked = people.sampled(positions, self._params.attacks, repeat, side)
            chances = met(people.codes[asked], records, self._costs)
            rates.append(wilson(float(chances.sum()), len(asked)))
        return excess(rates[0], rates[1])


def _divided(attributes: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return a random half of the attributes, at least one inside and one outside."""
    first = np.zeros(attributes, dtype=bool)
    first[rng.permutation(attributes)[: (attributes + 1) // 2]] = True
    return first
