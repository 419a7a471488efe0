"""Real files against references: record by record, set by set, by pandas and by integration."""

from __future__ import annotations

from dataclasses import replace
from math import factorial

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad

import evosdc
from evosdc.assess.risk import intruder_view_of
from evosdc.files.source import read_source
from evosdc.model import IntruderView, MissingMatch
from evosdc.plugins.registry import default_registry
from evosdc.table.equivalence import key_codes
from evosdc.table.table import MISSING, Table
from evosdc.testing.privacy import assert_same_figures, relabelled, reordered
from evosdc_privacy.special_uniques import membership, uniques_of
from tests.plugins.privacy.reference import msus, neighbours
from tests.published import DataSets

KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
MODELS = ("k-anonymity", "p-sensitivity", "l-diversity", "t-closeness", "individual-risk", "suda2")


@pytest.fixture(scope="module")
def survey(data_sets: DataSets) -> Table:
    return read_source(data_sets.path("ihsn_testdata/testdata.csv")).table


def with_holes(table: Table, names: tuple[str, ...], share: float) -> Table:
    codes = table.codes.copy()
    places = [i for i, a in enumerate(table.schema.categorical) if a.name in names]
    holes = np.random.default_rng(3).random((len(table), len(places))) < share
    for position, place in enumerate(places):
        codes[holes[:, position], place] = MISSING
    return Table(table.schema, codes, table.numbers)


@pytest.fixture(scope="module")
def figures(survey: Table):
    return evosdc.risk(
        survey, quasi_identifiers=KEYS, sensitive="hhcivil", weight="sampling_weight", household="ori_hid"
    )


class TestHouseholdSurvey:
    """Seven keys of 4580 people in 1000 households, each of whom stands for a hundred."""

    def test_records_below_each_size(self, survey: Table, figures) -> None:
        sizes = pd.DataFrame({key: survey.column(key) for key in KEYS}).groupby(list(KEYS)).size()
        found = figures["k-anonymity"]["records_below"]
        assert found == {"2": 157, "3": 281, "5": 458, "10": 741}
        assert found == {size: sizes[sizes < int(size)].sum() for size in found}

    def test_expected_reidentifications(self, survey: Table, figures) -> None:
        sizes = pd.DataFrame({key: survey.column(key) for key in KEYS}).groupby(list(KEYS)).size()

        # E(1 / F) is the integral of the probability generating function at exp(-t) over t, here in units of p / f
        def mean(f: int) -> float:
            with np.errstate(over="ignore"):  # far out the integrand is zero
                return 0.01 * quad(lambda u: np.exp(-f * np.log1p(np.expm1(u * 0.01 / f) / 0.01)), 0, np.inf)[0]

        expected = sum(mean(f) * times for f, times in sizes.value_counts().items())
        assert figures["global-risk"]["expected_reidentifications"] == pytest.approx(expected, rel=1e-6)
        assert figures["global-risk"]["percent"] == pytest.approx(100 * expected / 4580, rel=1e-6)

    def test_population_frequencies_are_a_hundredfold(self, figures) -> None:
        assert figures["population-frequencies"]["smallest"] == 100.0
        assert figures["population-frequencies"]["population"] == 458_000.0

    def test_all_households_are_seen(self, figures) -> None:
        assert figures["household-risk"]["households"] == 1000
        assert figures["household-risk"]["largest"] >= figures["individual-risk"]["largest"]

    def test_what_the_figures_hang_on_is_said(self, figures) -> None:
        assert figures["missing_rule"] == "category"
        assert figures["quasi_identifiers"] == list(KEYS)
        assert set(figures["not_applicable"]) == {"delta-presence", "local-differential-privacy"}

    @pytest.mark.parametrize(("keys", "score"), [(KEYS, 180), (("urbrur", "roof", "walls", "water", "sex"), 2)])
    def test_suda_score_of_the_first_of_its_uniques(self, keys, score, data_sets: DataSets) -> None:
        view = intruder_view_of(read_source(data_sets.path("ihsn_testdata/testdata2.csv")).table, keys)
        owner, sets = uniques_of(view, len(keys))
        own = membership(sets[owner == view.classes.of[0]], len(keys)).sum(axis=1)
        assert sum(factorial(len(keys) - size) for size in own.tolist()) == score


@pytest.mark.parametrize("missing", MissingMatch)
def test_frequencies_of_the_survey_with_holes(missing, survey: Table) -> None:
    table = with_holes(survey, KEYS, 0.05)
    view = intruder_view_of(table, KEYS, weight="household_weights", missing=missing)
    codes, weights = key_codes(table, KEYS), table.column("household_weights")
    wild = missing is MissingMatch.WILDCARD
    same = np.ones((len(table), len(table)), dtype=bool)
    for column in codes.T:
        equal = column[:, None] == column[None]
        holes = (column < 0)[:, None] | (column < 0)[None]
        if missing is not MissingMatch.CATEGORY:
            equal = equal | holes if wild else equal & ~holes
        same &= equal
    np.fill_diagonal(same, True)
    counts, population = (x[view.classes.of] for x in view.frequencies)
    assert np.array_equal(counts, same.sum(axis=1))
    assert population == pytest.approx(same @ weights)


ADULT = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")


@pytest.mark.parametrize(
    ("name", "keys"),
    [("adult", ADULT), ("german-credit", ("existacc", "savings", "presemploy")), ("solar-flare", None)],
)
def test_class_sizes_are_those_of_pandas(name, keys, data_sets: DataSets) -> None:
    table = data_sets.table(name)
    chosen = keys or tuple(a.name for a in table.schema.attributes)
    figures = evosdc.risk(table, "k-anonymity", quasi_identifiers=chosen)["k-anonymity"]
    frame = pd.DataFrame({key: table.column(key) for key in chosen})
    sizes = frame.groupby(list(chosen), dropna=False).size()
    assert figures["k"] == sizes.min()
    assert figures["combinations"] == len(sizes)
    assert figures["records_below"]["5"] == sizes[sizes < 5].sum()


def test_minimal_uniques_of_a_part_of_adult(data_sets: DataSets) -> None:
    table = data_sets.table("adult").take(np.arange(40, dtype=np.intp))
    for missing in MissingMatch:
        view = intruder_view_of(table, ADULT[1:7], missing=missing)
        owner, sets = uniques_of(view, 3)
        found: list[set[tuple[int, ...]]] = [set() for _ in range(len(view.classes))]
        for key, held in zip(owner, membership(sets, 6), strict=True):
            found[key].add(tuple(np.flatnonzero(held).tolist()))
        assert [found[c] for c in view.classes.of] == msus(key_codes(table, ADULT[1:7]), missing, 3)


def test_sensitive_values_of_adult_by_wildcards(data_sets: DataSets) -> None:
    table = data_sets.table("adult").take(np.arange(250, dtype=np.intp))
    names = ("workclass", "sex", "occupation")
    figures = evosdc.risk(table, quasi_identifiers=names, sensitive="marital-status", missing_rule="wildcard")
    values = table.column("marital-status")
    classes = [set(values[near].tolist()) for near in neighbours(key_codes(table, names), MissingMatch.WILDCARD)]
    assert figures["p-sensitivity"]["p"] == min(map(len, classes))
    assert figures["p-sensitivity"]["attributes"]["marital-status"]["records_of_one_value"] == sum(
        len(found) == 1 for found in classes
    )


@pytest.mark.parametrize("missing", MissingMatch)
def test_neither_order_nor_names_decide_on_adult(missing, data_sets: DataSets) -> None:
    table = data_sets.table("adult").take(np.arange(3000, dtype=np.intp))
    view = intruder_view_of(table, ADULT, ["capital-gain", "relationship"], missing=missing)
    registry = default_registry()
    for name in MODELS:
        model = registry.build("privacy-model", name, {})
        wanted = model.assess(view)
        order = np.random.default_rng(2).permutation(len(table)).astype(np.intp)
        assert_same_figures(model.assess(reordered(view, order)), wanted)
        assert_same_figures(model.assess(relabelled(view)), wanted)


def test_the_sample_is_a_part_of_its_population(data_sets: DataSets) -> None:
    table = data_sets.table("adult")
    view = intruder_view_of(table, ADULT)
    sample: IntruderView = replace(
        view, table=table.take(np.arange(0, len(table), 10, dtype=np.intp)), population=table
    )
    figures = default_registry().build("privacy-model", "delta-presence", {}).assess(sample)
    assert figures["records_unexplained"] == 0
    assert figures["delta_min"] == 0.0
    assert figures["delta"] == 1.0
    assert figures["mean"] == pytest.approx(len(sample.table) / len(table))
