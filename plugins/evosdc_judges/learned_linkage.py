"""Record linkage with weights that were learned from pairs."""

import numpy as np
from pydantic import Field

from evosdc.model import Estimate, Estimated, Judge
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc.time_limit import check_time
from evosdc_judges.classes import Codes
from evosdc_judges.draws import Draw, Positions, drawn
from evosdc_judges.intervals import in_per_cent, repeated, wilson
from evosdc_judges.nearest import Costs, costs_of, linked
from evosdc_judges.people import People, people_of
from evosdc_judges.sorted_records import sorted_records
from evosdc_judges.threads import one_thread
from evosdc_judges.transitions import Joint, apart, joint_counts, reading, surprise

_PULL = 0.02
"""Weight of the squared distance from the weights that an untaught intruder would take."""

_IMPOSSIBLE = 1e6
"""Cost of a rival that equals the own record: it neither teaches nor is taught."""


class LearnedLinkage(Judge):
    """Share of records that an intruder links who learned attribute weights from the pairs of other people, times 100.

    Abril, Navarro-Arribas and Torra (2012): the intruder has some people's original records with their masked ones, and
    learns the weights of the attributes' distances under which their links are right. Half of the people, drawn from
    the seed, teach; the masked records of the other half are linked to the originals of *all* people at the least
    weighted distance, so that the figure stands beside other linkages; then the halves change places. Where t
    originals tie, the link counts 1/t. Range 0..100, smaller is better; the interval is Wilson's, widened by what
    repeated halves differ in.

    Two distances an attribute have weights, none of them negative. One is the category distance, after reading
    published labels as the pairs show them to be meant. The other is the surprise ``-log P(published | original)`` in
    the teaching half, each pair left out of its own estimate. Both see through any relabelling. Weights maximise the
    likelihood of the right links among `rivals` drawn at random (a multinomial logistic regression), where the paper
    solves a mixed-integer program. That, and the second distance, are reconstructions.

    A missing value is a class of its own; numbers are taken by `bins` classes.
    """

    supports = frozenset(Scale)
    known = True
    intruder = "learned from half of the people how the file was masked"
    does = "links"
    sentence = (
        "Of the people that taught nothing, {masked} % of the records are linked to their own; {chance} % by chance, "
        "{original} % without masking."
    )

    class Params(Judge.Params):
        """Halves and samples."""

        repeats: int = Field(2, ge=1, le=100, description="Times that halves are drawn.")
        bins: int = Field(32, ge=2, le=1000, description="Classes of a numeric attribute.")
        pairs: int = Field(1000, ge=8, description="Pairs that teach the weights, at most.")
        rivals: int = Field(150, ge=2, description="Originals that each pair is told apart from.")
        records: int = Field(1500, ge=1, description="Records of a half that are linked, at most.")

    params: Params

    def fit(self, original: Table) -> "FittedLearnedLinkage":
        """Classify the original and find its distinct records.

        Raises
        ------
        ParameterError
            There are fewer than 8 records.
        """
        self.require_support(original)
        return FittedLearnedLinkage(
            people_of(original, self.params.bins, self.params.seed, "measure learned-linkage"), self.params
        )


class FittedLearnedLinkage(Estimated):
    """`LearnedLinkage` of one original."""

    def __init__(self, people: People, params: LearnedLinkage.Params) -> None:
        self._people = people
        self._params = params
        self._originals = sorted_records(people.codes)

    def estimate(self, masked: Table) -> Estimate:
        """Return the share with its interval; O(records * distinct originals) at most for each half."""
        people, published = self._people, self._people.published(masked)
        shares = []
        for repeat in range(self._params.repeats):
            found: list[Numbers] = []
            for turn, (taught, others) in enumerate(self._turns(repeat)):
                check_time()
                costs = self.costs(published, taught, repeat, turn)
                asked = people.sampled(others, self._params.records, repeat, turn)
                own = self._originals.of_record[asked]
                found.append(linked(np.ascontiguousarray(published[asked]), own, self._originals, costs))
            links = np.concatenate(found)
            shares.append(wilson(float(links.sum()), len(links)))
        return in_per_cent(repeated(shares))

    def _turns(self, repeat: int) -> tuple[tuple[Positions, Positions], tuple[Positions, Positions]]:
        first, second = self._people.halves(repeat)
        return (first, second), (second, first)

    def costs(self, published: Codes, taught: Positions, repeat: int, turn: int) -> Costs:
        """Return the weighted costs of published and original classes that the taught pairs lead to."""
        people = self._people
        joints = [
            joint_counts(people.codes[taught, v], published[taught, v], int(size))
            for v, size in enumerate(people.classes.sizes)
        ]
        gaps = [apart(people.classes.distances[v], reading(joint)) for v, joint in enumerate(joints)]
        surprises = [surprise(joint) for joint in joints]
        rng = drawn(people.seed, Draw.RIVALS, repeat, turn)
        shown = people.sampled(taught, self._params.pairs, repeat, turn, 1)
        rivals = rng.choice(len(people), min(self._params.rivals, len(people)), replace=False)
        features = _features(people.codes, published, shown, rivals, gaps, joints, surprises)
        weights = learned_weights(features, len(people) / len(rivals))
        half = len(gaps)
        return costs_of([(weights[v] * gaps[v] + weights[half + v] * surprises[v]).T for v in range(half)])


def _features(
    codes: Codes,
    published: Codes,
    shown: Positions,
    rivals: Positions,
    gaps: list[Numbers],
    joints: list[Joint],
    surprises: list[Numbers],
) -> Numbers:
    """Return how much farther rivals are than the own record, shape (pairs, rivals, 2 V); NaN for rivals equal to it.

    The surprise of the own class, for the own record and for rivals that share the class, is that without the pair.
    """
    attributes = codes.shape[1]
    result = np.empty((len(shown), len(rivals), 2 * attributes))
    same = np.ones((len(shown), len(rivals)), dtype=bool)
    for v in range(attributes):
        own, seen, other = codes[shown, v], published[shown, v], codes[rivals, v]
        alike = own[:, None] == other[None, :]
        same &= alike
        joint = joints[v]
        total, rest = joint[own].sum(axis=1), (joint.sum(axis=0) + 1.0) / (joint.sum() + len(joint))
        left_out = -np.log((joint[own, seen] - 1.0 + rest[seen]) / (total - 1.0 + 1.0))
        result[:, :, v] = gaps[v][other[None, :], seen[:, None]] - gaps[v][own, seen][:, None]
        result[:, :, attributes + v] = np.where(
            alike, 0.0, surprises[v][other[None, :], seen[:, None]] - left_out[:, None]
        )
    result[same] = np.nan
    return result


def learned_weights(features: Numbers, represented: float) -> Numbers:
    """Return the weights, none negative, under which own records are told apart from their rivals best, shape (F,).

    Maximises the mean logarithm of ``1 / (1 + r sum_s exp(-w.f_s))`` over the pairs, less a small pull towards the
    weights of one who was not taught: 0 for the first half of the features, 1 for the second. It is concave.

    Parameters
    ----------
    features : ndarray of float64, shape (pairs, rivals, F)
        NaN for a rival that is left out.
    represented : float
        Records that each rival stands for, r.
    """
    from scipy.optimize import minimize

    left_out = np.isnan(features[:, :, 0])
    usable = np.where(left_out[:, :, None], 0.0, features)
    width = features.shape[2]
    untaught = np.concatenate((np.zeros(width // 2), np.ones(width - width // 2)))

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        exponents = np.where(left_out, -_IMPOSSIBLE, np.log(represented) - usable @ weights)
        top = np.maximum(exponents.max(axis=1), 0.0)
        parts = np.exp(exponents - top[:, None])
        total = parts.sum(axis=1) + np.exp(-top)
        pull = weights - untaught
        value = float((top + np.log(total)).mean()) + _PULL / 2.0 * float(pull @ pull)
        slopes = np.einsum("ps,psf->f", parts / total[:, None], usable)
        return value, -slopes / len(features) + _PULL * pull

    with one_thread():
        found = minimize(loss, untaught, jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * width)
    weights: Numbers = found.x
    return weights
