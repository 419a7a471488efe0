"""Singling out: predicates that the released file suggests, each true of one person alone."""

import numpy as np
from pydantic import Field

from evosdc.model import Estimate, Estimated, Judge
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc.time_limit import check_time
from evosdc_judges.classes import Codes, Keys, keys_of
from evosdc_judges.draws import Draw, drawn, sampled, subsets
from evosdc_judges.intervals import excess, in_per_cent, repeated, wilson
from evosdc_judges.people import People, people_of
from evosdc_judges.released import Released, released


class SinglingOut(Judge):
    """Share of unique released records that single out a person, beyond what they do outside of the file, times 100.

    Giomi et al. (2023): a combination of values that only one released record has, over some of the attributes, is a
    guess that only one *person* has it. The guess is right where exactly one original of the released half has them.
    Right by chance is a guess that holds for exactly one of as many people who are not in the file. With success rates
    a and c the figure is ``100 (a - c) / (1 - c)``. Range 0..100, smaller is better; the interval follows from Wilson's
    of both rates. It is conditional: a share of guesses, not of people. Without unique records there is no guess: 0.

    Guesses are drawn from all subsets of the attributes, or `subsets` of them; labels are read as they are meant, so
    exchanged labels hide nothing. Conditions are equalities of classes; the paper also has inequalities. The mean over
    halves that are drawn `repeats` times is a reconstruction.
    """

    supports = frozenset(Scale)
    known = True
    intruder = "looks for combinations of values that one released record alone has"
    sentence = (
        "Of the combinations that one released record alone has, {masked} % single out a person beyond control; "
        "{chance} % by chance, {original} % without masking."
    )

    class Params(Judge.Params):
        """Halves and attacks."""

        repeats: int = Field(4, ge=1, le=100, description="Times that halves are drawn.")
        bins: int = Field(20, ge=2, le=1000, description="Classes of a numeric attribute.")
        subsets: int = Field(31, ge=1, le=4095, description="Subsets of attributes, at most.")
        attacks: int = Field(1000, ge=1, description="Guesses for each pair of halves, at most.")

    params: Params

    def fit(self, original: Table) -> "FittedSinglingOut":
        """Classify the original.

        Raises
        ------
        ParameterError
            There are fewer than 8 records.
        """
        self.require_support(original)
        people = people_of(original, self.params.bins, self.params.seed, "measure singling-out")
        return FittedSinglingOut(people, self.params)


class FittedSinglingOut(Estimated):
    """`SinglingOut` of one original."""

    def __init__(self, people: People, params: SinglingOut.Params) -> None:
        self._people = people
        self._params = params
        self._subsets = subsets(people.codes.shape[1], params.subsets, drawn(people.seed, Draw.SUBSETS))

    def estimate(self, masked: Table) -> Estimate:
        """Return the excess with its interval."""
        published = self._people.published(masked)
        found = [self._attacked(released(self._people, published, r), r) for r in range(self._params.repeats)]
        return in_per_cent(repeated(found))

    def _attacked(self, half: Released, repeat: int) -> Estimate:
        inside, outside = [], []
        for names in self._subsets:
            check_time()
            own, others = self._matches(half, names)
            inside.append(own)
            outside.append(others)
        own, others = np.concatenate(inside), np.concatenate(outside)
        chosen = np.arange(len(own), dtype=np.intp)
        chosen = sampled(chosen, self._params.attacks, drawn(self._people.seed, Draw.TARGETS, repeat))
        if not len(chosen):
            return Estimate.exact(0.0)
        right, by_chance = float((own[chosen] == 1).sum()), float((others[chosen] == 1).sum())
        return excess(wilson(right, len(chosen)), wilson(by_chance, len(chosen)))

    def _matches(self, half: Released, names: tuple[int, ...]) -> tuple[Keys, Keys]:
        """Return for each combination that one released record has how many originals inside and outside have it."""
        people, chosen = self._people, list(names)
        sizes = people.classes.sizes[chosen]
        # Nothing is guessed from a label that stands for no class.
        legible = (half.read[:, chosen] < sizes).all(axis=1)
        parts: list[Codes] = [half.read[legible], people.codes[half.inside], people.codes[half.outside]]
        keys = keys_of(np.vstack([part[:, chosen] for part in parts]), sizes)
        of_read, of_inside, of_outside = np.split(keys, np.cumsum([len(part) for part in parts])[:-1])
        combinations, counts = np.unique(of_read, return_counts=True)
        alone = combinations[counts == 1]
        return _counts(alone, of_inside), _counts(alone, of_outside)


def _counts(wanted: Keys, keys: Keys) -> Keys:
    """Return how often each of the ascending wanted keys occurs."""
    ranked = np.sort(keys)
    counts: Keys = np.searchsorted(ranked, wanted, side="right") - np.searchsorted(ranked, wanted, side="left")
    return counts
