"""How far a file is from the one that a recipe was made for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.experiment.recipe import UNLIKE, Difference, differences, made_for
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import MISSING, Table


def table(labels: list[str], codes: np.ndarray) -> Table:
    attribute = Attribute("code", Role.QUASI_IDENTIFIER, Scale.NOMINAL, tuple(labels))
    return Table(Schema((attribute,)), np.asarray(codes, dtype=np.int32)[:, None], np.empty((len(codes), 0)))


def drawn(categories: int, records: int, seed: int, prefix: str = "c") -> Table:
    codes = np.random.default_rng(seed).integers(0, categories, records)
    return table([f"{prefix}{i}" for i in range(categories)], codes)


def difference(first: Table, second: Table) -> Difference:
    (found,) = differences(made_for(first, ["code"]), second)
    return found


@given(st.integers(2, 60), st.integers(200, 3000), st.integers(200, 3000), st.integers(0, 99))
def test_two_samples_of_one_distribution_are_not_told_of(categories: int, records: int, others: int, seed: int) -> None:
    found = difference(drawn(categories, records, seed), drawn(categories, others, seed + 1))
    assert not found.notable
    assert found.new == 0


@pytest.mark.parametrize("categories", [2, 5, 20, 60])
def test_a_file_with_nothing_but_other_categories_is_refused(categories: int) -> None:
    found = difference(drawn(categories, 1500, 1), drawn(categories, 1500, 2, "d"))
    assert found.notable
    assert found.percent > UNLIKE


def test_categories_too_rare_to_be_named_are_not_compared_and_that_is_said() -> None:
    found = difference(drawn(1400, 1500, 1), drawn(1400, 1500, 2, "d"))
    assert not found.tells
    assert "too many categories" in next(found.sentences())


def test_a_few_records_are_not_compared_and_that_is_said() -> None:
    found = difference(drawn(4, 1500, 1), drawn(4, 3, 2))
    assert "too few records" in next(found.sentences())


def test_a_new_category_is_told_of_and_missing_values_count() -> None:
    known = drawn(4, 1000, 1)
    codes = known.column("code").copy()
    codes[:40] = 4
    found = difference(known, table(["c0", "c1", "c2", "c3", "east"], codes))
    assert (found.new, round(found.new_percent)) == (1, 4)
    assert "not known to the recipe" in " ".join(found.sentences())
    codes[:400] = MISSING
    assert difference(known, table(["c0", "c1", "c2", "c3", "east"], codes)).percent > UNLIKE


def test_ages_are_compared_as_numbers_though_they_are_categories() -> None:
    def ages(seed: int, records: int, add: int = 0) -> Table:
        years = np.random.default_rng(seed).integers(18, 90, records) + add
        least, last = int(years.min()), int(years.max())
        attribute = Attribute(
            "code", Role.QUASI_IDENTIFIER, Scale.ORDINAL, tuple(str(year) for year in range(least, last + 1))
        )
        return Table(Schema((attribute,)), (years - least).astype(np.int32)[:, None], np.empty((records, 0)))

    known = made_for(ages(1, 1500), ["code"]).attributes["code"]
    assert len(known.deciles) == 9
    assert not known.percent
    same, older = (difference(ages(1, 1500), ages(2, 1500, add)) for add in (1, 12))
    assert same.tells
    assert not list(same.sentences())
    assert older.notable
    assert "in other ranges" in next(older.sentences())
    assert not made_for(ages(1, 40), ["code"]).attributes["code"].deciles, "too few people"


@pytest.mark.parametrize("scale", [Scale.NUMERIC, Scale.ORDINAL])
def test_years_of_birth_are_like_themselves(scale: Scale) -> None:
    years = np.random.default_rng(3).integers(1940, 2006, 400)
    labels = tuple(str(year) for year in range(1940, 2006)) if scale is Scale.ORDINAL else ()
    schema = Schema((Attribute("code", Role.QUASI_IDENTIFIER, scale, labels, decimals=0),))
    codes = (years - 1940).astype(np.int32)[:, None] if labels else np.empty((400, 0), np.int32)
    table = Table(schema, codes, np.empty((400, 0)) if labels else years[:, None].astype(np.float64))
    assert made_for(table, ["code"]).attributes["code"].deciles[0] == round(float(np.quantile(years, 0.1)))
    assert not list(difference(table, table).sentences())
