"""How far clusterings of one file differ that differ in their random starts alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from evosdc.clustering.geometry import Integers
from evosdc.clustering.partitions import INDICES, agreement_of, loss_of
from evosdc.secret import Seed


@dataclass(frozen=True)
class Stability:
    """Losses between clusterings of the same file by different seeds: what is lost where nothing is masked."""

    # A yardstick: a masked file whose clusters are no farther from those of the original loses nothing that another
    # seed would not lose as well.

    seeds: tuple[Seed, ...]
    # By index of `evosdc.clustering.partitions`, ``100 (1 - index)``, the mean over all pairs of seeds and, since not
    # all indices are symmetric, both directions; 0 where all clusterings are equal.
    losses: Mapping[str, float]
    greatest: Mapping[str, float]  # of the pair that differs most

    @classmethod
    def of(cls, seeds: Sequence[Seed], labels: Sequence[Integers]) -> "Stability":
        """Compare clusterings, two at least, given the cluster of each record by each seed."""
        pairs = [agreement_of(a, b) for x, y in combinations(labels, 2) for a, b in ((x, y), (y, x))]
        by_index = {index: [loss_of(index, pair) for pair in pairs] for index in INDICES}
        means = {index: sum(losses) / len(losses) for index, losses in by_index.items()}
        return cls(tuple(seeds), means, {index: max(losses) for index, losses in by_index.items()})
