"""How many records share a key, and how likely records and members of households are re-identified by it."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evosdc.model import ByClass, ClassContents, IntruderView, PrivacyModel
from evosdc.table.equivalence import Classes, equivalence_classes, key_codes, missing_apart
from evosdc.table.negative_binomial import reidentification_risks
from evosdc.table.table import MISSING, Numbers

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


SIZES = (2, 3, 5, 10)
POPULATION_SIZES = (5, 10, 100)


class KAnonymity(ByClass):
    """k-anonymity (Samarati 2001; Sweeney 2002): each record shares its key with at least k - 1 others.

    ``k`` is the greatest for which that holds: the smallest frequency. ``records_below`` and ``combinations_below``
    count the records, and the distinct keys, of a frequency below 2, 3, 5 and 10. Where missing values are wildcards a
    frequency is the number of records that a key matches; ``unique_as_stated`` then counts complete records that are
    unique but for that.
    """

    headline: ClassVar[str] = "k"
    counted: ClassVar[bool] = True
    of_sensitive: ClassVar[bool] = False

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return smallest frequency, unique records and what lies below each size."""
        # ``unique_as_stated`` counts complete records that share their key with none as it is stated, and are like
        # others only where missing values are like anything: 0 by all other rules.
        frequencies, counts = view.frequencies[0], view.classes.counts
        stated = 0
        if view.tree is not None:
            stated = int(counts[(counts == 1) & (frequencies > 1) & (view.keys != MISSING).all(axis=1)].sum())
        below = [frequencies < size for size in SIZES]
        records = [int(counts[rare].sum()) for rare in below]
        return {
            "k": int(frequencies.min()),
            "combinations": int(counts.size),
            "unique_records": records[0],
            "unique_percent": 100.0 * records[0] / int(counts.sum()),
            "unique_as_stated": stated,
            "records_below": dict(zip(map(str, SIZES), records, strict=True)),
            "combinations_below": {
                str(size): int(np.count_nonzero(rare)) for size, rare in zip(SIZES, below, strict=True)
            },
        }

    def attainable(self, view: IntruderView) -> tuple[float, float]:
        """Return that nobody shares a key with more records than there are."""
        return 1.0, float(len(view.table))

    def record_figures(self, view: IntruderView) -> Numbers:
        """Return how many records match each record's key, shape (n,)."""
        return view.frequencies[0][view.classes.of].astype(np.float64)

    def class_figures(self, contents: ClassContents) -> Numbers:
        """Return the sizes."""
        return contents.sizes.astype(np.float64)

    def shortfall(self, view: IntruderView, bound: float) -> float:
        """Return the share of records of a frequency below the bound."""
        return self.share_beyond(view, bound)

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return k and the number of unique records in a sentence."""
        k, unique = figures["k"], figures["unique_records"]
        if unique:
            return f"k = {k}: {unique} records ({figures['unique_percent']:.1f} %) are unique"
        return f"k = {k}: every record looks like at least {k - 1} others"

    def verdict(self, figures: Mapping[str, Mapping[str, Any]]) -> str:
        """Return whether records are unique or few share a key, and the expected re-identifications if known."""
        unique, few = list(figures["k-anonymity"]["records_below"].values())[:2]
        expected = figures.get("global-risk", {}).get("expected_reidentifications")
        chance = ""
        if expected is not None:
            rounded = float(f"{expected:.3g}")
            about = f"{rounded:,.0f}" if rounded >= 100.0 else f"{rounded:g}"
            chance = f" About {about} re-identifications are to be expected from an intruder who knows them"
            weighted = figures["global-risk"]["population"] != THE_FILE
            chance += ": by the sampling weights, each record stands for several people." if weighted else "."
        if unique:
            who = "respondent is" if unique == 1 else "respondents are"
            return (
                f"{unique} {who} unique by the attributes named below. "
                f"Do not release the file as it is, unless nobody else can know these attributes.{chance}"
            )
        stated = figures["k-anonymity"]["unique_as_stated"]
        holes = (
            f" That holds by records with missing values, which are taken to be like anything: {stated} complete "
            "records share their values with nobody. --missing category counts them."
            if stated
            else ""
        )
        if few:
            return f"nobody is unique, but {few} records share their values with only one other record.{holes}{chance}"
        k = figures["k-anonymity"]["k"]
        return f"nobody is unique; every record looks like at least {k - 1} others.{holes}{chance}"


class PopulationFrequencies(PrivacyModel):
    """Estimated population frequencies: the sum of the sampling weights of the records that a key matches.

    A rare key of the sample is less of a danger where many of the population have it.
    """

    headline: ClassVar[str] = "smallest"

    def lacking(self, view: IntruderView) -> str:
        """Return that weights are needed where there are none."""
        return "" if view.weights is not None else "sampling weights"

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return smallest, median and mean frequency of the records' keys, and how many lie below 5, 10 and 100."""
        population, counts = view.frequencies[1], view.classes.counts
        by_record = np.repeat(population, counts)
        weights = view.weights if view.weights is not None else np.ones(0)
        return {
            "smallest": float(population.min()),
            "median": float(np.median(by_record)),
            "mean": float(by_record.mean()),
            "population": float(weights.sum()),
            "records_below": {str(size): int(np.count_nonzero(by_record < size)) for size in POPULATION_SIZES},
        }

    def record_figures(self, view: IntruderView) -> Numbers:
        """Return the weights of all records that match each record's key, shape (n,)."""
        by_record: Numbers = view.frequencies[1][view.classes.of]
        return by_record

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the smallest frequency in a sentence."""
        rare = figures["records_below"]["10"]
        return f"the rarest key stands for {figures['smallest']:.1f} people; {rare} records for fewer than 10"
