"""The contract of genotypes: what is evolved, how it varies, and the table that it stands for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from evosdc.data.table import Rows, Table
from evosdc.errors import Fault, ParameterError
from evosdc.model.microdata import Microdata
from evosdc.model.parameters import Parameters

G = TypeVar("G")

Dump = Mapping[str, NDArray[Any]]
"""A genome as named arrays: fit for npz and for the wire, no pickle."""


class Genotype(ABC, Generic[G]):
    """What is evolved.

    A genome is an ndarray, or a tuple of arrays or ints; never a DataFrame. Genomes are values: no operator changes
    one, and arrays in them are read-only. All randomness comes from the generator that is passed in.

    Parameters
    ----------
    params : Params
        Validated parameters.
    microdata : Microdata
        The confidential file and the names of its protected attributes.
    """

    class Params(Parameters):
        """No parameters."""

    def __init__(self, params: Any, microdata: Microdata) -> None:
        self.params = params
        self.microdata = microdata

    @property
    def draws(self) -> int:
        """How many tables are decoded and judged for one evaluation; 1 where decoding is not random."""
        return 1

    @property
    def common_random_numbers(self) -> bool:
        """Whether all genomes are decoded with the same random numbers (differences are then due to the genomes)."""
        return True

    @property
    def seedable(self) -> bool:
        """Whether `seeded` is implemented, so that a portfolio of masked files can start the search."""
        return type(self).seeded is not Genotype.seeded

    @abstractmethod
    def random(self, rng: np.random.Generator) -> G:
        """Return a random genome."""

    def seeded(self, masked: Table) -> G:
        """Return the genome of an already protected file (row-aligned, the protected attributes only)."""
        raise ParameterError(
            Fault(
                type(self).__name__,
                "a masked file to start from",
                "random genomes",
                "This genotype cannot be read off a file: use start = { random = N }.",
            )
        )

    @abstractmethod
    def crossover(self, a: G, b: G, rng: np.random.Generator) -> tuple[G, G]:
        """Return two children of two parents."""

    @abstractmethod
    def mutate(self, g: G, rng: np.random.Generator) -> G:
        """Return a changed copy."""

    @abstractmethod
    def decode(self, g: G, rng: np.random.Generator) -> Table:
        """Return the table (protected attributes only) that the genome stands for."""

    def changed_rows(self, parent: G, child: G) -> Rows | None:
        """Return the positions of the records that may differ between the decoded tables; None for all."""
        return None

    @abstractmethod
    def key(self, g: G) -> bytes:
        """Return a hash of the content, at least 16 bytes: equal genomes have equal keys, others do not."""

    @abstractmethod
    def check(self, g: G) -> None:
        """Raise `PluginError` when the genome is not valid."""

    @abstractmethod
    def dump(self, g: G) -> Dump:
        """Return the genome as named arrays."""

    @abstractmethod
    def load(self, d: Dump) -> G:
        """Return the genome that `dump` wrote."""

    def distance(self, a: G, b: G) -> float:
        """Return how far apart two genomes are; deterministic crowding pairs children with parents by it."""
        return 0.0 if self.key(a) == self.key(b) else 1.0

    def describe(self, g: G) -> Any:
        """Return what ``result.json`` shows of the genome: readable, JSON-able, free of records."""
        return {name: list(array.shape) for name, array in self.dump(g).items()}
