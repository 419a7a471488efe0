"""Losses of generalised files: fixtures of the sources, labels of all forms, point output, suppression."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evosdc
from evosdc.errors import DataError, InputError
from evosdc.plugins.registry import default_registry
from evosdc.table.generalisation import number_interval_label, set_label
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

NAMES = ("lm", "iloss", "dm", "cavg", "aecs", "entropy", "precision", "height")


def fitted(name, original, **params):
    return default_registry().build("measure", name, params).fit(original)


def scores(original, masked, names=NAMES):
    return {name: fitted(name, original).score(masked) for name in names}


def labels(values, categories=None, scale=Scale.NOMINAL, name="a", hierarchy=None):
    """Return a table of one attribute; None is a missing value."""
    known = tuple(dict.fromkeys(v for v in values if v is not None)) if categories is None else categories
    attribute = Attribute(name, Role.QUASI_IDENTIFIER, scale, known, hierarchy)
    codes = [-1 if value is None else attribute.code[value] for value in values]
    return Table(Schema((attribute,)), np.array(codes, dtype=np.int32)[:, None], np.empty((len(values), 0)))


def ages(values):
    attribute = Attribute("age", Role.QUASI_IDENTIFIER, Scale.NUMERIC)
    return Table(
        Schema((attribute,)), np.empty((len(values), 0), dtype=np.int32), np.array(values, dtype=float)[:, None]
    )


STATES = tuple("ABCDEFGH")
REGIONS = Hierarchy(STATES, tuple((("ABC" if s in "ABC" else "DEFGH"), "*") for s in STATES))
STATE = labels(STATES, STATES, hierarchy=REGIONS)


def test_a_label_of_a_hierarchy_loses_its_leaves():
    # The "State" example: three of eight leaves lose 2/7, a suppressed cell 1.
    masked = labels(["ABC", "ABC", "ABC", "D", "E", "F", "G", "*"], name="a")
    assert fitted("lm", STATE).score(masked) == pytest.approx((3 * 2 / 7 + 1) / 8)
    assert fitted("iloss", STATE).score(masked) == pytest.approx((3 * 2 / 8 + 7 / 8) / 8)
    # The last record is suppressed, the others stand on different levels: half the height three times, then none.
    assert fitted("precision", STATE).score(masked) == pytest.approx((3 * 0.5 / 7) * 7 / 8 + 1 / 8)
    assert fitted("entropy", STATE).score(masked) == pytest.approx(3 * np.log2(3) + 3)


def test_an_interval_of_numbers_loses_its_span():
    original = ages([20, 25, 30, 40])
    masked = labels(["[20, 30]", "[20, 30]", "[20, 30]", "40"], name="age")
    assert fitted("lm", original).score(masked) == pytest.approx(3 * 0.5 / 4)
    assert fitted("entropy", original).score(masked) == pytest.approx(3 * np.log2(3))
    wide = labels(["[0, 30]", "<= 30", "[20, 31)", ">= 40"], name="age")
    assert fitted("lm", original).score(wide) == pytest.approx((0.5 + 0.5 + 11 / 20 + 0.0) / 4)
    assert fitted("lm", original).score(labels(["*"] * 4, name="age")) == 1.0


def test_sets_and_intervals_of_categories_count_them():
    grades = tuple("abcde")
    original = labels(grades, grades, Scale.ORDINAL)
    masked = labels(["[a, c]", "{a, e}", "c", ">= d", "<= b"])
    assert fitted("lm", original).score(masked) == pytest.approx((2 / 4 + 1 / 4 + 0 + 1 / 4 + 1 / 4) / 5)
    assert fitted("iloss", original).score(masked) == pytest.approx((2 + 1 + 0 + 1 + 1) / 25)
    assert fitted("entropy", original).score(masked) == pytest.approx(np.log2(3) + 3)


def test_sum_and_mean_of_attributes():
    both = Table(
        Schema((STATE.schema.attributes[0], Attribute("b", categories=("x", "y")))),
        np.column_stack([STATE.codes[:, 0], np.arange(8, dtype=np.int32) % 2]),
        np.empty((8, 0)),
    )
    masked = Table(
        Schema((Attribute("a", categories=(*STATES, "ABC")), Attribute("b", categories=("x", "y", "*")))),
        np.column_stack([np.where(both.codes[:, 0] < 3, 8, both.codes[:, 0]), np.full(8, 2)]).astype(np.int32),
        np.empty((8, 0)),
    )
    parts = 3 * 2 / 7 / 8, 1.0
    assert fitted("lm", both, aggregate="sum").score(masked) == pytest.approx(sum(parts))
    assert fitted("lm", both).score(masked) == pytest.approx(sum(parts) / 2)
    assert fitted("lm", both, weights={"b": 0.0}).score(masked) == pytest.approx(parts[0])


def test_fixture_of_classes():
    original = labels([f"v{i}" for i in range(8)])
    masked = labels(["{v0, v1, v2}"] * 3 + ["{v3, v4, v5}"] * 3 + ["{v6, v7}"] * 2)
    assert fitted("dm", original).score(masked) == 22.0
    suppressed = labels(["{v0, v1, v2}"] * 3 + ["{v3, v4, v5}"] * 3 + ["*"] * 2)
    assert fitted("dm", original).score(suppressed) == 34.0
    assert fitted("cavg", original, k=2).score(masked) == pytest.approx(8 / 3 / 2)
    assert fitted("aecs", original).score(suppressed) == pytest.approx(8 / 3)


def test_emptied_values_are_suppressed():
    full = scores(STATE, labels(["*"] * 8))
    assert scores(STATE, labels([None] * 8)) == full
    assert full["lm"] == full["precision"] == 1.0
    gap = labels([*STATES[:7], None], STATES, hierarchy=REGIONS)
    assert scores(gap, gap)["lm"] == 0.0


def test_ordinary_files_cover_themselves(published):
    order = np.random.default_rng(1).permutation(len(published))
    # A value that a permutation empties is suppressed.
    versions = (
        [published]
        if any(published.absent(name).any() for name in published.schema.names)
        else [published, published.take(order)]
    )
    for masked in versions:
        found = scores(published, masked)
        assert {found[name] for name in ("lm", "iloss", "entropy", "precision", "height")} == {0.0}
    numbers = ages([1.0, 2.0, 5.5])
    assert fitted("lm", numbers).score(ages([1.1, 2.2, 9.0])) == 0.0


def test_labels_that_stand_for_nothing_are_refused():
    with pytest.raises(DataError, match=r"masked: a: given the label 'XYZ' and 1 more.*hierarchy"):
        fitted("lm", STATE).score(labels(["A", "XYZ", "UVW", *"DEFGH"]))


def test_frames_with_generalised_labels():
    frame = pd.DataFrame({"age": [20, 25, 30, 40], "sex": pd.Categorical(["f", "m", "f", "m"])})
    masked = pd.DataFrame({"age": ["[20, 30]", "[20, 30]", "[20, 30]", "40"], "sex": ["*", "m", "f", "m"]})
    found = evosdc.measure(frame, masked, ["lm", "dm"])
    assert found == pytest.approx({"lm": (3 / 8 + 1 / 4) / 2, "dm": 4.0})
    assert evosdc.measure(frame, masked, {"lm": {"aggregate": "sum"}})["lm"] == pytest.approx(3 / 8 + 1 / 4)
    with pytest.raises(InputError, match="Generalised labels are judged by the losses of generalisation only"):
        evosdc.measure(frame, masked, ["lm", "id"])
    with pytest.raises(InputError, match="'\\*'"):
        evosdc.measure(frame, masked, ["dbil"], protect="sex")


@st.composite
def local_recodings(draw):
    """Draw the categories of n records, and by record the codes behind its published label, None where emptied."""
    n = draw(st.integers(1, 8))
    original = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    groups = st.sets(st.integers(0, 4), min_size=1).map(sorted)
    return original, draw(st.lists(st.one_of(groups, st.none()), min_size=n, max_size=n))


@given(drawn=local_recodings(), numeric=st.booleans())
def test_local_recodings_against_the_definitions(drawn, numeric):
    original, behind = drawn
    names = "abcde"
    if numeric:
        behind = [None if g is None else list(range(g[0], g[-1] + 1)) for g in behind]
        before = ages([float(code) for code in original])
        shown = [None if g is None else number_interval_label(g[0], g[-1]) for g in behind]
    else:
        before = labels([names[code] for code in original], tuple(names), Scale.ORDINAL)
        shown = [None if g is None else set_label([names[code] for code in g]) for g in behind]
    masked = labels(shown, name="age" if numeric else "a")
    n, low, high = len(original), min(original), max(original)
    domain = len(set(original)) if numeric else 5
    lost, shares, bits = 0.0, 0.0, 0.0
    for code, group in zip(original, behind, strict=True):
        if group is None:
            lost, shares, bits = (
                lost + (domain > 1),
                shares + (domain - 1) / domain,
                bits + np.log2(n / original.count(code)),
            )
            continue
        covered = [c for c in original if c in group]
        if len(group) > 1:
            leaves = max(len(set(covered)), 1) if numeric else len(group)
            span = max(min(group[-1], high) - max(group[0], low), 0) / (high - low) if high > low else 0.0
            lost, shares = lost + (span if numeric else (leaves - 1) / 4), shares + (leaves - 1) / domain
            bits += max(np.log2(max(len(covered), 1) / original.count(code)), 0.0)
    assert fitted("lm", before).score(masked) == pytest.approx(lost / n)
    assert fitted("iloss", before).score(masked) == pytest.approx(shares / n)
    assert fitted("entropy", before).score(masked) == pytest.approx(bits, abs=1e-9)
    keys = [shown[i] for i in range(n) if shown[i] is not None]
    kept = sum(keys.count(key) ** 2 for key in set(keys))
    assert fitted("dm", before).score(masked) == kept + n * (n - len(keys))
    assert fitted("aecs", before).score(masked) == n / (len(set(keys)) + (len(keys) < n))
    assert 0.0 <= fitted("precision", before).score(masked) <= 1.0
