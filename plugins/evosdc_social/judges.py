"""Intruders who know more than values: how these were generalised, and what a user's neighbours publish."""

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Estimate, Estimated, Judge, Rescoring
from evosdc.table.table import Table
from evosdc_social.adjacency import AmongNeighbours
from evosdc_social.graph import Neighbours
from evosdc_social.informed import informed_credit
from evosdc_social.level_vectors import LevelVectors, nearest_credit
from evosdc_social.risks import RiskParameters
from evosdc_social.space import SCALES, SemanticSpace, space_of
from evosdc_social.tree import Nodes


class FittedLinks(Estimated):
    """The chance of each user to be linked to their own record, summed; nothing is drawn."""

    def __init__(self, space: SemanticSpace, original: Table) -> None:
        self.space, self.leaves = space, space.nodes(original)

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
        super().__init__(space_of(original, weights), original)
        self.vectors, self.neighbours = LevelVectors(self.space, "measure neighbourhood-dr"), neighbours

    def credit(self, nodes: Nodes) -> NDArray[np.float64]:
        """Return the chance of each user, by the way of linking that finds most of them in all.

        The likelihood and the least distance among the records of the same neighbourhood, a guess among them, and the
        likelihood without regard to neighbours. J of the likelihoods is counted over the whole file; the neighbourhood
        is one attribute more, which is published as it is.
        """
        of = np.unique(neighbourhoods(self.neighbours, nodes), return_inverse=True)[1].reshape(-1)
        known = of.astype(np.int32)[:, None]
        ways = (
            informed_credit(np.hstack([self.leaves, known]), np.hstack([nodes, known])),
            _credit_within(self.vectors, self.leaves, nodes, of),
            1.0 / np.bincount(of)[of],
            informed_credit(self.leaves, nodes),
        )
        return max(ways, key=lambda credit: float(credit.sum()))


def _credit_within(vectors: LevelVectors, leaves: Nodes, nodes: Nodes, of: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the credit of users among the records of the same class only; one alone in a class is found at once."""
    alone = np.bincount(of)[of] == 1
    credit: NDArray[np.float64] = alone.astype(np.float64)
    rest = np.flatnonzero(~alone)
    if rest.size:
        classes = np.unique(of[rest], return_inverse=True)[1].reshape(-1)
        credit[rest] = nearest_credit(vectors, leaves[rest], nodes[rest], classes.astype(np.int64))
    return credit


def neighbourhoods(neighbours: Neighbours, nodes: Nodes) -> NDArray[np.uint64]:
    """Return a number for what an intruder sees around each user: the published values of all neighbours, and the ties.

    Equal for neighbourhoods with the same values, each as often by edges of the same number and directions, so of the
    same degree, and with as many self-loops; that others are equal is as likely as that two of 64 random bits are.
    """
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
    """Records that the informed intruder links, who knows how often each value is published as which.

    A published record is linked to the originals of greatest likelihood; labels that were never published for a value
    exclude it. Credit 1/t for t of them that hold the true one.

    Source: after Torra (2017): a reconstruction, for labels above the categories.
    """

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
        return FittedInformedRisk(space_of(original), original)


class NeighbourhoodRisk(AmongNeighbours[FittedNeighbourhoodRisk], Judge):
    """Users that an intruder links who also knows their neighbours: how many, by which edges, and what they publish.

    Edges are published as they are, so that a user's neighbourhood is found in the published graph. Among the records
    with the same one those are taken whose values are likeliest, as by the informed intruder, or nearest in meaning, as
    in semantic disclosure risk, or any; or neighbours are disregarded: the greatest of the four shares. So exchanged
    labels hide nobody.

    Source: 1-neighbourhood attack, after Zhou and Pei (2008): a reconstruction.
    """

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
