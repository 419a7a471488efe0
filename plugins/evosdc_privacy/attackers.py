"""Risk by what an intruder knows and wants, and whether an attack pays: three attackers, and the game."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import ByClass, BySizes, ClassContents, IntruderView, Parameters, PrivacyModel
from evosdc.table.table import Numbers
from evosdc_privacy.population import POPULATION_NEEDED, population_frequencies, population_size

THRESHOLDS = (0.05, 0.075, 0.1, 0.2, 0.33, 0.5)


class _Attacker(PrivacyModel):
    """A model that gives each record a risk."""

    class Params(Parameters):
        """From which risk on a record is at risk."""

        threshold: float = Field(0.2, gt=0.0, le=1.0, description="risk from which on records count as at risk")

    larger_is_safer: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @abstractmethod
    def record_risks(self, view: IntruderView) -> Numbers:
        """Return the risk of each record, shape (n,), in (0, 1]."""

    def record_figures(self, view: IntruderView) -> Numbers:
        """Return the risk of each record, shape (n,)."""
        return self.record_risks(view)

    def risks(self, view: IntruderView) -> tuple[Numbers, NDArray[np.int64]]:
        """Return risks, and how many records have each: record by record, or class by class."""
        return self.record_risks(view), np.ones(len(view.table), dtype=np.int64)

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return greatest, least and mean risk, and the records at risk."""
        risks, counts = self.risks(view)
        n = int(counts.sum())
        return {
            "largest": float(risks.max()),
            "least": float(risks.min()),
            "average": float((risks * counts).sum()) / n,
            "records_at_risk": int(counts[risks > self.params.threshold].sum()) / n,
            "records_of_largest": int(counts[risks == risks.max()].sum()) / n,
            "threshold": self.params.threshold,
            "records_above": {str(level): int(counts[risks > level].sum()) for level in THRESHOLDS},
        }

    def shortfall(self, view: IntruderView, bound: float) -> float | None:
        """Return the share of records of a greater risk than the bound."""
        return float(np.mean(self.record_risks(view) > bound))

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return greatest and mean risk in a sentence."""
        share = 100.0 * figures["records_at_risk"]
        return (
            f"up to {figures['largest']:.3g}, {figures['average']:.3g} on average; {share:.1f} % of the records above "
            f"{figures['threshold']:g}"
        )


class ProsecutorRisk(_Attacker, ByClass):
    """Prosecutor risk (El Emam 2013): 1 / f for an intruder who knows that a person is in the file."""

    headline: ClassVar[str] = "largest"
    counted: ClassVar[bool] = True
    of_sensitive: ClassVar[bool] = False

    def record_risks(self, view: IntruderView) -> Numbers:
        """Return 1 / f of each record."""
        risks: Numbers = self.risks(view)[0][view.classes.of]
        return risks

    def risks(self, view: IntruderView) -> tuple[Numbers, NDArray[np.int64]]:
        """Return 1 / f of each class, f counted of what its key matches, and its records."""
        return 1.0 / view.frequencies[0], view.classes.counts

    def class_figures(self, contents: ClassContents) -> Numbers:
        """Return 1 / f of each class."""
        return 1.0 / contents.sizes


class JournalistRisk(_Attacker):
    """Journalist risk (El Emam 2013): 1 / F for an intruder who does not know who of the population is in the file.

    F are the members of the population file with the key, or the sum of the sampling weights without such a file; at
    least f.
    """

    headline: ClassVar[str] = "largest"

    def lacking(self, view: IntruderView) -> str:
        """Return that a population is needed where there is none."""
        return "" if population_size(view) is not None else POPULATION_NEEDED

    def record_risks(self, view: IntruderView) -> Numbers:
        """Return 1 / F of each record."""
        return 1.0 / population_frequencies(view)


class MarketerRisk(JournalistRisk):
    """Marketer risk (Dankar and El Emam 2010): average share of correct links when all records are linked.

    ``sum 1 / F`` over the records, divided by their number.
    """

    headline: ClassVar[str] = "average"

    def shortfall(self, view: IntruderView, bound: float) -> None:
        """Return None: a mean misses its bound by no single record."""


class AverageRisk(BySizes):
    """Average re-identification risk: the mean of 1 / f over the records, which is keys over records.

    The prosecutor's mean chance (El Emam 2013; ARX). Under wildcards f counts the records that a key matches.
    """

    headline: ClassVar[str] = "average"
    counted: ClassVar[bool] = True
    larger_is_safer: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the mean risk and the mean size of a class."""
        counts = view.classes.counts
        average = float((counts / view.frequencies[0]).sum() / counts.sum())
        return {"average": average, "mean_class_size": 1.0 / average, "combinations": len(view.classes)}

    def headline_of_sizes(self, sizes: NDArray[np.int64], times: NDArray[np.int64], original: IntruderView) -> float:
        """Return keys over records."""
        return float(times.sum()) / float((sizes * times).sum())

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the mean risk in a sentence."""
        return f"a record is re-identified with probability {figures['average']:.3g} on average"


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
