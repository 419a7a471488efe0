"""Statistics over data sets, searches and seeds, beside slow definitions and by runs whose figures are made up."""

import csv
import io
from itertools import combinations, product
from statistics import fmean

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evosdc.errors import DataError
from evosdc.runs.reader import RecordedRun
from evosdc.runs.result import Result
from evosdc.runs.study_tests import a12_interval, arranged, blocked_wilcoxon, progress_rows, sentences, study_statistics

SAMPLES = st.lists(st.integers(0, 6), min_size=2, max_size=4)


def recorded(data, name, seed, fitness, journal=(), **more):
    algorithm = {"name": name, **more.pop("params", {})}
    measures = more.pop("measures", "m")
    scores = {"il": fitness, "dr": fitness / 2} | more.pop("scores", {})
    best = {"scores": scores, "fitness": [fitness]}
    return RecordedRun(
        path=None, name=f"{data}/{name}/{algorithm}/{seed}", environment={"data": data}, status={}, frequencies={},
        resolved={"data": {"name": data, "protect": ["a", "b"]}, "algorithm": algorithm, "measures": measures},
        result=Result(best=best, seed=seed), ended=True,
        journal=tuple(journal), unreadable=0, scores=pd.DataFrame(), digests={},
    )  # fmt: skip


def study(shift=1.0, searches=("a", "b", "c"), blocks=8, seeds=4, **more):
    """Return runs in which each search is worse than the one before it, by as much on every data set."""
    rng = np.random.default_rng(1)
    return [
        recorded(f"d{block}", name, seed, 10 ** (block % 3) * (5 + shift * s + rng.random()), **more)
        for block, (s, name), seed in product(range(blocks), enumerate(searches), range(seeds))
    ]


def test_searches_that_differ_on_every_data_set_are_told_apart_and_ranked():
    found = study_statistics(study())
    medians = [[c["median"] for c in found["cells"] if c["search"] == s] for s in range(3)]
    friedman = found["friedman"]
    assert friedman["p"] == pytest.approx(stats.friedmanchisquare(*medians).pvalue)
    assert friedman["mean_ranks"] == [1.0, 2.0, 3.0]
    # Demsar (2006), table 5: q is 2.343 for three searches.
    assert friedman["critical_difference"] == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 8)), abs=2e-3)
    assert [pair["better"] for pair in found["pairs"]] == [0, 0, 1]
    assert all(pair["a12"] == 1.0 for pair in found["pairs"])
    assert sentences(found)[0].startswith("The searches differ over 8 data sets")


def test_searches_that_do_not_differ_are_not_told_apart():
    found = study_statistics(study(shift=0.0))
    assert found["friedman"]["p"] > 0.05
    for pair in found["pairs"]:
        assert pair["low"] <= pair["a12"] <= pair["high"]
        assert pair["low"] < 0.5 < pair["high"]
    assert "No pair of searches was shown to differ." in sentences(found)


def test_no_figure_depends_on_the_scale_of_a_data_set():
    runs = study(shift=0.3)
    scaled = []
    for run in runs:
        data, name, (fitness,) = run.option("data"), run.option("algorithm"), run.result.best.fitness
        scaled.append(recorded(data, name, run.result.seed, 1e3 + 7 * fitness if data == "d1" else fitness))
    assert study_statistics(runs)["pairs"] == study_statistics(scaled)["pairs"]


@given(st.lists(st.tuples(SAMPLES, SAMPLES), min_size=1, max_size=2))
@settings(max_examples=15, deadline=None)
def test_the_blocked_test_has_mean_and_variance_of_all_ways_to_share_out_the_ranks(pairs):
    def statistics(a, b):
        ranks = stats.rankdata([*a, *b]) / (len(a) + len(b) + 1)
        return [ranks[list(chosen)].sum() for chosen in combinations(range(len(ranks)), len(a))], ranks[: len(a)].sum()

    every = [statistics(*pair) for pair in pairs]
    mean, variance = sum(np.mean(own) for own, _ in every), sum(np.var(own) for own, _ in every)
    seen = sum(observed for _, observed in every)
    slow = 1.0 if variance < 1e-12 else 2 * stats.norm.sf(abs(seen - mean) / np.sqrt(variance))
    assert blocked_wilcoxon(pairs) == pytest.approx(slow)


def test_one_block_gives_the_rank_sum_test():
    a, b = [1.0, 2.0, 2.5, 7.0, 3.0], [3.0, 4.0, 9.0, 8.0]
    known = stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=False).pvalue
    assert blocked_wilcoxon([(a, b)]) == pytest.approx(known)


def test_the_interval_holds_the_share_and_is_narrower_with_more_runs():
    rng = np.random.default_rng(2)
    widths = []
    for size in (5, 40):
        pairs = [(rng.random(size).tolist(), (rng.random(size) + 0.2).tolist()) for _ in range(3)]
        share, low, high = a12_interval(pairs)
        assert share == pytest.approx(fmean(np.mean([[x < y for y in b] for x in a]) for a, b in pairs))
        assert low <= share <= high
        widths.append(high - low)
    assert widths[1] < widths[0]
    assert a12_interval([([1.0], [2.0])]) == (1.0, None, None)


def test_main_effects_are_those_of_each_key_with_the_other_one_equal():
    runs = [
        recorded(f"d{block}", name, seed, 1.0 + 2.0 * (name == "slow") + 0.001 * seed * (-1) ** (size + block),
                 params={"population": size})
        for block, name, size, seed in product(range(4), ("fast", "slow"), (1, 2), range(3))
    ]  # fmt: skip
    effects = {effect["key"]: effect for effect in study_statistics(runs)["main_effects"]}
    assert effects["algorithm.name"]["levels"] == {"fast": 1.0, "slow": 2.0}
    assert effects["algorithm.name"]["p_holm"] < 0.05 < effects["algorithm.population"]["p_holm"]
    assert effects["algorithm.name"]["strata"] == 8


def test_anytime_curves_say_which_share_of_targets_was_reached():
    def journal(*points):
        return [{"generation": g, "evaluations": n, "best": {"fitness": [v]}} for g, (n, v) in enumerate(points)]

    runs = [
        recorded("d", "a", 1, 0.0, journal((1, 10.0), (10, 0.0))),
        recorded("d", "b", 1, 9.9, journal((1, 10.0), (50, 9.9))),
    ]
    curves = study_statistics(runs)["curves"]
    assert curves["algorithm.name = a"] == [[1.0, 1 / 51], [10.0, 1.0]]
    # Targets are 10 and then below 9.9: the worse search reaches one, and never another.
    assert curves["algorithm.name = b"] == [[1.0, 1 / 51], [10.0, 1 / 51]]
    text = io.StringIO("\n".join(",".join(map(str, row)) for row in progress_rows(arranged(runs))))
    rows = list(csv.DictReader(text))
    assert {row["function"] for row in rows} == {"d"}
    own = [(row["evaluations"], row["best"]) for row in rows if row["algorithm"].endswith("a")]
    assert own == [("1", "10.0"), ("10", "0.0")]
    assert {row["dimension"] for row in rows} == {"2"}


def test_a_broken_constraint_is_worse_than_any_fitness():
    runs = [recorded("d", "a", s, 1.0, scores={"infeasibility": 0.1}) for s in range(5)]
    runs += [recorded("d", "b", s, 9.0 + s) for s in range(5)]
    (pair,) = study_statistics(runs)["pairs"]
    assert (pair["a12"], pair["better"]) == (0.0, 1)


def test_a_key_can_make_blocks_and_unlike_judgements_are_refused():
    runs = [recorded("d", n, s, s + (n == "b"), measures=m) for m in "xy" for n in "ab" for s in range(3)]
    with pytest.raises(DataError, match="--block"):
        study_statistics(runs)
    found = study_statistics(runs, block_keys=["measures"])
    assert found["blocks"] == ["d, measures = x", "d, measures = y"]
    with pytest.raises(DataError, match="the same in all runs"):
        study_statistics(runs, block_keys=["genotype.k"])
    with pytest.raises(DataError, match="one search"):
        study_statistics(study(searches=("a",)))
