"""Records that are suppressed whole are no class of their own, and lend nobody a likeness."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evosdc
from evosdc.engine.headline import Headline
from evosdc.model import Microdata, MissingMatch
from evosdc.table.schema import Attribute, MissingRule, Role, Schema
from evosdc.table.table import Table
from evosdc_privacy.diversity import LDiversity, PSensitivity
from evosdc_privacy.frequencies import KAnonymity
from tests.plugins.privacy.reference import neighbours, release_of_codes

AGES = [*["20-39"] * 7, *["40-59"] * 8, "*", "*"]
SEXES = [*"f" * 7, *"m" * 8, "*", "*"]
ILL = [*["flu", "cold", "none"] * 5, "cold", "flu"]
FRAME = pd.DataFrame({"age": AGES, "sex": SEXES, "ill": ILL})


@pytest.mark.parametrize("missing", ["category", "wildcard", "never"])
@pytest.mark.parametrize("hidden", ["*", None])
def test_two_suppressed_records_leave_k_that_of_the_others(missing, hidden) -> None:
    frame = FRAME.assign(sex=[*SEXES[:15], "*", hidden])
    known = evosdc.risk(
        frame, quasi_identifiers=["age", "sex"], sensitive=["ill"], missing_rule=missing, record_figures=True
    )
    assert (known["k-anonymity"]["k"], known["prosecutor-risk"]["largest"]) == (7, 1 / 7)
    assert (known["records"], known["suppressed_records"]) == (17, 2)
    of_records = known["record_figures"]["k-anonymity"]
    assert of_records[:15] == [7.0] * 7 + [8.0] * 8
    assert all(map(math.isnan, of_records[15:]))


def test_a_file_of_nothing_but_stars_is_one_class() -> None:
    known = evosdc.risk(FRAME.assign(age="*", sex="*"), quasi_identifiers=["age", "sex"])
    assert (known["k-anonymity"]["k"], known["suppressed_records"]) == (17, 0)


def test_what_a_search_requires_counts_them_apart_as_well() -> None:
    attributes = (
        Attribute("age", Role.QUASI_IDENTIFIER, categories=("20-39", "40-59", "*")),
        Attribute("sex", Role.QUASI_IDENTIFIER, categories=("f", "m", "*")),
    )
    rows = zip(AGES, SEXES, strict=True)
    codes = np.array([[attributes[v].code[label] for v, label in enumerate(row)] for row in rows])
    table = Table(Schema(attributes, na=MissingRule.CATEGORY), codes.astype(np.int32), np.empty((17, 0)))
    headline = Headline(KAnonymity(KAnonymity.Params()), Microdata(table, ("age", "sex")))
    assert headline.score(table) == headline.track(table).score == 7.0


FILES = st.integers(1, 8).flatmap(
    lambda n: st.tuples(
        st.lists(st.tuples(*[st.integers(-1, 1)] * 2), min_size=n, max_size=n),
        st.lists(st.integers(-1, 2), min_size=n, max_size=n),
    )
)


@given(FILES, st.sampled_from(MissingMatch), st.sampled_from(["value", "left-out"]))
def test_each_record_has_the_diversity_of_what_it_matches(file, missing, sensitive) -> None:
    codes, values = file
    view = release_of_codes(codes, missing, values)
    wanted = [
        len({values[j] for j in near if sensitive == "value" or values[j] >= 0}) for near in neighbours(codes, missing)
    ]
    for model in (LDiversity, PSensitivity):
        built = model(model.Params(missing=sensitive))
        assert built.record_figures(view).tolist() == wanted
        figures = built.assess(view)
        assert figures[model.headline] == min(wanted)
        assert ("left out" in built.in_words(figures)) is (sensitive == "left-out")
    for form in ("entropy", "recursive"):
        for estimator in ("shannon", "grassberger"):
            built = LDiversity(LDiversity.Params(form=form, estimator=estimator, missing=sensitive))
            assert np.isfinite(built.record_figures(view)).all()
