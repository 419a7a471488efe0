"""Table 35.1 of the handbook by intruders who know the first 1 to 7 of the 13 attributes of Census, averaged.

The handbook does not say what its intruders know. Of the assumptions that were tried, this one comes nearest to its
figures: an inference, not a statement of the handbook. Risk is the mean of interval disclosure and of the greatest
linkage; the handbook's kernel distance and Mahalanobis distance are left out.

    python experiments/handbook-35-1/table.py -o runs/handbook-35-1
    python experiments/handbook-35-1/table.py --quick -o runs/handbook-35-1-quick
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import click
from scipy import stats

import evosdc
from evosdc.datasets.loading import load_dataset
from evosdc.plugins.registry import default_registry

RANK = {
    5: (16.27, 64.60), 7: (20.95, 52.06), 8: (22.42, 52.33), 9: (24.13, 40.95), 10: (28.39, 41.19), 11: (29.79, 32.09),
    12: (31.08, 31.80), 13: (31.29, 25.26), 14: (34.12, 26.57), 15: (33.41, 20.61), 16: (33.25, 23.00),
    17: (35.88, 17.66), 18: (34.69, 20.73), 19: (34.36, 15.55), 20: (34.46, 18.86),
}  # fmt: skip
"""aPIL and DR of rank swapping, by p."""

MICMUL = {
    3: (38.36, 35.62), 4: (42.80, 31.31), 5: (46.47, 27.98), 6: (48.60, 25.95), 7: (50.55, 24.38), 8: (51.00, 23.48),
    9: (52.71, 22.06), 10: (53.53, 21.82),
}  # fmt: skip
"""Of microaggregation of all attributes, by k."""

MIC4MUL = {3: (20.44, 60.58), 4: (27.09, 54.34)}
"""Of microaggregation of four attributes at a time, by k."""

ENTRIES: dict[str, tuple[str, dict[str, Any], float, float]] = {
    **{f"Rank{p:02d}": ("rank-swapping", {"p": p}, *own) for p, own in RANK.items()},
    **{f"Micmul{k:02d}": ("mdav", {"k": k, "destandardise": False}, *own) for k, own in MICMUL.items()},
    **{
        f"Mic4mul{k:02d}": ("mdav", {"k": k, "group_size": 4, "destandardise": False}, *own)
        for k, own in MIC4MUL.items()
    },
}
QUICK = ("Rank15", "Micmul05", "Mic4mul03")
MEASURES = {"apil": {}, "id": {}, "dbrl": {"scenarios": "first-half"}, "prl": {"scenarios": "first-half"}}


@click.command()
@click.option("--quick", is_flag=True, help="Three of the 25 entries.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/handbook-35-1"))
def main(quick: bool, output: Path) -> None:
    """Write loss and risk of the entries beside the handbook's, and how well both agree."""
    original = load_dataset(default_registry().spec("dataset", "census")).table
    rows: list[dict[str, Any]] = []
    for name in QUICK if quick else ENTRIES:
        method, params, loss, risk = ENTRIES[name]
        masked = evosdc.mask(original, method, protect=list(original.schema.names), seed=1, **params)
        found = evosdc.measure(original, masked, MEASURES, protect=list(original.schema.names))
        own = (found["id"] + max(found["dbrl"], found["prl"])) / 2
        rows.append(
            {"entry": name, "apil_handbook": loss, "apil": round(found["apil"], 2), "dr_handbook": risk,
             "dr": round(own, 2), "difference": round(own - risk, 2)}
        )  # fmt: skip
        click.echo("  ".join(f"{key} {value}" for key, value in rows[-1].items()))
    agreement = []
    for figure in ("apil", "dr"):
        pairs = [(row[figure], row[f"{figure}_handbook"]) for row in rows]
        apart = [own - theirs for own, theirs in pairs]
        spearman = stats.spearmanr(*zip(*pairs, strict=True)).statistic
        agreement.append(
            {"figure": figure, "spearman": round(float(spearman), 3), "least_difference": round(min(apart), 2),
             "greatest_difference": round(max(apart), 2)}
        )  # fmt: skip
    output.mkdir(parents=True, exist_ok=True)
    for file, table in (("table.csv", rows), ("agreement.csv", agreement)):
        with (output / file).open("w", newline="", encoding="utf-8") as target:
            writer = csv.DictWriter(target, list(table[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)


if __name__ == "__main__":
    main()
