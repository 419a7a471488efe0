"""Who is in the file: attacks that tell members from others by what lies near them, or is missing there."""

from collections.abc import Mapping
from itertools import combinations
from typing import ClassVar

import numpy as np
from numba import njit
from pydantic import Field

from evosdc.model import Estimate, Judge
from evosdc.table.table import Numbers, Table
from evosdc.time_limit import check_time
from evosdc_judges.classes import Codes, classes_of, keys_of
from evosdc_judges.members import FittedOnMembers, MembersJudge, Population, area, tenth
from evosdc_judges.people import Draw, drawn, halves

NEAREST = 5  # records by whose distance a density is estimated
BOOTSTRAPS = 200  # samples of the people, from which the interval of an AUC is taken
MOST_SETS = 60  # sets of attributes in which avoidance looks for absent combinations


class Membership(MembersJudge):
    """Common to attacks on membership: pairs of a member and another person distinguished, AUC times 100."""

    # The intruder knows all published attributes of a person but the sensitive ones, with their true values. 50 where
    # members and others look alike; range 0..100, smaller is better. The interval is the bootstrap's.

    chance: ClassVar[float | None] = 50.0
    intruder = "wants to know who is in the file"

    class Params(Judge.Params):
        """How many people are queried, and how finely numbers are combined."""

        asked: int = Field(3000, ge=20, description="Members queried, and others, at most each.")
        bins: int = Field(10, ge=2, le=100, description="Classes of a number in combinations.")

    params: Params

    def fitted(self, people: Population) -> "FittedMembership":
        """Return the attack on these people."""
        return FittedMembership(people, self.params, self.name)


class NearestRatio(Membership):
    """Membership by the distance to the nearest published record over that to the second nearest (NNDR)."""

    # A member's own record, little altered, is much nearer than any other. Distances are Gower's: numbers by their
    # range, categories of an order by places, others equal or not. 50 by chance, in per cent of pairs.

    name = "membership-nndr"
    sentence = (
        "By the distance to the nearest published record over that to the second, a member is distinguished from "
        "another person in {masked} % of the pairs; {chance} % by chance, {original} % with the unmasked file."
    )


class DensityRatio(Membership):
    """Membership by the density of the published file at a person over that of other people (DOMIAS)."""

    # Van Breugel et al. (2023): a generator that overfits is denser at its members than the population is. Densities
    # are estimated by the distances to the five nearest records, of the published file and of half of the others, who
    # serve as reference and are not queried: reconstruction. 50 by chance, in per cent of pairs.

    name = "membership-domias"
    sentence = (
        "By how much denser the published file is at a person than the population, a member is distinguished from "
        "another person in {masked} % of the pairs; {chance} % by chance, {original} % with the unmasked file."
    )


class Avoidance(Membership):
    """Membership by what is conspicuously absent: combinations that the population has and the file avoids."""

    # A search that keeps people from being found may avoid their records, which tells that they are in the file. The
    # score of a person is the sum, over sets of two and three attributes, of the logarithm of how often half of the
    # others have the person's values over how often the published file has them, where the file has them less often. 50
    # by chance, in per cent of pairs. Definition: reconstruction.

    name = "membership-avoidance"
    sentence = (
        "By combinations that other people have and the file avoids, a member is distinguished from another person in "
        "{masked} % of the pairs; {chance} % by chance, {original} % with the unmasked file."
    )


class FittedMembership(FittedOnMembers):
    """An attack on the membership of one file's people."""

    range: ClassVar[tuple[float, float]] = (0.0, 100.0)

    def __init__(self, people: Population, params: Membership.Params, attack: str) -> None:
        super().__init__(people, params.seed)
        secret = set(people.sensitive())
        self._names = tuple(n for n in people.members.schema.names if n not in secret) or people.members.schema.names
        self._attack, self._bins = attack, params.bins
        reference, queries = halves(len(people.others), params.seed)
        if attack == NearestRatio.name:
            queries = np.arange(len(people.others), dtype=np.intp)
        own = Population(people.members, people.others.take(queries), people.known)
        self._members, self._others = own.queried(params.asked, params.seed)
        self._reference = people.others.take(reference).select(self._names)

    def details(self, masked: Table) -> tuple[Estimate, Mapping[str, float]]:
        """Return the AUC, and of the tenth of both kinds that lie most apart from others."""
        check_time()
        file = self._people.published(masked).select(self._names)
        tables = [table.select(self._names) for table in (self._members, self._others)]
        members, others = (self._scores(table, file) for table in tables)
        apart = [nearest_distances(*gower_places(table, self._reference, self._reference), 1)[:, 0] for table in tables]
        isolated = area(members[tenth(apart[0])], others[tenth(apart[1])])
        rng = drawn(self._seed, Draw.SHUFFLE, 13)
        m, k = len(members), len(others)
        draws = [area(members[rng.integers(0, m, m)], others[rng.integers(0, k, k)]) for _ in range(BOOTSTRAPS)]
        low, high = (100.0 * float(end) for end in np.quantile(draws, [0.025, 0.975]))
        return Estimate(100.0 * area(members, others), low, high), {"most_isolated_tenth": 100.0 * isolated}

    def _scores(self, queries: Table, file: Table) -> Numbers:
        """Return for each person how much it looks like a member."""
        if self._attack == Avoidance.name:
            return self._avoided(queries, file)
        scale = self._reference
        near = nearest_distances(
            *gower_places(queries, file, scale), 2 if self._attack == NearestRatio.name else NEAREST
        )
        if self._attack == NearestRatio.name:
            # Of several exact matches one may be the person's own.
            ratio: Numbers = -np.divide(near[:, 0], near[:, 1], out=np.zeros(len(near)), where=near[:, 1] > 0)
            return ratio
        among = nearest_distances(*gower_places(queries, scale, scale), NEAREST)
        # Exact matches are common in files of categories: no distance is taken for less than this.
        least = 1e-2
        density: Numbers = (np.log(among + least) - np.log(near + least)).mean(axis=1)
        return density

    def _avoided(self, queries: Table, file: Table) -> Numbers:
        classes = classes_of(self._reference, self._bins)
        people, shown, known = (classes.of(table) for table in (queries, file, self._reference))
        sets = [s for size in (2, 3) for s in combinations(range(people.shape[1]), size)] or [(0,)]
        if len(sets) > MOST_SETS:
            rng = drawn(self._seed, Draw.SUBSETS, 15)
            sets = [sets[place] for place in np.sort(rng.choice(len(sets), MOST_SETS, replace=False))]
        scores = np.zeros(len(people))
        for chosen in sets:
            both = np.vstack([part[:, list(chosen)] for part in (people, shown, known)])
            _, cells = np.unique(keys_of(both, classes.sizes[list(chosen)]), return_inverse=True)
            cells = cells.reshape(-1)
            first, second = len(people), len(people) + len(shown)
            size = int(cells.max()) + 1
            in_file, in_others = (np.bincount(part, minlength=size) for part in (cells[first:second], cells[second:]))
            expected = in_others[cells[:first]] * (len(shown) / len(known))
            scores += np.maximum(np.log((expected + 1.0) / (in_file[cells[:first]] + 1.0)), 0.0)
        return scores


def gower_places(queries: Table, file: Table, scale: Table) -> tuple[Numbers, Numbers, Codes, Codes]:
    """Return two files as coordinates whose distances are Gower's: ordered ones by range, then others as codes."""
    numbers: tuple[list[Numbers], list[Numbers]] = ([], [])
    codes: tuple[list[Codes], list[Codes]] = ([], [])
    for attribute in scale.schema.attributes:
        columns = [np.asarray(table.column(attribute.name)) for table in (queries, file)]
        if attribute.scale == "nominal":
            for side, column in zip(codes, columns, strict=True):
                side.append(column.astype(np.int32))
            continue
        known = np.asarray(scale.column(attribute.name), dtype=np.float64)
        known = known[~np.isnan(known) & ((known >= 0) | (not attribute.categorical))]
        # Quantiles, so that one outlier does not make all others neighbours.
        width = float(np.quantile(known, 0.95) - np.quantile(known, 0.05)) if len(known) else 0.0
        width = width or (float(np.ptp(known)) if len(known) else 0.0) or 1.0
        for ordered, column in zip(numbers, columns, strict=True):
            ordered.append(column.astype(np.float64) / width)
    sizes = len(queries), len(file)
    first, second = (np.column_stack([np.empty((n, 0)), *side]) for n, side in zip(sizes, numbers, strict=True))
    third, fourth = (np.column_stack([np.empty((n, 0), np.int32), *side]) for n, side in zip(sizes, codes, strict=True))
    return first, second, third, fourth


@njit(cache=True)
def nearest_distances(queries: Numbers, file: Numbers, codes: Codes, of_file: Codes, k: int) -> Numbers:
    """Return the distances to the k nearest records of a file, ascending, shape (m, k); a missing number is 1 away."""
    found = np.full((len(queries), k), np.inf)
    for i in range(len(queries)):
        for j in range(len(file)):
            distance = 0.0
            for v in range(codes.shape[1]):
                if codes[i, v] != of_file[j, v]:
                    distance += 1.0
            for v in range(queries.shape[1]):
                step = abs(queries[i, v] - file[j, v])
                if step == step:
                    distance += min(step, 1.0)
                elif (queries[i, v] == queries[i, v]) != (file[j, v] == file[j, v]):
                    distance += 1.0
                if distance >= found[i, k - 1]:
                    break
            if distance < found[i, k - 1]:
                place = k - 1
                while place > 0 and found[i, place - 1] > distance:
                    found[i, place] = found[i, place - 1]
                    place -= 1
                found[i, place] = distance
    return found
