from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import HierarchyError
from evosdc.files.schema.hierarchies import read_hierarchy, write_hierarchy
from evosdc.table.hierarchy import NumberIntervals, number_intervals, prefix_hierarchy
from tests.files.build import write

MARITAL = """Married;present;*
Divorced;alone;*
Widowed;alone;*
Absent;present;*
"""


def test_the_arx_form(tmp_path):
    hierarchy = read_hierarchy(write(tmp_path, MARITAL))
    assert hierarchy.leaves == ("Married", "Divorced", "Widowed", "Absent")
    assert hierarchy.height == 2
    assert hierarchy.generalise(["Widowed", "Absent"], 1) == ("alone", "present")
    assert hierarchy.generalise(["Widowed"], 0) == ("Widowed",)
    assert hierarchy.generalise(["Widowed"], 2) == ("*",)
    assert hierarchy.path("Widowed") == ("Widowed", "alone", "*")


def test_common_levels(tmp_path):
    hierarchy = read_hierarchy(write(tmp_path, MARITAL))
    levels = hierarchy.common_levels(("Divorced", "Married", "Widowed"))
    assert levels.dtype == np.int64
    assert levels.tolist() == [[0, 2, 1], [2, 0, 2], [1, 2, 0]]


def test_nodes(tmp_path):
    codes, labels = read_hierarchy(write(tmp_path, MARITAL)).nodes(("Divorced", "Married", "Widowed"))
    assert codes.tolist() == [[0, 0, 0], [1, 1, 0], [2, 0, 0]]
    assert labels == (("Divorced", "Married", "Widowed"), ("alone", "present"), ("*",))


@pytest.mark.parametrize(
    "text", ["a,x,*\nb,x,*\n", "a\tx\t*\nb\tx\t*\n", "\ufeffa;x;*\r\n\r\nb;x;*\r\n", '"a";"x";"*"\n b ; x ;*']
)
def test_separators_marks_and_line_ends(tmp_path, text):
    hierarchy = read_hierarchy(write(tmp_path, text))
    assert hierarchy.leaves == ("a", "b")
    assert hierarchy.levels == (("x", "*"), ("x", "*"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no leaf"),
        ("a\nb\n", "without a level"),
        ("a;x;*\nb;*\n", "1 lines of another length, the first for 'b'"),
        ("a;x;*\na;x;*\n", "'a' on two lines"),
        ("a;x;p;*\nb;x;q;*\n", "'x' at level 1 below 'p' and 'q'"),
        ("a;x\nb;y\n", r"2 labels at the highest level \(x, y\)"),
    ],
)
def test_what_is_no_hierarchy(tmp_path, text, words):
    with pytest.raises(HierarchyError, match=words):
        read_hierarchy(write(tmp_path, text))


def test_all_faults_at_once(tmp_path):
    with pytest.raises(HierarchyError) as caught:
        read_hierarchy(write(tmp_path, "a;x;p;*\nb;x;q;+\na;y;p;*\n"))
    assert len(caught.value.faults) == 3


def test_no_file(tmp_path):
    with pytest.raises(HierarchyError, match="no such file"):
        read_hierarchy(tmp_path / "none.csv")


def test_unknown_labels_and_levels(tmp_path):
    hierarchy = read_hierarchy(write(tmp_path, MARITAL))
    with pytest.raises(HierarchyError, match="'Single'"):
        hierarchy.generalise(["Single"], 1)
    with pytest.raises(HierarchyError, match="a level from 0 to 2"):
        hierarchy.generalise(["Married"], 3)
    assert hierarchy.lacking(["Married", "Single"]) == ("Single",)


def test_intervals():
    hierarchy = number_intervals(range(17, 91), (5, 10, 20))
    assert hierarchy.height == 4
    assert hierarchy.path("17") == ("17", "15-19", "10-19", "0-19", "*")
    assert hierarchy.path("90") == ("90", "90-94", "90-99", "80-99", "*")
    assert number_intervals([-3, 4], (5,), start=1).path("-3") == ("-3", "-4-0", "*")
    assert number_intervals([1], (1, 2)).path("1") == ("1", "1", "0-1", "*")


@pytest.mark.parametrize("widths", [(5, 7), (0,), (10, 5), (5, 5), (-5, 10)])
def test_intervals_must_nest(widths):
    with pytest.raises(HierarchyError, match="multiple"):
        number_intervals(range(10), widths)


def test_prefixes():
    hierarchy = prefix_hierarchy(["43204", "43001", "431"], (1, 3))
    assert hierarchy.path("43204") == ("43204", "4320*", "43***", "*")
    assert hierarchy.path("431") == ("431", "431**", "43***", "*")
    assert prefix_hierarchy(["ab", "cd"]).height == 2
    assert prefix_hierarchy(["a", "b"]).height == 1


@pytest.mark.parametrize("steps", [(0,), (2, 1), (5,), (1, 1)])
def test_steps_must_rise(steps):
    with pytest.raises(HierarchyError, match="rising whole numbers from 1 to 4"):
        prefix_hierarchy(["43204"], steps)


def test_prefixes_of_nothing():
    with pytest.raises(HierarchyError, match="no leaf"):
        prefix_hierarchy([])


@given(st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, unique=True))
def test_built_hierarchies_are_written_and_read(tmp_path_factory, labels):
    hierarchy = prefix_hierarchy(labels)
    path = tmp_path_factory.mktemp("h") / "h.csv"
    write_hierarchy(hierarchy, path)
    back = read_hierarchy(path)
    assert (back.leaves, back.levels) == (hierarchy.leaves, hierarchy.levels)


@given(st.lists(st.integers(-50, 50), min_size=1, unique=True))
def test_common_level_is_the_first_at_which_labels_agree(values):
    hierarchy = number_intervals(values, (3, 6, 24))
    levels = hierarchy.common_levels(hierarchy.leaves)
    for i, a in enumerate(hierarchy.leaves):
        for j, b in enumerate(hierarchy.leaves):
            agree = [x == y for x, y in zip(hierarchy.path(a), hierarchy.path(b), strict=True)]
            assert levels[i, j] == agree.index(True)


@pytest.mark.parametrize(
    ("name", "leaves", "height"),
    [("age", 100, 4), ("education", 16, 3), ("native-country", 41, 2), ("sex", 2, 1), ("occupation", 14, 2)],
)
def test_published_hierarchies(data_sets, name, leaves, height):
    hierarchy = read_hierarchy(data_sets.path(f"adult/hierarchies_arx/adult_hierarchy_{name}.csv"))
    assert (len(hierarchy.leaves), hierarchy.height) == (leaves, height)


def test_intervals_of_many_numbers_are_those_of_few():
    values = [number / 8 for number in range(-600, 600)]
    many, few = (number_intervals(values[::step], (5.0, 10.0), 0.5, 3).named("own") for step in (1, 2))
    assert isinstance(many, NumberIntervals)
    assert not isinstance(few, NumberIntervals)
    assert (many.height, many.origin, len(many.leaves)) == (few.height, few.origin, len(values))
    assert all(many.path(leaf) == few.path(leaf) for leaf in few.leaves)
    assert pickle.loads(pickle.dumps(many)).levels == many.levels
