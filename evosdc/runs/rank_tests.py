"""Do settings differ? Summaries of repeated runs, and tests that need no assumption except independence."""

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import comb
from statistics import fmean, median, stdev
from typing import Any

LEVEL = 0.05  # level of significance, after correction for the number of pairs


# What the sentences rest on.
METHOD = f"Tests: Mann-Whitney, two-sided, corrected for the number of pairs by Holm's method; level {LEVEL}."


def rank_sentences(title: str, comparison: Mapping[str, Any], labels: Sequence[str]) -> list[str]:
    """Return findings of rank tests on differences between settings, a sentence each."""
    if not comparison["can_be_told"]:
        return [f"{title}: too few runs to tell the settings apart; each needs at least {comparison['runs_needed']}."]
    sentences = []
    for pair in comparison["pairs"]:
        if pair["verdict"] in _LOWER:
            ordered = pair["settings"] if pair["verdict"] == _LOWER[0] else reversed(pair["settings"])
            lower, higher = (labels[position] for position in ordered)
            sentences.append(f"{title}: lower with {lower} than with {higher} (p = {pair['p_holm']:.2g}).")
    return sentences or [f"{title}: no difference between the settings was shown."]


_LOWER = ("the first is lower", "the second is lower")


def spread_of(values: Sequence[float]) -> dict[str, float | int | None]:
    """Return n, mean, standard deviation (n - 1), min, median and max; None where there are too few values."""
    if not values:
        return {"n": 0, "mean": None, "sd": None, "min": None, "median": None, "max": None}
    return {
        "n": len(values),
        "mean": fmean(values),
        "sd": stdev(values) if len(values) > 1 else None,
        "min": min(values),
        "median": median(values),
        "max": max(values),
    }


def compared(groups: Sequence[Sequence[float]], in_pairs: bool = False) -> dict[str, Any]:
    """Compare settings by the ranks of their runs' results, by two-sided tests; JSON-able."""
    # ``can_be_told`` says whether there are enough runs: whether the clearest possible result would be significant.
    # ``runs_needed`` are those of each setting from which on that is so. ``share_lower`` is the share of pairs of runs
    # in which the first setting's figure is the lower one, ties counting half. ``kruskal_wallis_p`` is None with fewer
    # than three settings that have runs.

    def least(a: int, b: int) -> float:
        """Return the least p-value that the exact two-sided test of these numbers of runs can give."""
        return float(2.0 ** (1 - min(a, b))) if in_pairs else 2.0 / comb(a + b, a)

    filled = [(position, group) for position, group in enumerate(groups) if group]
    paired = list(combinations(filled, 2))
    needed = 2
    while least(needed, needed) * max(1, len(paired)) > LEVEL:
        needed += 1
    enough = bool(paired) and max(least(len(a), len(b)) for (_, a), (_, b) in paired) * len(paired) <= LEVEL
    overall = None if in_pairs else _kruskal_wallis([group for _, group in filled])
    found = [_tested(a, b, in_pairs) for (_, a), (_, b) in paired]
    pairs = []
    for ((first, _), (second, _)), (p, lower), corrected in zip(
        paired, found, holm([p for p, _ in found]), strict=True
    ):
        verdict = "no difference shown" if corrected > LEVEL else _LOWER[0] if lower > 0.5 else _LOWER[1]
        shown = verdict if enough else "too few runs to tell"
        pairs.append({"settings": [first, second], "p": p, "p_holm": corrected, "share_lower": lower, "verdict": shown})
    return {
        "test": "Mann-Whitney, two-sided, Holm-corrected" + ("" if overall is None else "; Kruskal-Wallis"),
        "level": LEVEL,
        "can_be_told": enough,
        "runs_needed": needed,
        "kruskal_wallis_p": overall,
        "pairs": pairs,
    }


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected by Holm's step-down method (Holm 1979), in the order given."""
    count, greatest = len(p_values), 0.0
    corrected = [0.0] * count
    for rank, position in enumerate(sorted(range(count), key=lambda i: p_values[i])):
        greatest = max(greatest, min(1.0, (count - rank) * p_values[position]))
        corrected[position] = greatest
    return corrected


def _tested(a: Sequence[float], b: Sequence[float], in_pairs: bool) -> tuple[float, float]:
    """Return the p-value of the two-sided test, and the share of pairs in which the first is lower."""
    from scipy import stats  # late: it takes a while, and single runs do without

    pairs = list(zip(a, b, strict=True) if in_pairs else product(a, b))
    lower = sum((x < y) + 0.5 * (x == y) for x, y in pairs) / len(pairs)
    if all(x == y for x, y in pairs):
        return 1.0, lower
    test = stats.wilcoxon if in_pairs else stats.mannwhitneyu
    return float(test(a, b, alternative="two-sided").pvalue), lower


def _kruskal_wallis(groups: Sequence[Sequence[float]]) -> float | None:
    from scipy import stats

    if len(groups) < 3:
        return None
    if len({value for group in groups for value in group}) == 1:
        return 1.0
    return float(stats.kruskal(*groups).pvalue)


def effect_of(share: float) -> str:
    """Return the size of an effect, in words, by the share of pairs of runs in which one setting is better."""
    # The share is the measure A of Vargha and Delaney (2000), and so are its bounds: 0.56, 0.64 and 0.71, or as far
    # below one half.
    apart = max(share, 1.0 - share)
    return next((word for bound, word in _EFFECTS if apart >= bound), "negligible")


_EFFECTS = ((0.71, "large"), (0.64, "medium"), (0.56, "small"))
