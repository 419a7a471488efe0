"""The fitness `product`."""

from collections.abc import Mapping

from evosdc.model import Fitness


class Product(Fitness):
    """Information loss times disclosure risk, over 100."""

    def combine(self, scores: Mapping[str, float]) -> tuple[float, ...]:
        """Return the product."""
        return (scores["il"] * scores["dr"] / 100.0,)
