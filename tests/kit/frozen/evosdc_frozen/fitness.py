"""The fitness `frozen-fitness`."""

from evosdc.model import Fitness


class FrozenFitness(Fitness):
    """The sum of IL and DR."""

    def combine(self, scores):
        """Return the objectives, all minimised."""
        return (scores["il"] + scores["dr"],)
