"""Capabilities of genotypes whose genomes are made of registered masking methods."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from evosdc.model.genotype import G, Genotype
from evosdc.model.masking import Masking
from evosdc.model.masking_methods import MaskingMethods
from evosdc.model.microdata import Microdata
from evosdc.table.table import Table


class Equipped(Genotype[G]):
    """A genotype that is given the registered masking methods when it is made.

    Parameters
    ----------
    params : Params
    microdata : Microdata
    methods : MaskingMethods
    """

    def __init__(self, params: Any, microdata: Microdata, methods: MaskingMethods) -> None:
        super().__init__(params, microdata)
        self.methods = methods


class Composed(Equipped[G]):
    """A genotype whose genomes are made of registered masking methods.

    Entries of a start become genomes, not files. What a genome decodes to is put in order as any masked file is that a
    search starts from.
    """

    @abstractmethod
    def composed(self, masking: Masking) -> G | None:
        """Return the genome that masks as an entry of a portfolio does; None where there is none."""

    @abstractmethod
    def masking(self, g: G) -> Masking:
        """Return a genome as an entry of a portfolio, without a draw."""

    def last_step(self, masked: Table, rng: np.random.Generator) -> Table:
        """Return a table once more after the step that ends all plans; itself, the default, where none does.

        Asked for where putting a file in order broke what that step had made sure of.
        """
        return masked

    def simpler(self, g: G) -> Sequence[G]:
        """Return the genomes that lack one step of a genome each, to see whether a winner needs all of its steps."""
        return ()

    def refined(self, g: G) -> Sequence[G]:
        """Return the genomes that differ from a genome in one parameter, moved up or down by a little."""
        return ()

    def joined(self, a: G, b: G, rng: np.random.Generator | None = None) -> G | None:
        """Return the genome that has the steps of one genome and then those of another; None where there is none.

        Where `rng` is given they are changed at random: steps that each are right alone protect too much together.
        """
        return None
