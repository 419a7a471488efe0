"""Numbers as genes: Gray coding, its limits, and what mutation may reach."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.model import Microdata
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_cells.cells import Cells


def numbers(columns: list[list[float]], decimals: int = 0) -> Microdata:
    attributes = tuple(
        Attribute(f"x{j}", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=decimals) for j in range(len(columns))
    )
    table = Table(Schema(attributes), np.empty((len(columns[0]), 0), dtype=np.int32), np.array(columns).T)
    return Microdata(table, table.schema.names)


def column(data: Microdata, cells: Cells, genome: np.ndarray) -> np.ndarray:
    return cells.decode(genome, np.random.default_rng(0)).numbers[:, 0]


def test_the_example_of_the_thesis() -> None:
    """The codes of 47 and 48, 111000 and 101000, differ in one bit."""
    cells = Cells(Cells.Params(), numbers([[0.0, 48.0]]))
    parent = cells.load({"cells": np.array([[48 + 47], [48]])})
    reached = {int(cells.mutate(parent, np.random.default_rng(seed))[0, 0]) - 48 for seed in range(300)}
    assert reached == {47, 48, 46, 44, 40, 32, 16}


decimal_files = st.lists(st.decimals(-999, 999, places=2), min_size=1, max_size=12).map(
    lambda values: [float(v) for v in values]
)


@given(decimal_files)
def test_a_file_in_the_decimals_of_the_schema_is_kept_to_the_last_bit(values: list[float]) -> None:
    data = numbers([values], decimals=2)
    cells = Cells(Cells.Params(), data)
    assert column(data, cells, cells.seeded(data.original)).tolist() == values


@given(decimal_files, st.integers(0, 999), st.sampled_from(["gray", "gaussian"]))
def test_mutants_stay_within_the_range_of_the_original(values: list[float], seed: int, kind: str) -> None:
    data = numbers([values], decimals=2)
    cells = Cells(Cells.Params(numbers=kind, mutations=2), data)
    parent = cells.seeded(data.original)
    child = cells.mutate(parent, np.random.default_rng(seed))
    cells.check(child)
    assert (child is parent) == (len(set(values)) == 1)
    assert min(values) <= column(data, cells, child).min()
    assert column(data, cells, child).max() <= max(values)


def test_values_of_a_masked_file_are_rounded_and_cut_off_far_outside() -> None:
    data = numbers([[10.0, 20.0]])
    cells = Cells(Cells.Params(), data)
    masked = Table(data.original.schema, data.original.codes, np.array([[14.6], [99.0]]))
    assert column(data, cells, cells.seeded(masked)).tolist() == [15.0, 30.0]


def test_missing_numbers_come_and_go_only_where_the_original_has_some() -> None:
    for values, wanted in (([1.0, 2.0, 3.0, np.nan], True), ([1.0, 2.0, 3.0, 3.0], False)):
        data = numbers([values])
        cells = Cells(Cells.Params(), data)
        genome, seen = cells.seeded(data.original), False
        for seed in range(80):
            genome = cells.mutate(genome, np.random.default_rng(seed))
            seen |= bool(np.isnan(column(data, cells, genome)[:3]).any())
        assert seen is wanted


def test_mixed_files_keep_categories_and_numbers_apart() -> None:
    attributes = (
        Attribute("x", Role.QUASI_IDENTIFIER, Scale.NUMERIC),
        Attribute("c", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("a", "b", "c")),
    )
    table = Table(Schema(attributes), np.array([[0], [2]], dtype=np.int32), np.array([[5.0], [900.0]]))
    data = Microdata(table, ("x", "c"))
    cells = Cells(Cells.Params(mutations=3), data)
    genome = cells.seeded(data.original)
    assert cells.decode(genome, np.random.default_rng(0)).same_records(data.original)
    assert list(cells.describe(genome)["changed"]) == ["x", "c"]
    for seed in range(60):
        genome = cells.mutate(genome, np.random.default_rng(seed))
        cells.check(genome)
        cells.decode(genome, np.random.default_rng(0)).verify()


def test_numbers_with_more_digits_than_a_double_holds_are_refused() -> None:
    with pytest.raises(ParameterError, match="fewer decimals in the schema"):
        Cells(Cells.Params(), numbers([[1e13, 2.0]], decimals=4))


def test_large_ranges_take_wider_integers() -> None:
    data = numbers([[0.0, 3e9]])
    cells = Cells(Cells.Params(), data)
    assert cells.seeded(data.original).dtype == np.int64
    assert column(data, cells, cells.seeded(data.original)).tolist() == [0.0, 3e9]
