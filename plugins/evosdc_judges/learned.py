"""Judges that learned from pairs: record linkage with learned weights, and inference by a classifier."""

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Estimate, Estimated, Judge, Microdata
from evosdc.table.schema import Role, Schema
from evosdc.table.table import Table
from evosdc.time_limit import check_time
from evosdc_judges.classes import Codes, by_appearance, joint_counts
from evosdc_judges.intervals import in_per_cent, mean_of_ratios
from evosdc_judges.people import Draw, People, PeopleJudge, drawn

WITH_THREADS = ("scipy.linalg", "scipy.optimize", "sklearn", "sklearn.ensemble")  # which bring libraries with threads
WIDEST = 250  # classes of a feature; later classes are merged


def one_thread() -> AbstractContextManager[Any]:
    """Return a context in which linear algebra takes one thread, so that sums are taken in one order."""
    # Arrays of judges are small: several threads wait for each other longer than they work, most of all where other
    # programs want the processors. Without threadpoolctl, which scikit-learn brings along, nothing is changed.
    loaded = [name in sys.modules for name in WITH_THREADS]
    try:
        limited: AbstractContextManager[Any] = _threads_of(*loaded).limit(limits=1)
    except ModuleNotFoundError:
        return nullcontext()
    return limited


@cache
def _threads_of(*loaded: bool) -> Any:
    """Return who limits the threads of the libraries that are loaded: to look for them takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def require_scikit_learn(where: str) -> None:
    """Raise `ParameterError` where scikit-learn is not installed."""
    try:
        import sklearn.ensemble  # noqa: F401
    except ModuleNotFoundError:
        advice = "Install it: pip install scikit-learn threadpoolctl."
        raise ParameterError(Fault(where, "an environment without scikit-learn", "scikit-learn", advice)) from None


def predicted(lessons: Codes, answers: Codes, queries: Codes, seed: int, rounds: int) -> Codes:
    """Return the classes predicted for the queries, shape (m,), after training on lessons (n, F) with answers (n,)."""
    # Histogram gradient boosting with trees of eight leaves. Features are unordered classes, since published labels may
    # mean anything.
    from sklearn.ensemble import HistGradientBoostingClassifier

    found = np.unique(answers)
    if len(found) == 1:
        return np.full(len(queries), found[0], dtype=np.int32)
    learner = HistGradientBoostingClassifier(
        learning_rate=0.3,
        max_iter=rounds,
        max_leaf_nodes=8,
        min_samples_leaf=5,
        early_stopping=False,
        categorical_features=list(range(lessons.shape[1])),
        random_state=seed % (1 << 32),
    )
    with one_thread(), catch_warnings():
        # Codes of many classes are no quantity, whatever scikit-learn takes them for.
        filterwarnings("ignore", message="The number of unique classes", category=UserWarning)
        learner.fit(np.minimum(lessons, WIDEST), answers)
        answer = learner.predict(np.minimum(queries, WIDEST))
    return np.asarray(answer, dtype=np.int32)


def inferred_attributes(schema: Schema, named: Sequence[str], where: str) -> tuple[str, ...]:
    """Return the attributes that an intruder wants to learn: the named ones, else the sensitive ones, else all."""
    schema.require(named, where)
    return tuple(named) or schema.with_role(Role.SENSITIVE) or schema.names


class LearnedInference(PeopleJudge):
    """How much better original values are inferred by a classifier that learned from leaked pairs, times 100."""

    # An attack model as in RAPID or TCAP: half of the people leaked their original values, and a classifier (gradient
    # boosting) learns each original attribute from *all* masked attributes of their records. It predicts the other
    # half. So small a classifier learns little of an attribute of many classes from so few people: its answers stand
    # beside the likeliest original class behind the attribute's own label, and the better of the two counts.
    # With a the share of right answers, and b the greater share reached when the masked records are shuffled, for
    # learning and for asking, and by the commonest class of the teaching half: ``100 (a - b) / (1 - b)``, mean over the
    # attributes; 0 where b is 1. The interval is the normal one over the queried people, by linearisation of the ratio.
    # Published labels are unordered tokens, so no relabelling changes the score. The look-up, the floor, the mean over
    # attributes and the classifier's size are reconstructions.
    # Of people who are not in the file, who have no masked record, the same classifier learns each attribute without
    # its own label, and is given their true values: what the file discloses of everybody.

    name = "learned-inference"
    intruder = "learned original values from half of the people's masked records"
    does = "infers"
    sentence = (
        "Of the values that cannot be inferred without the masked records, a classifier infers {masked} %; {chance} % "
        "by chance, {original} % without masking."
    )

    class Params(Judge.Params):
        """Learned attributes, and sizes of training."""

        targets: tuple[str, ...] = Field((), description="Attributes to infer; default: the sensitive ones, or all.")
        bins: int = Field(10, ge=2, le=250, description="Classes of a numeric attribute.")
        records: int = Field(1500, ge=8, description="Training records, and queried records, at most.")
        rounds: int = Field(20, ge=1, le=1000, description="Rounds of gradient boosting.")

    params: Params

    def fit(self, original: Table) -> "FittedLearnedInference":
        """Classify the original."""
        where = f"measure {self.name}"
        targets = inferred_attributes(original.schema, self.params.targets, f"{where}: targets")
        people = self.people(original)
        require_scikit_learn(where)
        return FittedLearnedInference(people, targets, self.params)

    def fit_in(self, microdata: Microdata) -> "FittedLearnedInference":
        """Classify the original, and people who are not in the file."""
        fitted = self.fit(microdata.original)
        fitted.take_others(microdata)
        return fitted


class FittedLearnedInference(Estimated):
    """`LearnedInference` of one original."""

    def __init__(self, people: People, targets: Sequence[str], params: LearnedInference.Params) -> None:
        self._people, self._others = people, np.empty((0, len(people.names)), dtype=np.int32)
        self._most = params.records
        self._targets = [people.names.index(name) for name in targets]
        self._rounds = params.rounds
        first, second = people.halves()
        self._taught = people.sampled(first, params.records, 0)
        self._queries = people.sampled(second, params.records, 1)

    def take_others(self, microdata: Microdata) -> None:
        """Classify people who are not in the file, where there are any."""
        if microdata.others is not None:
            codes = self._people.classes.of(microdata.others.select(self._people.names))
            self._others = codes[self._people.sampled(len(codes), self._most, 2)]

    def of_others(self, masked: Table) -> Estimate | None:
        """Return the gain of people who are not in the file over their commonest class; a classifier an attribute."""
        if not len(self._others) or len(self._people.names) < 2:
            return None
        published, n = self._people.classes.of(masked), len(self._others)
        both, parts = by_appearance(np.vstack((published, self._others))), []
        for target in self._targets:
            check_time()
            lessons, truth = self._people.codes[self._taught, target], self._others[:, target]
            known = np.delete(both, target, axis=1)
            answers = predicted(known[self._taught], lessons, known[-n:], self._people.seed, self._rounds)
            by_chance = np.bincount(lessons).argmax() == truth
            parts.append((1.0 * (answers == truth) - by_chance, 1.0 - by_chance))
        return in_per_cent(mean_of_ratios(parts))

    def estimate(self, masked: Table) -> Estimate:
        """Return the gain with its interval; two classifiers an attribute."""
        published = self._people.published(masked)
        shuffled = published[drawn(self._people.seed, Draw.SHUFFLE).permutation(len(published))]
        codes, parts = self._people.codes, []
        for target in self._targets:
            check_time()
            right = self._right(target, published).astype(np.float64)
            commonest = codes[self._queries, target] == np.bincount(codes[self._taught, target]).argmax()
            by_chance = max((commonest, self._right(target, shuffled)), key=lambda found: float(found.mean()))
            # For each person the gain over chance, and the greatest possible gain.
            parts.append((right - by_chance, 1.0 - by_chance))
        return in_per_cent(mean_of_ratios(parts))

    def _right(self, target: int, published: Codes) -> NDArray[np.bool_]:
        """Return which people are right in the better of two intruders' answers."""
        codes, taught, queries = self._people.codes, self._taught, self._queries
        truth, lessons = codes[queries, target], codes[taught, target]
        boosted = predicted(published[taught], lessons, published[queries], self._people.seed, self._rounds)
        looked_up = likeliest(published[taught, target], lessons, published[queries, target])
        return max((boosted == truth, looked_up == truth), key=lambda right: float(right.mean()))


def likeliest(labels: Codes, answers: Codes, queries: Codes) -> Codes:
    """Return for each queried label the commonest answer of those who publish it, or of all where nobody does."""
    size = int(max(labels.max(), answers.max(), queries.max())) + 1
    joint = joint_counts(labels, answers, size)
    best = joint.argmax(axis=1)
    found: Codes = np.where(joint.sum(axis=1) > 0, best, joint.sum(axis=0).argmax())[queries].astype(np.int32)
    return found
