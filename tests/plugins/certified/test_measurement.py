"""The accounting, the measurement, and an audit of both by thousands of runs."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta

from evosdc.errors import DataError, InputError, ParameterError
from evosdc.table.schema import Attribute, Schema
from evosdc.table.table import Table
from evosdc_certified import measurement
from evosdc_certified.domain import domain_of
from evosdc_certified.measurement import Account, budget_of, epsilon_of, measure, workload_of_order
from evosdc_certified.tables import PrivateTables
from tests.plugins.certified.conftest import BOUNDS, survey


def no_answers(tables, asked):
    raise AssertionError("nothing is asked where all tables are measured")


def independent(tables, asked):
    """Answers by independent attributes."""
    assert isinstance(tables, PrivateTables)
    found = []
    for columns in asked:
        margins = []
        for place in columns:
            margin = np.bincount(tables.groups[place], tables.of_one(place))
            margins.append(margin / margin.sum())
        joint = margins[0]
        for margin in margins[1:]:
            joint = np.multiply.outer(joint, margin)
        found.append(joint.ravel() * tables.records)
    return found


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_the_budget_is_that_of_epsilon_and_better_than_the_simple_bound(epsilon: float) -> None:
    budget = budget_of(epsilon, 1e-6, 10_000)
    assert epsilon_of(budget.rho, 1e-6) <= epsilon
    assert epsilon_of(budget.rho * 1.001, 1e-6) > epsilon
    root = np.sqrt(np.log(1e6))
    assert budget.rho > (np.sqrt(root**2 + epsilon) - root) ** 2


@pytest.mark.parametrize("epsilon", [0.001, 100.0])
@pytest.mark.parametrize("delta", [1e-30, 0.009])
def test_every_budget_that_is_accepted_has_a_price(epsilon: float, delta: float) -> None:
    assert 0.0 < budget_of(epsilon, delta, 100).rho < 200.0


def test_delta_by_default_is_a_power_of_ten() -> None:
    assert budget_of(1.0, None, 27_253).delta == pytest.approx(1e-9)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((0.0, None, 100), "epsilon: given 0"),
        ((1e-9, None, 100), "epsilon: given 1e-09"),
        ((1.0, 1e-300, 100), "delta: given 1e-300"),
        ((-1.0, None, 100), "epsilon: given -1"),
        ((float("nan"), None, 100), "epsilon: given nan"),
        ((1000.0, None, 100), "epsilon: given 1000"),
        ((1.0, 0.5, 100), "delta: given 0.5"),
        ((1.0, 0.0, 100), "delta: given 0"),
        ((1.0, None, 100, "village"), "unit: given 'village'"),
        ((1.0, None, 100, "household"), "--largest N"),
    ],
)
def test_bad_budgets_are_refused(given, said) -> None:
    with pytest.raises(ParameterError, match=re.escape(said)):
        budget_of(*given)


def test_nothing_is_measured_beyond_the_budget() -> None:
    account = Account(budget_of(1.0, 1e-6, 100))
    account.counts("half", np.array([3, 4]), account.sigma(account.budget.rho / 2))
    with pytest.raises(RuntimeError, match="is left"):
        account.counts("more than half", np.array([3, 4]), account.sigma(account.budget.rho * 0.51))
    assert [payment.what for payment in account.payments] == ["half"]


@pytest.mark.parametrize("epsilon", [1.0, 20.0])
def test_the_whole_budget_is_spent_and_no_more(original, epsilon) -> None:
    domain = domain_of(original.schema, original.schema.attributes, BOUNDS)
    budget = budget_of(epsilon, 1e-6, len(original))
    tables = measure(original, domain, budget, workload_of_order(4, 2), independent)
    assert tables.spent <= budget.rho
    assert tables.spent == pytest.approx(budget.rho, rel=1e-4)
    assert {t.columns for t in tables.tables} >= {(0,), (1,), (2,), (3,)}


def test_with_a_small_budget_tables_are_chosen_one_after_the_other(original, monkeypatch) -> None:
    domain = domain_of(original.schema, original.schema.attributes, BOUNDS)
    wide = measure(original, domain, budget_of(50.0, 1e-6, 3000), workload_of_order(4, 2), no_answers)
    assert len(wide.tables) == 10
    monkeypatch.setattr(measurement, "AFFORDABLE", 0.0)
    tables = measure(original, domain, budget_of(1.0, 1e-6, 3000), workload_of_order(4, 2), independent)
    chosen = [payment for payment in tables.payments if payment.what == "choice of a table"]
    assert len(chosen) == len(tables.tables) - 4 > 0


def test_noise_has_the_size_that_it_says(original) -> None:
    domain = domain_of(original.schema, original.schema.attributes, BOUNDS)
    cells = domain.cells(original)
    tables = measure(original, domain, budget_of(20.0, 1e-6, 3000), workload_of_order(4, 2), no_answers)
    for table in tables.tables:
        errors = table.counts - tables.count(cells, table.columns)
        if len(errors) > 30:
            assert 0.4 < errors.std() / table.sigma < 1.7


def test_households_get_noise_by_their_size_and_lose_further_people() -> None:
    schema = Schema((Attribute("home", categories=tuple(map(str, range(50)))), Attribute("sex", categories=("m", "f"))))
    home = np.repeat(np.arange(50), 40)
    table = Table(schema, np.stack([home, np.arange(2000) % 2], axis=1).astype(np.int32), np.zeros((2000, 0)))
    domain = domain_of(schema, [schema["sex"]], {})
    budget = budget_of(5.0, 1e-6, 2000, "household", 10)
    tables = measure(table, domain, budget, (), no_answers, household="home")
    alone = Account(replace(budget, unit="person", largest=1))
    assert tables.tables[0].sigma == pytest.approx(10 * alone.sigma(budget.rho)), "nothing else is measured"
    assert abs(tables.tables[0].counts.sum() - 500) < 6 * 2 * tables.tables[0].sigma
    with pytest.raises(DataError, match='role = "household"'):
        measure(table, domain, budget, (), no_answers)


def test_tables_of_too_many_cells_are_named(original, monkeypatch) -> None:
    domain = domain_of(original.schema, original.schema.attributes, BOUNDS)
    monkeypatch.setattr(measurement, "MOST_CELLS", 30)
    tables = measure(original, domain, budget_of(20.0, 1e-6, 3000), workload_of_order(4, 2), no_answers)
    assert "age x income" in tables.left_out
    assert "age x income" not in {payment.what for payment in tables.payments}
    assert tables.spent == pytest.approx(tables.budget.rho, rel=1e-4)


def test_a_tiny_file_is_told_to_be_hidden(original) -> None:
    domain = domain_of(original.schema, original.schema.attributes, BOUNDS)
    with pytest.raises(DataError, match="two at least"):
        measure(survey(1), domain, budget_of(1.0, 1e-6, 2), (), no_answers)
    for _ in range(5):  # whatever the noise is
        with pytest.raises(DataError, match="noise that hides the whole file"):
            measure(survey(3), domain, budget_of(0.01, 1e-6, 3), (), no_answers)


def test_without_opendp_it_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "opendp.prelude", None)
    with pytest.raises(InputError, match=r"pip install opendp"):
        measurement.opendp()


PAIR = Schema((Attribute("a", categories=("x", "y")), Attribute("b", categories=("p", "q", "r"))))
DELTA = 1e-3


def audited(epsilon: float, runs: int) -> float:
    """Return a lower bound, at 99.9 %, of the epsilon of a measurement, by an attacker of two neighbouring files.

    He takes the likelihood ratio of what was measured, as Gaussian noise has it, learns a threshold on one half of the
    runs, and counts on the other how often he is right (Clopper and Pearson's bounds).
    """
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, 2, 200), rng.integers(0, 3, 200)], axis=1).astype(np.int32)
    domain = domain_of(PAIR, PAIR.attributes, {})
    budget = budget_of(epsilon, DELTA, 201)
    person = domain.cells(Table(PAIR, codes[:1], np.zeros((1, 0))))
    scores = []
    for records in (codes, codes[1:]):
        table = Table(PAIR, records, np.zeros((len(records), 0)))
        known = domain.cells(Table(PAIR, codes[1:], np.zeros((199, 0))))
        own = []
        for _ in range(runs):
            tables = measure(table, domain, budget, workload_of_order(2, 2), independent)
            ratio = 0.0
            for noisy in tables.tables:
                difference = noisy.counts - tables.count(known, noisy.columns)
                ratio += float((tables.count(person, noisy.columns) * difference).sum()) / noisy.sigma**2
            own.append(ratio)
        scores.append(np.array(own))
    with_him, without = scores
    half = runs // 2

    def bound(threshold: float, part: slice) -> float:
        right, wrong = int((with_him[part] > threshold).sum()), int((without[part] > threshold).sum())
        total = len(with_him[part])
        low = float(beta.ppf(0.0005, right, total - right + 1)) if right else 0.0
        high = float(beta.ppf(0.9995, wrong + 1, total - wrong)) if wrong < total else 1.0
        return float(np.log((low - DELTA) / high)) if low > DELTA else 0.0

    learned, counted = slice(0, half), slice(half, None)
    best = max(np.quantile(without[learned], np.linspace(0.5, 0.999, 40)), key=lambda t: bound(float(t), learned))
    return bound(float(best), counted)


@pytest.mark.endurance
def test_an_audit_finds_less_than_the_claim() -> None:
    assert audited(1.0, 1500) < 1.0


@pytest.mark.endurance
def test_an_audit_catches_noise_that_is_too_small(monkeypatch) -> None:
    honest = measurement.gaussian

    class Broken:
        def __init__(self, sigma: float) -> None:
            self.map, self.draw = honest(sigma).map, honest(sigma / 6.0)

        def __call__(self, counts):
            return self.draw(counts)

    claimed = measurement.budget_of

    def budget(*given):
        monkeypatch.setattr(measurement, "gaussian", honest)
        found = claimed(*given)
        monkeypatch.setattr(measurement, "gaussian", Broken)
        return found

    monkeypatch.setattr("tests.plugins.certified.test_measurement.budget_of", budget)
    assert audited(1.0, 1500) > 1.0
