"""How many tables a genome is judged on, and whether they are drawn."""

from typing import Any

from evosdc.model import Genotype, PostRandomised, Raced, Randomised


class Draws:
    """What a genotype says of the tables that its genomes are decoded to.

    Attributes
    ----------
    genotype : Genotype
    """

    genotype: Genotype[Any]

    @property
    def draws(self) -> int:
        """How many tables are judged for one evaluation."""
        return self.genotype.draws if isinstance(self.genotype, Randomised) else 1

    def draws_of(self, genome: Any) -> int:
        """How many tables are judged for the evaluation of a genome."""
        return self.genotype.draws_of(genome) if isinstance(self.genotype, Raced) else self.draws

    def _provisional(self, genome: Any) -> bool:
        return self.draws_of(genome) < self.draws

    @property
    def fresh_draws(self) -> int:
        """How many further tables the winner is judged on; 0 where decoding is not random."""
        return self.genotype.fresh_draws if isinstance(self.genotype, Randomised) else 0

    @property
    def expected(self) -> bool:
        """Whether genomes are judged by expectations, over all tables that they may be decoded to."""
        return isinstance(self.genotype, PostRandomised) and self.genotype.expected

    @property
    def single(self) -> bool:
        """Whether the scores of a genome are those of the one table that it is published as."""
        return self.draws == 1 and self.fresh_draws == 0 and not self.expected

    @property
    def common_random_numbers(self) -> bool:
        """Whether all genomes are decoded with the same random numbers, or with none."""
        return not isinstance(self.genotype, Randomised) or self.genotype.common_random_numbers
