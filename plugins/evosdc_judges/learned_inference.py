"""Attribute inference by an intruder who learned from leaked pairs."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Estimate, Estimated, Judge
from evosdc.table.schema import Role, Scale, Schema
from evosdc.table.table import Numbers, Table
from evosdc.time_limit import check_time
from evosdc_judges.classes import Codes
from evosdc_judges.draws import Draw, drawn
from evosdc_judges.intervals import in_per_cent, mean_of_ratios
from evosdc_judges.learner import predicted, require_scikit_learn
from evosdc_judges.people import People, people_of
from evosdc_judges.transitions import joint_counts


def inferred_attributes(schema: Schema, named: Sequence[str], where: str) -> tuple[str, ...]:
    """Return the attributes that an intruder wants to learn: the named ones, else the sensitive ones, else all.

    Raises
    ------
    SchemaError
        A named attribute is not among those that are judged.
    """
    schema.require(named, where)
    return tuple(named) or schema.with_role(Role.SENSITIVE) or schema.names


class LearnedInference(Judge):
    """How much better original values are inferred by a classifier that learned from leaked pairs, times 100.

    An attack model as in RAPID or TCAP: half of the people leaked their original values, and a classifier (gradient
    boosting) learns each original attribute from *all* masked attributes of their records. It is asked for the other
    half. So small a classifier learns little of an attribute of many classes from so few people. Its answers are
    therefore put beside the likeliest original class behind the attribute's own label, learned from the same half, and
    the better of the two counts.

    With a the share of right answers, and b the greater of what is reached when the masked records are shuffled, for
    learning and for asking, and by the commonest class of the teaching half: ``100 (a - b) / (1 - b)``, mean over the
    attributes. An attribute whose b is 1 has 0. Range 0..100 (a worse answer than by chance counts 0), smaller is
    better; the interval is the normal one over the people asked, by linearisation of the ratio.

    Published labels are unordered tokens, so no relabelling changes the score. The look-up, the floor by the commonest
    class, the mean over attributes and the classifier's size are reconstructions. A missing value is a class of its
    own; numbers are taken by `bins` classes. Needs scikit-learn.
    """

    supports = frozenset(Scale)
    intruder = "learned original values from half of the people's masked records"
    does = "infers"
    sentence = (
        "Of the values that cannot be inferred without the masked records, a classifier infers {masked} %; {chance} % "
        "by chance, {original} % without masking."
    )

    class Params(Judge.Params):
        """What is learned, and from how much."""

        targets: tuple[str, ...] = Field((), description="Attributes to infer; default: the sensitive ones, or all.")
        bins: int = Field(10, ge=2, le=250, description="Classes of a numeric attribute.")
        records: int = Field(1500, ge=8, description="Records that teach, and records asked for, at most.")
        rounds: int = Field(20, ge=1, le=1000, description="Rounds of gradient boosting.")

    params: Params

    def fit(self, original: Table) -> "FittedLearnedInference":
        """Classify the original.

        Raises
        ------
        ParameterError
            scikit-learn is not installed, or there are fewer than 8 records.
        SchemaError
            A target is not among the attributes judged.
        """
        where = "measure learned-inference"
        self.require_support(original)
        targets = inferred_attributes(original.schema, self.params.targets, f"{where}: targets")
        people = people_of(original, self.params.bins, self.params.seed, where)
        require_scikit_learn(where)
        return FittedLearnedInference(people, targets, self.params)


class FittedLearnedInference(Estimated):
    """`LearnedInference` of one original."""

    def __init__(self, people: People, targets: Sequence[str], params: LearnedInference.Params) -> None:
        self._people = people
        self._targets = [people.names.index(name) for name in targets]
        self._rounds = params.rounds
        first, second = people.halves()
        self._taught = people.sampled(first, params.records, 0)
        self._asked = people.sampled(second, params.records, 1)

    def estimate(self, masked: Table) -> Estimate:
        """Return the gain with its interval; two classifiers an attribute."""
        published = self._people.published(masked)
        shuffled = published[drawn(self._people.seed, Draw.SHUFFLE).permutation(len(published))]
        return in_per_cent(mean_of_ratios([self._gains(v, published, shuffled) for v in self._targets]))

    def _gains(self, target: int, published: Codes, shuffled: Codes) -> tuple[Numbers, Numbers]:
        """Return for each person asked what is gained about one attribute over chance, and what could be."""
        check_time()
        truth = self._people.codes[self._asked, target]
        right = self._right(target, published)
        commonest = np.bincount(self._people.codes[self._taught, target]).argmax()
        by_chance = max((truth == commonest, self._right(target, shuffled)), key=lambda found: float(found.mean()))
        return right.astype(np.float64) - by_chance, 1.0 - by_chance.astype(np.float64)

    def _right(self, target: int, published: Codes) -> NDArray[np.bool_]:
        """Return which people are right in the better of two intruders' answers."""
        codes, taught, asked = self._people.codes, self._taught, self._asked
        truth, lessons = codes[asked, target], codes[taught, target]
        boosted = predicted(published[taught], lessons, published[asked], self._people.seed, self._rounds)
        looked_up = likeliest(published[taught, target], lessons, published[asked, target])
        return max((boosted == truth, looked_up == truth), key=lambda right: float(right.mean()))


def likeliest(labels: Codes, answers: Codes, asked: Codes) -> Codes:
    """Return for each asked label the commonest answer of those who publish it, or of all where nobody does."""
    size = int(max(labels.max(), answers.max(), asked.max())) + 1
    joint = joint_counts(labels, answers, size)
    best = joint.argmax(axis=1)
    found: Codes = np.where(joint.sum(axis=1) > 0, best, joint.sum(axis=0).argmax())[asked].astype(np.int32)
    return found
