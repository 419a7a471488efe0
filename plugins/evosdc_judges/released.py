"""Attacks on a released half of the people, beside their control: singling out, linkability, inference.

A masked file covers everybody, so there is nobody left to see what an attack would reach without the file. Half of the
people are therefore taken out: their masked records are withheld from the attacker, who then attacks both halves with
what is left (Giomi, Boenisch, Wehmeyer and Tasnadi, 2023). What succeeds against those who are not in the file is
knowledge of the population; only what succeeds beyond it is the file's doing. With the success rates a and c the figure
is ``100 (a - c) / (1 - c)``. The mean over halves that are drawn again is a reconstruction.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from evosdc.model import Estimate, Estimated, Judge
from evosdc.table.table import Table
from evosdc.time_limit import check_time
from evosdc_judges.classes import Codes, Keys, as_read, joint_counts, keys_of, reading
from evosdc_judges.intervals import averaged, excess, in_per_cent, repeated, wilson
from evosdc_judges.learned import inferred_attributes
from evosdc_judges.nearest import Costs, costs_of, guessed, met, parted, sorted_records
from evosdc_judges.people import Draw, People, PeopleJudge, Positions, drawn, sampled, subsets


class ReleaseParams(Judge.Params):
    """Halves and attacks."""

    repeats: int = Field(4, ge=1, le=100, description="Times that halves are drawn.")
    bins: int = Field(20, ge=2, le=1000, description="Classes of a numeric attribute.")
    attacks: int = Field(500, ge=1, description="People of each half that are attacked, at most.")


@dataclass(frozen=True)
class Released:
    """What an attacker has, and whom he attacks."""

    inside: Positions  # the people in the released file
    outside: Positions  # those who are not in it
    # Shape (len(inside), V); the released masked records, each label read as the original class that it represents; a
    # label that represents none is the number of classes.
    read: Codes


def released(people: People, published: Codes, repeat: int) -> Released:
    """Return the released half of a file."""
    # What published labels mean is public, whatever the file calls them: it is learned from the pairs of the people
    # outside, whose masked records serve for nothing else.
    inside, outside = people.halves(repeat)
    read = np.empty((len(inside), published.shape[1]), dtype=np.int32)
    for v, size in enumerate(people.classes.sizes):
        meaning = reading(joint_counts(people.codes[outside, v], published[outside, v], int(size)))
        read[:, v] = meaning[published[inside, v]]
    return Released(inside, outside, read)


class FittedOnHalves(Estimated):
    """An attack on people of whom half are in the released file: mean over halves that are drawn several times."""

    def __init__(self, people: People, params: ReleaseParams) -> None:
        self._people, self._params = people, params

    def estimate(self, masked: Table) -> Estimate:
        """Return the excess with its interval."""
        published = self._people.published(masked)
        repeats = range(self._params.repeats)
        return in_per_cent(repeated([self.attacked(released(self._people, published, r), r) for r in repeats]))

    @abstractmethod
    def attacked(self, half: Released, repeat: int) -> Estimate:
        """Return what the attack reaches of people inside beyond those outside, 0..1."""

    def sides(self, half: Released, repeat: int) -> list[Positions]:
        """Return the people of each half that are attacked, inside first."""
        parts = enumerate((half.inside, half.outside))
        return [self._people.sampled(part, self._params.attacks, repeat, side) for side, part in parts]


class SinglingOut(PeopleJudge):
    """Share of unique released records that single out a person, beyond what they do outside of the file, times 100."""

    # A combination of values that only one released record has is a guess that only one *person* has it; it is right
    # where exactly one original of the released half has them, and by chance where exactly one of the people who are
    # not in the file has: a share of guesses, not of people; 0 without unique records. Conditions are equalities of
    # classes (the paper also has inequalities), over all subsets of the attributes, or `subsets` of them.

    name = "singling-out"
    known = True
    intruder = "looks for combinations of values that one released record alone has"
    sentence = (
        "Of the combinations that one released record alone has, {masked} % single out a person beyond control; "
        "{chance} % by chance, {original} % without masking."
    )

    class Params(ReleaseParams):
        """Halves and attacks."""

        subsets: int = Field(31, ge=1, le=4095, description="Subsets of attributes, at most.")
        attacks: int = Field(1000, ge=1, description="Guesses for each pair of halves, at most.")

    params: Params

    def fit(self, original: Table) -> "FittedSinglingOut":
        """Classify the original."""
        return FittedSinglingOut(self.people(original), self.params)


class FittedSinglingOut(FittedOnHalves):
    """`SinglingOut` of one original."""

    def __init__(self, people: People, params: SinglingOut.Params) -> None:
        super().__init__(people, params)
        self._subsets = subsets(people.codes.shape[1], params.subsets, drawn(people.seed, Draw.SUBSETS))

    def attacked(self, half: Released, repeat: int) -> Estimate:
        """Return the excess of right guesses."""
        found = [self._matches(half, names) for names in self._subsets]
        own, others = (np.concatenate(part) for part in zip(*found, strict=True))
        chosen = sampled(len(own), self._params.attacks, drawn(self._people.seed, Draw.TARGETS, repeat))
        if not len(chosen):
            return Estimate.exact(0.0)
        right, by_chance = float((own[chosen] == 1).sum()), float((others[chosen] == 1).sum())
        return excess(wilson(right, len(chosen)), wilson(by_chance, len(chosen)))

    def _matches(self, half: Released, names: tuple[int, ...]) -> tuple[Keys, Keys]:
        """Return for each combination that one released record has how many originals inside and outside have it."""
        check_time()
        people, chosen = self._people, list(names)
        sizes = people.classes.sizes[chosen]
        # Nothing is guessed from a label that represents no class.
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


class Linkability(PeopleJudge):
    """Share of people whose two halves of knowledge meet in one released record, beyond control, times 100."""

    # An attacker has two files about the same people, with different attributes. For each person he takes the released
    # records nearest to what each file says; where they are one record, the person's entries are joined. Of t records
    # that tie each is taken with chance 1/t (the paper compares sets of k neighbours). Attributes are divided in two at
    # random for each pair of halves: a reconstruction.

    name = "linkability"
    fewest = 2
    known = True
    intruder = "joins two files about the same people through the released one"
    does = "links"
    sentence = (
        "Of the people, {masked} % have two sets of attributes joined through the file beyond control; {chance} % by "
        "chance, {original} % without masking."
    )

    class Params(ReleaseParams):
        """Halves and attacks."""

    params: Params

    def fit(self, original: Table) -> "FittedLinkability":
        """Classify the original."""
        return FittedLinkability(self.people(original), self.params)


class FittedLinkability(FittedOnHalves):
    """`Linkability` of one original."""

    def __init__(self, people: People, params: Linkability.Params) -> None:
        super().__init__(people, params)
        self._costs = costs_of([as_read(distances) for distances in people.classes.distances])

    def attacked(self, half: Released, repeat: int) -> Estimate:
        """Return the excess of joined people; O(attacks * distinct records) at most."""
        people, rates = self._people, []
        width = people.codes.shape[1]
        first = np.zeros(width, dtype=bool)
        first[drawn(people.seed, Draw.SUBSETS, repeat).permutation(width)[: (width + 1) // 2]] = True
        records = parted(half.read, first)
        for queries in self.sides(half, repeat):
            check_time()
            chances = met(people.codes[queries], records, self._costs)
            rates.append(wilson(float(chances.sum()), len(queries)))
        return excess(rates[0], rates[1])


class Inference(PeopleJudge):
    """Share of values guessed from the nearest released record, beyond control, times 100."""

    # The attacker knows all of a person's protected attributes but one, and guesses that the person has the missing
    # value of the nearest released record; of t records that tie each counts 1/t. Mean over the attributes guessed, the
    # sensitive ones among those judged, or all; the share for ties and the mean are reconstructions.

    name = "inference"
    fewest = 2
    intruder = "guesses a missing value from the nearest record"
    does = "infers"
    sentence = (
        "Of the values that statistics do not give away, {masked} % are guessed right from the nearest record; "
        "{chance} % by chance, {original} % without masking."
    )

    class Params(ReleaseParams):
        """Halves and attacks."""

        targets: tuple[str, ...] = Field((), description="Attributes to guess; default: the sensitive ones, or all.")
        repeats: int = Field(2, ge=1, le=100, description="Times that halves are drawn.")

    params: Params

    def fit(self, original: Table) -> "FittedInference":
        """Classify the original."""
        targets = inferred_attributes(original.schema, self.params.targets, f"measure {self.name}: targets")
        return FittedInference(self.people(original), targets, self.params)


class FittedInference(FittedOnHalves):
    """`Inference` of one original."""

    def __init__(self, people: People, targets: Sequence[str], params: Inference.Params) -> None:
        super().__init__(people, params)
        # By target what is guessed, what is known, and the costs of what is known against released labels as read.
        self._attacks: list[tuple[int, list[int], Costs]] = []
        for target in map(people.names.index, targets):
            known = [v for v in range(len(people.names)) if v != target]
            costs = costs_of([as_read(people.classes.distances[v]) for v in known])
            self._attacks.append((target, known, costs))

    def attacked(self, half: Released, repeat: int) -> Estimate:
        """Return the mean excess of right guesses; O(attacks * distinct records) at most for each attribute."""
        codes, sides, found = self._people.codes, self.sides(half, repeat), []
        for target, known, costs in self._attacks:
            searched, rates = sorted_records(half.read[:, [*known, target]]), []
            for queries in sides:
                check_time()
                right = guessed(np.ascontiguousarray(codes[queries][:, known]), codes[queries, target], searched, costs)
                rates.append(wilson(float(right.sum()), len(queries)))
            found.append(excess(rates[0], rates[1]))
        return averaged(found)
