"""What a genotype can do besides the core of `evosdc.model.genotype`: each capability is a class to derive from.

The framework asks ``isinstance(genotype, Seedable)`` and the like. A genotype lists what it can do as its bases:

>>> class Cells(Seedable[Genes], Local[Genes]): ...
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evosdc.model.blocks import Blocks
from evosdc.model.changes import Changes
from evosdc.model.constraint import Constraint
from evosdc.model.genotype import G, Genotype
from evosdc.model.masking import Masking
from evosdc.model.measure import Fitted
from evosdc.model.microdata import Microdata
from evosdc.table.table import Rows, Table


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


class Local(Genotype[G]):
    """A genotype whose genomes stand for records one by one.

    It knows in which records two genomes differ, so that a child is judged by what it changes
    (`evosdc.model.Tracker`). It may have small changes of its own besides, of records that a local search chooses.
    """

    @abstractmethod
    def changed_rows(self, parent: G, child: G) -> Rows | None:
        """Return the positions of the records that may differ between the decoded tables; None for all.

        Returns
        -------
        ndarray of intp, shape (m,), or None
            Each position once, ascending.
        """

    def decode_records(self, g: G, rows: Rows) -> Table:
        """Return the records of the decoded table at the given positions, in that order; O(m) where files are large.

        Parameters
        ----------
        rows : ndarray of intp, shape (m,)
            A position may come twice.

        Returns
        -------
        Table
            With the schema of the decoded table and m records.
        """
        return self.decode(g, np.random.default_rng(0)).take(rows)

    @property
    def moves(self) -> tuple[str, ...]:
        """Kinds of small changes that a local search may try, by name; where there are none it tries mutations."""
        return ()

    @property
    def class_moves(self) -> tuple[str, ...]:
        """Further kinds, of changes that leave records alike which are so; by default none.

        They are offered besides where a constraint is on a privacy model, and half of the mutations are such moves.
        """
        return ()

    def extent(self, kind: str) -> float:
        """Return about how many records a move of a kind changes; by default 1.

        What kinds bring is compared by that: who changes more takes longer to be judged.
        """
        return 1.0

    def moved(
        self,
        g: G,
        kinds: Sequence[str],
        costly: Sequence[bool],
        through: NDArray[np.float64] | None,
        rng: np.random.Generator,
    ) -> Sequence[G] | Changes:
        """Return small changes of one genome, a child for each kind.

        Parameters
        ----------
        g : G
        kinds : sequence of str
            Of `moves` or `class_moves`.
        costly : sequence of bool
            Of each child, whether its records are drawn by what they cost.
        through : ndarray of float64, shape (n,), optional
            Running sums of that; None where all are as likely.
        rng : Generator

        Returns
        -------
        sequence of G, or Changes
            The genomes; or what they change in the records of `g`, from which `changed` makes those that are wanted.
            Of dozens of children nearly all are thrown away at once.
        """
        raise NotImplementedError(f"{type(self).__name__} has moves, and has to define moved")

    def changed(self, g: G, change: Changes) -> G:
        """Return the genome of a child that is told by what it changes, where `moved` tells children so."""
        raise NotImplementedError(f"{type(self).__name__} tells what moves change, and has to define changed")

    def combined(self, g: G, changed: Sequence[G]) -> G | None:
        """Return `g` with the changes of several children at once; where two differ, the first one counts.

        None, the default, where changes cannot be put together. Not asked where `moved` returns `Changes`.
        """
        return None

    def change(self, parent: G, child: G, most: int) -> Changes | None:
        """Return what a child changes in its parent's records; None where it changes more than `most` records."""
        rows = self.changed_rows(parent, child)
        if rows is None or len(rows) > most:
            return None
        return Changes.of_one(rows, self.decode_records(parent, rows), self.decode_records(child, rows))

    def blocks(self, g: G) -> Mapping[str, Blocks]:
        """Return the arrays of `dump` in blocks that relatives share, all of them; by default none.

        For large genomes: a checkpoint of many relatives then costs what they differ in.
        """
        return {}


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

    Only a genotype that its plugin offers for the occasion ``anonymity`` is asked, and with ``--truthful`` one that is
    offered for ``truthful``: its published values are all true, only coarser or absent.
    """

    @classmethod
    @abstractmethod
    def assurance(cls, microdata: Microdata, required: Sequence[Constraint], bound: float) -> Mapping[str, Any] | None:
        """Return how a file is protected that has to fulfil requirements; None where the genotype is not for it.

        Parameters
        ----------
        microdata : Microdata
        required : sequence of Constraint
            Those on privacy models.
        bound : float
            Per cent of the people who may be expected to be found, for what nothing required says.

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
