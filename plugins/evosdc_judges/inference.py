"""Inference: a person's unknown attribute is guessed from the released record nearest to what is known."""

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from evosdc.model import Estimate, Estimated, Judge
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc.time_limit import check_time
from evosdc_judges.intervals import averaged, excess, in_per_cent, repeated, wilson
from evosdc_judges.learned_inference import inferred_attributes
from evosdc_judges.nearest import Costs, costs_of, guessed
from evosdc_judges.people import People, people_of
from evosdc_judges.released import Released, released
from evosdc_judges.sorted_records import sorted_records
from evosdc_judges.transitions import apart


class Inference(Judge):
    """Share of values guessed from the nearest released record, beyond control, times 100.

    Giomi et al. (2023): the attacker knows all of a person's protected attributes but one, takes the released record
    that is nearest to them, and guesses that the person has its value of the missing one. Of t records that tie each
    counts 1/t. With a the share of right guesses about people in the released half, c about people whose masked records
    were withheld, the figure is ``100 (a - c) / (1 - c)``, mean over the attributes guessed: the sensitive ones among
    those judged, or all. Range 0..100, smaller is better; the interval follows from Wilson's of both rates.

    What statistics alone tell is thereby left out: who is not in the file is guessed as well as they allow. Distances
    are those of categories, numbers by `bins` ordered classes; labels are read as they are meant, so exchanged labels
    hide nothing. Reconstructions: the share for ties, the means over attributes and over repeated halves.
    """

    supports = frozenset(Scale)
    intruder = "guesses a missing value from the nearest record"
    does = "infers"
    sentence = (
        "Of the values that statistics do not give away, {masked} % are guessed right from the nearest record; "
        "{chance} % by chance, {original} % without masking."
    )

    class Params(Judge.Params):
        """Halves and attacks."""

        targets: tuple[str, ...] = Field((), description="Attributes to guess; default: the sensitive ones, or all.")
        repeats: int = Field(2, ge=1, le=100, description="Times that halves are drawn.")
        bins: int = Field(20, ge=2, le=1000, description="Classes of a numeric attribute.")
        attacks: int = Field(500, ge=1, description="People of each half that are attacked, at most.")

    params: Params

    def fit(self, original: Table) -> "FittedInference":
        """Classify the original.

        Raises
        ------
        ParameterError
            There are fewer than 8 records, or one attribute only.
        SchemaError
            A target is not among the attributes judged.
        """
        where = "measure inference"
        self.require_support(original)
        targets = inferred_attributes(original.schema, self.params.targets, f"{where}: targets")
        people = people_of(original, self.params.bins, self.params.seed, where, 2)
        return FittedInference(people, targets, self.params)


class FittedInference(Estimated):
    """`Inference` of one original."""

    def __init__(self, people: People, targets: Sequence[str], params: Inference.Params) -> None:
        self._people = people
        self._params = params
        self._attacks = [self._attack(people.names.index(name)) for name in targets]

    def _attack(self, target: int) -> tuple[int, list[int], Costs]:
        """Return what is guessed, what is known, and the costs of what is known against released labels as read."""
        known = [v for v in range(self._people.codes.shape[1]) if v != target]
        sizes, distances = self._people.classes.sizes, self._people.classes.distances
        costs = costs_of([apart(distances[v], np.arange(int(sizes[v]) + 1, dtype=np.int32)) for v in known])
        return target, known, costs

    def estimate(self, masked: Table) -> Estimate:
        """Return the excess with its interval; O(attacks * distinct records) at most for each attribute and half."""
        published = self._people.published(masked)
        found = []
        for repeat in range(self._params.repeats):
            half = released(self._people, published, repeat)
            found.append(averaged([self._attacked(half, repeat, *attack) for attack in self._attacks]))
        return in_per_cent(repeated(found))

    def _attacked(self, half: Released, repeat: int, target: int, known: list[int], costs: Costs) -> Estimate:
        people, rates = self._people, []
        searched = sorted_records(half.read[:, [*known, target]])
        for side, positions in enumerate((half.inside, half.outside)):
            check_time()
            asked = people.sampled(positions, self._params.attacks, repeat, side)
            questions = np.ascontiguousarray(people.codes[asked][:, known])
            right = guessed(questions, people.codes[asked, target], searched, costs)
            rates.append(wilson(float(right.sum()), len(asked)))
        return excess(rates[0], rates[1])
