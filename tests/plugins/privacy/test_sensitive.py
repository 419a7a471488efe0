"""p-sensitivity, l-diversity and t-closeness against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evosdc.errors import ParameterError
from evosdc.model import IntruderView, MissingMatch
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_privacy.diversity import (
    LDiversity,
    PSensitivity,
    TCloseness,
    by_attribute,
    distances_of,
    distinct_of,
    entropies_of,
    recursive_of,
)
from tests.plugins.privacy.reference import (
    domain_of,
    entropy_l,
    hierarchical,
    neighbours,
    nominal,
    ordinal,
    recursive_l,
    release_of_codes,
    shares,
)

FILES = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        arrays(np.int32, (n, 2), elements=st.integers(-1, 1)), arrays(np.int32, n, elements=st.integers(-1, 4))
    )
)
RULES = st.sampled_from(MissingMatch)
CODES = [[0]] * 5 + [[1]] * 3
SENSITIVE = [0, 0, 0, 1, 2, 1, 1, 1]
TREE = Hierarchy(
    ("a", "b", "c", "d", "e"), (("ab", "*"), ("ab", "*"), ("cde", "*"), ("cde", "*"), ("cde", "*")), "five letters"
)


@given(FILES, RULES, st.sampled_from([0.5, 1.0, 2.0, 3.0]))
def test_diversity_is_that_of_the_definition(file, missing, c) -> None:
    codes, sensitive = file
    view = release_of_codes(codes, missing, sensitive)
    classes = [sensitive[near].tolist() for near in neighbours(codes, missing)]
    forms = (distinct_of, entropies_of, lambda values: recursive_of(values, c))
    distinct, entropy, recursive = (by_attribute(view, form)["s"][view.classes.of] for form in forms)
    assert distinct.tolist() == [len(set(values)) for values in classes]
    assert np.exp(entropy) == pytest.approx([entropy_l(values) for values in classes])
    assert recursive.tolist() == [recursive_l(values, c) for values in classes]


def distances(view, distance):
    return by_attribute(view, lambda values: distances_of(values, distance))["s"]


@given(FILES, RULES, st.sampled_from(["nominal", "ordinal", "hierarchical"]))
def test_distances_are_those_of_the_definition(file, missing, distance) -> None:
    codes, sensitive = file
    view = release_of_codes(codes, missing, sensitive, hierarchy=TREE)
    domain = domain_of(sensitive)
    whole = shares(sensitive.tolist(), domain)
    paths = [TREE.path(TREE.leaves[v]) if v >= 0 else ("?", "?", "*") for v in domain]
    wanted = []
    for near in neighbours(codes, missing):
        own = shares(sensitive[near].tolist(), domain)
        by_name = {"nominal": nominal(own, whole), "ordinal": ordinal(own, whole)}
        wanted.append(float(hierarchical(own, whole, paths) if distance == "hierarchical" else by_name[distance]))
    assert distances(view, distance)[view.classes.of] == pytest.approx(wanted, abs=1e-12)


class TestTCloseness:
    """The example of Li et al.: nine salaries, each once, and classes of three."""

    @pytest.mark.parametrize(("members", "by_rank", "equal"), [((0, 1, 2), 0.375, 2 / 3), ((3, 5, 8), 1 / 6, 2 / 3)])
    def test_the_salaries_of_the_paper(self, members, by_rank, equal) -> None:
        codes = [[0 if s in members else 1] for s in range(9)]
        view = release_of_codes(codes, sensitive=range(9))
        own = view.classes.of[members[0]]
        assert distances(view, "ordinal")[own] == pytest.approx(by_rank)
        assert distances(view, "nominal")[own] == pytest.approx(equal)

    def test_the_distance_follows_from_scale_and_hierarchy(self) -> None:
        def chosen(scale, hierarchy=None):
            view = release_of_codes([[0], [1]], sensitive=[0, 1], scale=scale, hierarchy=hierarchy)
            return TCloseness(TCloseness.Params()).assess(view)["attributes"]["s"]["distance"]

        assert chosen(Scale.NOMINAL) == "nominal"
        assert chosen(Scale.ORDINAL) == "ordinal"
        assert chosen(Scale.NOMINAL, TREE) == "hierarchical"

    def test_numbers_are_ordered_values(self) -> None:
        schema = Schema(
            (Attribute("a", categories=("x", "y")), Attribute("pay", Role.SENSITIVE, Scale.NUMERIC, decimals=1))
        )
        pay = np.array([[3.0], [4.0], [5.0], [6.0], [7.0], [8.0], [9.0], [10.0], [11.0]])
        table = Table(schema, np.array([[0]] * 3 + [[1]] * 6, dtype=np.int32), pay)
        figures = TCloseness(TCloseness.Params()).assess(IntruderView(table, ("a",), ("pay",)))
        assert figures["t"] == pytest.approx(0.375)

    def test_one_class_and_one_value_are_close(self) -> None:
        model = TCloseness(TCloseness.Params())
        assert model.assess(release_of_codes([[0]] * 3, sensitive=[0, 1, 2]))["t"] == 0.0
        assert model.assess(release_of_codes([[0], [1]], sensitive=[0, 0], scale=Scale.ORDINAL))["t"] == 0.0

    def test_a_hierarchy_that_is_not_there_is_missed(self) -> None:
        with pytest.raises(ParameterError, match="hierarchy"):
            TCloseness(TCloseness.Params(distance="hierarchical")).assess(release_of_codes([[0]], sensitive=[0]))


class TestDiversity:
    def test_p_counts_distinct_values_and_records_given_away(self) -> None:
        figures = PSensitivity(PSensitivity.Params()).assess(release_of_codes(CODES, sensitive=SENSITIVE))
        wanted = {"p": 1, "k": 3, "missing": "value", "attributes": {"s": {"p": 1, "records_of_one_value": 3}}}
        assert figures == wanted

    def test_the_headline_is_of_the_chosen_form(self) -> None:
        view = release_of_codes([[0]] * 5, sensitive=SENSITIVE[:5])
        found = {form: LDiversity(LDiversity.Params(form=form, c=2.0)).assess(view)["l"] for form in (
            "distinct", "entropy", "recursive"
        )}  # fmt: skip
        assert found["distinct"] == 3
        assert found["entropy"] == pytest.approx(entropy_l(SENSITIVE[:5]))
        assert found["recursive"] == 2  # r = 3, 1, 1: 3 < 2 (1 + 1), and not 3 < 2 * 1

    def test_each_class_alone_decides(self) -> None:
        view = release_of_codes(CODES, sensitive=[0, 1, 2, 3, 4, 0, 1, 2])
        assert LDiversity(LDiversity.Params()).assess(view)["l"] == 3

    def test_they_need_a_sensitive_attribute(self) -> None:
        for model in (PSensitivity, LDiversity, TCloseness):
            assert model(model.Params()).lacking(release_of_codes([[0]])) == "a sensitive attribute"
