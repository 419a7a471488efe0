"""SUDA2 against the trial of all sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evosdc.model import MissingMatch
from evosdc_privacy.special_uniques import Suda2, intrusion_success, membership, reachable_size, set_score, uniques_of
from tests.plugins.privacy.reference import msus, release_of_codes, suda_scores

CODES = st.tuples(st.integers(1, 12), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.int32, shape, elements=st.integers(-1, 2))
)


def found_by_record(view, most: int) -> list[set[tuple[int, ...]]]:
    owner, sets = uniques_of(view, most)
    columns = len(view.quasi_identifiers)
    by_key: list[set[tuple[int, ...]]] = [set() for _ in range(len(view.classes))]
    for key, held in zip(owner, membership(sets, columns), strict=True):
        attributes = tuple(np.flatnonzero(held).tolist())
        assert attributes not in by_key[key]
        by_key[key].add(attributes)
    return [by_key[c] for c in view.classes.of]


@given(CODES, st.sampled_from(MissingMatch), st.integers(1, 5))
def test_minimal_uniques_are_those_of_the_definition(codes, missing, most) -> None:
    most = min(most, codes.shape[1])
    assert found_by_record(release_of_codes(codes, missing), most) == msus(codes, missing, most)


@given(CODES, st.sampled_from(MissingMatch))
def test_scores_are_those_of_the_definition(codes, missing) -> None:
    figures = Suda2(Suda2.Params()).assess(release_of_codes(codes, missing))
    scores = suda_scores(codes, missing)
    assert figures["largest_score"] == max(scores)
    assert figures["mean_score"] == pytest.approx(np.mean(scores))
    assert figures["records_with_msu"] == sum(score > 0 for score in scores)
    as_ihsn = Suda2(Suda2.Params(scoring="ihsn")).assess(release_of_codes(codes, missing))
    assert as_ihsn["records_with_msu"] == figures["records_with_msu"], "however they are weighed"


def test_sets_of_more_attributes_than_a_word_has_bits() -> None:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, (9, 70)).astype(np.int32)
    for missing in (MissingMatch.CATEGORY, MissingMatch.WILDCARD):
        codes[0, 65] = -1 if missing is MissingMatch.WILDCARD else 0
        assert found_by_record(release_of_codes(codes, missing), 2) == msus(codes, missing, 2)


def test_contributions_of_an_example_worked_out_by_hand() -> None:
    # record 1 is unique on a; 2 on b and on c; 3 on (a, b) and (a, c): scores 2, 2 + 2 and 1 + 1
    figures = Suda2(Suda2.Params()).assess(release_of_codes([[2, 0, 0], [1, 1, 1], [1, 0, 0]]))
    assert figures["contributions"] == {"a0": 50.0, "a1": 37.5, "a2": 37.5}
    assert figures["msu_by_size"] == {"1": 3, "2": 2, "3": 0}
    assert figures["largest_score"] == 4.0


def test_scores_of_sets() -> None:
    assert [set_score(size, 7, 7) for size in (1, 2, 6, 7)] == [720.0, 120.0, 1.0, 1.0]
    assert [set_score(size, 3, 7) for size in (1, 2, 3)] == [6.0 * 5 * 4, 5.0 * 4, 4.0]


def test_dis_is_shared_in_proportion_to_the_scores() -> None:
    codes = [[0, 0, 0], [1, 0, 0], [0, 1, 1], [0, 1, 1], [0, 0, 1]]
    figures = Suda2(Suda2.Params(sampling_fraction=0.1)).assess(release_of_codes(codes))
    dis = 3 * 0.1 / (3 * 0.1 + 2 * 0.9)
    scores = suda_scores(codes, MissingMatch.CATEGORY)
    assert figures["dis"] == pytest.approx(dis)
    assert figures["largest_dis_suda"] == pytest.approx(min(dis * 3 * max(scores) / sum(scores), 1))


def test_sampling_fraction_follows_from_the_weights() -> None:
    codes = [[0], [1]]
    assert Suda2(Suda2.Params()).assess(release_of_codes(codes))["sampling_fraction"] == 1.0
    weighted = release_of_codes(codes, weights=np.array([10.0, 30.0]))
    assert Suda2(Suda2.Params()).assess(weighted)["sampling_fraction"] == 0.05


def test_files_without_uniques() -> None:
    figures = Suda2(Suda2.Params()).assess(release_of_codes([[0, 1]] * 3))
    assert (figures["msu"], figures["dis"], figures["largest_dis_suda"]) == (0, 0.0, 0.0)
    assert intrusion_success(0, 5, 0.5) == 0.0


def test_sizes_that_can_be_reached() -> None:
    assert [reachable_size(columns) for columns in (1, 7, 12, 14, 20, 100)] == [1, 7, 12, 5, 3, 2]
