"""The interface of measures: fitted once on the original, then scoring many masked tables."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from evosdc.model.microdata import Microdata
from evosdc.model.parameters import Parameters
from evosdc.model.scales import require_scales
from evosdc.model.tracker import Rescoring, Tracker
from evosdc.randomisation.transition import Matrix
from evosdc.table.schema import Scale
from evosdc.table.table import Table


class Fitted(ABC):
    """A measure fitted on the original, which scores masked versions of it."""

    @abstractmethod
    def score(self, masked: Table) -> float:
        """Return the score of a masked table with the original's attributes and records, row-aligned with it."""

    def track(self, masked: Table) -> Tracker:
        """Return a tracker of a masked table, which a search asks about the children of it.

        By default each child is scored from scratch. A measure that can do less returns a tracker of its own.
        """
        return Rescoring(self, masked)


class Mending(Fitted):
    """A fitted measure of exchanged labels, which can name the attributes to relabel.

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
    """A fitted measure of values that stayed at their own records, which can say where to swap them.

    Where a constraint bounds it, rare values of starting files that are above the bound are moved
    (`evosdc.table.corrections`) before the files are evaluated.
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

    A genotype that is a post-randomisation (`evosdc.model.Stochastic` by matrices) can then be evolved by expectations,
    which hold no noise.
    """

    of_matrices: ClassVar[bool] = False
    """Whether the figure is one of the matrices rather than of a table. It is then computed from the
    matrices where there are any; `score`, for files of unknown origin, is an estimate."""

    @abstractmethod
    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expectation of `score` over the tables drawn by the matrices, or a stated approximation of it.

        Parameters
        ----------
        transitions : sequence of ndarray of float64, each of shape (c, c)
            One for each attribute; missing values stay.
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
