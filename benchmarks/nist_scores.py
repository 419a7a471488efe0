"""Scores of NIST's program for masked files of its data excerpts; run by an interpreter that has ``sdnist``.

``python benchmarks/nist_scores.py ORIGINAL MASKED`` prints JSON: the k-marginal score (1000 where all tables are kept),
per cent of the people alone of their kind in the original that are found exactly in the masked file, and how many
records each of its consistency checks finds. Values are binned as its report bins them.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import sdnist.report  # noqa: F401  # first: its modules import each other
from sdnist.metrics.inconsistency import Inconsistencies
from sdnist.metrics.kmarginal import KMarginal
from sdnist.metrics.unique_exact_matches import unique_exact_matches
from sdnist.report.dataset.binning import add_bin_for_NA, percentile_rank_synthetic, percentile_rank_target

NUMERIC = ["AGEP", "POVPIP", "PINCP", "PWGTP", "WGTP"]
"""Attributes that NIST's report bins by percentiles of the original."""

WHOLE = ("AGEP", "HOUSING_TYPE", "OWN_RENT")
"""Attributes that its consistency checks compare as numbers."""


def read(path: str) -> pd.DataFrame:
    """Read a file as text; N stays N."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def main(original: str, masked: str) -> None:
    """Print the scores of a masked file."""
    target = read(original)
    published = read(masked)[list(target.columns)]
    binned = add_bin_for_NA(percentile_rank_target(target, NUMERIC), target, NUMERIC)
    ranked = add_bin_for_NA(percentile_rank_synthetic(published, target, binned, NUMERIC), published, NUMERIC)
    tables = KMarginal(binned, ranked, ["PUMA"] if "PUMA" in target else [])
    tables.compute_score()
    checked = published.astype({name: int for name in WHOLE if name in published})
    with TemporaryDirectory() as folder:
        checks = Inconsistencies(checked, Path(folder))
        checks.compute()
    checked_groups = [found for group in ("age", "work", "housing") for found in checks.stats[group]]
    broken = {found[0]: int(found[3].split()[0]) for found in checked_groups}  # it says "12 violations"
    _, found_exactly, _, _ = unique_exact_matches(target, published)
    print(json.dumps({"k_marginal": float(tables.score), "unique_found": float(found_exactly), "broken": broken}))


if __name__ == "__main__":
    main(*sys.argv[1:])
