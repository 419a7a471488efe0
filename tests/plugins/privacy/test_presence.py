"""delta-presence and local differential privacy."""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evosdc.model import IntruderView, MissingMatch
from evosdc.randomisation.certificate import epsilon
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_privacy.differential_privacy import LocalDifferentialPrivacy
from evosdc_privacy.population import DeltaPresence
from tests.plugins.privacy.reference import equal, release_of_codes, table_of

FILES = st.tuples(st.integers(1, 8), st.integers(1, 10), st.integers(1, 3)).flatmap(
    lambda s: st.tuples(
        arrays(np.int32, (s[0], s[2]), elements=st.integers(-1, 1)),
        arrays(np.int32, (s[1], s[2]), elements=st.integers(-1, 1)),
    )
)


@given(FILES, st.sampled_from(MissingMatch))
def test_delta_is_that_of_the_definition(files, missing) -> None:
    file, people = (codes.tolist() for codes in files)
    view = release_of_codes(files[0], missing, population=table_of(files[1]))
    found = DeltaPresence(DeltaPresence.Params()).assess(view)

    def matching(row, rows, own=-1):
        return sum(
            j == own or all(equal(a, b, missing) for a, b in zip(row, r, strict=True)) for j, r in enumerate(rows)
        )

    chances = [min(matching(p, file) / matching(p, people, own=j), 1.0) for j, p in enumerate(people)]
    assert (found["delta"], found["delta_min"]) == (max(chances), min(chances))
    assert found["mean"] == pytest.approx(np.mean(chances))
    assert found["records_unexplained"] == sum(
        matching(r, file, own=i) > matching(r, people) for i, r in enumerate(file)
    )


def test_a_part_of_a_population() -> None:
    people = [[0]] * 4 + [[1]] * 2 + [[2]]
    figures = DeltaPresence(DeltaPresence.Params()).assess(
        release_of_codes([[0], [1], [1]], population=table_of(people))
    )
    assert (figures["delta"], figures["delta_min"]) == (1.0, 0.0)
    assert figures["mean"] == pytest.approx(3 / 7)
    assert figures["members_surely_present"] == 2
    assert figures["records_unexplained"] == 0


def test_numbers_are_matched_by_value_in_both_files() -> None:
    schema = Schema((Attribute("age", Role.QUASI_IDENTIFIER, Scale.NUMERIC),))
    file, people = (
        Table(schema, np.empty((len(ages), 0), dtype=np.int32), np.array(ages)[:, None])
        for ages in ([70.5, 30.0], [18.0, 30.0, 30.0, 70.5, np.nan])
    )
    view = IntruderView(file, ("age",), population=people)
    figures = DeltaPresence(DeltaPresence.Params()).assess(view)
    assert figures["mean"] == pytest.approx((0 + 0.5 + 0.5 + 1 + 0) / 5)
    wild = DeltaPresence(DeltaPresence.Params()).assess(replace(view, missing=MissingMatch.WILDCARD))
    assert wild["mean"] == pytest.approx((0 + 1 / 3 + 1 / 3 + 1 / 2 + 2 / 5) / 5)


class TestEpsilon:
    def test_randomised_response(self) -> None:
        assert epsilon(np.array([[0.75, 0.25], [0.25, 0.75]])) == pytest.approx(log(3))

    def test_nothing_is_told_by_equal_rows(self) -> None:
        assert epsilon(np.array([[0.2, 0.8], [0.2, 0.8]])) == 0.0

    def test_a_value_that_rules_another_out_has_no_bound(self) -> None:
        view = release_of_codes([[0]], transitions={"x": np.identity(2), "y": np.full((2, 2), 0.5)})
        figures = LocalDifferentialPrivacy(LocalDifferentialPrivacy.Params()).assess(view)
        assert figures == {"epsilon": None, "attributes": {"x": None, "y": 0.0}}

    def test_attributes_add_up(self) -> None:
        rows = np.array([[0.75, 0.25], [0.25, 0.75]])
        view = release_of_codes([[0]], transitions={"x": rows, "y": rows})
        figures = LocalDifferentialPrivacy(LocalDifferentialPrivacy.Params()).assess(view)
        assert figures["epsilon"] == pytest.approx(2 * log(3))
