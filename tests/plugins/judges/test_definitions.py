"""Every judge on files small enough to count by hand."""

import numpy as np
import pytest

from evosdc.errors import ParameterError, SchemaError
from evosdc.model import Estimate, Microdata
from evosdc_judges.analysis import cramer_v
from evosdc_judges.classes import reading, surprise
from evosdc_judges.intervals import averaged, excess, mean_of_ratios, repeated, wilson
from evosdc_judges.learned import likeliest
from tests.plugins.judges.cases import (
    ALL,
    attribute,
    digits,
    fitted,
    judge,
    noisy,
    people,
    permuted,
    relabelled,
    table,
)

X = digits("00 01 11 21 22 32 32 10", [4, 3], ["ordinal", "nominal"])
Y = digits("00 11 11 21 32 30 32 10", [4, 3], ["ordinal", "nominal"])


class TestIntervals:
    def test_wilson(self):
        found = wilson(5, 10)
        assert found.value == 0.5
        assert (found.low, found.high) == pytest.approx((0.236593, 0.763407), abs=1e-6)

    def test_wilson_of_nothing_and_of_all(self):
        assert wilson(0, 10).low == 0.0
        assert wilson(0, 10).high == pytest.approx(0.277533, abs=1e-6)
        assert wilson(10, 10).high == pytest.approx(1.0)

    def test_an_attack_no_better_than_its_control_is_no_risk(self):
        rate = wilson(30, 100)
        found = excess(rate, rate)
        assert found.value == 0.0
        assert found.low < 0.0 < found.high

    def test_excess_is_what_the_control_leaves(self):
        found = excess(wilson(60, 100), wilson(20, 100))
        assert found.value == pytest.approx(0.5)
        # Errors by propagation: (0.6 - 0.5020) / 0.8 and 0.4 / 0.64 (0.2888 - 0.2).
        assert found.low == pytest.approx(0.5 - np.hypot((0.6 - 0.502003) / 0.8, 0.625 * (0.288829 - 0.2)), abs=1e-5)

    def test_a_control_that_never_fails_leaves_nothing(self):
        assert excess(wilson(10, 10), wilson(10, 10)).value == 0.0

    def test_repeats_add_what_they_differ_in(self):
        parts = [Estimate(0.1, 0.0, 0.2), Estimate(0.3, 0.2, 0.4)]
        assert averaged(parts) == Estimate(pytest.approx(0.2), pytest.approx(0.1), pytest.approx(0.3))
        assert repeated(parts).high == pytest.approx(0.2 + np.hypot(0.1, 1.959964 * 0.1))

    def test_a_ratio_that_is_the_same_for_everybody_is_certain(self):
        possible = np.array([1.0, 0.0, 1.0, 1.0])
        assert mean_of_ratios([(possible, possible)]) == Estimate(1.0, 1.0, 1.0)
        assert mean_of_ratios([(0.0 * possible, 0.0 * possible)]) == Estimate.exact(0.0)
        assert mean_of_ratios([(possible, possible), (0.0 * possible, possible)]).value == 0.5


class TestTransitions:
    def test_an_honest_file_is_read_as_it_stands(self):
        assert reading(np.array([[5, 2, 0], [1, 6, 1], [0, 0, 0]])).tolist() == [0, 1, 3]

    def test_exchanged_labels_are_read_as_they_are_meant(self):
        assert reading(np.array([[0, 9], [8, 1]])).tolist() == [1, 0]

    def test_surprise(self):
        # Row 0: 3 of 4 records stay; one more is spread as the columns are, (4 + 1) / 10 and (4 + 1) / 10.
        found = surprise(np.array([[3, 1], [1, 3]]))
        assert found[0] == pytest.approx(-np.log([(3 + 0.5) / 5, (1 + 0.5) / 5]))

    def test_nothing_is_impossible(self):
        assert np.isfinite(surprise(np.array([[4, 0, 0], [0, 4, 0], [0, 0, 0]]))).all()


class TestReplicatedUniques:
    def test_by_hand(self):
        # 00, 01 and 20 are unique in the original; of these 00 alone is unique in the published file.
        assert fitted("repu", digits("00 01 11 11 20")).score(digits("00 10 11 20 20")) == pytest.approx(20.0)

    def test_the_original_itself_replicates_all_its_uniques(self):
        assert fitted("repu", digits("00 01 11 11 20")).score(digits("00 01 11 11 20")) == pytest.approx(60.0)

    def test_it_does_not_see_who_is_who(self):
        original = people()
        masked = noisy(original, 0.3)
        assert fitted("repu", original).score(masked) == fitted("repu", original).score(permuted(masked))


class TestAttribution:
    roles = ("quasi-identifier", "sensitive")
    original = digits("00 00 01 10 11 20", [3, 2], roles=roles)
    masked = digits("00 00 10 10 20 21", [3, 2], roles=roles)

    def test_disco_by_hand(self):
        # Keys 0 and 1 go with target 0 alone; (0, 0) twice and (1, 0) once in the original, of 6.
        assert fitted("disco", self.original).score(self.masked) == pytest.approx(50.0)

    def test_tcap_by_hand(self):
        # Two published records of key 0, right for 2 of 3; two of key 1, right for 1 of 2.
        assert fitted("tcap", self.original).score(self.masked) == pytest.approx(100 * (2 * 2 / 3 + 2 * 1 / 2) / 4)

    def test_a_target_that_is_not_masked(self):
        whole = self.original
        assert fitted("disco", whole, ["a0"]).score(digits("0 0 0 1 1 2", [3])) == pytest.approx(100 / 6)

    def test_each_attribute_is_a_target_where_none_is_sensitive(self):
        plain = digits("00 00 01 10 11 20", [3, 2])
        one = fitted("disco", plain, targets=("a0",)).score(plain)
        other = fitted("disco", plain, targets=("a1",)).score(plain)
        assert fitted("disco", plain).score(plain) == pytest.approx((one + other) / 2)

    def test_no_disclosive_record_is_no_risk(self):
        assert fitted("tcap", self.original).score(digits("00 01 10 11 20 21", [3, 2], roles=self.roles)) == 0.0

    def test_keys_are_needed(self):
        with pytest.raises(ParameterError, match="besides the target"):
            fitted("tcap", digits("0 1 1"))
        with pytest.raises(SchemaError, match="age"):
            fitted("tcap", self.original, targets=("age",))


class TestTables:
    def test_two_attributes_have_one_table(self):
        # 7.1 of the definitions: 4 differences over the cells of 8 records.
        assert fitted("tables-3", X).score(Y) == pytest.approx(25.0)

    def test_unmasked_attributes_are_in_the_tables(self):
        whole = digits("00 00 11 11")
        masked = digits("1 1 0 0")
        assert fitted("tables-3", whole.select(["a0"])).score(masked) == 0.0
        assert fitted("tables-3", whole, ["a0"]).score(masked) == 100.0

    def test_tables_without_a_masked_attribute_are_left_out(self):
        whole = people(50, besides=3)
        found = fitted("tables-3", whole, ["a0"])
        assert all(0 in chosen for chosen in found._tables)
        assert len(found._tables) == 15

    def test_drawn_tables_have_an_error(self):
        whole = people(100, besides=3)
        estimate = fitted("tables-3", whole, whole.schema.names[:4], tables=5).estimate(
            noisy(whole, 0.5).select(whole.schema.names[:4])
        )
        assert estimate.low < estimate.value < estimate.high


class TestAssociation:
    def test_cramer_v_by_hand(self):
        first = np.repeat([0, 0, 1, 1], [10, 20, 30, 40])
        second = np.repeat([0, 1, 0, 1], [10, 20, 30, 40])
        assert cramer_v(first, second) == pytest.approx(np.sqrt(0.7936508 / 100), abs=1e-7)
        assert cramer_v(first, first) == 1.0
        assert cramer_v(first, np.zeros(100, dtype=int)) == 0.0

    def test_association_with_an_unmasked_attribute(self):
        assert fitted("association", digits("00 00 11 11"), ["a0"]).score(digits("0 1 0 1")) == pytest.approx(100.0)

    def test_two_attributes_are_needed(self):
        with pytest.raises(ParameterError, match="at least two"):
            fitted("association", digits("0 1 1"))


class TestPropensity:
    def test_a_binary_attribute_by_hand(self):
        original = table([attribute("a", 2)], [[0]] * 20 + [[1]] * 20)
        masked = table([attribute("a", 2)], [[0]] * 30 + [[1]] * 10)
        # Of the zeros 30 / 50 are published ones, of the ones 10 / 30; one coefficient besides the intercept.
        error = (50 * 0.1**2 + 30 * (1 / 6) ** 2) / 80
        assert fitted("pmse", original).score(masked) == pytest.approx(error * 16 * 40, rel=1e-3)
        # 20 of 40 original records have the score of the zeros, 30 of 40 published ones
        assert fitted("specks", original).score(masked) == pytest.approx(25.0)

    def test_a_perfect_synthesis_is_about_one(self):
        whole = people(4000, seed=1)
        half, other = whole.take(np.arange(2000)), whole.take(np.arange(2000, 4000))
        # Two samples of one population: twice the expectation of a synthesis from the original's own model.
        assert 1.0 < fitted("pmse", half).score(other) < 3.0

    def test_what_changes_with_unmasked_attributes_is_seen(self):
        whole = digits("00 11 " * 20)
        assert fitted("pmse", whole, ["a0"]).score(digits("1 0 " * 20)) > 10.0


class TestClassifierUtility:
    whole = digits("00 00 11 11 " * 25)

    def test_the_original_teaches_all(self):
        assert fitted("classifier-utility", self.whole, ["a0"]).score(digits("0 0 1 1 " * 25)) == 0.0

    def test_exchanged_labels_teach_the_opposite(self):
        found = fitted("classifier-utility", self.whole, ["a0"])
        swapped = digits("1 1 0 0 " * 25)
        assert found.score(swapped) == 100.0
        assert found.estimate(swapped).value > 150.0

    def test_what_cannot_be_learned_cannot_be_lost(self):
        whole = digits("00 10 01 11 " * 25)
        assert fitted("classifier-utility", whole, ["a0"]).score(digits("0 1 1 0 " * 25)) == 0.0

    def test_the_columns_that_go_together_most_are_predicted(self):
        rng = np.random.default_rng(1)
        first = rng.integers(0, 3, 200)
        codes = np.column_stack([first, rng.integers(0, 3, 200), first])
        whole = table([attribute("a", 3), attribute("b", 3), attribute("c", 3)], codes)
        found = fitted("classifier-utility", whole, ["a"], targets=1)
        assert [found._analysis.whole.schema.names[u] for u in found._targets] == ["c"]

    def test_an_unmasked_target_is_needed(self):
        with pytest.raises(ParameterError, match=r"a file that has none to predict; wanted .* classes. Protect fewer"):
            fitted("classifier-utility", self.whole)
        with pytest.raises(ParameterError, match="not masked"):
            fitted("classifier-utility", self.whole, ["a0"], target="a0")


class TestLearnedLinkage:
    def test_what_was_not_masked_is_found(self):
        codes = np.arange(64)[:, None]
        original = table([attribute("a", 64)], codes)
        # Half of the labels were never seen in a pair: they tie, so a good half of the links is right.
        assert fitted("learned-linkage", original).score(original) < 20.0
        three = table(
            [attribute(f"a{v}", 4) for v in range(3)], np.column_stack([codes // 16, codes // 4 % 4, codes % 4])
        )
        assert fitted("learned-linkage", three).score(three) == pytest.approx(100.0)

    def test_an_attribute_of_noise_gets_no_weight(self):
        original = people(600)
        masked = original.codes.copy()
        masked[:, 2] = np.random.default_rng(2).permutation(masked[:, 2])
        masked = table(original.schema.attributes, masked)
        found = fitted("learned-linkage", original, repeats=1)
        costs = found.costs(found._people.published(masked), np.arange(300), 0, 0)
        spread = [
            np.ptp(costs.flat[o : o + w * w].reshape(w, w), axis=1).max()
            for o, w in zip(costs.offsets, costs.widths, strict=True)
        ]
        assert spread[2] < 0.25 * min(spread[0], spread[1], spread[3])

    def test_it_finds_no_less_than_an_equal_weighting(self):
        original = people(600)
        masked = noisy(original, 0.2)
        learned = fitted("learned-linkage", original).estimate(masked)
        assert learned.high > fitted("partial-linkage", original, subsets=15).score(masked)


class TestPartialLinkage:
    def test_rare_values_link_nobody_in_a_file_in_random_order(self):
        rng = np.random.default_rng(5)
        rare = np.where(rng.random((300, 3)) < 0.5, np.arange(300)[:, None], 0)
        original = table([attribute(f"a{v}", 300) for v in range(3)], rare)
        shuffled = original.take(rng.permutation(300))
        assert fitted("partial-linkage", original).score(original) > 40.0
        assert fitted("partial-linkage", original).score(shuffled) < 1.0

    def test_exchanged_labels_hide_nothing(self):
        original = people(400)
        relabelled = table(original.schema.attributes, (original.codes + 1) % [6, 5, 8, 3])
        found = [fitted("partial-linkage", original).score(one) for one in (original, relabelled)]
        assert found[1] > 0.95 * found[0] > 0.0


class TestLearnedInference:
    def test_a_lookup_is_learned(self):
        original = people(400, besides=0)
        assert fitted("learned-inference", original).score(original) > 99.0

    def test_other_attributes_help(self):
        """One attribute is destroyed, but others give it away: the informed guess of one attribute would miss it."""
        rng = np.random.default_rng(4)
        first = rng.integers(0, 4, 400).astype(np.int32)
        original = table([attribute("a", 4), attribute("b", 4)], np.column_stack([first, first]))
        masked = table(original.schema.attributes, np.column_stack([first, rng.permutation(first)]))
        assert fitted("learned-inference", original, targets=("b",)).score(masked) > 95.0

    def test_sensitive_attributes_are_what_is_inferred(self):
        original = digits("01 12 20 01 " * 10, roles=["quasi-identifier", "sensitive"])
        found = fitted("learned-inference", original)
        assert found._targets == [1]

    def test_an_attribute_of_many_classes_is_looked_up(self):
        """Boosting learns little of sixty classes from so few people; who looks labels up learns what stands there."""
        original = table([attribute("age", 60, "ordinal")], np.arange(600)[:, None] % 60)
        assert fitted("learned-inference", original).score(original) == pytest.approx(100.0)

    def test_the_likeliest_class_behind_a_label(self):
        found = likeliest(np.array([0, 0, 0, 1]), np.array([1, 1, 2, 2]), np.array([0, 1, 3]))
        assert found.tolist() == [1, 2, 1]

    def test_a_constant_is_no_secret(self):
        original = digits("00 01 02 01 " * 10)
        assert fitted("learned-inference", original, targets=("a0",)).score(original) == 0.0


class TestAttacks:
    def test_unique_people_are_singled_out(self):
        codes = np.arange(60)[:, None]
        original = table([attribute("a", 60)], codes)
        # Labels are read by pairs of the people outside, who share no label with those inside.
        assert fitted("singling-out", original).score(original) == 0.0
        two = table([attribute("a", 8), attribute("b", 8)], np.column_stack([codes % 8, codes // 8]))
        assert fitted("singling-out", two).score(two) == pytest.approx(100.0)

    def test_statistics_alone_are_no_inference(self):
        """The nearest record tells what it tells about people who are not in the file as well."""
        original = digits("00 11 " * 100)
        estimate = fitted("inference", original).estimate(original)
        assert estimate.value == 0.0

    def test_people_who_are_in_the_file_are_joined_through_it(self):
        rng = np.random.default_rng(6)
        codes = np.column_stack([rng.integers(0, 30, 200) for _ in range(4)])
        original = table([attribute(f"a{v}", 30, "ordinal") for v in range(4)], codes)
        estimate = fitted("linkability", original).estimate(original)
        assert estimate.low > 30.0
        assert fitted("linkability", original).estimate(permuted(original)).high < 10.0

    @pytest.mark.parametrize("name", ["linkability", "inference"])
    def test_two_attributes_are_needed(self, name):
        with pytest.raises(ParameterError, match="at least 2 attributes"):
            fitted(name, people(40).select(["a0"]))


@pytest.mark.parametrize(
    "name", [n for n in ALL if n not in ("repu", "disco", "tcap", "tables-3", "association", "downcoding")]
)
def test_halves_need_people(name):
    few = people(6, besides=1)
    with pytest.raises(ParameterError, match="8"):
        fitted(name, few, few.schema.names[:4])


LIGHT = {"learned-linkage": {"repeats": 1, "rivals": 40}, "learned-inference": {"rounds": 2}}
"""What learns little, where it is not asked how much is learned."""


@pytest.mark.parametrize("name", ["learned-linkage", "learned-inference", "linkability", "inference", "singling-out"])
def test_seeds_decide_the_halves(name):
    original, params = people(200), LIGHT.get(name, {})
    masked = noisy(original, 0.3)
    found = [fitted(name, original, seed=seed, **params).estimate(masked).value for seed in (4, 4, 1, 2)]
    assert found[0] == found[1]
    assert len(set(found)) > 1


def test_without_scikit_learn_the_advice_is_to_install_it(monkeypatch):
    import builtins

    plain = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("sklearn"):
            raise ModuleNotFoundError(name)
        return plain(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    whole = people(40, besides=1)
    for name in ("learned-inference", "classifier-utility", "pmse"):
        with pytest.raises(ParameterError, match="pip install scikit-learn"):
            judge(name).fit_in(Microdata(whole, whole.schema.names[:4]))


def test_relabelled_files_are_other_files():
    original = people()
    assert (relabelled(original).codes != original.codes).all()
