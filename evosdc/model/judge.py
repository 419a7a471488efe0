"""The contract of judges: measures that give a second opinion on a file that was made without looking at them."""

from abc import abstractmethod
from typing import ClassVar

from pydantic import Field

from evosdc.model.estimate import Estimated
from evosdc.model.measure import Measure
from evosdc.model.parameters import Parameters
from evosdc.table.table import Table


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

    needs_others: ClassVar[bool] = False
    """Whether it compares the people of the file with others (`Microdata.others`), and says nothing without them."""

    chance: ClassVar[float | None] = None
    """The figure by chance, where that is known; None where the masked file in random order says it."""

    @abstractmethod
    def fit(self, original: Table) -> Estimated:
        """Do all that depends on the original alone."""
