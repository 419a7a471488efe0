"""How many records, and how many members of the population, share a key."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from evosdc.model import ByClass, ClassContents, IntruderView, PrivacyModel
from evosdc.table.table import MISSING, Numbers
from evosdc_privacy.reidentification import THE_FILE

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
