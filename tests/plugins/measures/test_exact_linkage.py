"""Who is found by an exact value: against a count over all records, and followed through changes."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evosdc
from evosdc.api.tables import as_table
from evosdc.assess.changes import perturbed_values, untouched_records
from evosdc.assess.intruder import found_by_value
from evosdc.assess.measure import score_table
from evosdc.plugins.registry import default_registry
from evosdc.table.exact_values import ExactValues, with_published_decimals
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc.testing.measure import MeasureConformance
from evosdc.testing.tables import changes_of
from evosdc_measures.linkage.exact import ExactLinkage


class TestExactLinkage(MeasureConformance):
    kind = "dr"

    def measure(self):
        return ExactLinkage(ExactLinkage.Params())


del MeasureConformance

SCHEMA = Schema(
    (
        Attribute("wage", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=2),
        Attribute("sex", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("f", "m")),
        Attribute("age", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=2),
        Attribute("town", Role.QUASI_IDENTIFIER, Scale.NOMINAL, tuple("abcdefgh")),
    )
)
VALUES = [np.nan, -0.0, 0.0, 0.5, 1.25, 2.0, 3.0]


def fitted(original):
    return ExactLinkage(ExactLinkage.Params()).fit(original)


@st.composite
def files(draw, most_records=12):
    """Return an original and what it may be masked to, with missing values, and more values kept than chance keeps."""
    n = draw(st.integers(1, most_records))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    original = anything(rng, n)
    other, kept = anything(rng, n), rng.random((n, 4)) < draw(st.sampled_from([0.0, 0.3, 0.8, 1.0]))
    codes = np.where(kept[:, :2], original.codes, other.codes)
    return original, Table(SCHEMA, codes, np.where(kept[:, 2:], original.numbers, other.numbers)), rng


def anything(rng, n):
    codes = np.column_stack([rng.integers(-1, 2, n), rng.integers(-1, 8, n)]).astype(np.int32)
    return Table(SCHEMA, codes, rng.choice(VALUES, (n, 2)))


def slow(original, masked, name):
    """Return the per cent of the people who are found by one attribute: everybody by himself."""
    x, y = original.column(name).tolist(), masked.column(name).tolist()
    return 100.0 / len(x) * sum(1.0 / x.count(a) for a, b in zip(x, y, strict=True) if a == b)


def changed(masked, rng, most):
    rows = rng.choice(len(masked), size=min(int(rng.integers(0, most + 1)), len(masked)), replace=False)
    codes, numbers, other = masked.codes.copy(), masked.numbers.copy(), anything(rng, len(masked))
    for row in rows:
        v = int(rng.integers(4))
        if v < 2:
            codes[row, v] = other.codes[row, v]
        else:
            numbers[row, v - 2] = other.numbers[row, v - 2]
    return Table(SCHEMA, codes, numbers), rows.astype(np.intp)


def test_fixture_worked_by_hand():
    # wages 1, 2, 2, 5: kept are 1 (of one), one 2 (of two): 1 + 1/2 of 4 people. sexes f, f, f, m: kept f, f: 2/3.
    schema = SCHEMA.select(["wage", "sex"])
    original = Table(schema, np.array([[0], [0], [0], [1]]), np.array([[1.0], [2.0], [2.0], [5.0]]))
    masked = Table(schema, np.array([[0], [0], [1], [0]]), np.array([[1.0], [2.0], [5.0], [2.0]]))
    assert fitted(original).score(masked) == 37.5
    assert fitted(original).track(masked).contributions().tolist() == [25.0, 12.5, 0.0, 0.0]
    values = ExactValues(original, ["sex", "wage"])
    assert dict(zip(values.names, values.percents(masked).tolist(), strict=True)) == pytest.approx(
        {"sex": 100 / 6, "wage": 37.5}
    )
    # Of the original everybody's value is kept: as many are found as there are different values.
    assert fitted(original).score(original) == 75.0
    assert fitted(original.select(["sex"])).score(original.select(["sex"])) == 50.0


@given(files())
def test_every_table_by_everybody_alone(drawn):
    original, masked, _ = drawn
    known = {name: slow(original, masked, name) for name in SCHEMA.names}
    assert fitted(original).score(masked) == pytest.approx(max(known.values()))
    assert fitted(original).track(masked).contributions().sum() == pytest.approx(max(known.values()))
    values = ExactValues(original, SCHEMA.names)
    percents = values.percents(masked)
    assert dict(zip(values.names, percents.tolist(), strict=True)) == pytest.approx(known)
    # The verdict says the very same figure.
    name, percent = found_by_value(original, masked, SCHEMA.names)
    assert percent == fitted(original).score(masked) == percents.max()
    assert percents[values.names.index(name)] == percent


def followed(measure, masked, rng):
    """Return tables that came of each other by few changes, each with the tracker that was followed there."""
    family = [(masked, measure.track(masked)) for _ in range(3)]
    for most in (1, 1, 5, 1, 40, 2, 0, 1):
        place = int(rng.integers(len(family)))
        table, own = family[place]
        children = [changed(table, rng, most) for _ in range(3)]
        changes = changes_of(table, children)
        assert own.tries(changes).tolist() == pytest.approx([measure.score(child) for child, _ in children])
        own.take(changes.part(1, 2))
        family[place] = children[1][0], own
    return family


@given(files(most_records=40))
def test_trackers_have_the_scores_of_their_tables(drawn):
    original, masked, rng = drawn
    measure = fitted(original)
    for table, tracker in followed(measure, masked, rng):
        assert tracker.score == measure.score(table)


def finer(table, rng):
    """Return a table with numbers of more decimals than its schema says."""
    return Table(table.schema, table.codes, table.numbers + rng.integers(-4, 5, table.numbers.shape) / 1e3)


def coarser(table):
    decimals = [attribute.decimals for attribute in table.schema.numeric]
    columns = [np.round(column, cut) for column, cut in zip(table.numbers.T, decimals, strict=True)]
    return Table(table.schema, table.codes, np.column_stack(columns))


@given(files(most_records=40))
def test_decimals_that_are_not_published_hide_nobody(drawn):
    original, masked, rng = drawn
    fine, read = finer(original, rng), coarser(finer(original, rng))
    assert fitted(fine).score(masked) == fitted(coarser(fine)).score(masked)
    assert fitted(fine).score(fine) == fitted(coarser(fine)).score(coarser(fine)) >= fitted(fine).score(read)
    measure = fitted(fine)
    for table, tracker in followed(measure, masked, rng):
        assert tracker.score == fitted(coarser(fine)).score(table)


def test_two_files_are_compared_at_the_decimals_of_the_published_one():
    attributes = [Attribute("wage", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=6)]
    schema, none = Schema(attributes), np.zeros((3, 0), dtype=np.int32)
    original = Table(schema, none, np.array([[1234.567891], [20.25], [20.75]]))
    masked = Table(schema, none, np.array([[1235.0], [20.0], [7.0]]))
    assert found_by_value(original, masked, ["wage"]) == ("wage", pytest.approx(200 / 3))
    found = score_table(original, masked, {"exact-linkage": {}}, ["wage"], registry=default_registry())
    assert found.scores["exact-linkage"] == pytest.approx(200 / 3)
    assert untouched_records(with_published_decimals(original, masked), with_published_decimals(masked, masked)) == {
        "records": 2,
        "alone": 2,
    }
    assert perturbed_values(original, masked) == {"wage": 1}


@given(files(), st.randoms(use_true_random=False))
def test_order_of_records_and_bounds(drawn, random):
    original, masked, _ = drawn
    score = fitted(original).score(masked)
    assert 0.0 <= score <= fitted(original).score(original) <= 100.0 + 1e-9
    order = random.sample(range(len(original)), len(original))
    assert fitted(original.take(np.array(order))).score(masked.take(np.array(order))) == score


def test_a_value_moved_to_another_person_finds_nobody():
    original = Table(SCHEMA.select(["wage"]), np.empty((9, 0), np.int32), np.arange(9.0)[:, None])
    assert fitted(original).score(original) == 100.0
    assert fitted(original).score(original.take(np.roll(np.arange(9), 1))) == 0.0


def test_what_an_intruder_wants_to_learn_is_not_known():
    sensitive = Attribute("wage", Role.SENSITIVE, Scale.NUMERIC)
    original = Table(
        Schema((sensitive, SCHEMA["sex"])), np.array([[0], [0], [1], [1]], np.int32), np.arange(4.0)[:, None]
    )
    assert fitted(original).score(original) == 50.0
    alone = original.select(["wage"])
    assert fitted(alone).score(alone) == 100.0


def test_expectation_is_the_mean_of_draws():
    rng = np.random.default_rng(4)
    schema = SCHEMA.select(["sex", "town"])
    codes = np.column_stack([rng.integers(0, 2, 60), rng.choice([-1, 0, 1, 2, 5], 60)]).astype(np.int32)
    original = Table(schema, codes, np.empty((60, 0)))
    matrices = [np.full((2, 2), 0.5), np.full((8, 8), 0.05) + 0.6 * np.identity(8)]
    measure, scores = fitted(original), []
    for _ in range(400):
        drawn = [
            [v if v < 0 else rng.choice(len(P), p=P[v]) for v in column]
            for P, column in zip(matrices, codes.T, strict=True)
        ]
        scores.append(measure.score(Table(schema, np.array(drawn, np.int32).T, original.numbers)))
    # Missing values stay, so that one person is found among those who lack a town.
    assert measure.expected(matrices) == pytest.approx(100 * (4 * 0.65 + 1) / 60)
    assert np.mean(scores) == pytest.approx(measure.expected(matrices), abs=0.1)


def test_python_and_plugins_know_it():
    original = as_table(pd.DataFrame({"wage": [1.5, 2.5, 2.5, 4.25], "sex": ["f", "m", "f", "m"]}))
    assert evosdc.measure(original, original, ["exact-linkage"], protect=["wage", "sex"]) == {"exact-linkage": 75.0}
    assert default_registry().defaults("measure", "exact") == ("exact-linkage",)
