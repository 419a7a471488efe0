"""What a genotype can do besides the core of `evosdc.model.genotype`: each capability is a class to derive from.

The framework asks ``isinstance(genotype, Seedable)`` and the like. A genotype lists what it can do as its bases:

>>> class Cells(Seedable[Genes], Followed[Genes], Movable[Genes]): ...
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from evosdc.model.constraint import Constraint
from evosdc.model.genotype import G, Genotype
from evosdc.model.masking import Masking
from evosdc.model.masking_methods import MaskingMethods
from evosdc.model.measure import Fitted
from evosdc.model.microdata import Microdata
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Rows, Table

MOST_RELABELLED = 3.0
"""Per cent of the records of an attribute, as rank swapping and noise leave it; the default of `protect`, too."""

FRESH_DRAWS = 30
"""Tables on which the winner of a search with random decoding is judged again, where the genotype does not say."""

Draw = Callable[[], int]
"""Draws the position of a record."""


class Seedable(Genotype[G]):
    """A genotype that can be read off a masked file, so that a portfolio of masked files can start the search."""

    @abstractmethod
    def seeded(self, masked: Table) -> G:
        """Return the genome of an already protected file (row-aligned, the protected attributes only)."""


class SelfStarting(Genotype[G]):
    """A genotype with initial genomes of its own.

    They start the search where ``start = { initial = true }`` says so, and without being asked where the genotype is
    not `Seedable`.
    """

    @abstractmethod
    def initial_genomes(self) -> Sequence[tuple[Masking, G]]:
        """Return the initial genomes, each with the method and parameters that it stands for.

        The maskings are labels for reports: they need not be registered methods, and no two are equal. The list is
        always the same for the same file; random genomes come from `random`.
        """


class Followed(Genotype[G]):
    """A genotype that knows which records differ between two genomes.

    An `evosdc.model.Incremental` measure is then updated for those records only, instead of judging the whole table.
    """

    @abstractmethod
    def changed_rows(self, parent: G, child: G) -> Rows | None:
        """Return the positions of the records that may differ between the decoded tables; None for all.

        Returns
        -------
        ndarray of intp, shape (m,), or None
            Each position once.
        """


class Movable(Genotype[G]):
    """A genotype with small changes of its own, of records that a local search may choose.

    Of any other genotype a local search tries mutations.
    """

    @property
    @abstractmethod
    def moves(self) -> tuple[str, ...]:
        """Kinds of small changes that a local search may try, by name."""

    @property
    def class_moves(self) -> tuple[str, ...]:
        """Further kinds, of changes that leave records alike which are so; by default none.

        They are offered besides where a constraint is on a privacy model, and half of the mutations are such moves.
        """
        return ()

    @abstractmethod
    def move(self, g: G, kind: str, rng: np.random.Generator, records: Draw | None = None) -> G:
        """Return a copy with a small change.

        Parameters
        ----------
        kind : str
            One of `moves` or `class_moves`.
        records : callable, optional
            Draws the position of a record to be changed. By default all are as likely.
        """

    def combined(self, g: G, changed: Sequence[G]) -> G | None:
        """Return `g` with the changes of several of its mutants at once; where two differ, the first one counts.

        None, the default, where changes cannot be put together.
        """
        return None


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


class Restricted(Genotype[G]):
    """A genotype with genomes that may not be published, for instance since they break a privacy model.

    They stay in the search. Their objectives are raised above those of `reference`, the more the greater the violation.
    """

    @abstractmethod
    def violation(self, g: G) -> float:
        """Return how far a genome is from what may be published, in (0, 1]; 0 where it may."""

    @property
    @abstractmethod
    def reference(self) -> G:
        """A genome without violation that none of them loses more than: the scale of the penalty."""


class Assuring(Genotype[G]):
    """A genotype whose every file fulfils a privacy requirement: ``evosdc protect`` takes it where that is asked for.

    Only a genotype that its plugin offers for the occasion ``anonymity`` is asked.
    """

    @classmethod
    @abstractmethod
    def assurance(cls, microdata: Microdata, required: Sequence[Constraint]) -> Mapping[str, Any] | None:
        """Return how a file is protected that has to fulfil requirements; None where the genotype is not for it.

        Parameters
        ----------
        microdata : Microdata
        required : sequence of Constraint
            Those on privacy models.

        Returns
        -------
        mapping, or None
            Keys of an experiment: ``genotype``, ``measures``, and what else differs from the usual ones.
        """


class Generalising(Genotype[G]):
    """A genotype whose tables publish labels that the original's categories do not have, or leave records out.

    Only measures that are `Measure.generalised` can judge such tables.
    """

    def omitted(self, g: G) -> Rows | None:
        """Return the positions of records that are left out of the published file; None, the default, for none.

        Decoded tables hold them all the same, so that records stay in their places.
        """
        return None


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
        """Return a genome as an entry of a portfolio, without a seed."""

    def last_step(self, masked: Table) -> Table:
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


class Direct(Genotype[G]):
    """A genotype that knows some scores without decoding a table."""

    @abstractmethod
    def direct(self, fitted: Fitted) -> Callable[[G], float] | None:
        """Return how a fitted measure's score follows from a genome without its table; None where it does not.

        The function must agree with ``fitted.score`` of the decoded table. It is used where all measures have one.
        """


class Described(Genotype[G]):
    """A genotype that says more of itself and of its genomes than `Genotype.describe` does.

    All texts are shown to users and must be free of records.
    """

    @property
    def notes(self) -> tuple[str, ...]:
        """What the genotype decided for the user, in plain sentences; shown with the run and kept in its result."""
        return ()

    trait_names: ClassVar[tuple[str, ...]] = ()
    """Names of the `traits` that every genome has, so that a fitness can be refused that asks for others."""

    def traits(self, g: G) -> Mapping[str, float]:
        """Return figures of the genome itself, its size for one; a fitness may use them beside the scores of its file.

        Names must not be those of measures. Files that are no genomes (a portfolio's, the original) have none; a
        fitness reads 0 there.
        """
        return {}

    def pictures(self, g: G) -> Mapping[str, str]:
        """Return pictures of a genome for the report: SVG documents by title."""
        return {}

    def files(self, g: G) -> Mapping[str, str]:
        """Return further files of the winner for the run folder: texts by name."""
        return {}
