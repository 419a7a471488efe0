import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from evosdc.errors import HierarchyError, InputError
from evosdc.files.schema.hierarchies import HierarchyRule, HierarchySource, read_hierarchy, with_hierarchies
from evosdc.table.hierarchy import number_intervals, ordered_merging
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table
from evosdc_lattice.ladder import binary_intervals


def table():
    attributes = (
        Attribute("grade", scale=Scale.ORDINAL, categories=("a", "b", "c", "d", "e")),
        Attribute("zip", scale=Scale.NOMINAL, categories=("431", "432", "512", "513", "600")),
        Attribute("age", scale=Scale.NUMERIC),
    )
    codes = np.array([[i, i] for i in range(5)], dtype=np.int32)
    return Table(Schema(attributes), codes, np.array([[17.0], [23.0], [29.0], [41.0], [np.nan]]))


def test_rules_make_hierarchies():
    rules = {
        "grade": HierarchyRule(merge=[2, 4]),
        "zip": HierarchyRule(prefix=True),
        "age": HierarchyRule(widths=[5, 10, 20]),
    }
    schema = with_hierarchies(table(), rules).schema
    assert schema["grade"].hierarchy.path("c") == ("c", "c..d", "a..d", "*")
    assert schema["grade"].hierarchy.path("e") == ("e", "e", "e", "*")
    assert schema["zip"].hierarchy.path("432") == ("432", "43*", "4**", "*")
    assert schema["age"].hierarchy.path("23") == ("23", "20-24", "20-29", "20-39", "*")


def test_all_faults_are_told_at_once(tmp_path):
    rules = {"nothing": HierarchyRule(merge=[2]), "age": HierarchyRule(merge=[2]), "zip": tmp_path / "none.csv"}
    with pytest.raises(InputError) as caught:
        with_hierarchies(table(), rules)
    assert len(caught.value.faults) == 3


def test_a_rule_is_one_rule():
    with pytest.raises(ValidationError):
        HierarchyRule(merge=[2], prefix=True)
    with pytest.raises(ValidationError):
        HierarchyRule()


def test_intervals_of_decimal_numbers_nest():
    hierarchy = number_intervals([0.1, 0.25, 1.4], [0.5, 1.0], 0.0, 2)
    assert hierarchy.path("1.40") == ("1.40", "[1.00, 1.50)", "[1.00, 2.00)", "*")
    for widths in ([], [0.001], [5, 7], [-1]):
        with pytest.raises(HierarchyError):
            number_intervals([1.0], widths, 0.0, 1)


@pytest.mark.parametrize("values", [range(17, 91), [1.5], [0.078, 0.5, 2.42, 1.1], [-3.0, 0.0, 1000.0], []])
def test_built_intervals_are_nested_and_cover_all_values(values):
    hierarchy = binary_intervals([float(value) for value in values], 3)
    assert len(hierarchy.leaves) == max(len(set(values)), 1)
    assert {path[-1] for path in hierarchy.levels} == {"*"}
    counts = [len({path[level] for path in hierarchy.levels}) for level in range(hierarchy.height)]
    assert counts == sorted(counts, reverse=True)


def test_merging_of_short_orders():
    assert ordered_merging(("low", "high")).height == 1
    assert ordered_merging(("low", "mid", "high")).path("mid") == ("mid", "low..mid", "*")


def test_child_and_parent_files(tmp_path):
    path = tmp_path / "status.csv"
    path.write_text("NM,*\nMarried,*\nNever,NM\nCivil,Married\nForces,Married\nOther,*\n", encoding="utf-8")
    hierarchy = read_hierarchy(path)
    assert hierarchy.path("Civil") == ("Civil", "Married", "*")
    assert hierarchy.path("Other") == ("Other", "Other", "*")
    path.write_text(f"Child,Parent\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    assert read_hierarchy(path).leaves == hierarchy.leaves
    path.write_text("a,b\nb,a\nc,a\n", encoding="utf-8")
    with pytest.raises(HierarchyError):
        read_hierarchy(path)
    path.write_text("a,x\na,y\nx,*\ny,*\n", encoding="utf-8")
    with pytest.raises(HierarchyError):
        read_hierarchy(path)


@pytest.mark.parametrize(
    ("name", "rule", "wanted"),
    [
        ("age", HierarchyRule(widths=[5, 7]), "multiple"),
        ("zip", HierarchyRule(prefix=[3]), "from 1 to 2"),
        ("grade", HierarchyRule(merge=[1]), "from 2"),
        ("grade", HierarchyRule(widths=[5]), "leading zeros"),
    ],
)
def test_a_rule_that_does_not_fit_names_its_attribute(name, rule, wanted):
    with pytest.raises(InputError) as caught:
        with_hierarchies(table(), {name: rule})
    (fault,) = caught.value.faults
    assert f"hierarchy of {name}" in fault.where
    assert wanted in fault.wanted


def test_numbers_with_leading_zeros_are_not_put_into_intervals():
    attribute = Attribute("zip", scale=Scale.NOMINAL, categories=("0041", "0042"))
    own = Table(Schema((attribute,)), np.array([[0], [1]], dtype=np.int32), np.empty((2, 0)))
    with pytest.raises(InputError, match="leading zeros"):
        with_hierarchies(own, {"zip": HierarchyRule(widths=[10])})


@pytest.mark.parametrize("bad", [float("inf"), float("nan")])
def test_widths_are_finite(bad):
    with pytest.raises(ValidationError):
        HierarchyRule(widths=[bad])


@pytest.mark.parametrize("given", [3, "", {"nope": 1}, {"merge": [2], "widths": [5]}, {}, {"widths": [float("inf")]}])
def test_a_field_of_a_model_tells_one_fault_for_what_is_neither_file_nor_rule(given):
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(HierarchySource).validate_python(given)
    assert caught.value.error_count() == 1


def test_an_empty_label_is_told(tmp_path):
    path = tmp_path / "town.csv"
    path.write_text("Bern;CH;*\nOslo;;*\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="empty label above 'Oslo'"):
        read_hierarchy(path)
