"""Downcoding: files by hand, and the posterior against all assignments."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute, MissingRule, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_judges.downcoding import alone, minimal
from tests.plugins.judges.cases import fitted

_SEX = Hierarchy(("male", "female"), (("*",), ("*",)))


def _table(columns, hierarchies=None, na=MissingRule.CATEGORY):
    """Return a table of labels; an empty one is missing."""
    attributes, codes = [], []
    for name, values in columns.items():
        labels = tuple(dict.fromkeys(value for value in values if value))
        tree = (hierarchies or {}).get(name)
        attributes.append(Attribute(name, Role.QUASI_IDENTIFIER, Scale.NOMINAL, labels, hierarchy=tree))
        codes.append([labels.index(value) if value else -1 for value in values])
    return Table(Schema(tuple(attributes), na=na), np.array(codes, dtype=np.int32).T, np.empty((len(codes[0]), 0)))


def test_a_group_that_had_to_be_coarser_has_one_of_each():
    """Two people of k = 2 are published without their sex, others with it: they are a man and a woman."""
    original = _table({"sex": ["male", "female", "male", "male"], "place": list("aabb")}, {"sex": _SEX})
    masked = _table({"sex": ["*", "*", "male", "male"], "place": list("aabb")})
    found, details = fitted("downcoding", original).details(masked)
    assert found.value == 50.0
    assert details == {"precision": 100.0, "without_minimality": 0.0}  # 2 * 3/4 * 1/4 is not sure enough


def test_a_value_that_others_publish_is_not_what_is_suppressed():
    """A red or a green car would have been published in its group of two, so the suppressed one is blue."""
    original = _table({"colour": ["red", "red", "green", "green", "blue"], "place": list("aaaaa")})
    masked = _table({"colour": ["red", "red", "green", "green", ""], "place": list("aaaaa")})
    found, details = fitted("downcoding", original, k=2).details(masked)
    assert (found.value, details["precision"]) == (20.0, 100.0)


def test_who_is_named_wrongly_does_not_count():
    """The same file, in which a red car was suppressed without need."""
    original = _table({"colour": ["red", "red", "red", "green", "green", "blue"], "place": list("aaaaab")})
    masked = _table({"colour": ["red", "red", "", "green", "green", "blue"], "place": list("aaaaab")})
    found, details = fitted("downcoding", original, k=2).details(masked)
    assert (found.value, details["precision"]) == (0.0, 0.0)


def test_an_interval_has_its_ends_in_its_group():
    """Intervals that overlap were chosen by group: of two people both are known, of three the ends are likely only."""
    ages = Attribute("age", Role.QUASI_IDENTIFIER, Scale.NUMERIC)
    original = Table(Schema((ages,)), np.empty((5, 0), dtype=np.int32), np.array([[20.0], [29], [25], [27], [40]]))
    masked = _table({"age": ["[20, 29]", "[20, 29]", "[25, 40]", "[25, 40]", "[25, 40]"]})
    assert fitted("downcoding", original).details(masked)[0].value == 40.0
    fixed = _table({"age": ["[20, 29]"] * 4 + ["[30, 40]"]})
    assert fitted("downcoding", original).details(fixed)[0].value == 0.0


def test_one_level_for_all_says_nothing_of_a_group():
    original = _table({"sex": ["male", "female", "male", "male"], "place": list("aabb")}, {"sex": _SEX})
    masked = _table({"sex": ["*"] * 4, "place": list("aabb")})
    assert fitted("downcoding", original).details(masked)[0].value == 0.0


def test_a_file_in_the_values_of_the_original_is_none_of_its_business():
    original = _table({"sex": ["male", "female", "male", "male"], "place": list("aabb")}, {"sex": _SEX})
    with pytest.raises(ParameterError, match="without coarser or suppressed values"):
        fitted("downcoding", original).details(original)
    assert fitted("downcoding", original).score(original) == 0.0


def _by_all_assignments(size, shares, published, k):
    """Return the same by the finer value of each member in turn."""
    found, total = np.zeros(len(shares)), 0.0
    for chosen in product(range(len(shares)), repeat=size):
        counts = np.bincount(chosen, minlength=len(shares))
        finer = [
            n >= 1 and n + beside >= k and (n == size or size - n >= k or size < k)
            for n, beside in zip(counts, published, strict=True)
        ]
        if not any(finer):
            chance = np.prod(shares[list(chosen)])
            total, found = total + chance, found + chance * (counts == 1)
    return found / total if total else found


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 6),
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 4)), min_size=1, max_size=3),
    st.integers(2, 4),
)
def test_the_posterior_is_that_of_all_assignments(size, labels, k):
    weights, published = np.array(labels, dtype=float).T
    shares = weights / weights.sum()
    expected = _by_all_assignments(size, shares, published, k)
    assert alone(shares, minimal(size, published.astype(np.int64), k)) == pytest.approx(expected, abs=1e-9)
