"""What must hold for judges whatever the file."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.table.table import Table
from evosdc_judges.classes import by_appearance, classes_of
from tests.plugins.judges.cases import (
    ATTACKS,
    LEARNED,
    LOSSES,
    RISKS,
    SETS,
    attribute,
    fitted,
    noisy,
    people,
    permuted,
    relabelled,
    table,
)

PARAMS = {"learned-inference": {"rounds": 2}, "learned-linkage": {"repeats": 1, "rivals": 40}}
FEW = settings(max_examples=6, deadline=None)


@st.composite
def files(draw, least=60):
    """Draw people with two to four attributes, and a masked file of them."""
    width = draw(st.integers(2, 4))
    sizes = draw(st.lists(st.integers(2, 7), min_size=width, max_size=width))
    scales = draw(st.lists(st.sampled_from(["nominal", "ordinal"]), min_size=width, max_size=width))
    original = people(draw(st.integers(least, 200)), sizes, scales, draw(st.integers(0, 1000)))
    return original, noisy(original, draw(st.floats(0.1, 0.9)), draw(st.integers(0, 1000)))


@pytest.mark.parametrize("name", [*LEARNED, *ATTACKS])
@FEW
@given(files(), st.integers(0, 1000))
def test_no_relabelling_changes_the_risk(name, file, seed):
    original, masked = file
    found = fitted(name, original, **PARAMS.get(name, {}))
    assert found.estimate(relabelled(masked, seed)) == found.estimate(masked)


@pytest.mark.parametrize("name", RISKS)
@FEW
@given(files())
def test_the_original_is_the_riskiest_file(name, file):
    original, masked = file
    found = fitted(name, original, **PARAMS.get(name, {}))
    identity, estimate = found.estimate(original), found.estimate(masked)
    assert identity.value >= estimate.value - 2.0 * (estimate.error + identity.error) - 1e-9


@pytest.mark.parametrize("name", RISKS)
@pytest.mark.parametrize("seed", range(3))
def test_a_file_in_another_order_is_no_risk(name, seed):
    original = people(500, seed=seed)
    estimate = fitted(name, original, **PARAMS.get(name, {})).estimate(permuted(original, seed))
    # A linkage by chance finds the records that tie with their own.
    chance = 100.0 * len(np.unique(original.codes, axis=0)) / 500 / 10
    assert estimate.value <= 3.0 * estimate.error + (chance if "linkage" in name else 1e-9)


@pytest.mark.parametrize("name", LOSSES)
@FEW
@given(files())
def test_the_original_loses_nothing(name, file):
    original, masked = file
    whole = people(len(original), besides=2)
    joined = table(
        [*original.schema.attributes, *(a for a in whole.schema.attributes if a.name.startswith("b"))],
        np.hstack([original.codes, whole.codes[:, -2:]]),
    )
    found = fitted(name, joined, original.schema.names)
    assert found.score(original) == 0.0
    assert found.score(masked) >= 0.0


@pytest.mark.parametrize("name", SETS)
@FEW
@given(files())
def test_sets_of_records_have_no_order(name, file):
    original, masked = file
    found = fitted(name, original)
    assert found.score(permuted(masked)) == found.score(masked)
    assert found.score(permuted(original)) == found.score(original)


@FEW
@given(files())
def test_more_masking_is_less_risk(file):
    original, _ = file
    light, heavy = noisy(original, 0.05, 1), noisy(original, 0.95, 1)
    for name in ("partial-linkage", "learned-linkage"):
        found = fitted(name, original, **PARAMS.get(name, {}))
        high, low = found.estimate(light), found.estimate(heavy)
        assert high.value >= low.value - 2.0 * (high.error + low.error)


@FEW
@given(files(), st.integers(0, 1000))
def test_names_by_appearance_are_the_same_after_a_relabelling(file, seed):
    _, masked = file
    named = by_appearance(masked.codes)
    assert (named == by_appearance(relabelled(masked, seed).codes)).all()
    for v in range(named.shape[1]):
        assert len(np.unique(named[:, v])) == len(np.unique(masked.codes[:, v]))


@FEW
@given(st.integers(2, 30), st.integers(0, 1000), st.floats(0.0, 0.5))
def test_classes_of_numbers_keep_their_order(bins, seed, holes):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=50)
    values[rng.random(50) < holes] = np.nan
    values[0] = 0.0
    original = table([attribute("x", 0, "numeric")], np.empty((50, 0), np.int32), values[:, None])
    classes = classes_of(original, bins)
    codes = classes.of(original)[:, 0]
    missing = np.isnan(values)
    assert (codes[missing] == classes.sizes[0] - 1).all()
    order = np.argsort(values[~missing])
    assert (np.diff(codes[~missing][order]) >= 0).all()
    assert codes[~missing].max(initial=0) < bins
    far = Table(original.schema, original.codes, np.full((50, 1), 99.0))
    assert (classes.of(far) == classes.sizes[0] - 2).all()


@pytest.mark.parametrize("scale", ["nominal", "ordinal"])
def test_wide_attributes_are_pooled(scale):
    rng = np.random.default_rng(1)
    codes = np.minimum(rng.geometric(0.01, 2000), 499)[:, None]
    original = table([attribute("zip", 500, scale)], codes)
    classes = classes_of(original, 10, widest=50)
    found = classes.of(original)[:, 0]
    assert found.max() < 50
    assert len(np.unique(found)) > 30
    if scale == "ordinal":
        assert (np.diff(found[np.argsort(codes[:, 0], kind="stable")]) >= 0).all()
    else:
        frequent = np.bincount(codes[:, 0]).argmax()
        assert len(np.unique(codes[found == found[codes[:, 0] == frequent][0], 0])) == 1
