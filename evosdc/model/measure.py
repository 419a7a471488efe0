"""The contract of measures: fitted once on the original, then asked often."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from evosdc.model.changes import Changes
from evosdc.model.microdata import Microdata
from evosdc.model.parameters import Parameters
from evosdc.model.scales import require_scales
from evosdc.model.tracker import Rescoring, Tracker
from evosdc.randomisation.transition import Matrix
from evosdc.table.schema import Scale
from evosdc.table.table import Rows, Table

S = TypeVar("S")


class Fitted(ABC):
    """A measure that knows the original; asked for the score of masked versions of it."""

    @abstractmethod
    def score(self, masked: Table) -> float:
        """Return the score of a masked table with the original's attributes and records, row-aligned with it."""

    def track(self, masked: Table) -> Tracker:
        """Return a tracker of a masked table, which a search asks about the children of it.

        By default each child is scored from scratch. A measure that can do less returns a tracker of its own.
        """
        return Rescoring(self, masked)

    def burdens(self, masked: Table) -> NDArray[np.float64] | None:
        """Return what each record adds to the score, shape (n,), not negative: see `Tracker.contributions`."""
        return self.track(masked).contributions()


class Mending(Fitted):
    """A fitted measure of exchanged labels, which can say of which attributes they have to be put right.

    Where a constraint bounds it, starting files that are above the bound are mended before they are evaluated.
    """

    @abstractmethod
    def wrongly_labelled(self, masked: Table, bound: float) -> tuple[str, ...]:
        """Return the categorical attributes that are each above a bound; exchanging their labels back lowers the score.

        Parameters
        ----------
        masked : Table
        bound : float
            As a constraint has it, on the scale of the score.
        """


class Moving(Fitted):
    """A fitted measure of values that stayed at their own records, which can say where they have to change places.

    Where a constraint bounds it, rare values of starting files that are above the bound are moved
    (`evosdc.table.moved_values`) before the files are evaluated.
    """

    @abstractmethod
    def kept_too_often(self, masked: Table, bound: float) -> tuple[str, ...]:
        """Return the attributes that are each above a bound.

        Parameters
        ----------
        masked : Table
        bound : float
            As a constraint has it, on the scale of the score.
        """


class Expected(Fitted):
    """A fitted measure that can also judge transition matrices without a draw.

    A genotype that is a post-randomisation (`evosdc.model.PostRandomised`) can then be evolved by expectations,
    which hold no noise.
    """

    of_matrices: ClassVar[bool] = False
    """Whether the figure is one of the matrices rather than of a table. It is then asked for wherever there are
    matrices; `score`, for files of unknown origin, is an estimate."""

    @abstractmethod
    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expectation of `score` over the tables drawn by the matrices, or a stated approximation of it.

        Parameters
        ----------
        transitions : sequence of ndarray of float64, each of shape (c, c)
            One for each attribute; missing values stay.
        """


class Incremental(Fitted, Generic[S]):
    """A fitted measure that can also follow a table through small changes.

    States are values: `update` returns a new one and leaves the old one usable, since several children are made from
    one parent. ``value(update(state, masked, rows))`` equals ``value(start(masked))`` to the last bit, so states are
    built on integers, and sums of fractions are taken in one fixed order in `value`.
    """

    @abstractmethod
    def start(self, masked: Table) -> S:
        """Return the state of a table, computed from scratch."""

    @abstractmethod
    def update(self, state: S, masked: Table, rows: Rows) -> S:
        """Return the state of `masked`, which differs from the state's own table in `rows` only.

        Parameters
        ----------
        state : S
            Of the table before the change; not altered.
        masked : Table
            The whole table after the change.
        rows : ndarray of intp, shape (m,)
            Positions of changed records, each once; rows that turn out not to differ are allowed.
        """

    def follow(self, state: S, masked: Table, rows: Rows) -> S:
        """Return the state after a change as `update`, where the old state is not used any more and may be altered.

        So large files are followed, whose states are too large to be copied for every child. Between two calls only
        the rows of the last ones are altered in the tables of earlier states, so that a state may refer to its own
        table. By default `update`.
        """
        return self.update(state, masked, rows)

    @abstractmethod
    def value(self, state: S) -> float:
        """Return the score that a state stands for."""

    def burdens_of_state(self, state: S) -> NDArray[np.float64] | None:
        """Return the `burdens` of the table that a state stands for, to the last bit; None where the table tells them.

        A local search asks for them whenever it goes on with another file, whose state it has. By default None.
        """
        return None

    def read_from(self, other: Fitted) -> Callable[[Any], float] | None:
        """Return how the score is read from the states of another measure, None where these do not tell it.

        A search then follows the other measure alone. What is read equals `score` to the last bit.
        """
        return None

    def read_together_from(
        self, other: Fitted
    ) -> Callable[[Any, Changes], tuple[NDArray[np.float64], NDArray[np.float64]]] | None:
        """Return how several children are judged by the measure that this is read from, and by this, in one call.

        What is returned takes the other measure's state of the parent and the changes, as `Batched.values` does, and
        returns the scores by the other measure and by this, each of shape (k,). None where it is read from states
        alone, or not at all.
        """
        return None

    def score(self, masked: Table) -> float:
        """Return the score of a masked table, computed from scratch."""
        return self.value(self.start(masked))


class FollowedInPlace(Incremental[S]):
    """An incremental measure whose states are altered as a table changes, so that a change costs what it is."""

    @abstractmethod
    def copied(self, state: S) -> S:
        """Return a copy of a state that shares nothing with it that `follow` alters."""

    @abstractmethod
    def follow(self, state: S, masked: Table, rows: Rows) -> S:
        """Return the state after a change; the old one may be altered: see `Incremental.follow`."""

    def update(self, state: S, masked: Table, rows: Rows) -> S:
        """Return the state after a change, and leave the old one as it is."""
        return self.follow(self.copied(state), masked, rows)


class Batched(Incremental[S]):
    """An incremental measure that judges many children of one parent in one call, without a state for each.

    A search mostly throws children away. Of those that stay, states are made by `update` when they have children.
    """

    @property
    def together(self) -> bool:
        """Whether it does so for this original; where False it is an `Incremental` like others. By default True."""
        return True

    @property
    def beside(self) -> bool:
        """Whether `values` is worth a thread of its own, beside other measures; by default False.

        It is where it spends its time in a kernel that lets other threads go on (``numba.njit(nogil=True)``). What it
        changes no other measure reads.
        """
        return False

    @property
    def divisible(self) -> bool:
        """Whether parts of the children may be judged at the same time: `values` changes nothing. By default False."""
        return False

    @abstractmethod
    def values(self, state: S, changes: Changes) -> NDArray[np.float64]:
        """Return ``value(update(state, child, rows))`` for each child, to the last bit, shape (k,).

        Parameters
        ----------
        state : S
            Of the parent. It may be altered on the way; when the call ends it stands for the parent as before, though
            what was found out may stay in it.
        changes : Changes
            Of k children.
        """


class Measure(ABC):
    """A way of judging a masked table against its original.

    A subclass has a nested ``Params`` class and implements `fit`. Scores of measures of information loss and of
    disclosure risk lie on a 0..100 scale and are better when smaller.
    """

    class Params(Parameters):
        """No parameters."""

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    """Scales of the attributes it can judge."""

    partial: ClassVar[bool] = False
    """Whether it judges the attributes that it supports and leaves the others of a mixed file out; where False, a file
    with any other attribute is refused. Measures of disclosure risk see all attributes that an intruder sees."""

    generalised: ClassVar[bool] = False
    """Whether it judges tables whose labels leave the original's categories. Its `Fitted.score` is then given the
    masked table in a schema of its own, and refuses labels that it cannot read. Where False, they never reach it."""

    auxiliary_all: ClassVar[bool] = False
    """Whether all unprotected attributes are auxiliary to it where `auxiliary_names` is empty: `fit_in` is then given
    the whole file, but for identifiers. They are those of the original; masking does not change them."""

    def __init__(self, params: Any) -> None:
        self.params = params

    @abstractmethod
    def fit(self, original: Table) -> Fitted:
        """Do all that depends on the original alone.

        Parameters
        ----------
        original : Table
            The attributes to judge, shape (n, V), n >= 1.
        """

    def auxiliary_names(self) -> tuple[str, ...]:
        """Return the attributes of the file that it needs besides those that it judges, by its parameters."""
        return ()

    def fit_in(self, microdata: Microdata) -> Fitted:
        """Do all that depends on the original alone, with the attributes at hand that are not judged.

        Parameters
        ----------
        microdata : Microdata
            The protected attributes, those of `auxiliary_names`, and possibly others. Masked tables hold the protected
            ones only.
        """
        return self.fit(microdata.original)

    def require_support(self, table: Table, who: str = "") -> None:
        """Raise `ParameterError` naming all attributes whose scale the measure cannot judge."""
        if self.partial and any(attribute.scale in self.supports for attribute in table.schema.attributes):
            return
        scales = " or ".join(scale for scale in Scale if scale in self.supports)
        advice = f"Declare them {scales} in the schema, or leave them out of the attributes that are judged."
        require_scales(self.supports, table, who or type(self).__name__, advice)
