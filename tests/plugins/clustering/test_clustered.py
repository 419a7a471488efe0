"""Masking cluster by cluster, by any method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evosdc
import evosdc_clustering
import evosdc_masking
from evosdc.assess.mask import apply_masking, build_steps
from evosdc.clustering.c_median import c_median
from evosdc.errors import InputError, ParameterError, PluginError
from evosdc.model import Dividing, Masking, MaskingMethod, Microdata, Parameters, designs_of
from evosdc.plugins.registry import Registry, default_registry
from evosdc.table.schema import Attribute, MissingRule, Role, Scale, Schema
from evosdc.table.table import Rows, Table
from evosdc.testing import MaskingMethodConformance
from evosdc_clustering.clustered import SAMPLE, Clustered, clusters_to_mask
from tests.fake_plugins import method, offering, registry
from tests.plugins.masking.references import records_of
from tests.plugins.masking.tables import (
    NOMINAL,
    ORDINAL,
    categorical,
    categorical_tables,
    joined,
    mixed_tables,
    numeric,
    numeric_tables,
)

HERE = __name__
ANY = st.one_of(categorical_tables(), numeric_tables(), mixed_tables())


def build(**params: Any) -> Clustered:
    found: Clustered = default_registry().build("masking-method", "clustered", params)
    return found


def mdav(k: int) -> dict[str, Any]:
    return {"method": "mdav", "k": k}


def conforming(declared: dict[str, Any], **params: Any) -> type:
    body = {"method": lambda self: build(**params)}
    return type("TestClustered", (MaskingMethodConformance,), body | declared)


SHORTER = {"interpreted": ("one-record", "ordinary")}
TestMdavInClusters = conforming({}, c=4, inner=mdav(3))
TestRandomSwapsInClusters = conforming({}, c=3, inner={"method": "rank-swapping", "p": 20})
TestIntervalsInClusters = conforming(SHORTER, c=2, inner={"method": "mondrian", "k": 3, "output": "interval"})
TestClustersInClusters = conforming(SHORTER, c=2, inner={"method": "clustered", "c": 2, "inner": mdav(2)})


class TestNumbersAlone(MaskingMethodConformance):
    scales = frozenset({Scale.NUMERIC})

    def method(self):
        return build(c=3, inner={"method": "noise", "alpha": 0.2})

    def test_unsupported_scales_are_refused(self) -> None:
        with pytest.raises(ParameterError, match=r"method clustered: inner: .*grade"):
            self.method().require_support(table_of_grades())


def table_of_grades() -> Table:
    codes = np.arange(12, dtype=np.int32)[:, None] % 3
    return Table(Schema((Attribute("grade", scale=ORDINAL, categories=tuple("abc")),)), codes, np.empty((12, 0)))


def distance(table: Table, a: tuple[Any, ...], b: tuple[Any, ...]) -> float:
    """Distance of two records as the definition of c-median has it."""
    total, wildcard = 0.0, table.schema.na is MissingRule.WILDCARD
    attributes = (*table.schema.categorical, *table.schema.numeric)
    for j, (x, y) in enumerate(zip(a, b, strict=True)):
        present = [r[j] for r in records_of(table) if r[j] is not None]
        if x is None or y is None:
            total += 0.0 if wildcard else float((x is None) != (y is None))
        elif attributes[j].scale is Scale.NOMINAL:
            total += x != y
        elif attributes[j].scale is Scale.ORDINAL:
            total += abs(x - y) / len(attributes[j].categories)
        elif max(present) > min(present):
            total += abs(x - y) / (max(present) - min(present))
    return total


def slow_parts(table: Table, c: int, least: int, seed: int) -> list[list[int]]:
    """Clusters merged as the docstring says, one by one; `least` is what the inner method asks for."""
    found = c_median(table, c, np.random.default_rng(seed))
    parts = {int(label): np.flatnonzero(found.labels == label).tolist() for label in set(found.labels.tolist())}
    middles = records_of(found.representatives)
    while len(parts) > 1 and any(len(rows) < least for rows in parts.values()):
        small = min((len(rows), label) for label, rows in parts.items() if len(rows) < least)[1]
        rows = parts.pop(small)
        host = min(parts, key=lambda other: (round(distance(table, middles[small], middles[other]), 9), other))
        parts[host] = sorted(parts[host] + rows)
    return [parts[label] for label in sorted(parts)]


@given(st.one_of(categorical_tables(), mixed_tables()), st.integers(1, 8), st.integers(1, 6), st.integers(0, 3))
def test_parts_are_those_of_the_slow_reference(table: Table, c: int, k: int, seed: int) -> None:
    k = min(k, len(table))
    found = build(c=c, inner=mdav(k), least=1).divided(table, np.random.default_rng(seed))
    assert [rows.tolist() for rows in found] == slow_parts(table, c, k, seed)


@given(ANY, st.integers(1, 8), st.integers(1, 5), st.sampled_from(["mdav", "mondrian", "k-member", "global-median"]))
def test_what_the_inner_method_promises_holds_in_the_whole_file(table: Table, c: int, k: int, inner: str) -> None:
    k = min(k, len(table))
    masked = evosdc.mask(table, "clustered", c=c, inner={"method": inner, "k": k})
    assert min(Counter(records_of(masked)).values()) >= k
    assert masked.schema == table.schema
    masked.verify()


@given(ANY, st.integers(1, 6), st.integers(0, 5))
def test_each_part_is_masked_as_a_file_of_its_own_with_a_stream_of_its_own(table: Table, c: int, seed: int) -> None:
    inner = {"method": "rank-swapping", "p": 50}
    method = build(c=c, inner=inner)
    rng = np.random.default_rng(seed)
    parts = method.divided(table, rng)
    swapping = default_registry().build("masking-method", "rank-swapping", {"p": 50})
    pieces = [swapping.mask(table.take(rows), own) for rows, own in zip(parts, rng.spawn(len(parts)), strict=True)]
    masked = method.mask(table, np.random.default_rng(seed))
    for rows, piece in zip(parts, pieces, strict=True):
        assert masked.take(rows).same_records(piece)
    assert masked.same_records(method.mask(table, np.random.default_rng(seed)))


@given(ANY, st.randoms(use_true_random=False))
def test_the_order_of_the_file_is_of_no_account(table: Table, shuffler: Any) -> None:
    order = list(range(len(table)))
    shuffler.shuffle(order)
    rows = np.array(order, dtype=np.intp)
    method = build(c=3, inner={"method": "mondrian", "k": min(2, len(table)), "average": "median"})
    straight = method.mask(table, np.random.default_rng(1))
    shuffled = method.mask(table.take(rows), np.random.default_rng(1))
    pairs = Counter(zip(records_of(table), records_of(straight), strict=True))
    assert pairs == Counter(zip(records_of(table.take(rows)), records_of(shuffled), strict=True))


def test_by_hand() -> None:
    table = numeric([0.0, 100, 1, 101, 2, 102, 103, 1000])
    found = build(c=3, inner=mdav(3)).mask(table, np.random.default_rng(1))
    # 1000 is alone and joins 100..103, whose median is nearest.
    assert found.numbers[:, 0].tolist() == [1.0, 281.2, 1.0, 281.2, 1.0, 281.2, 281.2, 281.2]


def test_clusters_of_one_record_are_merged_even_where_the_inner_method_takes_them() -> None:
    table = numeric([0.0, 1, 2, 50, 51, 1000])
    swapping = {"method": "rank-swapping", "p": 50}
    assert all(len(rows) > 1 for rows in build(c=3, inner=swapping).divided(table, np.random.default_rng(1)))
    alone = build(c=3, inner=swapping, least=1).divided(table, np.random.default_rng(1))
    assert sorted(map(len, alone)) == [1, 2, 3]


def test_so_many_clusters_that_none_fits_become_one_file() -> None:
    table = numeric(np.arange(9.0))
    assert len(build(c=9, inner=mdav(9)).divided(table, np.random.default_rng(1))) == 1


def test_without_a_number_there_is_a_cluster_for_some_thousands_of_records() -> None:
    assert [build().clusters(n) for n in (1, 1000, 50_000, 1_000_000)] == [2, 2, 2, 40]
    assert build(c=7).clusters(10) == 7


def test_large_files_are_clustered_by_a_sample_whatever_their_order() -> None:
    rng = np.random.default_rng(2)
    numbers = rng.normal(size=(SAMPLE + 500, 2)) + 20.0 * rng.integers(0, 2, (SAMPLE + 500, 1))
    order = rng.permutation(len(numbers))
    method = build(c=2, inner=mdav(3), clustering="c-median")
    parts = method.divided(numeric(numbers), np.random.default_rng(1))
    again = method.divided(numeric(numbers[order]), np.random.default_rng(1))
    assert [set(rows.tolist()) for rows in parts] == [set(order[rows].tolist()) for rows in again]
    assert {tuple(numbers[rows, 0] > 10) in ((True,) * len(rows), (False,) * len(rows)) for rows in parts} == {True}


def test_where_the_whole_file_does_not_fit_the_inner_method_says_so() -> None:
    with pytest.raises(ParameterError, match=r"method clustered: inner: method mdav: k: given 10; wanted 1\.\.9"):
        evosdc.mask(numeric(np.arange(9.0)), "clustered", c=2, inner=mdav(10))
    with pytest.raises(ParameterError, match=r"inner: method mdav: data: given no record"):
        build(c=2, inner=mdav(1)).mask(numeric(np.empty((0, 1))), np.random.default_rng(1))
    assert len(build(inner={"method": "noise"}).mask(numeric(np.empty((0, 1))), np.random.default_rng(1))) == 0


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"inner": {"method": "mdavv"}}, ["inner: method: given 'mdavv'", "Did you mean 'mdav'?"]),
        ({"inner": {"method": "mdav", "kk": 3}}, ["inner: mdav: kk: given an unknown key", "Did you mean 'k'?"]),
        ({"c": 0, "inner": {"method": "mdav", "k": 0}}, ["clustered: c: given 0", "inner: mdav: k: given 0"]),
        ({"inner": {"k": 3}}, ["clustered: inner: ", 'such as { method = "mdav", k = 5 }']),
        ({"inner": 5, "c": 0}, ["clustered: inner: given 5", "clustered: c: given 0"]),
        ({"inner": '{method=mdav"}'}, ["clustered: inner: ", "its words in quotes"]),
        (
            {"inner": {"method": "clustered", "inner": {"method": "pramm"}}},
            ["clustered: inner: clustered: inner: method: given 'pramm'"],
        ),
    ],
)
def test_all_faults_of_both_methods_are_told_at_once(params: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        evosdc.mask(numeric(np.arange(9.0)), "clustered", **params)
    assert [word for word in words if word not in str(caught.value)] == []
    assert len(caught.value.faults) == (2 if "c" in params else 1)


def test_parameters_of_the_inner_method_are_told_as_they_were_given() -> None:
    found = default_registry().parameters(
        "masking-method", "clustered", {"inner": {"method": "mdav", "k": np.int64(5)}}
    )
    assert found.model_dump(mode="json", exclude_unset=True) == {"inner": {"method": "mdav", "k": 5}}
    named = default_registry().parameters("masking-method", "clustered", {"inner": "mondrian"})
    assert named.inner == {"method": "mondrian"}
    assert build().params.inner == {"method": "mdav"}


def test_a_method_that_generalises_makes_this_one_generalise() -> None:
    table = joined(categorical([0, 1, 2] * 8, [3], [NOMINAL]), numeric(np.arange(24.0)))
    inner = {"method": "mondrian", "k": 4, "output": "interval"}
    masked = evosdc.mask(table, "clustered", c=3, inner=inner)
    assert build(c=3, inner=inner).generalises
    assert not build(c=3, inner=mdav(4)).generalises
    assert min(Counter(map(tuple, masked.codes.tolist())).values()) >= 4
    assert masked.schema["x0"].categories


def test_sampling_weights_reach_the_inner_method() -> None:
    attributes = (Attribute("x", Role.QUASI_IDENTIFIER, Scale.NUMERIC), Attribute("w", Role.WEIGHT, Scale.NUMERIC))
    numbers = np.column_stack([[0.0, 1, 2, 50, 51, 52], [8.0, 1, 1, 1, 1, 8]])
    table = Table(Schema(attributes), np.empty((6, 0), dtype=np.int32), numbers)
    masked = evosdc.mask(table, "clustered", c=2, inner=mdav(3))
    assert masked.column("x").tolist() == [0.3] * 3 + [51.7] * 3
    weighted = build(c=2, inner=mdav(3)).mask_weighted(table.select(["x"]), numbers[:, 1], np.random.default_rng(1))
    assert weighted.numbers[:, 0].tolist() == masked.column("x").tolist()


def test_what_the_inner_method_reads_besides_reaches_it() -> None:
    rng = np.random.default_rng(3)
    attributes = tuple(Attribute(name, Role.QUASI_IDENTIFIER, Scale.NUMERIC) for name in "xyz")
    table = Table(Schema(attributes), np.empty((60, 0), dtype=np.int32), rng.normal(size=(60, 3)))
    inner = {"method": "ipso", "confidential": ["z"]}
    masked = evosdc.mask(table, "clustered", protect=["x", "y"], c=2, inner=inner)
    assert not masked.same_records(table)
    assert masked.column("z").tolist() == table.column("z").tolist()
    with pytest.raises(ParameterError, match=r"method clustered: inner: .*confidential"):
        evosdc.mask(table, "clustered", protect=["x", "y"], c=2, inner={"method": "ipso", "confidential": ["x"]})


def test_in_strata_and_in_chains() -> None:
    table = joined(categorical([0, 1] * 20, [2], [NOMINAL]), numeric(np.arange(40.0)))
    then = [{"method": "clustered", "c": 2, "inner": mdav(5)}]
    masked = evosdc.mask(table, "mdav", protect=["x0"], by=["c0"], k=2, then=then)
    assert min(Counter(masked.numbers[:, 0].tolist()).values()) >= 5
    by = evosdc.mask(table, "clustered", protect=["x0"], by=["c0"], c=2, inner=mdav(5))
    for stratum in (0, 1):
        assert min(Counter(by.numbers[by.codes[:, 0] == stratum, 0].tolist()).values()) >= 5
    with pytest.raises(ParameterError, match=r"inner: method mdav: k: .*2 of 2 strata refuse it"):
        evosdc.mask(table, "clustered", protect=["x0"], by=["c0"], c=2, inner=mdav(21))


class Upended(MaskingMethod):
    """A stranger's method: values in the opposite order."""

    class Params(Parameters):
        times: int = 1

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        return table.take(np.arange(len(table))[::-1]) if self.params.times % 2 else table


class Halves(Dividing):
    """A stranger's method that divides: the first half, and the rest."""

    def divided(self, table: Table, rng: np.random.Generator) -> Sequence[Rows]:
        return [part for part in np.array_split(np.arange(len(table)), 2) if len(part)]


class Forgetful(Halves):
    def divided(self, table: Table, rng: np.random.Generator) -> Sequence[Rows]:
        return [np.arange(len(table) - 1)]


def strangers() -> Registry:
    offered = [method(n.lower(), f"{HERE}:{n}") for n in ("Upended", "Halves", "Forgetful")]
    return registry(
        strange=offering("evosdc_masking_methods", *offered), clustering=evosdc_clustering, masking=evosdc_masking
    )


def applied(found: Registry, masking: Masking, table: Table) -> Table:
    return apply_masking(
        masking, build_steps(masking, found), Microdata(table, table.schema.names), np.random.default_rng(1)
    )


def test_any_registered_method_can_be_the_inner_one() -> None:
    table = numeric([0.0, 50, 1, 51, 2, 52])
    masked = applied(strangers(), Masking("clustered", {"c": 2, "inner": {"method": "upended"}}), table)
    assert masked.numbers[:, 0].tolist() == [2.0, 52, 1, 51, 0, 50]
    with pytest.raises(ParameterError, match=r"clustered: inner: upended: time: .*Did you mean 'times'"):
        strangers().build("masking-method", "clustered", {"inner": {"method": "upended", "time": 2}})


def test_any_registered_method_can_divide() -> None:
    table = numeric([0.0, 1, 2, 3])
    halves = Masking("halves", {"inner": {"method": "upended"}})
    assert applied(strangers(), halves, table).numbers[:, 0].tolist() == [1.0, 0, 3, 2]
    within = Masking("halves", {"inner": {"method": "halves", "inner": {"method": "upended"}}})
    assert applied(strangers(), within, table).numbers[:, 0].tolist() == [0.0, 1, 2, 3]
    with pytest.raises(
        PluginError, match="Forgetful does not divide the records into parts that hold each of them once"
    ):
        applied(strangers(), Masking("forgetful", {"inner": {"method": "upended"}}), table)


def test_without_a_method_offered_for_anonymity_the_inner_one_has_to_be_named() -> None:
    alone = registry(clustering=evosdc_clustering)
    with pytest.raises(InputError, match="masking-method clustered: inner: given nothing"):
        alone.build("masking-method", "clustered", {})


def test_it_is_tuned_by_the_number_of_clusters_and_the_size_of_classes() -> None:
    (design,) = designs_of(Clustered, numeric(np.arange(800.0)))
    assert design.params([0.0, 0.0]) == {"inner": {"method": "mdav", "k": 2}, "c": 2}
    assert design.params([1.0, 1.0]) == {"inner": {"method": "mdav", "k": 100}, "c": 64}
    assert design.fixed == {"inner": {"method": "mdav"}}
    assert designs_of(Clustered, numeric(np.arange(15.0))) == ()
    (large,) = designs_of(Clustered, numeric(np.arange(200_000.0)))
    assert large.free[0].at(0.0) == 4


def test_tuning_finds_parameters_and_says_which_in_words() -> None:
    rng = np.random.default_rng(4)
    table = categorical(rng.integers(0, 6, (150, 3)), [6, 6, 6], [ORDINAL] * 3)
    found = evosdc.tune(table, methods=["clustered"], il=["dbil"], dr=["dbrl"], evaluations=30, seed=1)
    assert found.best.label.startswith("clustered inner=(mdav k=")
    assert found.masking.steps[0].params["inner"]["method"] == "mdav"
    row = found.methods[0]
    again = evosdc.mask(table, "clustered", seed=1, draw=row.masking.draw, **row.masking.params)
    assert evosdc.measure(table, again, ["dbil", "dbrl"])["dbil"] == row.scores["dbil"]
    assert found.best.evaluations


def test_plans_have_it_as_a_step() -> None:
    from evosdc.assess.mask import RegisteredMethods
    from evosdc_recipes.plans import treatments_of

    table = numeric(np.random.default_rng(5).normal(size=(100, 2)))
    methods = RegisteredMethods(default_registry())
    (treatment,) = [one for one in treatments_of(methods, table) if one.method == "clustered"]
    shares = treatment.rounded((0.3, 0.6))
    built = methods.build(Masking("clustered", treatment.design.params(shares)))
    assert treatment.shares_of(built, methods) == pytest.approx(shares)
    other = methods.build(Masking("clustered", {"c": 3, "inner": {"method": "mondrian", "k": 3}}))
    assert treatment.shares_of(other, methods) is None


def test_labels_tell_the_inner_method_as_a_step() -> None:
    masking = Masking("clustered", {"c": 8, "inner": {"method": "clustered", "inner": {"method": "mdav", "k": 5}}})
    assert masking.label == "clustered c=8 inner=(clustered inner=(mdav k=5))"


def test_records_of_a_sample_count_as_often_as_they_occur():
    rng = np.random.default_rng(1)
    many = np.repeat([2.0, 36.0, 67.0, 98.0], 30_000)
    numbers = np.concatenate([many, rng.uniform(0.0, 100.0, SAMPLE + 200)])
    table = Table(
        Schema((Attribute("x", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=9),)),
        np.empty((len(numbers), 0), np.int32),
        numbers[:, None],
    )
    found = clusters_to_mask(table, 4, np.random.default_rng(2))
    assert np.allclose(np.sort(found.representatives.numbers[:, 0]), [2.0, 36.0, 67.0, 98.0], atol=2.0)
