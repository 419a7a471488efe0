"""The only module that reads the original: it returns noisy tables, and nothing else of the original leaves it.

Noise, choices and their accounting are those of opendp (https://opendp.org): the discrete Gaussian (Canonne, Kamath,
Steinke 2020), the exponential mechanism, and zero-concentrated differential privacy (Bun, Steinke 2016), converted to
(epsilon, delta) by its tight bound. opendp draws from the operating system's secure generator. No key or seed of
evosdc repeats a measurement, by which anybody could take the noise away: what is kept to repeat a run are the tables.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from evosdc.errors import DataError, Fault, InputError, ParameterError
from evosdc.table.table import MISSING, Table
from evosdc_certified.domain import Cells, Domain
from evosdc_certified.tables import Budget, Counts, NoisyTable, Payment, PrivateTables, groups_of

# Share of the budget for tables of one attribute: their errors are in all larger tables of the file, too.
ONE_WAY = 0.22

# Share of a round's budget for the choice of its table, as in AIM (McKenna, Mullins, Sheldon, Miklau 2022).
CHOICE = 0.1

ROUNDS = 2  # rounds planned for each attribute where tables are chosen one after the other; annealing makes them fewer

# All tables of a workload are measured where their noise alone moves at most this share of the records of a table.
AFFORDABLE = 0.3

MOST_CELLS = 100_000  # cells of one table at most
UNSEEN = 1e-6  # how likely noise alone is taken for a file at most
MEAN_OF_NORMAL = float(np.sqrt(2.0 / np.pi))  # mean of the absolute value of a standard normal variable

LEAST_EPSILON, GREATEST_EPSILON = 0.001, 100.0
LEAST_DELTA = 1e-30


# Tables that a certified file should keep: combinations of two attributes or more.
Workload = Sequence[tuple[int, ...]]

# What answers questions about the original by the tables measured so far: the counts of combinations of attributes.
Answers = Callable[[PrivateTables, Sequence[tuple[int, ...]]], list[Counts]]


def workload_of_order(attributes: int, order: int) -> Workload:
    """Return all combinations of two to `order` attributes."""
    orders = range(2, min(order, attributes) + 1)
    return [c for size in orders for c in combinations(range(attributes), size)]


def opendp() -> Any:
    """Return the module opendp.prelude; raise `InputError` where it is not installed."""
    try:
        import opendp.prelude as found
    except ImportError:
        advice = "Install it: pip install opendp."
        raise InputError(Fault("certify", "no package opendp", "opendp 0.12 or newer", advice)) from None
    found.enable_features("contrib")
    return found


def gaussian(sigma: float) -> Any:
    """Return opendp's measurement that adds discrete Gaussian noise to each of several counts."""
    dp = opendp()
    return dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float), sigma)


def epsilon_of(rho: float, delta: float) -> float:
    """Return the epsilon that some zero-concentrated differential privacy has at a delta."""
    profile = opendp().c.make_zCDP_to_approxDP(gaussian(float(np.sqrt(0.5 / rho)))).map(1.0)
    return float(profile.epsilon(delta))


def epsilon_together(budgets: Sequence[Budget]) -> float:
    """Return the epsilon of several measurements of the same people together, at the greatest of their deltas."""
    return epsilon_of(sum(budget.rho for budget in budgets), max(budget.delta for budget in budgets))


def budget_of(
    epsilon: float, delta: float | None, records: int, unit: str = "person", largest: int | None = None
) -> Budget:
    """Return the budget of a wish."""
    # delta: by default the power of ten that is not above 1 over the squared number of records; it tells their order of
    # magnitude; largest: records of a household that count; further ones are left out.
    faults = []
    if not LEAST_EPSILON <= epsilon <= GREATEST_EPSILON:
        advice = "1 is strong, 10 weak; above that a proof says next to nothing."
        wanted = f"a number from {LEAST_EPSILON:g} to {GREATEST_EPSILON:g}"
        faults.append(Fault("epsilon", f"{epsilon:g}", wanted, advice))
    if delta is not None and not LEAST_DELTA <= delta < 1.0 / max(2, records):
        advice = "With 1 over the number of records a mechanism might publish somebody's record as it is."
        wanted = f"a number from {LEAST_DELTA:g}, below 1 over the number of records"
        faults.append(Fault("delta", f"{delta:g}", wanted, advice))
    if unit not in ("person", "household"):
        faults.append(Fault("unit", repr(unit), "person or household"))
    if unit == "household" and (largest is None or largest < 1):
        advice = "Its size has to be public: the noise grows with it, and further people of a household are left out."
        faults.append(Fault("unit", "household without its greatest size", "--largest N", advice))
    if faults:
        raise ParameterError(faults)
    chosen = 10.0 ** -np.ceil(2.0 * np.log10(max(2, records))) if delta is None else delta
    dp = opendp()
    rho = dp.binary_search(lambda rho: epsilon_of(rho, chosen) <= epsilon, bounds=(1e-12, 1e4), T=float)
    return Budget(epsilon, float(chosen), float(rho), unit, (largest or 1) if unit == "household" else 1)


class Account:
    """The budget while it is spent: nothing is measured but through it, and not beyond the budget."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.payments: list[Payment] = []

    @property
    def left(self) -> float:
        """The remaining budget."""
        return self.budget.rho - sum(payment.rho for payment in self.payments)

    def _pay(self, what: str, price: float) -> None:
        if price > self.left * (1.0 + 1e-9) + 1e-15:
            raise RuntimeError(f"{what} costs {price}, and {self.left} is left")
        self.payments.append(Payment(what, price))

    def counts(self, what: str, counts: NDArray[np.int64], sigma: float) -> Counts:
        """Return counts with noise, to which a unit adds 1 for each of its records."""
        measurement = gaussian(sigma)
        self._pay(what, float(measurement.map(float(self.budget.largest))))
        return np.array(measurement(counts.tolist()), dtype=np.float64)

    def best(self, what: str, scores: Sequence[float], rho: float) -> int:
        """Return the position of a high score, by the exponential mechanism; a record changes a score by 1 at most."""
        dp = opendp()
        space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
        # slightly more noise than the price requires, so that rounding does not make it dearer
        scale = self.budget.largest / np.sqrt(2.0 * rho) * (1.0 + 1e-9)
        measurement = dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale=float(scale))
        self._pay(what, float(measurement.map(float(self.budget.largest))))
        return int(measurement(list(scores)))

    def sigma(self, rho: float) -> float:
        """Return the noise of counts at a price."""
        return float(self.budget.largest * np.sqrt(0.5 / rho) * (1.0 + 1e-9))


def measure(
    table: Table,
    domain: Domain,
    budget: Budget,
    workload: Workload,
    answers: Answers,
    say: Callable[[str], None] = lambda text: None,
    household: str | None = None,
) -> PrivateTables:
    """Measure noisy tables of a file."""
    # All tables of one attribute come first. Then the whole workload where its noise stays small; otherwise tables are
    # chosen one after the other, each time among those that the file evolved so far answers worst.
    # table: the original; answers: sees noisy tables only; say: takes sentences on the progress; household: the
    # attribute that tells households, where these are the unit.
    if len(table) < 2:
        raise DataError(Fault("certify", f"{len(table)} records", "two at least"))
    cells = domain.cells(table)
    if budget.unit == "household":
        cells = cells[_first_members(table, household, budget.largest)]
    account = Account(budget)
    share = ONE_WAY if workload else 1.0
    rho = _shares([float(size) for size in domain.sizes], share * budget.rho)
    found = []
    for place, column in enumerate(domain.columns):
        sigma = account.sigma(rho[place])
        counts = account.counts(column.name, np.bincount(cells[:, place], minlength=column.size), sigma)
        found.append(NoisyTable((place,), counts, sigma))
    blank = tuple(np.zeros(column.size, dtype=np.int32) for column in domain.columns)
    tables = PrivateTables(domain, budget, tuple(found), blank)
    hidden = -float(ndtri(UNSEEN / sum(domain.sizes)))  # standard deviations that no cell of noise alone exceeds
    if tables.records < 2 or all(t.counts.max() < hidden * t.sigma for t in found):
        advice = "Take a greater epsilon, or a file of more records."
        raise DataError(Fault("certify", "noise that hides the whole file", "a larger file or budget", advice))
    columns = zip(found, domain.columns, strict=True)
    groups = tuple(groups_of(t.counts, t.sigma, float(tables.records), column.ordered) for t, column in columns)
    tables = tables.with_tables(groups=groups)
    queries = [c for c in workload if np.prod(tables.shape(c)) <= MOST_CELLS]
    left_out = tuple(_title(tables, c) for c in workload if c not in set(queries))
    size = np.array([float(np.prod(tables.shape(c))) for c in queries])
    if queries:
        sigmas = np.array([account.sigma(r) for r in _shares(size, account.left)])
        noise = float((MEAN_OF_NORMAL * sigmas * size).mean()) / (2.0 * tables.records)
        say(f"{len(domain.columns)} tables of one attribute are measured; {len(queries)} of several are wanted.")
        if noise <= AFFORDABLE:
            pairs = zip(queries, sigmas.tolist(), strict=True)
            more = [_noisy(cells, tables, account, wanted, sigma) for wanted, sigma in pairs]
            tables = tables.with_tables(*more)
        else:
            tables = _chosen(cells, tables, account, queries, answers, say)
    return PrivateTables(domain, budget, tables.tables, tables.groups, tuple(account.payments), left_out)


def _shares(sizes: Sequence[float] | NDArray[np.float64], rho: float) -> NDArray[np.float64]:
    """Return how a budget is divided among tables so that their noise, over all cells, is least in absolute value."""
    wanted = np.asarray(sizes, dtype=np.float64) ** (2.0 / 3.0)
    found: NDArray[np.float64] = wanted / wanted.sum() * rho * (1.0 - 1e-9)
    return found


def _title(tables: PrivateTables, columns: Sequence[int]) -> str:
    return " x ".join(tables.domain.columns[place].name for place in columns)


def _noisy(cells: Cells, tables: PrivateTables, account: Account, columns: tuple[int, ...], sigma: float) -> NoisyTable:
    counts = tables.count(cells, columns).astype(np.int64)
    return NoisyTable(columns, account.counts(_title(tables, columns), counts, sigma), sigma)


def _chosen(
    cells: Cells,
    tables: PrivateTables,
    account: Account,
    queries: Workload,
    answers: Answers,
    say: Callable[[str], None],
) -> PrivateTables:
    """Measure table after table: what is answered worst beyond its noise, at a price that grows when little changes."""
    truth = [tables.count(cells, columns) for columns in queries]
    size = np.array([float(len(counts)) for counts in truth])
    price = account.left / (ROUNDS * len(tables.domain.columns))
    while account.left > 1e-6 * account.budget.rho:
        if account.left < 2.0 * price:
            price = account.left
        sigma = account.sigma((1.0 - CHOICE) * price)
        before = answers(tables, queries)
        errors = [float(np.abs(true - guess).sum()) for true, guess in zip(truth, before, strict=True)]
        place = account.best("choice of a table", (errors - MEAN_OF_NORMAL * sigma * size).tolist(), CHOICE * price)
        rest = min((1.0 - CHOICE) * price, account.left * (1.0 - 1e-9))
        sigma = account.sigma(rest)
        tables = tables.with_tables(_noisy(cells, tables, account, queries[place], sigma))
        left = account.left / account.budget.rho
        say(f"{_title(tables, queries[place])} is measured; {left:.0%} of the budget is left.")
        (after,) = answers(tables, [queries[place]])
        if np.abs(after - before[place]).sum() <= MEAN_OF_NORMAL * sigma * size[place]:
            price *= 4.0
    return tables


def _first_members(table: Table, household: str | None, largest: int) -> NDArray[np.intp]:
    """Return the positions of the first records of each household, in the file's order."""
    if household is None:
        advice = 'Say in the schema which attribute tells it: role = "household".'
        raise DataError(Fault("unit", "household, of a file that tells none", "an attribute of that role", advice))
    column = table.column(household)
    if (column == MISSING).any() if table.schema[household].categorical else np.isnan(column).any():
        raise DataError(Fault("unit", "records without a household", "a household for every record"))
    _, index = np.unique(column, return_inverse=True)
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    begins = np.concatenate(([0], np.flatnonzero(np.diff(ordered)) + 1))
    place = np.arange(len(order)) - np.repeat(begins, np.diff([*begins, len(order)]))
    return np.sort(order[place < largest])
