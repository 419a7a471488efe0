"""Classes, wildcards and the models that count them, against record-by-record references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evosdc.model import MissingMatch
from evosdc.table.equivalence import equivalence_classes, key_codes, missing_apart
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table
from evosdc.table.wildcard_tree import matching_sums, prefix_tree
from evosdc_privacy.frequencies import KAnonymity, PopulationFrequencies
from tests.plugins.privacy.reference import neighbours, release_of_codes

CODES = st.tuples(st.integers(1, 14), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.int32, shape, elements=st.integers(-1, 2))
)


@given(CODES, st.sampled_from(MissingMatch))
def test_frequencies_are_those_of_all_pairs(codes, missing) -> None:
    weights = np.arange(1.0, len(codes) + 1)
    view = release_of_codes(codes, missing, weights=weights)
    near = neighbours(codes, missing)
    counts, population = view.frequencies
    assert counts[view.classes.of].tolist() == [len(n) for n in near]
    assert population[view.classes.of].tolist() == [weights[n].sum() for n in near]


@given(CODES)
def test_classes_are_those_of_equal_rows(codes) -> None:
    found = equivalence_classes(codes)
    rows = [tuple(row) for row in codes.tolist()]
    order = list(dict.fromkeys(rows))
    assert [order[c] for c in found.of] == rows
    assert found.first.tolist() == [rows.index(row) for row in order]
    assert found.counts.tolist() == [rows.count(row) for row in order]
    assert [found.members[a:b].tolist() for a, b in zip(found.starts, found.starts[1:], strict=False)] == [
        [i for i, row in enumerate(rows) if row == other] for other in order
    ]


@given(CODES)
def test_other_keys_can_be_asked_for_than_the_tree_holds(codes) -> None:
    keys = np.unique(codes, axis=0).astype(np.int32)
    queries = np.roll(codes, 1, axis=1)
    counts = np.arange(1, len(keys) + 1)
    found, weights = matching_sums(prefix_tree(keys), counts, counts / 2, queries)
    agree = (queries[:, None] == keys[None]) | (queries[:, None] == -1) | (keys[None] == -1)
    assert found.tolist() == (agree.all(axis=2) @ counts).tolist()
    assert weights.tolist() == (found / 2).tolist()


def test_wide_tables_and_large_codes() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(-1, 2, (60, 130)).astype(np.int32)
    codes[30:] = codes[:30]
    codes[:, 7] = np.arange(60) % 30 + 2_000_000_000
    assert equivalence_classes(codes).counts.tolist() == [2] * 30
    view = release_of_codes(np.where(codes > 9, 1, codes), MissingMatch.WILDCARD)
    assert view.frequencies[0][view.classes.of].tolist() == [
        len(near) for near in neighbours(np.where(codes > 9, 1, codes), MissingMatch.WILDCARD)
    ]


def test_no_attribute_makes_one_class() -> None:
    assert equivalence_classes(np.empty((4, 0), dtype=np.int32)).counts.tolist() == [4]


def test_missing_values_are_told_apart_from_all_others() -> None:
    separate = missing_apart(np.array([[-1, 0], [-1, 1], [5, -1]], dtype=np.int32))
    assert len(set(separate[:2, 0].tolist()) | {5}) == 3
    assert separate[2, 1] not in (0, 1)


def test_numbers_are_equal_only_exactly_and_their_missing_ones_are_missing() -> None:
    schema = Schema((Attribute("x", scale=Scale.NUMERIC), Attribute("c", categories=("u", "v"))))
    table = Table(
        schema, np.array([[0], [1], [-1], [0]], dtype=np.int32), np.array([[2.5], [2.5000001], [np.nan], [-3]])
    )
    assert key_codes(table, ["c", "x"]).tolist() == [[0, 1], [1, 2], [-1, -1], [0, 0]]
    assert key_codes(table, ["c"]).tolist() == [[0], [1], [-1], [0]]


class TestKAnonymity:
    def test_a_table_worked_out_by_hand(self) -> None:
        codes = [[0, 0]] * 4 + [[1, 0]] * 2 + [[1, 1]] + [[2, 1]] * 11
        figures = KAnonymity(KAnonymity.Params()).assess(release_of_codes(codes))
        assert figures == {
            "k": 1,
            "combinations": 4,
            "unique_records": 1,
            "unique_percent": pytest.approx(100 / 18),
            "unique_as_stated": 0,
            "records_below": {"2": 1, "3": 3, "5": 7, "10": 7},
            "combinations_below": {"2": 1, "3": 2, "5": 3, "10": 3},
        }

    @pytest.mark.parametrize("missing", MissingMatch)
    def test_the_three_rules_for_missing_values(self, missing: MissingMatch) -> None:
        view = release_of_codes([[0, 0], [0, -1], [0, 0], [1, -1], [-1, 0]], missing)
        figures = KAnonymity(KAnonymity.Params()).assess(view)
        expected = sorted(len(near) for near in neighbours(view.table.codes, view.missing))
        assert figures["k"] == expected[0]
        assert figures["unique_records"] == expected.count(1)

    def test_unique_records_that_are_like_others_by_missing_values_alone(self) -> None:
        codes = [[0, 0], [1, 1], [-1, -1], [2, -1], [0, 2]]
        for missing, stated in ((MissingMatch.WILDCARD, 3), (MissingMatch.CATEGORY, 0), (MissingMatch.NEVER, 0)):
            model = KAnonymity(KAnonymity.Params())
            figures = model.assess(release_of_codes(codes, missing))
            assert figures["unique_as_stated"] == stated
            told = model.verdict({"k-anonymity": figures})
            assert ("3 complete records share their values with nobody" in told) == bool(stated)

    def test_all_values_missing(self) -> None:
        codes = np.full((5, 3), -1)
        model = KAnonymity(KAnonymity.Params())
        found = {rule: model.assess(release_of_codes(codes, rule))["k"] for rule in MissingMatch}
        assert found == {"wildcard": 5, "category": 5, "never": 1}


class TestPopulationFrequencies:
    def test_weights_of_matching_records_are_added(self) -> None:
        view = release_of_codes([[0], [0], [1], [-1]], MissingMatch.WILDCARD, weights=np.array([2.0, 3.5, 4.0, 1.0]))
        figures = PopulationFrequencies(PopulationFrequencies.Params()).assess(view)
        assert figures["smallest"] == 5.0
        assert figures["population"] == 10.5
        assert figures["mean"] == pytest.approx((6.5 + 6.5 + 5 + 10.5) / 4)
        assert figures["records_below"] == {"5": 0, "10": 3, "100": 4}

    def test_it_needs_weights(self) -> None:
        assert PopulationFrequencies(PopulationFrequencies.Params()).lacking(release_of_codes([[0]])) == (
            "sampling weights"
        )


@given(CODES, st.sampled_from(MissingMatch), st.integers(1, 6))
def test_records_fall_short_of_k_where_too_few_are_like_them(codes, missing, k) -> None:
    view, model = release_of_codes(codes, missing), KAnonymity(None)
    share = model.shortfall(view, k)
    assert share == np.mean([len(near) < k for near in neighbours(codes, missing)])
    assert (share == 0.0) == (model.assess(view)["k"] >= k)
