"""Attributes in a few classes, and the cross-tables that are made of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.api.tables import as_table
from evosdc.assess.classes import classed, cross_tables
from evosdc.table.table import Table


def table_of(**columns) -> Table:
    return as_table(pd.DataFrame(columns))


def ordered(values, categories):
    return pd.Categorical(values, categories=categories, ordered=True)


def test_few_categories_are_classes_of_their_own():
    before = table_of(a=ordered(["x", "y", "y", "z"], ["x", "y", "z"]))
    after = table_of(a=ordered(["y", "y", "x", "z"], ["x", "y", "z"]))
    (entry,) = cross_tables(before, after, ["a"])
    assert entry["original"] == entry["published"] == ["x", "y", "z"]
    assert entry["counts"] == [[0, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert entry["kept"] == 50.0
    assert entry["same_labels"]


def test_counts_that_stay_while_every_value_is_swapped_are_seen_through():
    labels = ["f", "m"]
    before, after = (table_of(sex=pd.Categorical(v, categories=labels)) for v in (["f", "m"] * 50, ["m", "f"] * 50))
    (entry,) = cross_tables(before, after, ["sex"])
    assert np.sum(entry["counts"], axis=0).tolist() == np.sum(entry["counts"], axis=1).tolist()
    assert entry["counts"] == [[0, 50], [50, 0]]
    assert entry["kept"] == 0.0


def test_many_ordered_categories_are_merged_with_their_neighbours():
    labels = [str(n) for n in range(40)]
    classes = classed(*[table_of(age=ordered(labels * 3, labels))] * 2, "age")
    assert len(classes.labels) == 12
    assert classes.labels[0].startswith("0 to ")
    assert (np.diff(classes.original[:40]) >= 0).all()
    counts = np.bincount(classes.original)
    assert counts.max() - counts.min() <= 6


@given(
    st.lists(st.sampled_from([0.0, 0.5, 10.0, 11.0, 30.0]), min_size=1, max_size=60),
    st.lists(st.sampled_from([-3.0, 0.0, 5.0, 10.0, 50.0]), min_size=1, max_size=60),
)
def test_no_band_of_numbers_is_empty(before, after):
    size = min(len(before), len(after))
    tables = [table_of(a=np.array(numbers[:size])) for numbers in (before, after)]
    classes = classed(*tables, "a")
    together = np.concatenate([classes.original, classes.published])
    assert sorted(set(together.tolist())) == list(range(len(classes.labels)))


def test_bands_of_many_equal_numbers_are_between_those_that_occur():
    numbers = np.array([0.0] * 50 + [10.0] * 50)
    classes = classed(*[table_of(a=numbers)] * 2, "a")
    assert classes.labels == ("up to 0", "above 0")
    assert classes.joint.tolist() == [[50, 0], [0, 50]]


def test_many_unordered_categories_leave_the_commonest():
    values = [f"town {n}" for n in range(30) for _ in range(31 - n)]
    classes = classed(*[table_of(town=pd.Categorical(values))] * 2, "town")
    assert len(classes.labels) == 12
    assert classes.labels[-1] == "19 others"
    assert classes.joint.sum() == len(values)
    assert np.trace(classes.joint) == len(values)


def test_numbers_are_taken_by_quantiles_and_no_label_is_a_records_value():
    rng = np.random.default_rng(1)
    income = rng.normal(31234.567, 5000.123, 500)
    classes = classed(*[table_of(income=income)] * 2, "income")
    assert len(classes.labels) == 10
    assert max(np.bincount(classes.original)) - min(np.bincount(classes.original)) <= 1
    told = {
        float(word)
        for label in classes.labels
        for word in label.split()
        if word.replace("e+", "").replace(".", "").isdigit()
    }
    assert not told & set(income.tolist())


def test_missing_values_are_a_class_of_both_files():
    before = table_of(a=ordered(["x", None, "y"], ["x", "y"]), b=[1.0, np.nan, 3.0])
    after = table_of(a=ordered([None, "x", "y"], ["x", "y"]), b=[1.0, 2.0, np.nan])
    for name in ("a", "b"):
        classes = classed(before, after, name)
        assert classes.labels[-1] == "missing"
        assert classes.joint[-1].sum() == 1
        assert classes.joint[:, -1].sum() == 1


def test_generalised_labels_are_columns_of_their_own():
    before = table_of(age=ordered(["20", "25", "31"], ["20", "25", "31"]))
    after = table_of(age=ordered(["20-29", "20-29", "30-39"], ["20-29", "30-39"]))
    (entry,) = cross_tables(before, after, ["age"])
    assert entry["published"] == ["20-29", "30-39"]
    assert entry["counts"] == [[1, 0], [1, 0], [0, 1]]
    assert not entry["same_labels"]
    assert entry["kept"] == 0.0


@given(
    codes=st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25)), min_size=1, max_size=60),
    ordinal=st.booleans(),
    most=st.integers(2, 12),
)
def test_every_record_is_in_one_class_and_like_values_in_the_same(codes, ordinal, most):
    labels = [f"c{n}" for n in range(26)]
    before, after = (
        table_of(a=pd.Categorical.from_codes([pair[side] for pair in codes], labels, ordered=ordinal))
        for side in (0, 1)
    )
    classes = classed(before, after, "a", most)
    assert classes.joint.sum() == len(codes)
    assert len(classes.labels) <= most
    by_code = {}
    for (a, b), first, second in zip(codes, classes.original, classes.published, strict=True):
        assert by_code.setdefault(a, first) == first
        assert by_code.setdefault(b, second) == second


@pytest.mark.parametrize("size", [1, 2])
def test_a_constant_number_has_one_class(size):
    classes = classed(*[table_of(a=[5.5] * size)] * 2, "a")
    assert classes.joint.sum() == size


def test_suppressed_values_are_counted_record_by_record():
    before = table_of(a=ordered(["x", None, "y", "y"], ["x", "y"]), b=[1.5, np.nan, 2.5, 3.5])
    after = table_of(a=ordered([None, "x", "y", None], ["x", "y"]), b=[np.nan, 1.5, 2.5, 3.5])
    known, numbers = cross_tables(before, after, ["a", "b"])
    assert known["missing"] == {"before": 1, "after": 2, "suppressed": 2}
    assert numbers["missing"] == {"before": 1, "after": 1, "suppressed": 1}
