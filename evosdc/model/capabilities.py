"""What a genotype can do besides the core of `evosdc.model.genotype`: each capability is a class to derive from.

The framework asks ``isinstance(genotype, Seedable)`` and the like. A genotype lists what it can do as its bases:

>>> class Cells(Seedable[Genes], Local[Genes]): ...
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evosdc.model.changes import Changes
from evosdc.model.constraint import Constraint
from evosdc.model.genotype import G, Genotype
from evosdc.model.masking import Masking
from evosdc.model.measure import Fitted
from evosdc.model.microdata import Microdata
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Rows, Table

MOST_RELABELLED = 3.0
"""Per cent of the records of an attribute, as rank swapping and noise leave it; the default of `protect`, too."""
FRESH_DRAWS = 30  # tables on which the winner of a search with random decoding is judged again, by default


class Seedable(Genotype[G]):
    """A genotype that can be read off a masked file, so that a portfolio of masked files can start the search."""

    @abstractmethod
    def seeded(self, masked: Table) -> G:
        """Return the genome of an already protected file (row-aligned, the protected attributes only)."""


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

    def changes(self, parents: Sequence[G], children: Sequence[G]) -> Changes:
        """Return what each of some children changes in its parent; by default pair by pair."""
        found = (self.changed_rows(parent, child) for parent, child in zip(parents, children, strict=True))
        rows = [np.arange(len(self.microdata.original)) if changed is None else changed for changed in found]
        tables = []
        for genomes in (parents, children):
            # Children of one parent follow each other: it is decoded once.
            runs = [list(run) for _, run in groupby(zip(genomes, rows, strict=True), key=lambda pair: id(pair[0]))]
            parts = [self.decode_records(run[0][0], np.concatenate([changed for _, changed in run])) for run in runs]
            codes, numbers = (np.concatenate([getattr(part, of) for part in parts]) for of in ("codes", "numbers"))
            tables.append(Table(parts[0].schema, codes, numbers))
        return Changes(np.cumsum(list(map(len, rows)), dtype=np.int64), np.concatenate(rows), *tables)

    @property
    def moves(self) -> tuple[str, ...]:
        """Kinds of small changes that a local search may try, by name; where there are none it tries mutations."""
        return ()

    @property
    def class_moves(self) -> tuple[str, ...]:
        """Further kinds, of changes that keep equal records equal; by default none.

        They are offered besides where a constraint is on a privacy model, and half of the mutations are such moves.
        """
        return ()

    def extent(self, kind: str) -> float:
        """Return about how many records a move of a kind changes; by default 1.

        Gains of kinds are compared by it: a child with more changes takes longer to judge.
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
        """Return the genome of a child from its changes, where `moved` returns `Changes`."""
        raise NotImplementedError(f"{type(self).__name__} returns changes from its moves, and has to define changed")

    def combined(self, g: G, changed: Sequence[G]) -> G | None:
        """Return `g` with the changes of several children at once; where two differ, the first one counts.

        None, the default, where changes cannot be combined. Not called where `moved` returns `Changes`.
        """
        return None


class Stochastic(Genotype[G]):
    """A genotype whose `decode` draws random numbers: a genome stands for many tables.

    Scores of a genome are means over the tables that it is judged on.
    """

    by_matrices: ClassVar[bool] = False
    """Whether it is a post-randomisation (PRAM): `decode` draws every value from a row of `transitions`."""

    races: ClassVar[bool] = False
    """Whether genomes say themselves on how many tables they are judged: few at first, all if promising.

    A genome that is judged on fewer than `draws` tables is provisional: whatever its scores, it comes behind those that
    were judged on all of them, and it is no result of a search."""

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

    def draws_of(self, g: G) -> int:
        """Return on how many tables a genome is judged, 1 to `draws`; fewer only of a genotype that `races`."""
        return self.draws

    def judged_on(self, g: G, draws: int) -> G:
        """Return the same genome, to be judged on this number of tables, at most `draws`; itself where none `races`."""
        return g

    def transitions(self, g: G) -> tuple[Matrix, ...]:
        """Return the transition matrix of each protected attribute; none where it is not `by_matrices`.

        ``p_kl = Pr(published = l | original = k)``, one matrix of shape (c, c) an attribute, rows summing to 1; values
        are drawn independently, missing ones stay.
        """
        return ()

    @property
    def expected(self) -> bool:
        """Whether genomes are judged by the expectations of the measures under `transitions`, without a draw."""
        return False

    @property
    def most_relabelled(self) -> float:
        """Per cent of an attribute's records that may read right under exchanged labels; 100 for no bound.

        A matrix that publishes one category as another, and back, loses little and links few, yet hides nothing from
        anyone who learns it. A search of matrices therefore has the harms that plugins offer as constraints, with this
        bound.
        """
        return MOST_RELABELLED


def matrices_of(genotype: Genotype[G]) -> Stochastic[G] | None:
    """Return a genotype that draws by transition matrices; None for any other."""
    return genotype if isinstance(genotype, Stochastic) and genotype.by_matrices else None


def racing(genotype: Genotype[G]) -> Stochastic[G] | None:
    """Return a genotype whose genomes are judged on few tables first; None for any other."""
    return genotype if isinstance(genotype, Stochastic) and genotype.races else None


class Guaranteed(Genotype[G]):
    """A genotype whose files keep a privacy model by construction.

    Genomes may be beyond the model and stay in the search all the same: see `violation`.
    """

    def violation(self, g: G) -> float:
        """Return how far a genome is from what may be published, in (0, 1]; 0, the default, where it may."""
        return 0.0

    @property
    def reference(self) -> G | None:
        """A genome without violation that none of them loses more than; None, the default, where none has any.

        Objectives of a genome with a violation are raised above those of the reference, the more the greater it is.
        """
        return None

    @classmethod
    def assurance(cls, microdata: Microdata, required: Sequence[Constraint], bound: float) -> Mapping[str, Any] | None:
        """Return how ``evosdc protect`` protects a file that has to fulfil requirements; by default not by this one.

        Called only for a genotype that its plugin offers for the occasion ``anonymity``. With ``--truthful`` it must be
        offered for ``truthful``: its published values are all true, only coarser or absent.

        Parameters
        ----------
        microdata : Microdata
        required : sequence of Constraint
            Those on privacy models.
        bound : float
            Bound on the expected per cent of re-identified people, used where no requirement sets one.

        Returns
        -------
        mapping, or None
            Keys of an experiment: ``genotype``, ``measures``, and what else differs from the usual ones.
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
    """Names of the `traits` that every genome has; a fitness that needs others is refused."""

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


class Composed(Genotype[G]):
    """A genotype whose genomes are made of registered masking methods.

    Entries of a start become genomes, not files. What a genome decodes to is put in order as any masked file is that a
    search starts from. It usually `needs` the registered methods.
    """

    @abstractmethod
    def composed(self, masking: Masking) -> G | None:
        """Return the genome that masks as an entry of a portfolio does; None where there is none."""

    @abstractmethod
    def masking(self, g: G) -> Masking:
        """Return a genome as an entry of a portfolio, without a draw."""

    def last_step(self, masked: Table, rng: np.random.Generator) -> Table:
        """Return a table once more after the step that ends all plans; itself, the default, where none does.

        Called where repairs of a file broke what that step had ensured.
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
