"""Attribute inference of people in the file against people who are not: a learner on the published file."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Estimate, Judge
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc.time_limit import check_time
from evosdc_judges.classes import classes_of
from evosdc_judges.learned import one_thread, require_scikit_learn
from evosdc_judges.members import FittedOnMembers, MembersJudge, Population, difference, tenth
from evosdc_judges.people import Draw, drawn, sampled

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
        """Return the excess of the target and the learner of which it is greatest."""
        published = self._people.published(masked)
        found = [self._of_target(place, published) for place in range(len(self._targets))]
        return max(found, key=lambda one: one[0].value)

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

    def _of_target(self, target: int, published: Table) -> tuple[Estimate, dict[str, float]]:
        own, other = (self.truth(target, table) for table in (self._members, self._others))
        best: tuple[Estimate, dict[str, float]] = Estimate.exact(0.0), {}
        for guessed, sure, guessed_others, sure_others in self.guesses(target, published):
            right, right_others = (guessed == own).astype(float), (guessed_others == other).astype(float)
            excess = difference(right, right_others, self._seed)
            surest = difference(right[tenth(sure)], right_others[tenth(sure_others)], self._seed)
            if not best[1] or excess.value > best[0].value:
                shares = {"members": 100.0 * float(right.mean()), "others": 100.0 * float(right_others.mean())}
                best = excess, shares | {"surest_tenth": surest.value, "surest_tenth_low": surest.low}
        return best


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
