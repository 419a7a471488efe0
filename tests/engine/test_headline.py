"""Privacy models in constraints: tracked through random changes they are what they are from scratch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.engine.headline import Headline, Shortfall
from evosdc.model import Changes, Microdata
from evosdc.model.tracker import Rescoring
from evosdc.plugins.registry import default_registry
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute, MissingRule, Role, Scale, Schema
from evosdc.table.table import MISSING, Table

MODELS = [
    ("k-anonymity", {}),
    ("p-sensitivity", {}),
    ("l-diversity", {}),
    ("l-diversity", {"form": "entropy"}),
    ("l-diversity", {"form": "recursive", "c": 1.5}),
    ("t-closeness", {}),
    ("t-closeness", {"distance": "nominal"}),
    ("beta-likeness", {}),
    ("beta-likeness", {"form": "enhanced"}),
    ("delta-disclosure", {"absent": "ignored"}),
    ("delta-disclosure", {}),
    ("alpha-k-anonymity", {"k": 2}),
    ("l-diversity", {"form": "entropy", "estimator": "grassberger"}),
    ("prosecutor-risk", {}),
    ("safepub", {"epsilon": 2.0}),
    ("profitability", {}),
    ("publisher-payoff", {"benefit": 200.0}),
    ("average-risk", {}),
    *[
        ("population-uniqueness", {"population_size": people, "model": model})
        for people, model in ((10, "dankar"), (90, "zayatz"), (90, "snb"), (500, "pitman"))
    ],
    ("global-risk", {}),
]
BOUNDS = {"k-anonymity": 3.0, "beta-likeness": 1.0, "alpha-k-anonymity": 0.6, "prosecutor-risk": 0.3, "safepub": 0.2}


def file_of(n, seed, na=MissingRule.CATEGORY, missing=0.1):
    """Return two masked quasi-identifiers, one that is not masked, and three sensitive attributes."""
    rng = np.random.default_rng(seed)
    known, wanted = Role.QUASI_IDENTIFIER, Role.SENSITIVE
    labels = ("a", "b", "c", "d")
    tree = Hierarchy(labels, (("x", "*"), ("x", "*"), ("y", "*"), ("y", "*")))
    attributes = (
        Attribute("v", known, Scale.ORDINAL, ("0", "1", "2")),
        Attribute("w", known, Scale.NOMINAL, ("0", "1")),
        Attribute("fixed", known, Scale.NOMINAL, ("0", "1")),
        Attribute("s", wanted, Scale.NOMINAL, labels, tree),
        Attribute("o", wanted, Scale.ORDINAL, ("0", "1", "2")),
        Attribute("pay", wanted, Scale.NUMERIC),
    )
    codes = np.column_stack([rng.integers(0, size, n) for size in (3, 2, 2, 4, 3)]).astype(np.int32)
    codes[rng.random(codes.shape) < missing] = MISSING
    pay = rng.integers(0, 4, (n, 1)).astype(float)
    pay[rng.random(n) < missing] = np.nan
    return Microdata(Table(Schema(attributes, na=na), codes, pay), ("v", "w"))


def model_of(named):
    return default_registry().build("privacy-model", *named)


def changed(table, rng, most):
    """Return a child in which up to so many records have other values; some of them stay as they are."""
    rows = np.unique(rng.integers(0, len(table), rng.integers(1, most + 1)))
    codes = table.codes[rows].copy()
    for record in codes:
        for v in range(rng.integers(0, len(record)) + 1):
            record[v] = rng.integers(MISSING, len(table.schema.categorical[v].categories))
    return Changes.of_one(rows, table.take(rows), Table(table.schema, codes, table.numbers[rows]))


def together(changes):
    before, after = (
        Table(one[0].schema, np.concatenate([t.codes for t in one]), np.concatenate([t.numbers for t in one]))
        for one in ([c.before for c in changes], [c.after for c in changes])
    )
    ends = np.cumsum([len(c.rows) for c in changes])
    return Changes(ends, np.concatenate([c.rows for c in changes]), before, after)


def assert_tracked(fitted, table, rng, steps, most=3):
    tracker = fitted.track(table)
    assert tracker.score == pytest.approx(fitted.score(table), rel=1e-9, abs=1e-9)
    for _ in range(steps):
        children = [changed(table, rng, most) for _ in range(4)]
        wanted = [fitted.score(child.applied_to(table)) for child in children]
        before = tracker.score
        assert tracker.tries(together(children)) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        assert tracker.score == before
        other = fitted.track(table)
        tracker.take(children[0])
        assert tracker.score == pytest.approx(wanted[0], rel=1e-9, abs=1e-9)
        assert other.score == before
        assert other.tries(together(children[:2])) == pytest.approx(wanted[:2], rel=1e-9, abs=1e-9)
        table = children[0].applied_to(table)


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(0, 2**32), st.sampled_from(MODELS))
def test_a_tracked_headline_is_that_from_scratch(n, seed, named):
    microdata = file_of(n, seed)
    headline = Headline(model_of(named), microdata)
    assert isinstance(headline.track(microdata.original), Rescoring) == (named[0] == "global-risk")
    assert_tracked(headline, microdata.original, np.random.default_rng(seed), 8)


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(0, 2**32), st.sampled_from([m for m in MODELS if m[0] in BOUNDS]))
def test_a_tracked_shortfall_is_that_from_scratch(n, seed, named):
    microdata = file_of(n, seed)
    shortfall = Shortfall(Headline(model_of(named), microdata), BOUNDS[named[0]])
    assert not isinstance(shortfall.track(microdata.original), Rescoring)
    assert_tracked(shortfall, microdata.original, np.random.default_rng(seed), 8)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 30), st.integers(0, 2**32), st.sampled_from(MODELS[1:5]))
def test_a_masked_sensitive_attribute_is_tracked(n, seed, named):
    microdata = Microdata(file_of(n, seed).table, ("v", "w", "s"))
    headline = Headline(model_of(named), microdata, ("s", "o"))
    assert not isinstance(headline.track(microdata.original), Rescoring)
    assert_tracked(headline, microdata.original, np.random.default_rng(seed), 8)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 30), st.integers(0, 2**32), st.sampled_from(["k-anonymity", "l-diversity", "average-risk"]))
def test_where_missing_values_are_wildcards_figures_are_those_from_scratch(n, seed, name):
    microdata = file_of(n, seed, MissingRule.WILDCARD)
    headline = Headline(model_of((name, {})), microdata)
    assert_tracked(headline, microdata.original, np.random.default_rng(seed), 3)


@pytest.mark.parametrize("named", [MODELS[0], MODELS[2], MODELS[5], ("average-risk", {})])
def test_changes_of_many_records_are_tracked(named):
    microdata, rng = file_of(3000, 5), np.random.default_rng(6)
    assert_tracked(Headline(model_of(named), microdata), microdata.original, rng, 4, 2500)


def test_a_class_is_made_of_all_quasi_identifiers_masked_or_not():
    microdata = file_of(30, 1, missing=0.0)
    codes = np.zeros_like(microdata.original.codes)
    masked = Table(microdata.original.schema, codes, microdata.original.numbers)
    headline = Headline(model_of(("k-anonymity", {})), microdata)
    fixed = microdata.table.codes[:, 2]
    assert headline.score(masked) == np.bincount(fixed).min()
    assert headline.track(masked).score == np.bincount(fixed).min()


@pytest.mark.parametrize(
    ("change", "named", "sensitive"),
    [
        ({"na": MissingRule.WILDCARD}, ("k-anonymity", {}), None),  # classes overlap
        ({}, ("t-closeness", {}), ("w",)),  # the distribution of the whole file changes
        ({}, ("global-risk", {}), None),  # not judged class by class
        ({}, ("profitability", {"attacker": "journalist"}), None),  # looks at the population
    ],
)
def test_what_cannot_be_tracked_is_judged_from_scratch(change, named, sensitive):
    microdata = file_of(30, 2, **change)
    headline = Headline(model_of(named), microdata, sensitive)
    assert isinstance(headline.track(microdata.original), Rescoring)
    assert isinstance(Shortfall(headline, 1.0).track(microdata.original), Rescoring)
