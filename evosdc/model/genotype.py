"""The contract of genotypes: what is evolved, how it varies, and the table that it stands for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.model.masking import Masking
from evosdc.model.measure import Fitted
from evosdc.model.microdata import Microdata
from evosdc.model.parameters import Parameters
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Rows, Table

G = TypeVar("G")

USUAL_PORTFOLIO = "usual"
"""In place of a portfolio's name: the one that is usual for the scales of the protected attributes."""

FRESH_DRAWS = 30
"""Tables on which the winner of a search with random decoding is judged again."""

Dump = Mapping[str, NDArray[Any]]
"""A genome as named arrays: fit for npz and for the wire, no pickle."""

Draw = Callable[[], int]
"""Draws the position of a record."""


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

    portfolio: ClassVar[str | None] = USUAL_PORTFOLIO
    """The portfolio that starts a search, or is compared with it, where the experiment does not say; or None.

    ``USUAL_PORTFOLIO`` stands for the one that is usual for the scales of the protected attributes.
    """

    generalises: ClassVar[bool] = False
    """Whether decoded tables publish labels that the original's categories do not have; only measures that are
    `Measure.generalised` can then judge them."""

    deterministic: ClassVar[bool] = False
    """Whether `decode` draws no random number, so that the generator it is given need not be put at its beginning."""

    def __init__(self, params: Any, microdata: Microdata) -> None:
        self.params = params
        self.microdata = microdata

    @property
    def draws(self) -> int:
        """How many tables are decoded and judged for one evaluation; 1 where decoding is not random."""
        return 1

    @property
    def expected(self) -> bool:
        """Whether genomes are judged by the expectations of the measures under `transitions`, without a draw."""
        return False

    @property
    def fresh_draws(self) -> int:
        """How many further tables, none seen by the search, the winner is judged on at the end.

        A search that picks the best of many genomes by the same few draws also picks the luckiest, so the scores that
        it saw are too good. 0 where decoding is not random.
        """
        return FRESH_DRAWS if self.draws > 1 else 0

    @property
    def common_random_numbers(self) -> bool:
        """Whether all genomes are decoded with the same random numbers (differences are then due to the genomes)."""
        return True

    @property
    def seedable(self) -> bool:
        """Whether `seeded` is implemented, so that a portfolio of masked files can start the search."""
        return type(self).seeded is not Genotype.seeded

    def initial(self) -> Sequence[tuple[Masking, G]]:
        """Return the genotype's own initial genomes, each with the method and parameters that it stands for.

        They start the search where ``start = { initial = true }`` says so, and without being asked where the genotype
        cannot be read off masked files. The maskings are labels for reports: they need not be registered methods.
        Always the same list for the same file; random genomes come from `random`.
        """
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the genotype decided for the user, in plain sentences; shown with the run and kept in its result."""
        return ()

    def direct(self, fitted: Fitted) -> Callable[[G], float] | None:
        """Return how a fitted measure's score follows from a genome without its table; None where it does not.

        The function must agree with ``fitted.score`` of the decoded table.
        """
        return None

    def violation(self, g: G) -> float:
        """Return how far a genome is from what may be published, in (0, 1]; 0 where it may.

        A genotype that implements it implements `reference` as well. Objectives of what may not be published are raised
        above those of the reference, the more the greater the violation.
        """
        return 0.0

    @property
    def reference(self) -> G | None:
        """A genome without violation that none of them loses more than: the scale of the penalty."""
        return None

    def omitted(self, g: G) -> Rows | None:
        """Return the positions of records that are left out of the published file; None for none."""
        return None

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

    @property
    def moves(self) -> tuple[str, ...]:
        """Kinds of small changes that a local improvement may try, by name."""
        return ("mutation",)

    def move(self, g: G, kind: str, rng: np.random.Generator, records: Draw | None = None) -> G:
        """Return a copy with a small change, by default a mutant.

        Parameters
        ----------
        kind : str
            One of `moves`.
        records : callable, optional
            Draws the position of a record to be changed; for genotypes whose genes belong to records. By default all
            are as likely.
        """
        return self.mutate(g, rng)

    def combined(self, g: G, changed: Sequence[G]) -> G | None:
        """Return `g` with the changes of several of its mutants at once; where two differ, the first one counts.

        None where changes cannot be put together.
        """
        return None

    @abstractmethod
    def decode(self, g: G, rng: np.random.Generator) -> Table:
        """Return the table (protected attributes only) that the genome stands for."""

    def transitions(self, g: G) -> tuple[Matrix, ...] | None:
        """Return the transition matrix of each protected attribute, where `decode` draws every value from its row.

        ``p_kl = Pr(published = l | original = k)``, one matrix of shape (c, c) an attribute, rows summing to 1; values
        are drawn independently, missing ones stay. None where the genotype is no post-randomisation.
        """
        return None

    def pictures(self, g: G) -> Mapping[str, str]:
        """Return pictures of a genome for the report: SVG documents by title, free of records."""
        return {}

    def files(self, g: G) -> Mapping[str, str]:
        """Return further files of the winner for the run folder: texts by name, free of records."""
        return {}

    def traits(self, g: G) -> Mapping[str, float]:
        """Return figures of the genome itself, its size for one; a fitness may use them beside the scores of its file.

        Names must not be those of measures. Files that are no genomes (a portfolio's, the original) have none.
        """
        return {}

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
