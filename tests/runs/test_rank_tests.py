"""Rank tests between settings, beside scipy's and enumerated distributions."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evosdc.runs.rank_tests import LEVEL, METHOD, compared, effect_of, holm, rank_sentences, spread_of


def test_spread_of_few_and_no_values():
    assert spread_of([]) == {"n": 0, "mean": None, "sd": None, "min": None, "median": None, "max": None}
    assert spread_of([3.0]) == {"n": 1, "mean": 3.0, "sd": None, "min": 3.0, "median": 3.0, "max": 3.0}
    assert spread_of([1.0, 2.0, 6.0]) == {
        "n": 3, "mean": 3.0, "sd": pytest.approx(7**0.5), "min": 1.0, "median": 2.0, "max": 6.0,
    }  # fmt: skip


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_corrects_upwards_and_keeps_the_order(p_values):
    corrected = holm(p_values)
    assert all(p <= q <= 1.0 for p, q in zip(p_values, corrected, strict=True))
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    assert [corrected[i] for i in order] == sorted(corrected)


def test_the_p_value_is_the_share_of_arrangements_that_are_as_far_apart():
    a, b = [1.0, 2.0, 4.0, 5.0], [3.0, 6.0, 7.0, 8.0]
    pair = compared([a, b])["pairs"][0]
    both = sorted(a + b)
    sums = [sum(1 + both.index(x) for x in chosen) for chosen in combinations(both, 4)]
    ours, middle = sum(1 + both.index(x) for x in a), 4 * 9 / 2
    assert pair["p"] == pytest.approx(sum(abs(s - middle) >= abs(ours - middle) for s in sums) / len(sums))
    assert pair["share_lower"] == sum(x < y for x in a for y in b) / 16


def test_overall_is_kruskal_wallis_from_three_settings_on():
    groups = [[1.0, 2.0, 3.0, 4.0], [2.5, 3.5, 4.5, 5.5], [9.0, 10.0, 11.0, 12.0]]
    assert compared(groups)["kruskal_wallis_p"] == pytest.approx(stats.kruskal(*groups).pvalue)
    assert compared(groups[:2])["kruskal_wallis_p"] is None


@pytest.mark.parametrize(("settings", "needed"), [(2, 4), (3, 5), (4, 5), (6, 6)])
def test_it_says_how_many_runs_are_needed_and_the_clearest_result_then_passes(settings, needed):
    for runs in (needed - 1, needed):
        groups = [[100.0 * setting + run for run in range(runs)] for setting in range(settings)]
        found = compared(groups)
        assert (found["runs_needed"], found["can_be_told"]) == (needed, runs >= needed)
        assert (min(pair["p_holm"] for pair in found["pairs"]) <= LEVEL) == found["can_be_told"]
        verdicts = {pair["verdict"] for pair in found["pairs"]}
        assert verdicts == ({"the first is lower"} if found["can_be_told"] else {"too few runs to tell"})


def test_equal_values_and_single_settings_tell_nothing():
    assert compared([[1.0] * 6, [1.0] * 6, [1.0] * 6])["kruskal_wallis_p"] == 1.0
    assert compared([[1.0] * 6, [1.0] * 6])["pairs"][0]["p"] == 1.0
    assert compared([[1.0, 2.0]])["pairs"] == []
    assert compared([[1.0, 2.0], []])["can_be_told"] is False


def test_the_sentences_name_the_lower_setting_whichever_comes_first():
    low, high = [1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]
    expected = ["IL: lower with a = 1 than with a = 2 (p = 0.029)."]
    assert rank_sentences("IL", compared([low, high]), ["a = 1", "a = 2"]) == expected
    assert rank_sentences("IL", compared([high, low]), ["a = 2", "a = 1"]) == expected


def test_the_sentences_say_that_nothing_was_shown_and_how_many_runs_are_needed():
    alike = compared([[1.0, 3.0, 5.0, 7.0], [2.0, 4.0, 6.0, 8.0]])
    assert rank_sentences("DR", alike, ["x", "y"]) == ["DR: no difference between the settings was shown."]
    few = compared([[1.0], [2.0]])
    assert rank_sentences("DR", few, ["x", "y"]) == [
        "DR: too few runs to tell the settings apart; each needs at least 4."
    ]
    assert f"level {LEVEL}" in METHOD


def test_pairs_are_compared_by_signed_ranks():
    a, b = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.5, 2.9, 3.2, 4.1, 6.0, 7.7]
    pair = compared([a, b], in_pairs=True)["pairs"][0]
    assert pair["p"] == pytest.approx(stats.wilcoxon(a, b).pvalue)
    assert pair["share_lower"] == 1.0
    assert compared([a, b], in_pairs=True)["can_be_told"]
    assert not compared([a[:5], b[:5]], in_pairs=True)["can_be_told"], "five pairs can never be told apart"
    assert compared([a, a], in_pairs=True)["pairs"][0]["p"] == 1.0


@pytest.mark.parametrize(
    ("share", "effect"), [(0.5, "negligible"), (0.45, "negligible"), (0.56, "small"), (0.36, "medium"), (0.0, "large")]
)
def test_effects_have_the_bounds_of_vargha_and_delaney(share, effect):
    assert effect_of(share) == effect
