"""Attributes crossed into one, and combinations that must not arise."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table.table import Table
from evosdc_masking.post_randomisation.pram import Pram
from tests.plugins.masking.tables import NOMINAL, build, categorical, categorical_tables, masked

DESIGNS = [
    {"design": "a", "p": 0.3},
    {"design": "b", "theta": 1.0},
    {"design": "two-stage", "p": 0.2, "alpha": 1.0},
    {"design": "preference", "least": 0.0},
]
PAIR = [["c0", "c1"]]
FULL = categorical([[i % 3, i // 3 % 2, i % 4] for i in range(240)], (3, 2, 4), (NOMINAL,) * 3)


def combinations(table: Table, first: int = 2) -> set[tuple[int, ...]]:
    return set(map(tuple, table.codes[:, :first].tolist()))


@given(categorical_tables(), st.sampled_from(DESIGNS), st.integers(0, 3))
def test_only_combinations_that_occur_are_published_and_missing_values_stay(
    table: Table, params: dict, seed: int
) -> None:
    if len(table.schema) < 2:
        return
    for zeros in (None, "observed"):
        published = masked(Pram, table, seed, crossed=PAIR, structural_zeros=zeros, **params)
        np.testing.assert_array_equal(published.codes == -1, table.codes == -1)
        assert combinations(published) <= combinations(table)


@pytest.mark.parametrize("params", DESIGNS)
def test_crossed_attributes_are_drawn_as_one(params: dict) -> None:
    codes = np.repeat([[0, 1], [1, 0], [2, 1]], [50, 40, 30], axis=0)
    table = categorical(codes, (3, 2), (NOMINAL, NOMINAL))
    as_one = categorical(np.repeat([0, 1, 2], [50, 40, 30]), (3,), (NOMINAL,))
    ((_, crossed),) = build(Pram, crossed=PAIR, **params).matrices(table)
    ((_, single),) = build(Pram, **params).matrices(as_one)
    if params["design"] != "preference":  # distances differ: two attributes are more steps apart than one
        np.testing.assert_allclose(crossed, single, atol=1e-14)
    published = masked(Pram, table, crossed=PAIR, **params)
    assert not published.same_records(table)
    assert combinations(published) <= {(0, 1), (1, 0), (2, 1)}


def test_records_that_lack_the_same_values_are_redrawn_among_themselves() -> None:
    codes = np.repeat([[0, -1], [1, -1], [0, 0], [2, 1], [-1, 1]], 40, axis=0)
    table = categorical(codes, (3, 2), (NOMINAL, NOMINAL))
    published = masked(Pram, table, p=0.0, crossed=PAIR)
    np.testing.assert_array_equal(published.codes[:40, 0], 1)
    np.testing.assert_array_equal(published.codes[40:80, 0], 0)
    np.testing.assert_array_equal(published.codes[80:120], [[2, 1]] * 40)
    np.testing.assert_array_equal(published.codes[160:], [[-1, 1]] * 40)


def test_attributes_that_are_not_crossed_are_drawn_as_without_crossing() -> None:
    crossed, plain = masked(Pram, FULL, p=0.5, crossed=PAIR), masked(Pram, FULL, p=0.5)
    np.testing.assert_array_equal(crossed.codes[:, 2], plain.codes[:, 2])


def test_a_zero_that_records_have_is_left_by_design_a() -> None:
    zeros = [{"c0": "001", "c1": "001"}]
    held = (FULL.codes[:, :2] == 1).all(axis=1)
    published = masked(Pram, FULL, p=0.5, crossed=PAIR, structural_zeros=zeros)
    assert held.any()
    assert (1, 1) not in combinations(published)
    ((block, matrix), *_) = build(Pram, p=0.5, crossed=PAIR, structural_zeros=zeros).matrices(FULL)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, atol=1e-15)
    assert (matrix[:, block.labels().index(("001", "001"))] == 0).all()


@pytest.mark.parametrize("params", DESIGNS[1:])
def test_a_zero_that_records_have_is_refused_where_all_frequencies_are_to_be_kept(params: dict) -> None:
    with pytest.raises(ParameterError, match="combinations that 40 records have"):
        masked(Pram, FULL, crossed=PAIR, structural_zeros=[{"c0": "001", "c1": "001"}], **params)


def test_a_zero_of_which_nothing_would_be_left_is_refused() -> None:
    with pytest.raises(ParameterError, match="leaves nothing else to 1 of the combinations"):
        masked(Pram, FULL, p=1.0, crossed=PAIR, structural_zeros=[{"c0": "001", "c1": "001"}])


@pytest.mark.parametrize("form", ["csv", "json", "list"])
def test_ones_own_matrix_never_leads_to_a_zero_whatever_the_form_of_the_list(tmp_path: Path, form: str) -> None:
    states = [[a, b] for a in ("000", "001", "002") for b in ("000", "001")]
    file = tmp_path / "matrix.json"
    entry = {"attributes": ["c0", "c1"], "categories": states, "matrix": [[1 / 6] * 6] * 6}
    file.write_text(json.dumps({"pair": entry}))
    table = categorical([[0, 0], [2, 1], [2, 0]] * 60, (3, 2), (NOMINAL, NOMINAL))
    zeros: object = [{"c0": "001", "c1": "000"}, {"c1": "001", "c0": "000"}]
    if form == "json":
        path = tmp_path / "zeros.json"
        path.write_text(json.dumps(zeros))
        zeros = path
    elif form == "csv":
        zeros = tmp_path / "zeros.csv"
        zeros.write_text("c0,c1\n001,000\n000,001\n")
    assert len(combinations(masked(Pram, table, matrix=file, crossed=PAIR))) == 6
    published = masked(Pram, table, matrix=file, crossed=PAIR, structural_zeros=zeros)
    assert combinations(published) == {(0, 0), (1, 1), (2, 0), (2, 1)}
    ((_, forbidding),) = build(Pram, matrix=file, crossed=PAIR, structural_zeros=zeros).matrices(table)
    np.testing.assert_allclose(forbidding.sum(axis=1), 1)
    np.testing.assert_array_equal(forbidding[:, [1, 2]], np.identity(6)[:, [1, 2]])  # nobody's states stay apart
    observed = masked(Pram, table, matrix=file, crossed=PAIR, structural_zeros="observed")
    assert combinations(observed) == combinations(table)


@pytest.mark.parametrize(
    ("params", "texts"),
    [
        ({"structural_zeros": "observed"}, ["structural_zeros: given observed", "crossed attributes beside it"]),
        ({"crossed": [["c0", "zz"]]}, ["crossed: given 'zz'"]),
        (
            {"structural_zeros": [{"c0": "001", "c2": "001"}, {"c0": "9", "q": "1"}, {}], "crossed": PAIR},
            ["combination 1: given c0, c2", 'crossed = [["c0", "c2"]]', "'9', which is no category", "'q'", "3: given"],
        ),
    ],
)
def test_refusals(params: dict, texts: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        masked(Pram, FULL, **params)
    for text in texts:
        assert text in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("c0,c1\n001\n", "line 2: given 1 fields"),
        ("", "an empty file"),
        ("c0,c1\n", "given one line"),
        ('{"c0": "001"}', "given one line"),
        ('[{"c0": 1}]', "entry 1"),
        ("[]", "an empty list"),
        ("[{", "not JSON"),
    ],
)
def test_what_is_wrong_with_a_file_of_zeros_is_told(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "zeros"
    file.write_text(text)
    with pytest.raises(ParameterError, match=message):
        build(Pram, structural_zeros=file, crossed=PAIR)


def test_more_combinations_than_a_matrix_can_hold_are_refused() -> None:
    codes = np.stack(np.divmod(np.arange(2500), 50), axis=1)
    table = categorical(codes, (50, 50), (NOMINAL, NOMINAL))
    with pytest.raises(ParameterError, match="2500 combinations that occur; wanted at most 2000"):
        masked(Pram, table, crossed=PAIR)


def test_adult_keeps_to_the_combinations_it_has(adult: Table) -> None:
    crossed = [["education", "occupation"]]
    published = masked(Pram, adult, design="two-stage", alpha=1.0, p=0.3, crossed=crossed, structural_zeros="observed")
    pairs = [set(map(tuple, t.codes[:, [0, 2]].tolist())) for t in (adult, published)]
    assert pairs[1] <= pairs[0]
    assert (adult.codes != published.codes).mean() > 0.3
