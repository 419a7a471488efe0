"""The contract of judges: measures that give a second opinion, as estimates with their confidence intervals."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from evosdc.model.measure import Fitted, Measure
from evosdc.model.parameters import Parameters
from evosdc.table.table import Table

NORMAL_95 = 1.959963984540054  # Standard errors on each side of a 95 per cent interval


@dataclass(frozen=True)
class Estimate:
    """A figure and its 95 per cent interval, on the scale of the measure; not cut to the measure's range.

    Parameters
    ----------
    value : float
    low, high : float
        Ends of the interval; equal to the value where nothing was drawn at random.
    """

    value: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """The standard error: half the interval by its normal quantile."""
        return (self.high - self.low) / (2.0 * NORMAL_95)

    @classmethod
    def exact(cls, value: float) -> "Estimate":
        """Return a figure without uncertainty."""
        return cls(value, value, value)

    @classmethod
    def around(cls, value: float, error: float) -> "Estimate":
        """Return a figure with a standard error."""
        return cls(value, value - NORMAL_95 * error, value + NORMAL_95 * error)


class Estimated(Fitted):
    """A fitted measure whose score is an estimate: from halves, samples or tables that were drawn."""

    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    """Least and greatest score; an estimate beyond is cut off by `score` alone."""

    @abstractmethod
    def estimate(self, masked: Table) -> Estimate:
        """Return the figure of a masked table, as `score`, with its interval."""

    def details(self, masked: Table) -> tuple[Estimate, Mapping[str, float]]:
        """Return the figure with its interval, and figures that are beside it, by name: of the people worst off."""
        return self.estimate(masked), {}

    def of_others(self, masked: Table) -> Estimate | None:
        """Return the same figure of people who are not in the file, which is chance; None where there are none."""
        return None

    def score(self, masked: Table) -> float:
        """Return the figure alone, cut to the range."""
        least, greatest = self.range
        return min(max(self.estimate(masked).value, least), greatest)


class Judge(Measure):
    """A measure that gives a second opinion: an independent attack on a file, or an independent analysis of it.

    A judge is a measure like any other. `evosdc.assess.judge` describes it in words by what is declared here.
    """

    class Params(Parameters):
        """Parameters of every judge."""

        seed: int = Field(1, ge=0, description="Of all halves, samples and attacks that are drawn.")

    known: ClassVar[bool] = False
    """Whether it is about what an intruder knows of people: masked sensitive attributes are then left out of the second
    opinion, if there are others."""

    intruder: ClassVar[str] = ""  # Completes the sentence "an intruder who ..."; empty where it is no intruder's figure

    does: ClassVar[str] = ""
    """What the intruder does to a share of people: links, infers; empty where figures are no such share."""

    sentence: ClassVar[str] = ""
    """What the figure means, with ``{masked}``, ``{original}`` and ``{chance}`` in places of figures."""

    warns_from: ClassVar[float | None] = None
    """Share of the original's figure from which the sentence is a warning; None where it never is one."""

    suppressions: ClassVar[bool] = False
    """Whether a generalised judge has something to say of a file with suppressed values, too."""

    chance: ClassVar[float | None] = None
    """The figure by chance, where that is known; None where the masked file in random order says it."""

    def of_details(self, details: Mapping[str, float]) -> tuple[Estimate, Mapping[str, float]] | None:
        """Return the figure, and those beside it, that follow from mean details of several files; None: from none."""
        return None

    @abstractmethod
    def fit(self, original: Table) -> Estimated:
        """Do all that depends on the original alone."""
