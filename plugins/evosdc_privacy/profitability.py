"""The re-identification game: whether an attack pays for an intruder, and publishing for the publisher."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from evosdc.model import ByClass, ClassContents, IntruderView, Parameters
from evosdc.table.table import Numbers
from evosdc_privacy.population import POPULATION_NEEDED, population_frequencies, population_size


class _Game(ByClass):
    """Payoffs of a record that an intruder re-identifies with probability 1 / f, or 1 / F as a journalist."""

    # The intruder attacks a record where ``gain / f - cost > 0``. The publisher has ``benefit (1 - information_loss)``
    # of it, and ``loss / f`` less where it is attacked.

    class Params(Parameters):
        """Payoffs, in any one currency; the defaults are those of the source as ARX has them."""

        benefit: float = Field(1200.0, ge=0.0, description="what the publisher has of a record published unchanged")
        loss: float = Field(300.0, ge=0.0, description="what a re-identification costs the publisher")
        gain: float = Field(300.0, ge=0.0, description="what a re-identification is worth to the intruder")
        cost: float = Field(4.0, ge=0.0, description="what an attack on a record costs the intruder")
        information_loss: float = Field(0.0, ge=0.0, le=1.0, description="share of the benefit that masking took")
        attacker: Literal["prosecutor", "journalist"] = Field(
            "prosecutor", description="1 / f, or 1 / F of the population"
        )

    of_sensitive: ClassVar[bool] = False

    @property
    def by_class(self) -> bool:
        """Whether payoffs follow from the sizes of classes alone."""
        return bool(self.params.attacker == "prosecutor")

    def lacking(self, view: IntruderView) -> str:
        """Return that a journalist needs a population where there is none."""
        return "" if self.by_class or population_size(view) is not None else POPULATION_NEEDED

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the payoffs of both sides and how many records are attacked."""
        chances = self._chances(view)
        intruder, publisher = self._intruder(chances), self._publisher(chances)
        return {
            "intruder_profit": float(intruder.max()),
            "least_payoff": float(publisher.min()),
            "mean_payoff": float(publisher.mean()),
            "records_attacked": int(np.count_nonzero(intruder > 0.0)),
            "records_at_a_loss": int(np.count_nonzero(publisher <= 0.0)),
            "expected_gain": float(intruder[intruder > 0.0].sum()),
            "attacker": self.params.attacker,
        }

    @abstractmethod
    def payoffs(self, chances: Numbers) -> Numbers:
        """Return the payoff of the side that the headline is of, by the chance of success."""

    def record_figures(self, view: IntruderView) -> Numbers:
        """Return the payoff of each record, shape (n,)."""
        return self.payoffs(self._chances(view))

    def class_figures(self, contents: ClassContents) -> Numbers:
        """Return the payoff of a record of each class."""
        return self.payoffs(1.0 / contents.sizes)

    def _chances(self, view: IntruderView) -> Numbers:
        if self.by_class:
            chances: Numbers = 1.0 / view.frequencies[0][view.classes.of]
            return chances
        return 1.0 / population_frequencies(view)

    def _intruder(self, chances: Numbers) -> Numbers:
        profit: Numbers = self.params.gain * chances - self.params.cost
        return profit

    def _publisher(self, chances: Numbers) -> Numbers:
        attacked = self._intruder(chances) > 0.0
        benefit = self.params.benefit * (1.0 - self.params.information_loss)
        payoff: Numbers = benefit - np.where(attacked, self.params.loss * chances, 0.0)
        return payoff


class Profitability(_Game):
    """The profitability game (Wan et al. 2015), the intruder's side: the greatest expected profit of an attack.

    ``gain / f - cost`` of the smallest class. ``"profitability <= 0"`` is the variant without attacks: no record is
    worth one.
    """

    headline: ClassVar[str] = "intruder_profit"
    larger_is_safer: ClassVar[bool] = False

    def payoffs(self, chances: Numbers) -> Numbers:
        """Return the profit of an attack."""
        return self._intruder(chances)

    def shortfall(self, view: IntruderView, bound: float) -> float:
        """Return the share of records that are worth more than the bound."""
        return float(np.mean(self._intruder(self._chances(view)) > bound))

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return how many records are attacked in a sentence."""
        profit = figures["intruder_profit"]
        return f"an intruder gains up to {profit:.4g} a record and attacks {figures['records_attacked']} records"


class PublisherPayoff(_Game):
    """The profitability game (Wan et al. 2015), the publisher's side: the least expected payoff of a published record.

    ``benefit (1 - information_loss)``, less ``loss / f`` where an attack pays. Records of a payoff of 0 or less are
    better not published. The source reckons the loss of each record by the entropy of its generalisation; here it is
    one figure for all, as `information_loss` says: a reconstruction.
    """

    headline: ClassVar[str] = "least_payoff"

    def payoffs(self, chances: Numbers) -> Numbers:
        """Return what a published record is worth."""
        return self._publisher(chances)

    def shortfall(self, view: IntruderView, bound: float) -> float:
        """Return the share of records of a smaller payoff than the bound."""
        return float(np.mean(self._publisher(self._chances(view)) < bound))

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the payoffs in a sentence."""
        least, mean = figures["least_payoff"], figures["mean_payoff"]
        return f"a published record is worth {mean:.4g} on average and {least:.4g} at least to the publisher"
