"""Capabilities of genotypes whose genomes stand for many tables: decoding draws random numbers."""

from abc import abstractmethod

from evosdc.model.genotype import G, Genotype
from evosdc.randomisation.transition import Matrix

MOST_RELABELLED = 3.0
"""Per cent of the records of an attribute, as rank swapping and noise leave it; the default of `protect`, too."""

FRESH_DRAWS = 30
"""Tables on which the winner of a search with random decoding is judged again, where the genotype does not say."""


class Randomised(Genotype[G]):
    """A genotype whose `decode` draws random numbers: a genome stands for many tables.

    Scores of a genome are means over `draws` tables.
    """

    @property
    @abstractmethod
    def draws(self) -> int:
        """How many tables are decoded and judged for one evaluation, at least 1."""

    @property
    def fresh_draws(self) -> int:
        """How many further tables, none seen by the search, the winner is judged on at the end.

        A search that picks the best of many genomes by the same few draws also picks the luckiest, so the scores that
        it saw are too good. Below 2 the winner is not judged again.
        """
        return FRESH_DRAWS

    @property
    def common_random_numbers(self) -> bool:
        """Whether all genomes are decoded with the same random numbers (differences are then due to the genomes)."""
        return True


class Raced(Randomised[G]):
    """A genotype whose genomes say themselves on how many tables they are judged: few at first, all if promising.

    A genome that is judged on fewer than `draws` tables is provisional: whatever its scores, it comes behind those that
    were judged on all of them, and it is no result of a search.
    """

    @abstractmethod
    def draws_of(self, g: G) -> int:
        """Return on how many tables a genome is judged, 1 to `draws`."""

    @abstractmethod
    def judged_on(self, g: G, draws: int) -> G:
        """Return the same genome, to be judged on so many tables, at most `draws`."""


class PostRandomised(Randomised[G]):
    """A genotype that is a post-randomisation (PRAM): `decode` draws every value from a row of a transition matrix."""

    @abstractmethod
    def transitions(self, g: G) -> tuple[Matrix, ...]:
        """Return the transition matrix of each protected attribute.

        ``p_kl = Pr(published = l | original = k)``, one matrix of shape (c, c) an attribute, rows summing to 1; values
        are drawn independently, missing ones stay.
        """

    @property
    def expected(self) -> bool:
        """Whether genomes are judged by the expectations of the measures under `transitions`, without a draw."""
        return False

    @property
    def most_relabelled(self) -> float:
        """Per cent of an attribute's records that may read right under exchanged labels; 100 for no bound.

        A matrix that publishes one category as another, and back, loses little and links few, yet hides nothing from
        whoever learns it. A search of matrices therefore has the harms that plugins offer as constraints, with this
        bound.
        """
        return MOST_RELABELLED
