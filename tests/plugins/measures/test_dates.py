"""Dates of many days are taken by classes, as numbers are: days that hardly occur twice tell who is who."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import MISSING, Table
from tests.plugins.measures.cases import schema, table

MEASURES = ("informed-linkage", "ranked-linkage", "prl", "relabelling", "worst-relabelling", "guess-gain")


def fitted(name, original, **params):
    """Return a registered measure of an original."""
    return default_registry().build("measure", name, params).fit(original)


def by_day(days, jobs, count):
    """Return records of a day, by its place among so many, and of a job."""
    written = tuple(str(date(2001, 1, 1) + timedelta(day)) for day in range(count))
    whole = schema((count, 3), ("ordinal", "nominal"))
    dated = replace(whole.attributes[0], categories=written, date_format="%Y-%m-%d")
    return table(replace(whole, attributes=(dated, whole.attributes[1])), np.column_stack([days, jobs]).tolist())


def by_number(days, jobs):
    """Return the same records with a number for each day."""
    whole = schema((2, 3), ("ordinal", "nominal"))
    number = Attribute("day", Role.QUASI_IDENTIFIER, Scale.NUMERIC)
    numbers = np.where(np.array(days) == MISSING, np.nan, days).astype(np.float64)
    codes = np.array(jobs, dtype=np.int32)[:, None]
    return Table(replace(whole, attributes=(number, whole.attributes[1])), codes, numbers[:, None])


@pytest.mark.parametrize("name", MEASURES)
@given(seed=st.integers(0, 2**32), missing=st.booleans())
def test_many_days_are_judged_as_numbers(name, seed, missing):
    rng = np.random.default_rng(seed)
    days, jobs = rng.integers(0, 50, 40), rng.integers(0, 3, 40)
    after, others = np.where(rng.random(40) < 0.5, rng.permutation(days), days), rng.permutation(jobs)
    if missing:
        days[0] = after[1] = MISSING
    params = {"bins": 5}
    dated = fitted(name, by_day(days, jobs, 50), **params).score(by_day(after, others, 50))
    assert dated == fitted(name, by_number(days, jobs), **params).score(by_number(after, others))


@pytest.mark.parametrize("name", MEASURES)
def test_few_days_are_judged_as_categories(name):
    rng = np.random.default_rng(1)
    days, jobs, after = rng.integers(0, 5, 40), rng.integers(0, 3, 40), rng.integers(0, 5, 40)
    dated = fitted(name, by_day(days, jobs, 5), bins=5).score(by_day(after, jobs, 5))
    plain = table(schema((5, 3), ("ordinal", "nominal")), np.column_stack([days, jobs]).tolist())
    masked = table(plain.schema, np.column_stack([after, jobs]).tolist())
    assert dated == fitted(name, plain, bins=5).score(masked)


def test_labels_of_many_days_are_never_put_right():
    rng = np.random.default_rng(1)
    days, jobs = rng.integers(0, 50, 200), rng.integers(0, 3, 200)
    original, turned = by_day(days, jobs, 50), by_day(49 - days, (jobs + 1) % 3, 50)
    assert fitted("relabelling", original, bins=5).wrongly_labelled(turned, 3.0) == (original.schema.names[1],)
