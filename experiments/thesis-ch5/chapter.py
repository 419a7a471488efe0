"""The tables of chapter 5: protections, the best of them, comparisons over seeds, and lost clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median

from clusterings import INDEX, Analysis
from protections import FIGURES, LOST, Protection
from ranks import BESIDE, LEVEL, QUANTITIES, Comparison, compared, holm, rank_biserial
from tables import publish

from evosdc.clustering.partitions import INDICES

Files = Mapping[tuple[str, str], Sequence[Protection]]
"""All protections, by file and method."""

SHOWN = ("il", "dr", "informed-dr", "guess-gain", "informed-linkage", "worst-relabelling")
RANDOM, KEPT = "lost, random starts", "lost, from the original's"
FIRST_SEED = 1
"""Whose clustered files are drawn and listed; all seeds are compared."""


def first_draw(files: Sequence[Protection]) -> list[Protection]:
    """Return the files without clusters, and those of the first seed."""
    return [one for one in files if one.c == 1 or one.seed == FIRST_SEED]


def protection_tables(found: Files, originals: Mapping[str, Protection], output: Path) -> None:
    """Write all files of the first seed, and the best ones by both fitnesses (tables 5.1 and 5.2 in kind)."""
    rows, best = [], []
    for (file, method), files in found.items():
        rows += [[file, method, one.c, one.k, *(one.figures[name] for name in FIGURES)] for one in first_draw(files)]
    publish(output / "protections.csv", "Protections", ["file", "method", "c", "k", *FIGURES], rows, 3)
    for file, original in originals.items():
        for fitness in ("mean", "max"):
            cells = [original.figures[name] for name in (fitness, *SHOWN)]
            best.append([file, fitness, "original", "", "", *cells, ""])
            for (_, method), files in ((key, files) for key, files in found.items() if key[0] == file):
                plain = [one for one in files if one.c == 1]
                drawn = [one for one in first_draw(files) if one.c > 1]
                by_seed = [
                    min(one.figures[fitness] for one in files if one.c > 1 and one.seed == seed)
                    for seed in sorted({one.seed for one in files})
                ]
                for label, chosen, seeds in ((method, plain, ""), (f"clustered {method}", drawn, median(by_seed))):
                    one = min(chosen, key=lambda one: (one.figures[fitness], one.c, one.k))
                    cells = [one.figures[name] for name in (fitness, *SHOWN)]
                    best.append([file, fitness, label, one.c if one.c > 1 else "", one.k, *cells, seeds])
    header = ["file", "fitness", "protection", "c", "k", "score", *SHOWN, "median of seeds"]
    publish(output / "best.csv", "Best protections", header, best)


def comparison_tables(found: Files, output: Path) -> dict[tuple[str, str], list[tuple[Comparison, float]]]:
    """Compare with and without clusters; write all comparisons, a summary, and one line for each number of clusters.

    Returns the comparisons with p corrected for the number of all of them.
    """
    listed = [(key, one) for key, files in found.items() for one in compared(files, QUANTITIES)]
    corrected = holm([one.p for _, one in listed])
    entries: dict[tuple[str, str], list[tuple[Comparison, float]]] = {key: [] for key in found}
    for (key, one), p in zip(listed, corrected, strict=True):
        entries[key].append((one, p))
    rows = [
        [file, method, one.quantity, one.c, _signed(one.difference), _signed(min(one.differences)),
         _signed(max(one.differences)), one.better, len(one.differences), f"{rank_biserial(one.differences):.2f}",
         f"{one.p:.2g}", f"{p:.2g}", _verdict(one, p)]
        for (file, method), compared_ in entries.items() for one, p in compared_
    ]  # fmt: skip
    header = ["file", "method", "quantity", "c", "difference", "least", "greatest", "seeds better", "seeds"]
    publish(
        output / "comparisons.csv", "Comparisons", [*header, "rank-biserial", "p", "p corrected", "clustering is"], rows
    )
    _summary(entries, output)
    _by_clusters(found, entries, output)
    return entries


def _verdict(one: Comparison, p: float) -> str:
    if p >= LEVEL or one.difference == 0.0:
        return "-"
    return "better" if one.difference < 0.0 else "worse"


def _signed(difference: float) -> str:
    return f"{difference:+.2f}"


def _summary(entries: Mapping[tuple[str, str], Sequence[tuple[Comparison, float]]], output: Path) -> None:
    rows = []
    for (file, method), listed in entries.items():
        for quantity in QUANTITIES:
            chosen = [(one, p) for one, p in listed if one.quantity == quantity]
            verdicts = [_verdict(one, p) for one, p in chosen]
            counts = [verdicts.count(said) for said in ("better", "worse", "-")]
            ends = [_signed(end([one.difference for one, _ in chosen])) for end in (min, median, max)]
            rows.append([file, method, quantity, *counts, *ends])
    header = ["file", "method", "quantity", "better", "worse", "no evidence", "least", "median", "greatest"]
    publish(output / "summary.csv", "Numbers of clusters at which clustering is better or worse", header, rows)


def _by_clusters(
    found: Files, entries: Mapping[tuple[str, str], Sequence[tuple[Comparison, float]]], output: Path
) -> None:
    marks = {"better": " better", "worse": " worse", "-": ""}
    rows = []
    for (file, method), files in found.items():
        beside = compared(files, BESIDE)
        k = sorted({one.k for one in files})[0]
        for c in sorted({one.c for one in beside}):
            shown = {one.quantity: _signed(one.difference) for one in beside if one.c == c}
            shown |= {
                one.quantity: _signed(one.difference) + marks[_verdict(one, p)]
                for one, p in entries[file, method] if one.c == c
            }  # fmt: skip
            different = len({one.digest for one in files if (one.c, one.k) == (c, k)})
            rows.append([file, method, c, different, *(shown[name] for name in (*BESIDE, *QUANTITIES))])
    header = ["file", "method", "c", "different files", *BESIDE, *QUANTITIES]
    publish(output / "by-clusters.csv", "Median differences by number of clusters", header, rows)


Lost = Sequence[tuple[Protection, Mapping[str, float]]]


def lost_clusters(found: Files, file: str, analysis: Analysis) -> Lost:
    """Return the files of the first seed with their lost clusters by index."""
    chosen = (one for (of, _), files in found.items() if of == file for one in first_draw(files))
    return [(one, analysis.losses(one.masked)) for one in chosen]


def cluster_tables(lost: Mapping[str, Lost], yardsticks: Mapping[str, Mapping[str, float]], output: Path) -> None:
    """Write lost clusters of all files, the best scores with them as IL (table 5.3 in kind), and all their indices."""
    rows, best, indices = [], [], []
    for file, entries in lost.items():
        yardstick = yardsticks[file]
        rows += [[file, one.method, one.c, one.k, losses[INDEX], one.figures[LOST]] for one, losses in entries]
        indices.append([file, "another seed, nothing masked", "", "", *(yardstick[index] for index in INDICES), ""])
        for method in dict.fromkeys(one.method for one, _ in entries):
            for label, plain in ((method, True), (f"clustered {method}", False)):
                chosen = [entry for entry in entries if entry[0].method == method and (entry[0].c == 1) == plain]
                one, losses = min(
                    chosen, key=lambda entry: ((entry[1][INDEX] + entry[0].figures["dr"]) / 2, entry[0].c)
                )
                place = [file, label, "" if plain else one.c, one.k]
                score = (losses[INDEX] + one.figures["dr"]) / 2
                least = min(entry[1][INDEX] for entry in chosen)
                beyond = mean(entry[1][INDEX] > yardstick[INDEX] for entry in chosen)
                figures = [
                    losses[INDEX],
                    yardstick[INDEX],
                    one.figures[LOST],
                    one.figures["dr"],
                    one.figures["informed-linkage"],
                ]
                best.append([*place, score, *figures, least, f"{100 * beyond:.0f} %"])
                indices.append([*place, *(losses[index] for index in INDICES), one.figures[LOST]])
    publish(output / "clusters.csv", "Lost clusters", ["file", "method", "c", "k", RANDOM, KEPT], rows, 3)
    header = ["file", "protection", "c", "k", "score", RANDOM, "another seed", KEPT, "dr", "informed-linkage"]
    header += ["least lost", "files beyond another seed"]
    publish(output / "cluster-best.csv", "Best scores with lost clusters as IL", header, best)
    publish(
        output / "cluster-indices.csv", "Losses of these files by all indices",
        ["file", "protection", "c", "k", *INDICES, KEPT], indices,
    )  # fmt: skip
