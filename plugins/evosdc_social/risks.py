"""What intruders learn of a published graph (thesis, section 6.4), informed ones and neighbours too."""

from abc import abstractmethod
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Changes, Estimate, Estimated, Fitted, Judge, Measure, Parameters, Rescoring, Tracker
from evosdc.table.table import Table
from evosdc_social.graph import AmongNeighbours, Neighbours
from evosdc_social.level_vectors import LevelCounts, LevelVectors, level_counts, nearest_credit
from evosdc_social.space import SCALES, Nodes, space_of

Integers = NDArray[np.int64]

_SCALE = 2.0**32  # what logarithms are multiplied by before they are rounded once, so that ties are ties


def informed_credit(leaves: Nodes, published: Nodes) -> NDArray[np.float64]:
    """Return for each published record the chance that the original taken for it, one of the likeliest, is its own."""
    # The intruder knows J_v(a, b), how often value a was published as b, and all originals. Record y is linked to the
    # originals x of greatest sum over attributes of log(J_v(x_v, y_v) / J_v(x_v, .)). Equal originals and equal records
    # are looked at once, and only those originals that the record's rarest label admits. Row r of leaves and published,
    # shape (n, V), is the same user.
    originals, counts = np.unique(leaves, axis=0, return_counts=True)
    records, of = np.unique(published, axis=0, return_inverse=True)
    attributes = leaves.shape[1]
    most = int(max(leaves.max(), published.max())) + 1 if leaves.size else 1
    begins = np.zeros((attributes, most + 1), dtype=np.int64)
    holders = np.zeros((attributes, most + 1), dtype=np.int64)
    values, logarithms, holding = [], [], np.empty((attributes, len(originals)), dtype=np.int64)
    admitted = np.zeros((attributes, len(records)), dtype=np.int64)
    own = np.zeros(len(leaves), dtype=np.int64)
    for v in range(attributes):
        # Pairs of a label and a value that it was published for, label by label.
        pairs, place, often = np.unique(
            published[:, v].astype(np.int64) * most + leaves[:, v], return_inverse=True, return_counts=True
        )
        of_value = np.bincount(leaves[:, v], minlength=most)
        likely = np.rint(np.log(often / of_value[pairs % most]) * _SCALE).astype(np.int64)
        own += likely[place.reshape(-1)]
        values.append(pairs % most)
        logarithms.append(likely)
        begins[v] = np.searchsorted(pairs // most, np.arange(most + 1)) + sum(map(len, values[:-1]))
        holding[v] = np.argsort(originals[:, v], kind="stable")
        holders[v] = np.searchsorted(originals[holding[v], v], np.arange(most + 1))
        held = np.bincount(pairs // most, weights=np.diff(holders[v])[pairs % most], minlength=most)
        admitted[v] = held[records[:, v]]
    best, ties = _likeliest(
        originals, counts, records, admitted.argmin(axis=0), begins, np.concatenate(values), np.concatenate(logarithms),
        holders, holding,
    )  # fmt: skip
    found: NDArray[np.float64] = np.where(own == best[of.reshape(-1)], 1.0 / ties[of.reshape(-1)], 0.0)
    return found


@njit(cache=True)
def _likeliest(
    originals: Nodes,
    counts: Integers,
    records: Nodes,
    rarest: Integers,
    begins: Integers,
    values: Integers,
    logarithms: Integers,
    holders: Integers,
    holding: Integers,
) -> tuple[Integers, Integers]:
    """Return the greatest sum of logarithms of each record, and how many originals have it."""
    impossible = np.int64(1)
    likely = np.full((originals.shape[1], begins.shape[1]), impossible)
    best = np.empty(records.shape[0], dtype=np.int64)
    ties = np.empty(records.shape[0], dtype=np.int64)
    for record in range(records.shape[0]):
        for v in range(records.shape[1]):
            label = records[record, v]
            for pair in range(begins[v, label], begins[v, label + 1]):
                likely[v, values[pair]] = logarithms[pair]
        reached, tied = np.int64(-(2**62)), 0
        v = rarest[record]
        label = records[record, v]
        for pair in range(begins[v, label], begins[v, label + 1]):
            value = values[pair]
            for place in range(holders[v, value], holders[v, value + 1]):
                original = holding[v, place]
                total = np.int64(0)
                for w in range(records.shape[1]):
                    one = likely[w, originals[original, w]]
                    if one == impossible:
                        total = np.int64(1)
                        break
                    total += one
                if total == 1:
                    continue
                if total > reached:
                    reached, tied = total, 0
                if total == reached:
                    tied += counts[original]
        best[record], ties[record] = reached, tied
        for v in range(records.shape[1]):
            label = records[record, v]
            for pair in range(begins[v, label], begins[v, label + 1]):
                likely[v, values[pair]] = impossible
    return best, ties


class FittedSemanticRisk(Fitted):
    """Links by least semantic distance."""

    def __init__(self, original: Table, weights: dict[str, int]) -> None:
        self.space = space_of(original, weights)
        self.leaves = self.space.nodes(original)
        self.vectors = LevelVectors(self.space, "measure semantic-dr")

    @cached_property
    def known(self) -> LevelCounts | None:
        """The counts; None where they would take too much memory."""
        return level_counts(self.vectors, self.leaves)

    def track(self, masked: Table) -> "SemanticRiskTracker":
        """Return a tracker, which follows counts by vectors of levels where they fit in memory."""
        return SemanticRiskTracker(self, masked)

    def score(self, masked: Table) -> float:
        """Return the risk of a table by itself, which is found without counts."""
        nodes = self.space.nodes(masked)
        return 100.0 * float(nearest_credit(self.vectors, self.leaves, nodes).sum()) / len(self.leaves)


class SemanticRiskTracker(Tracker):
    """The tracker of a `FittedSemanticRisk`."""

    def __init__(self, fitted: FittedSemanticRisk, masked: Table) -> None:
        self._fitted, self._known = fitted, fitted.known
        self._nodes = fitted.space.nodes(masked)
        if self._known is not None:
            self._places = self._known.places(self._nodes)
            self._counts = self._known.counted(self._places)

    @property
    def score(self) -> float:
        """The share of users that are linked, in per cent."""
        return float(self.contributions().sum())

    def take(self, change: Changes) -> None:
        """Update to a child."""
        nodes = self._fitted.space.nodes(change.after)
        differ = (self._nodes[change.rows] != nodes).any(axis=1)
        self._nodes[change.rows] = nodes
        if self._known is not None:
            self._known.recount(self._places, self._counts, nodes[differ], change.rows[differ])

    def contributions(self) -> NDArray[np.float64]:
        """Return what each user adds to the risk, in per cent."""
        known, fitted = self._known, self._fitted
        if known is None:
            credit = nearest_credit(fitted.vectors, fitted.leaves, self._nodes)
        else:
            credit = known.credit(self._places, self._counts)
        return 100.0 * credit / len(fitted.leaves)


class RiskParameters(Parameters):
    """What the semantic distance weighs."""

    weights: dict[str, int] = Field(
        default_factory=dict, description="by attribute or list how much it counts, whole numbers from 1"
    )


class SemanticRisk(Measure):
    """Semantic disclosure risk: users that are linked to their own record by least semantic distance."""

    # Each user's original values are compared with all published records; of t nearest ones that hold the own, the
    # chance of taking it is 1/t.
    # Source: thesis, section 6.4; distance and credit are reconstructions.

    class Params(RiskParameters):
        """What the semantic distance weighs."""

    supports = SCALES
    generalised = True
    params: Params

    def fit(self, original: Table) -> FittedSemanticRisk:
        """Find the trees of the attributes."""
        self.require_support(original)
        return FittedSemanticRisk(original, self.params.weights)


class FittedLinks(Estimated):
    """The chance of each user to be linked to their own record, summed; nothing is drawn."""

    def __init__(self, original: Table, weights: dict[str, int] | None = None) -> None:
        self.space = space_of(original, weights)
        self.leaves = self.space.nodes(original)

    @abstractmethod
    def credit(self, nodes: Nodes) -> NDArray[np.float64]:
        """Return the chance of each user, shape (n,), from the published nodes, shape (n, V)."""

    def estimate(self, masked: Table) -> Estimate:
        """Return the share of users that are linked, in per cent; exact."""
        return Estimate.exact(float(self.shares(masked).sum()))

    def shares(self, masked: Table) -> NDArray[np.float64]:
        """Return what each user adds to the share, in per cent."""
        return 100.0 * self.credit(self.space.nodes(masked)) / len(self.leaves)

    def track(self, masked: Table) -> "LinkTracker":
        """Return a tracker that knows what each user adds."""
        return LinkTracker(self, masked)


class LinkTracker(Rescoring):
    """Scores each table from scratch, and knows what each user adds."""

    def contributions(self) -> NDArray[np.float64]:
        """Return what each user adds to the share, in per cent."""
        assert isinstance(self.fitted, FittedLinks)
        return self.fitted.shares(self.masked)


class FittedInformedRisk(FittedLinks):
    """Links by the likelihood of published values."""

    def credit(self, nodes: Nodes) -> NDArray[np.float64]:
        """Return the chance that the original taken for a record is its own."""
        return informed_credit(self.leaves, nodes)


class FittedNeighbourhoodRisk(FittedLinks):
    """Links among records with the same neighbourhood, in whichever way finds most users."""

    def __init__(self, original: Table, neighbours: Neighbours, weights: dict[str, int]) -> None:
        super().__init__(original, weights)
        self.vectors, self.neighbours = LevelVectors(self.space, "measure neighbourhood-dr"), neighbours

    def credit(self, nodes: Nodes) -> NDArray[np.float64]:
        """Return the chance of each user, by the way of linking that finds most of them in all."""
        # J of the likelihoods is counted over the whole file; the neighbourhood is one attribute more, published as it
        # is.
        leaves, of = self.leaves, np.unique(neighbourhoods(self.neighbours, nodes), return_inverse=True)[1].reshape(-1)
        known, guessed = of.astype(np.int32)[:, None], 1.0 / np.bincount(of)[of]
        # One alone with a neighbourhood is found at once.
        nearest, rest = np.floor(guessed), np.flatnonzero(guessed < 1.0)
        if rest.size:
            classes = np.unique(of[rest], return_inverse=True)[1].reshape(-1).astype(np.int64)
            nearest[rest] = nearest_credit(self.vectors, leaves[rest], nodes[rest], classes)
        likeliest = informed_credit(np.hstack([leaves, known]), np.hstack([nodes, known]))
        ways = (likeliest, nearest, guessed, informed_credit(leaves, nodes))
        return max(ways, key=lambda credit: float(credit.sum()))


def neighbourhoods(neighbours: Neighbours, nodes: Nodes) -> NDArray[np.uint64]:
    """Return a number for what an intruder sees around each user: the neighbours' published values, and the ties."""
    # Equal for neighbourhoods with the same values, each as often by edges of the same number and directions, so of the
    # same degree, and with as many self-loops; that others are equal is as likely as that two of 64 random bits are.
    _, profile = np.unique(nodes, axis=0, return_inverse=True)
    seen = profile.reshape(-1)[neighbours.ends]
    if neighbours.ties is not None:
        seen = np.unique(np.column_stack([seen, neighbours.ties]), axis=0, return_inverse=True)[1].reshape(-1)
    words = np.random.default_rng(0).integers(0, 2**64, size=int(seen.max(initial=0)) + 1, dtype=np.uint64)
    found = np.zeros(len(nodes), dtype=np.uint64)
    np.add.at(found, neighbours.users, words[seen])
    found *= np.uint64(0x9E3779B97F4A7C15)
    found += neighbours.degrees.astype(np.uint64)
    if neighbours.loops is not None:
        found += neighbours.loops.astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
    return found


class InformedSemanticRisk(Judge):
    """Records that the informed intruder links, who knows how often each value is published as which."""

    # A published record is linked to the originals of greatest likelihood; labels that were never published for a value
    # exclude it. Credit 1/t for t of them that hold the true one.
    # Source: after Torra (2017): a reconstruction, for labels above the categories.

    supports = SCALES
    generalised = True
    known = True
    intruder = "knows how often each value is published as which"
    does = "links"
    sentence = (
        "Of the records, {masked} % are linked by an intruder who knows how often each value is published as which; "
        "{chance} % where the published records are exchanged at random, {original} % without masking."
    )

    def fit(self, original: Table) -> FittedInformedRisk:
        """Find the trees of the attributes."""
        self.require_support(original)
        return FittedInformedRisk(original)


class NeighbourhoodRisk(AmongNeighbours[FittedNeighbourhoodRisk], Judge):
    """Users that an intruder links who also knows their neighbours: how many, by which edges, and what they publish."""

    # Edges are published as they are, so that a user's neighbourhood is found in the published graph. Among the records
    # with the same one the likeliest, or nearest in meaning, or any is taken; or neighbours are disregarded: the
    # greatest of the four shares. Source: 1-neighbourhood attack, after Zhou and Pei (2008): a reconstruction.

    class Params(AmongNeighbours.Params, RiskParameters, Judge.Params):
        """What the semantic distance weighs, and where the edges are."""

    supports = SCALES
    generalised = True
    known = True
    warns_from = 0.0
    intruder = "knows the neighbours of people too"
    sentence = (
        "Of the users, {masked} % are linked by an intruder who also knows their neighbours, as the published edges "
        "tell them; {chance} % where the published values are exchanged at random and the edges stay, {original} % "
        "without masking."
    )
    params: Params

    def fit_among(self, judged: Table, neighbours: Neighbours) -> FittedNeighbourhoodRisk:
        """Find the trees."""
        return FittedNeighbourhoodRisk(judged, neighbours, self.params.weights)
