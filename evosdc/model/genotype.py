"""The contract of genotypes: what is evolved, how it varies, and the table that it represents.

A genotype must implement the eight abstract methods of `Genotype`: `random`, `crossover` and `mutate` make genomes,
`decode` gives the table, `key` tells genomes apart, `check` finds wrong ones, `dump` and `load` store them. What else
it can do it says by deriving from the classes of `evosdc.model.capabilities`; the framework tells by ``isinstance`` and
leaves out what is absent:

==========  =====================================================================  =================================
Seedable    a masked file can start the search                                     seeded
Local       its genomes represent records one by one; it may have small moves      changed_rows (moved, ...)
Stochastic  decoding draws random numbers; transition matrices, expectations       draws (transitions, draws_of, ...)
Guaranteed  its files keep a privacy model                                         (violation, reference, assurance)
Direct      scores follow from a genome without its table                          direct
Described   it says more of itself and of its genomes                              (notes, traits, ...)
Composed    genomes are made of registered masking methods, plans start it         composed, masking
==========  =====================================================================  =================================

Members in parentheses have defaults. `evosdc.testing.GenotypeConformance` tests the core and whatever capabilities a
genotype has.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from evosdc.model.masking import Masking
from evosdc.model.microdata import Microdata
from evosdc.model.parameters import Parameters
from evosdc.table.table import Rows, Table

G = TypeVar("G")
USUAL_PORTFOLIO = "usual"  # represents the portfolio that is usual for the scales of the protected attributes
Dump = Mapping[str, NDArray[Any]]  # A genome as named arrays: fit for npz and for the wire, no pickle


class Genotype(ABC, Generic[G]):
    """What is evolved: the core that every genotype has.

    A genome is an ndarray, or a tuple of arrays or numbers; never a DataFrame. Genomes are values: no operator changes
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

    keeps_rules: ClassVar[bool] = False
    """Whether every genome decodes to a table that keeps `Microdata.rules`. Where False, the framework repairs what was
    decoded; tables of a genotype that `generalises` excepted, which hold true labels."""

    keeps_households: ClassVar[bool] = False
    """Whether members of a household publish one value of attributes that they share in the original."""

    generalises: ClassVar[bool] = False
    """Whether tables publish labels that the original's categories do not have, or leave records out.

    Only measures that are `Measure.generalised` can judge such tables."""

    needs: ClassVar[tuple[Literal["methods", "models"], ...]] = ()
    """What it is given when it is made, by these names: the registered masking methods (`MaskingMethods`) or privacy
    models (`PrivacyModels`)."""

    def __init__(self, params: Any, microdata: Microdata) -> None:
        self.params = params
        self.microdata = microdata

    @abstractmethod
    def random(self, rng: np.random.Generator) -> G:
        """Return a random genome."""

    @abstractmethod
    def crossover(self, a: G, b: G, rng: np.random.Generator) -> tuple[G, G]:
        """Return two children of two parents."""

    @abstractmethod
    def mutate(self, g: G, rng: np.random.Generator) -> G:
        """Return a changed copy."""

    @abstractmethod
    def decode(self, g: G, rng: np.random.Generator) -> Table:
        """Return the table that the genome represents: all records, the protected attributes only.

        Only a genotype that is `Stochastic` may draw from `rng`.
        """

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

    def random_of_start(self, place: int, rng: np.random.Generator) -> G:
        """Return the random genome at a place among those of the start, counted from 0; by default as `random`.

        For genotypes that deal something out equally over them.
        """
        return self.random(rng)

    def initial_genomes(self) -> Sequence[tuple[Masking, G]]:
        """Return initial genomes of its own, each with the method and parameters that it represents.

        By default none. They start the search where ``start = { initial = true }`` says so, and always
        where the genotype is not `Seedable`. The maskings are labels for reports: they need not be registered methods,
        and no two are equal. The list is always the same for the same file.
        """
        return ()

    def omitted(self, g: G) -> Rows | None:
        """Return the positions of records that are left out of the published file; None, the default, for none.

        Only a genotype that `generalises` leaves any out. Decoded tables hold them all the same, in their places.
        """
        return None

    @classmethod
    def auxiliary_names(cls, params: Any) -> tuple[str, ...]:
        """Return the attributes that the genotype with these ``Params`` reads beside the protected ones; usually none.

        ``microdata.table`` holds them then whatever their role.
        """
        return ()

    def distance(self, a: G, b: G) -> float:
        """Return how far apart two genomes are, at least 0; by default 0 for equal genomes and 1 for others.

        Deterministic crowding pairs children with parents by it, and the journal shows its mean as the diversity.
        """
        return 0.0 if self.key(a) == self.key(b) else 1.0

    def describe(self, g: G) -> Any:
        """Return what ``result.json`` shows of the genome: readable, JSON-able, free of records.

        By default the shapes of its arrays. Of a genome that is a rule and not data the report shows how it makes the
        file, from these entries: ``levels`` (and ``heights``), levels of generalisation by attribute; ``suppressed``
        beside them, a number of records; ``bound``, what a search knows of the best there can be
        (``measure``, ``loss``, ``least``, ``gap``); ``equation``, a formula, or ``equations``, formulas by attribute;
        ``plan``, steps in words.
        """
        return {name: list(array.shape) for name, array in self.dump(g).items()}
