"""Privacy models in constraints: followed through random edits they are what they are from scratch, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.engine.class_following import followed_classes, started_classes
from evosdc.engine.class_values import counted_values, follow_values, values_in_classes
from evosdc.engine.followed_headline import FollowedHeadline, FollowedShortfall, follows
from evosdc.engine.followed_sizes import FollowedSizes, follows_sizes
from evosdc.engine.headline import Headline, Shortfall
from evosdc.engine.worst_figure import renew_worst, worst_of
from evosdc.model import Incremental, Microdata
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
]


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


def edits(table, rng, steps):
    """Yield tables, each with a few cells changed, and the changed records."""
    sizes = [len(a.categories) for a in table.schema.categorical]
    for _ in range(steps):
        rows = np.unique(rng.integers(0, len(table), rng.integers(1, 4)))
        codes = table.codes.copy()
        for row in rows:
            v = rng.integers(codes.shape[1])
            codes[row, v] = rng.integers(MISSING, sizes[v])
        table = Table(table.schema, codes, table.numbers)
        yield table, rows


@pytest.mark.endurance
@given(st.integers(1, 40), st.integers(0, 2**32), st.sampled_from(MODELS))
def test_a_headline_is_followed_to_the_last_bit(n, seed, named):
    name, params = named
    microdata = file_of(n, seed)
    headline = Headline(default_registry().build("privacy-model", name, params), microdata)
    assert follows(headline)
    followed, masked = FollowedHeadline(headline), microdata.original
    state = followed.start(masked)
    assert followed.value(state) == headline.score(masked)
    for table, rows in edits(masked, np.random.default_rng(seed), 60):
        before = followed.value(state)
        after = followed.update(state, table, rows)
        assert followed.value(state) == before
        assert followed.value(after) == followed.score(table) == headline.score(table)
        state = after


@settings(max_examples=20, deadline=None)
@given(
    st.integers(1, 40),
    st.integers(0, 2**32),
    st.sampled_from(
        [
            ("average-risk", {}),
            *[
                ("population-uniqueness", {"population_size": people, "model": model})
                for people, model in ((10, "dankar"), (90, "zayatz"), (90, "snb"), (500, "pitman"))
            ],
        ]
    ),
)
def test_a_headline_of_sizes_is_followed_to_the_last_bit(n, seed, named):
    name, params = named
    microdata = file_of(n, seed)
    headline = Headline(default_registry().build("privacy-model", name, params), microdata)
    assert follows_sizes(headline)
    followed, state = FollowedSizes(headline), None
    for table, rows in edits(microdata.original, np.random.default_rng(seed), 12):
        state = followed.start(table) if state is None else followed.update(state, table, rows)
        assert followed.value(state) == followed.score(table) == headline.score(table)


@given(st.integers(1, 40), st.integers(0, 2**32), st.integers(1, 6))
def test_a_shortfall_is_followed_to_the_last_bit(n, seed, bound):
    microdata = file_of(n, seed)
    headline = Headline(default_registry().build("privacy-model", "k-anonymity", {}), microdata)
    followed, plain = FollowedShortfall(headline, bound), Shortfall(headline, bound)
    state = followed.start(microdata.original)
    for table, rows in edits(microdata.original, np.random.default_rng(seed), 40):
        state = followed.update(state, table, rows)
        assert followed.value(state) == followed.score(table) == plain.score(table)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 30), st.integers(0, 2**32), st.sampled_from(MODELS[1:5]))
def test_a_masked_sensitive_attribute_is_followed(n, seed, named):
    name, params = named
    table = file_of(n, seed).table
    microdata = Microdata(table, ("v", "w", "s"))
    headline = Headline(default_registry().build("privacy-model", name, params), microdata, ("s",))
    assert follows(headline)
    followed = FollowedHeadline(headline)
    state = followed.start(microdata.original)
    for masked, rows in edits(microdata.original, np.random.default_rng(seed), 40):
        state = followed.update(state, masked, rows)
        assert followed.value(state) == headline.score(masked)


@pytest.mark.parametrize(("name", "params"), [*MODELS, ("average-risk", {})])
def test_a_long_file_is_followed_in_place(name, params):
    microdata = file_of(4000, 5)
    headline = Headline(default_registry().build("privacy-model", name, params), microdata)
    followed = FollowedSizes(headline) if follows_sizes(headline) else FollowedHeadline(headline)
    state = followed.start(microdata.original)
    for step, (table, rows) in enumerate(edits(microdata.original, np.random.default_rng(6), 120)):
        state = followed.follow(state, table, rows)
        if step % 30 == 29:
            assert followed.value(state) == headline.score(table)


@pytest.mark.parametrize("size", [2, 5, 60])
def test_counts_of_classes_that_grow_and_shrink_are_those_of_their_records(size):
    rng, n = np.random.default_rng(size), 400
    values, keys = rng.integers(0, size, n).astype(np.int32), rng.integers(0, 12, n)
    classes = started_classes(keys.astype(np.int64), True)
    known = counted_values(values.copy(), size, classes)
    for step in range(300):
        rows = np.unique(rng.integers(0, n, 3))
        # towards few classes for a while, then towards many
        keys[rows] = rng.integers(0, 3 if step < 150 else 40, len(rows))
        values[rows] = rng.integers(0, size, len(rows))
        before = classes.places[rows]
        classes, changed, _ = followed_classes(classes, keys[rows].astype(np.int64), rows, True)
        follow_values(rows, values[rows], before, changed, classes, known)
        chosen = np.flatnonzero(classes.sizes)
        starts, found, times = values_in_classes(chosen, size, classes.heads, classes.sizes, classes.following, known)
        for number, place in enumerate(chosen):
            wanted = np.unique(values[keys == classes.keys[place]], return_counts=True)
            own = slice(starts[number], starts[number + 1])
            assert (found[own].tolist(), times[own].tolist()) == tuple(part.tolist() for part in wanted)
    assert (known.slots >= 0).any() == (size < 60)


@given(st.integers(1, 9000), st.integers(0, 2**32), st.booleans())
def test_the_worst_figure_is_found_again(m, seed, least):
    rng = np.random.default_rng(seed)
    figures = np.where(rng.random(m) < 0.5, np.nan, rng.random(m))
    worst = worst_of(figures, least)
    for _ in range(10):
        wanted = (np.fmin if least else np.fmax).reduce(figures)
        np.testing.assert_array_equal(worst[-1], wanted)
        changed = np.unique(rng.integers(0, m, 4))
        figures[changed] = np.where(rng.random(len(changed)) < 0.3, np.nan, rng.random(len(changed)))
        renew_worst(figures, worst, changed, least)


def test_a_headline_is_read_from_the_states_of_its_shortfall():
    microdata = file_of(60, 2)
    headline = Headline(default_registry().build("privacy-model", "k-anonymity", {}), microdata)
    plain, shortfall = FollowedHeadline(headline), FollowedShortfall(headline, 3)
    read = plain.read_from(shortfall)
    assert shortfall.read_from(plain) is None
    assert plain.read_from(plain) is None
    assert read is not None
    assert read(shortfall.start(microdata.original)) == headline.score(microdata.original)


def test_a_class_is_made_of_all_quasi_identifiers_masked_or_not():
    microdata = file_of(30, 1, missing=0.0)
    codes = np.zeros_like(microdata.original.codes)
    masked = Table(microdata.original.schema, codes, microdata.original.numbers)
    headline = Headline(default_registry().build("privacy-model", "k-anonymity", {}), microdata)
    fixed = microdata.table.codes[:, 2]
    assert headline.score(masked) == np.bincount(fixed).min()
    assert FollowedHeadline(headline).score(masked) == np.bincount(fixed).min()


@pytest.mark.parametrize(
    ("change", "name", "sensitive"),
    [
        ({"na": MissingRule.WILDCARD}, "k-anonymity", None),  # classes overlap
        ({}, "t-closeness", ("w",)),  # the distribution of the whole file changes
        ({}, "global-risk", None),  # not judged class by class
        ({}, "profitability(journalist)", None),  # looks at the population
    ],
)
def test_what_cannot_be_followed_is_judged_from_scratch(change, name, sensitive):
    microdata = file_of(30, 2, **change)
    params = {"attacker": "journalist"} if name.endswith("(journalist)") else {}
    headline = Headline(default_registry().build("privacy-model", name.split("(")[0], params), microdata, sensitive)
    assert not follows(headline)
    assert not isinstance(headline, Incremental)
