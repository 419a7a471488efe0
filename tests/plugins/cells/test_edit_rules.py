"""Edit rules: combinations that no record of any genome may have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.model import Microdata
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_cells.cells import CROSSOVERS, Cells

RULES = ({"sex": "male", "state": ("pregnant",)}, {"state": "pregnant", "age": (0, 11)})


def survey(n: int = 30, valid: bool = True) -> Microdata:
    rng = np.random.default_rng(3)
    attributes = (
        Attribute("sex", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("female", "male")),
        Attribute("state", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("well", "ill", "pregnant")),
        Attribute("age", Role.QUASI_IDENTIFIER, Scale.NUMERIC),
    )
    codes, age = rng.integers(0, [2, 3], (n, 2)), rng.integers(0, 80, n).astype(float)
    if valid:
        codes[(codes[:, 1] == 2) & ((codes[:, 0] == 1) | (age <= 11)), 1] = 0
    table = Table(Schema(attributes), codes.astype(np.int32), age[:, None])
    return Microdata(table, table.schema.names)


def assert_kept(table: Table) -> None:
    pregnant = table.column("state") == 2
    assert not (pregnant & (table.column("sex") == 1)).any()
    assert not (pregnant & (table.column("age") <= 11)).any()


@given(st.integers(0, 2**32), st.sampled_from(sorted(CROSSOVERS)))
def test_no_operator_makes_what_is_forbidden(seed: int, crossover: str) -> None:
    data, rng = survey(), np.random.default_rng(seed)
    cells = Cells(Cells.Params(edit_rules=RULES, crossover=crossover, mutations=20), data)
    a, b = cells.random(rng), cells.mutate(cells.seeded(data.original), rng)
    for genome in (a, b, *cells.crossover(a, b, rng)):
        cells.check(genome)
        assert_kept(cells.decode(genome, rng))


def test_records_of_a_masked_file_that_break_a_rule_become_those_of_others() -> None:
    data = survey(valid=False)
    cells = Cells(Cells.Params(edit_rules=RULES), data)
    table = cells.decode(cells.seeded(data.original), np.random.default_rng(0))
    assert_kept(table)
    assert not table.same_records(data.original)


def test_mistakes_in_rules_are_told_all_at_once() -> None:
    rules = ({"sexx": "male"}, {"state": "pregnent"}, {"age": "old"}, {"age": (9, 3)}, {})
    with pytest.raises(ParameterError) as caught:
        Cells(Cells.Params(edit_rules=rules), survey())
    said = str(caught.value)
    for words in ("'sexx'", "'pregnent'", "[least, greatest] of age", "the least number first", "a combination"):
        assert words in said


def test_rules_that_every_record_breaks_are_refused() -> None:
    data = survey()
    cells = Cells(Cells.Params(edit_rules=({"age": (0, 100)},)), data)
    with pytest.raises(ParameterError, match="every record breaks"):
        cells.seeded(data.original)


def test_ordinal_numbers_are_forbidden_by_their_range() -> None:
    ages = Attribute("age", Role.QUASI_IDENTIFIER, Scale.ORDINAL, ("2", "9", "14", "15", "70"))
    status = Attribute("status", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("single", "married"))
    schema = Schema((ages, status))
    codes = np.array([[0, 1], [2, 1], [3, 1], [4, 0], [2, 0]], dtype=np.int32)
    table = Table(schema, codes, np.zeros((5, 0)))
    data = Microdata(table, schema.names)
    rules = ({"age": (0, 14), "status": "married"}, {"age": 70.0})
    cells = Cells(Cells.Params(edit_rules=rules), data)
    repaired = cells.decode(cells.seeded(table), np.random.default_rng(0))
    assert (repaired.codes != codes).any(axis=1).tolist() == [True, True, False, True, False]
    with pytest.raises(ParameterError, match="'0'; wanted categories of status"):
        Cells(Cells.Params(edit_rules=({"status": (0, 14)},)), data)
