"""How likely records, and members of households, are to be re-identified."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evosdc.model import IntruderView, PrivacyModel
from evosdc.table.equivalence import Classes, equivalence_classes, key_codes, missing_apart
from evosdc.table.negative_binomial import reidentification_risks
from evosdc.table.table import Numbers

THE_FILE = "the file itself"  # the population, where no weights say that the file is a sample
LEVELS = (0.01, 0.05, 0.1, 0.5)


class IndividualRisk(PrivacyModel):
    """Individual risk (Benedetti and Franconi 1998, as in mu-Argus): probability that a record is linked correctly.

    The mean of 1 / F, F the unknown population frequency of the key, negative binomial given the sample frequency f
    with p = f / (sum of weights). Without weights the file is taken to be the whole population: the risk is 1 / f, and
    ``population`` says so. ``outstanding`` counts records above 0.1 and above the median by two median absolute
    deviations.
    """

    headline: ClassVar[str] = "largest"
    counted: ClassVar[bool] = True
    larger_is_safer: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return largest, median and mean risk, and how many records exceed 0.01, 0.05, 0.1 and 0.5."""
        risks, counts = class_risks(view)
        median = _median(risks, counts)
        deviation = _median(np.abs(risks - median), counts)
        return {
            "largest": float(risks.max()),
            "median": median,
            "mean": float(risks @ counts) / view.records,
            "records_above": {str(level): int(counts[risks > level].sum()) for level in LEVELS},
            "outstanding": int(counts[risks > max(0.1, median + 2.0 * deviation)].sum()),
            "population": _population(view),
        }

    def record_figures(self, view: IntruderView) -> Numbers:
        """Return the individual risk of each record, shape (n,)."""
        return record_risks(view)

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return largest and median risk in a sentence."""
        many = figures["records_above"]["0.1"]
        return f"up to {figures['largest']:.3f}, half of the records at most {figures['median']:.3g}; {many} above 0.1"


class GlobalRisk(PrivacyModel):
    """Global risk: the sum of the individual risks, the expected number of re-identifications; also as a percentage."""

    headline: ClassVar[str] = "percent"
    counted: ClassVar[bool] = True
    larger_is_safer: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the expected number of re-identified records and the percentage that they are of the file."""
        risks, counts = class_risks(view)
        expected = float(risks @ counts)
        return {
            "percent": 100.0 * expected / view.records,
            "expected_reidentifications": expected,
            "population": _population(view),
        }

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the expected number in a sentence."""
        return (
            f"an intruder with a register re-identifies {figures['expected_reidentifications']:.1f} records "
            f"({figures['percent']:.2f} %) on average"
        )


class HouseholdRisk(PrivacyModel):
    """Household risk: probability that at least one member of a household is re-identified.

    ``1 - prod (1 - r)`` over the members' individual risks, which are taken as independent. A record without household
    is a household of its own.
    """

    headline: ClassVar[str] = "largest"
    larger_is_safer: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def lacking(self, view: IntruderView) -> str:
        """Return that households are needed where there are none."""
        return "" if view.household is not None else "an attribute of role household"

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return largest and mean risk, and expected numbers of households and records at stake."""
        households, risks = _household_risks(view)
        records = float(risks @ households.counts)
        return {
            "largest": float(risks.max()),
            "mean": records / len(view.table),
            "households": len(households),
            "expected_households": float(risks.sum()),
            "expected_records": records,
            "population": _population(view),
        }

    def record_figures(self, view: IntruderView) -> Numbers:
        """Return the risk of each record's household, shape (n,)."""
        households, risks = _household_risks(view)
        by_record: Numbers = risks[households.of]
        return by_record

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the expected number of households in a sentence."""
        return (
            f"in {figures['expected_households']:.1f} of {figures['households']} households someone is re-identified "
            f"on average; {figures['largest']:.3f} at most"
        )


def class_risks(view: IntruderView) -> tuple[Numbers, NDArray[np.int64]]:
    """Return the individual risk of the records of each class, shape (m,), in (0, 1], and how many they are."""
    return reidentification_risks(*view.frequencies), view.classes.counts


def record_risks(view: IntruderView) -> Numbers:
    """Return the individual risk of each record, shape (n,), in (0, 1]."""
    risks: Numbers = class_risks(view)[0][view.classes.of]
    return risks


def _household_risks(view: IntruderView) -> tuple[Classes, Numbers]:
    """Return the households, and the probability that at least one member of each is re-identified."""
    assert view.household is not None
    households = equivalence_classes(missing_apart(key_codes(view.table, [view.household])))
    with np.errstate(divide="ignore"):  # of a member who is certain to be re-identified
        risks: Numbers = -np.expm1(households.total(np.log1p(-record_risks(view))))
    return households, risks


def _median(values: Numbers, counts: NDArray[np.int64]) -> float:
    """Return the median of values that each occur so often: of an even number the mean of the two in the middle."""
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(counts[order])
    middle = np.searchsorted(ends, [(int(ends[-1]) - 1) // 2, int(ends[-1]) // 2], side="right")
    return float(values[order][middle].mean())


def _population(view: IntruderView) -> str:
    return "estimated by the sampling weights" if view.weights is not None else THE_FILE
