"""Losses by the sizes of equivalence classes: discernibility and the average size."""

from dataclasses import dataclass

from evosdc_lattice.evaluation import NodeEvaluator, NodeFacts
from evosdc_lattice.node_loss import NodeLoss
from evosdc_lattice.space import LatticeSpace, Levels


@dataclass(frozen=True)
class Discernibility(NodeLoss):
    """DM of Bayardo and Agrawal (2005): sum of |E|^2 over kept classes, and n for each suppressed record.

    With `k` the records of classes of fewer than k count as suppressed. A node has no such class where k is that of the
    genotype.

    Smaller is better: it counts, for every record, those that it cannot be told from. (One paper's text says the
    opposite; its own fitness, the inverse of DM made large, is right.)
    """

    k: int = 1
    needs_classes = True

    def of(self, evaluator: NodeEvaluator, levels: Levels, facts: NodeFacts) -> float:
        """Return DM."""
        return float(facts.kept_squares + evaluator.space.n * facts.suppressed)

    def bound(self, space: LatticeSpace, levels: Levels, facts: NodeFacts | None) -> float:
        """Return DM* of the node, which only grows upwards and never exceeds DM."""
        assert facts is not None
        return float(facts.squares)

    def by_sizes(self, space: LatticeSpace) -> float:
        """Return k for every record: no class is smaller, and a suppressed record costs no less than n."""
        return float(space.n * min(space.model.k, space.n))


@dataclass(frozen=True)
class MonotoneDiscernibility(NodeLoss):
    """DM*: sum of |E|^2 over all classes, suppression ignored; never falls from a node to one above it."""

    needs_classes = True

    def of(self, evaluator: NodeEvaluator, levels: Levels, facts: NodeFacts) -> float:
        """Return DM*."""
        return float(facts.squares)

    def bound(self, space: LatticeSpace, levels: Levels, facts: NodeFacts | None) -> float:
        """Return DM* of the node."""
        assert facts is not None
        return float(facts.squares)

    def by_sizes(self, space: LatticeSpace) -> float:
        """Return k for every record that must be published, and 1 for the others."""
        published = space.n - space.limit
        return float(published * min(space.model.k, space.n) + space.limit)


@dataclass(frozen=True)
class AverageClassSize(NodeLoss):
    """C_AVG of LeFevre et al. (2006): n over the number of classes, over `k`; without k the plain average (AECS).

    All suppressed records together count as one class.
    """

    k: float = 1.0
    needs_classes = True

    def of(self, evaluator: NodeEvaluator, levels: Levels, facts: NodeFacts) -> float:
        """Return the average size."""
        return evaluator.space.n / (facts.kept + (facts.suppressed > 0)) / self.k

    def bound(self, space: LatticeSpace, levels: Levels, facts: NodeFacts | None) -> float:
        """Return the average size of all classes, failing ones included: nodes above have no more of them."""
        assert facts is not None
        return space.n / facts.classes / self.k

    def by_sizes(self, space: LatticeSpace) -> float:
        """Return the average size of as many classes of k as there can be, one of suppressed records among them."""
        most = space.n // space.model.k
        some = (space.n - 1) // space.model.k + 1 if space.limit else 1
        return space.n / max(most, some, 1) / self.k
