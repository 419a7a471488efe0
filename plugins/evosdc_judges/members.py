"""People in a file and people who are not: who of both looks like a member, and what a learner guesses of both.

Both kinds are drawn from one population and attacked alike, by their true values. What an attack reaches of others it
learned of the population; only what it reaches of members beyond that was given away by the file.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Estimate, Estimated, Judge, Microdata
from evosdc.table.equivalence import equivalence_classes
from evosdc.table.schema import Role, Scale
from evosdc.table.table import Numbers, Table
from evosdc.time_limit import check_time
from evosdc_judges.analysis import NOT_ANALYSED, WholeFileJudge
from evosdc_judges.classes import Codes, classes_of
from evosdc_judges.learned import one_thread, require_scikit_learn
from evosdc_judges.people import Draw, drawn, halves, sampled

DRAWS = 1000  # bootstrap samples of the people, from which an interval is taken
FEWEST = 20  # members, and others, below which no result is given


@dataclass(frozen=True, eq=False)
class Population:
    """A file's people, and others of the same population who are not in it."""

    members: Table  # all attributes, true values
    others: Table
    # What an intruder knows of a person: quasi-identifiers, masked or not, and whatever else is masked and not
    # sensitive
    known: tuple[str, ...]

    def published(self, masked: Table) -> Table:
        """Return the published file with all its attributes, shape (n, V)."""
        return self.members.with_columns(masked)

    def sensitive(self) -> tuple[str, ...]:
        """Return what an intruder wants to learn."""
        return self.members.schema.with_role(Role.SENSITIVE)

    def queried(self, most: int, seed: int) -> tuple[Table, Table]:
        """Return at most `most` members, and at most as many others, drawn at random."""
        rows = [
            sampled(len(table), most, drawn(seed, Draw.SAMPLE, 11, at))
            for at, table in enumerate((self.members, self.others))
        ]
        return self.members.take(rows[0]), self.others.take(rows[1])


class MembersJudge(WholeFileJudge):
    """Common to judges by members and others."""

    chance: ClassVar[float | None] = 0.0
    name: ClassVar[str] = ""

    def fit_in(self, microdata: Microdata) -> Estimated:
        """Take in the people."""
        self.require_support(microdata.original)
        where, others, schema = f"measure {self.name}", microdata.others, microdata.table.schema
        if others is None:
            given, wanted = "no people who are not in the file", "some of the same population"
            advice = "Judge a RUN, whose plan then protects most of the people, or name a file of others by --others."
            raise ParameterError(Fault(where, given, wanted, advice))
        least = min(len(microdata.table), len(others))
        if least < FEWEST:
            raise ParameterError(Fault(where, f"{least} people", f"at least {FEWEST} members, and others"))
        secret = schema.with_role(Role.SENSITIVE)
        known = [a.name for a in schema.attributes if a.name in microdata.protect and a.name not in secret]
        known += [name for name in schema.with_role(Role.QUASI_IDENTIFIER) if name not in {*known, *secret}]
        if not known:
            raise ParameterError(Fault(where, "nothing that an intruder knows", "at least one quasi-identifier"))
        names = [a.name for a in schema.attributes if a.role not in NOT_ANALYSED]
        members = microdata.table.select(names)
        return self.fitted(Population(members, others.select(names), tuple(known)))

    @abstractmethod
    def fitted(self, people: Population) -> "FittedOnMembers":
        """Return the attack on these people."""


class FittedOnMembers(Estimated):
    """An attack on members and others."""

    range: ClassVar[tuple[float, float]] = (-100.0, 100.0)

    def __init__(self, people: Population, seed: int) -> None:
        self._people, self._seed = people, seed

    @abstractmethod
    def details(self, masked: Table) -> tuple[Estimate, Mapping[str, float]]:
        """Return the figure with its bootstrap interval, and those that stand beside it."""

    def estimate(self, masked: Table) -> Estimate:
        """Return the figure with its bootstrap interval."""
        return self.details(masked)[0]


def difference(members: Numbers, others: Numbers, seed: int, unit: float = 100.0) -> Estimate:
    """Return the mean of members minus that of others, times `unit`, with the bootstrap's 95 per cent interval."""
    rng = drawn(seed, Draw.SHUFFLE, 12)
    draws = _resampled(members, rng) - _resampled(others, rng)
    low, high = np.quantile(draws, [0.025, 0.975]) * unit
    return Estimate(float(members.mean() - others.mean()) * unit, float(low), float(high))


def _resampled(values: Numbers, rng: np.random.Generator) -> Numbers:
    """Return the means of bootstrap samples, shape (DRAWS,), a hundred samples at a time."""
    n = len(values)
    means = [values[rng.integers(0, n, (100, n))].mean(axis=1) for _ in range(DRAWS // 100)]
    return np.concatenate(means)


def area(members: Numbers, others: Numbers) -> float:
    """Return the chance that a member has a greater score than another one, ties counting half: the AUC, 0..1."""
    from scipy.stats import rankdata  # slow to load, and searches read this file

    m, k = len(members), len(others)
    return float((rankdata(np.concatenate((members, others)))[:m].sum() - m * (m + 1) / 2.0) / (m * k))


def tenth(values: Numbers) -> NDArray[np.intp]:
    """Return the positions of the tenth with the greatest values, one at least; ties by position."""
    return np.argsort(-values, kind="stable")[: max(1, len(values) // 10)]


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
            cells = equivalence_classes(both).of
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


WIDEST = 250  # categories of a nominal feature that the learner takes as such; rarer ones go together

Integers = NDArray[np.int64]


class MembersInference(MembersJudge):
    """Right guesses of a sensitive attribute, of people in the file minus of people who are not, in per cent points."""

    # Two learners are taught by the published records, from what an intruder knows to the sensitive attribute: gradient
    # boosting, and a forest whose leaves hold single records, which remembers what it was taught. Both guess it
    # for members and others from their true values. The excess of the one that reaches more beyond others counts, of
    # several sensitive attributes the greatest: 0 in expectation for a file drawn from a model that never saw the
    # person. The interval is the bootstrap's over the people. Beside it ``surest_tenth`` says the excess among the
    # tenth of each kind of whom the learner is surest, and ``members`` and ``others`` the shares of right guesses.
    # People who are not in the file as baseline: the control of Giomi et al. (2023). Learners and sizes: design.

    name = "members-inference"
    intruder = "learned from the published file what goes with what"
    sentence = (
        "A learner on the published file guesses a sensitive attribute of {masked} points more of the people in it "
        "than of people who are not; {original} points on the unmasked file."
    )

    class Params(Judge.Params):
        """Learned attributes, and sizes of training."""

        targets: tuple[str, ...] = Field((), description="Attributes to infer; default: the sensitive ones.")
        bins: int = Field(5, ge=2, le=100, description="Classes of about equal frequency of a sensitive number.")
        lessons: int = Field(6000, ge=20, description="Published records that teach, at most.")
        asked: int = Field(3000, ge=20, description="Members queried, and others, at most each.")
        trees: int = Field(60, ge=1, le=2000, description="Trees of the forest, and rounds of boosting.")

    params: Params

    def of_details(self, details: Mapping[str, float]) -> tuple[Estimate, Mapping[str, float]] | None:
        """Return the excess of the attack of which the mean is greatest, and what is beside it."""
        return worst_attack({key: value for key, value in details.items() if OF_ATTACK in key})

    def fitted(self, people: Population) -> "FittedInference":
        """Return the attack on these people."""
        where = f"measure {self.name}"
        people.members.schema.require(self.params.targets, f"{where}: targets")
        targets = self.params.targets or people.sensitive()
        if not targets:
            advice = "Give one the role sensitive in the schema, or name it as a target."
            raise ParameterError(Fault(where, "no sensitive attribute", "one that an intruder wants to learn", advice))
        require_scikit_learn(where)
        attack = FittedReconstruction if self.name == "rarity-reconstruction" else FittedInference
        return attack(people, targets, self.params)


class RarityReconstruction(MembersInference):
    """The same by the score of NIST's reconstruction exercise (2025): right guesses of rare values weigh more."""

    # A right guess of a person's value weighs N / count(value), and the sum is divided by that of all weights: always
    # guessing the commonest of C values gives 100 / C. Mean over the hidden attributes.

    name = "rarity-reconstruction"
    sentence = (
        "Reconstructed by a learner, each value weighted by its rarity: {masked} points more of the people in the file "
        "than of people who are not; {original} points on the unmasked file."
    )


class FittedInference(FittedOnMembers):
    """`MembersInference` of one file's people."""

    def __init__(self, people: Population, targets: Sequence[str], params: MembersInference.Params) -> None:
        super().__init__(people, params.seed)
        self._targets, self._params = targets, params
        self._classes = classes_of(people.members.select(targets), params.bins)
        self._members, self._others = people.queried(params.asked, params.seed)

    def details(self, masked: Table) -> tuple[Estimate, Mapping[str, float]]:
        """Return the excess of the target and the learner of which it is greatest, and the figures of each attack."""
        published = self._people.published(masked)
        found: dict[str, float] = {}
        for place in range(len(self._targets)):
            found |= self._of_target(place, published)
        return worst_attack(found) or (Estimate.exact(0.0), {})

    def guesses(self, target: int, published: Table) -> list[tuple[Integers, Numbers, Integers, Numbers]]:
        """Return by learner the guesses of one attribute, and how sure they are, for members and for others."""
        known = [name for name in self._people.known if name != self._targets[target]]
        if not known:
            return []
        rows = np.arange(len(published), dtype=np.intp)
        lessons = published.take(sampled(rows, self._params.lessons, drawn(self._seed, Draw.SAMPLE, 14, target)))
        answers = self.truth(target, lessons)
        if len(np.unique(answers)) == 1:
            same = [np.full(len(table), answers[0]) for table in (self._members, self._others)]
            return [(same[0], np.ones(len(same[0])), same[1], np.ones(len(same[1])))]
        encode = Features(published, known)
        found = []
        for learner in _learners(encode.nominal, self._params.trees, self._seed):
            check_time()
            parts: list[Any] = []
            with one_thread():
                learner.fit(encode(lessons), answers)
                for table in (self._members, self._others):
                    chances = learner.predict_proba(encode(table))
                    parts += [learner.classes_[chances.argmax(axis=1)], chances.max(axis=1)]
            found.append(tuple(parts))
        return found

    def truth(self, target: int, table: Table) -> Integers:
        """Return the classes of a target, shape (n,)."""
        codes: Integers = self._classes.of(table.select(self._targets))[:, target].astype(np.int64)
        return codes

    def _of_target(self, target: int, published: Table) -> dict[str, float]:
        """Return by attack the excess, the shares of right guesses, and the excess of the surest tenth."""
        own, other = (self.truth(target, table) for table in (self._members, self._others))
        found: dict[str, float] = {}
        for learner, (guessed, sure, guessed_others, sure_others) in enumerate(self.guesses(target, published), 1):
            right, right_others = (guessed == own).astype(float), (guessed_others == other).astype(float)
            excess = difference(right, right_others, self._seed)
            surest = difference(right[tenth(sure)], right_others[tenth(sure_others)], self._seed)
            figures = {
                "excess": excess.value,
                "excess_low": excess.low,
                "members": 100.0 * float(right.mean()),
                "others": 100.0 * float(right_others.mean()),
                "surest_tenth": surest.value,
                "surest_tenth_low": surest.low,
            }
            found |= {f"{self._targets[target]} {learner}{OF_ATTACK}{key}": value for key, value in figures.items()}
        return found


OF_ATTACK = ": "  # between the name of an attack, and that of one of its figures


def worst_attack(details: Mapping[str, float]) -> tuple[Estimate, Mapping[str, float]] | None:
    """Return the excess of the attack of which it is greatest, with its figures before those of all attacks."""
    attacks = {key.rpartition(OF_ATTACK)[0]: value for key, value in details.items() if key.endswith("excess")}
    if not attacks:
        return None
    worst = max(attacks, key=lambda name: attacks[name]) + OF_ATTACK
    own = {key.removeprefix(worst): value for key, value in details.items() if key.startswith(worst)}
    excess, low = own.pop("excess"), own.pop("excess_low")
    return Estimate(excess, low, 2.0 * excess - low), own | dict(details)


class FittedReconstruction(FittedInference):
    """`RarityReconstruction` of one file's people."""

    def details(self, masked: Table) -> tuple[Estimate, Mapping[str, float]]:
        """Return the excess of the learner that reconstructs most of the members, mean over targets."""
        published = self._people.published(masked)
        members, others, shares = [], [], []
        for target in range(len(self._targets)):
            own, other = (self.truth(target, table) for table in (self._members, self._others))
            found = [
                (weighted(guessed, own), weighted(guessed_others, other))
                for guessed, _, guessed_others, _ in self.guesses(target, published)
            ]
            if found:
                best = max(found, key=lambda one: float(one[0].mean()))
                members.append(best[0])
                others.append(best[1])
                shares.append(100.0 / len(np.unique(np.concatenate((own, other)))))
        if not members:
            return Estimate.exact(0.0), {}
        first, second = np.mean(members, axis=0), np.mean(others, axis=0)
        details = {"members": 100.0 * float(first.mean()), "others": 100.0 * float(second.mean())}
        return difference(first, second, self._seed), details | {"commonest": float(np.mean(shares))}


def weighted(guessed: Integers, truth: Integers) -> Numbers:
    """Return each person's part of the rarity-weighted score, whose mean is the score, shape (n,)."""
    counts = np.bincount(truth)
    weights = len(truth) / counts[truth]
    parts: Numbers = weights * (guessed == truth) / weights.mean()
    return parts


class Features:
    """What an intruder knows, as numbers for a learner: of nominal attributes the commonest categories."""

    def __init__(self, published: Table, names: Sequence[str]) -> None:
        self._names = tuple(names)
        attributes = [published.schema[name] for name in names]
        self.nominal = [v for v, a in enumerate(attributes) if a.scale is Scale.NOMINAL]
        self._pools: dict[int, Integers] = {}
        for v in self.nominal:
            size = len(attributes[v].categories)
            counts = np.bincount(published.column(names[v]).astype(np.int64) + 1, minlength=size + 1)
            ranks = np.empty(size + 1, dtype=np.int64)
            ranks[np.argsort(-counts, kind="stable")] = np.arange(size + 1)
            self._pools[v] = np.minimum(ranks, WIDEST - 1)

    def __call__(self, table: Table) -> Numbers:
        """Return the features of people, shape (n, F)."""
        columns = []
        for v, name in enumerate(self._names):
            column = np.asarray(table.column(name))
            if v in self._pools:
                columns.append(self._pools[v][column.astype(np.int64) + 1].astype(np.float64))
            else:
                values = column.astype(np.float64)
                columns.append(np.where(values < 0, np.nan, values) if column.dtype.kind == "i" else values)
        return np.column_stack(columns)


class _Filled:
    """A learner that reads no missing values: they become a number below all others."""

    def __init__(self, learner: Any) -> None:
        self._learner = learner

    def fit(self, features: Numbers, answers: Integers) -> None:
        least = np.nanmin(features, axis=0, initial=0.0)
        self._below = np.where(np.isnan(least), 0.0, least) - 1.0
        self._learner.fit(self._filled(features), answers)
        self.classes_ = self._learner.classes_

    def predict_proba(self, features: Numbers) -> Numbers:
        chances: Numbers = self._learner.predict_proba(self._filled(features))
        return chances

    def _filled(self, features: Numbers) -> Numbers:
        return np.where(np.isnan(features), self._below, features)


def _learners(nominal: Sequence[int], trees: int, seed: int) -> list[Any]:
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

    state = seed % (1 << 32)
    boosted = HistGradientBoostingClassifier(
        max_iter=trees, max_leaf_nodes=16, min_samples_leaf=5, early_stopping=False,
        categorical_features=list(nominal), random_state=state,
    )  # fmt: skip
    forest = RandomForestClassifier(n_estimators=trees, min_samples_leaf=1, random_state=state, n_jobs=1)
    return [boosted, _Filled(forest)]
