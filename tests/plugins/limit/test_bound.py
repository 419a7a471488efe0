"""The limit against its definition, against files, and against the figures of German Credit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import InputError
from evosdc.table.table import Table
from evosdc_limit.bound import Line, envelope, least_dr, limit_of, value_at
from evosdc_limit.generation import Generation
from evosdc_limit.objective import LOSSES, objective_of
from tests.plugins.limit.references import scores, table_of, tables, whole_program
from tests.published import DataSets

GUESSES = st.sampled_from(["guess", "guess-gain"])
WEIGHTS = (0.0, 0.3, 0.5, 0.7, 1.0)


@pytest.fixture(scope="module")
def german(data_sets: DataSets) -> Table:
    return data_sets.table("german-credit").select(["existacc", "savings", "presemploy"])


@pytest.mark.parametrize(
    ("guess", "values", "greatest"),
    [("guess", (23.293746, 23.040034, 12.5), 23.938), ("guess-gain", (6.593746, 13.182785, 12.250733), 15.077)],
)
def test_german_credit(german: Table, guess: str, values: tuple[float, ...], greatest: float) -> None:
    found = limit_of(german, guess, lines=5)
    by_weight = {line.t: line.value for line in found.lines}
    assert [by_weight[t] for t in (0.25, 0.5, 0.75)] == pytest.approx(values, abs=1e-6)
    assert found.max == pytest.approx(greatest, abs=5e-4)
    assert found.gap <= 1e-7
    assert max(by_weight.values()) == found.max
    assert found.above(1.08 * found.max, 0.0) == pytest.approx(8.0)
    assert found.above(0.0, 2.0 * values[1], "mean") == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("seconds", [None, 60.0])
def test_a_curve_that_comes_first_is_the_same_in_the_end(german: Table, seconds: float | None) -> None:
    whole, found = limit_of(german, lines=11), limit_of(german, lines=11, seconds=seconds, curve_first=True)
    assert [line.t for line in found.lines] == pytest.approx([line.t for line in whole.lines])
    assert [line.value for line in found.lines] == pytest.approx([line.value for line in whole.lines], abs=1e-6)
    assert found.max == pytest.approx(whole.max, abs=1e-6)
    assert found.gap <= 1e-6


def test_without_time_there_is_a_curve_all_the_same(german: Table) -> None:
    whole, found = limit_of(german, lines=11), limit_of(german, lines=11, seconds=0.0, curve_first=True)
    values = {line.t: line.value for line in whole.lines}
    assert found.gap == float("inf")
    assert {0.0, 0.5, 1.0} <= {line.t for line in found.lines}
    assert all(line.value <= values[line.t] + 1e-6 for line in found.lines if line.t in values)
    assert 0.0 < found.max <= whole.max + 1e-6
    assert len(found.curve) > 2
    assert found.curve[0][1] > found.curve[-1][1]


@given(tables(), GUESSES, st.sampled_from([LOSSES, ("dbil",), ("ctbil", "ebil")]), st.booleans())
def test_masses_and_capacities_are_all_subsets(
    table: Table, guess: str, losses: tuple[str, ...], linkage: bool
) -> None:
    objective = objective_of(table, guess, losses, linkage)
    generation = Generation(objective)
    for t in WEIGHTS:
        found = generation.optimum(t)
        assert found.value == pytest.approx(whole_program(objective, t), abs=1e-6)
        assert found.gap <= 1e-7
        assert t * found.il + (1 - t) * found.dr == pytest.approx(found.value, abs=1e-6 if t > 0 else 1e-3)


@given(tables(), GUESSES, st.integers(0, 2**32), st.sampled_from([0.0, 0.3, 1.0]))
def test_no_file_lies_below(table: Table, guess: str, seed: int, changed: float) -> None:
    rng = np.random.default_rng(seed)
    generation = Generation(objective_of(table, guess))
    bounds = {t: generation.optimum(t).value for t in (None, *WEIGHTS)}
    for _ in range(8):
        codes = table.codes.copy()
        for v, attribute in enumerate(table.schema.categorical):
            # Any file at all: drawn cell by cell, by a channel, or shuffled; missing values included.
            channel = rng.integers(-1, len(attribute.categories), len(attribute.categories) + 1)
            new = [
                rng.integers(-1, len(attribute.categories), len(table)),
                channel[codes[:, v]],
                rng.permutation(codes[:, v]),
            ][rng.integers(3)]
            codes[:, v] = np.where(rng.random(len(table)) < changed, new, codes[:, v])
        il, dr = scores(table, Table(table.schema, codes, table.numbers), guess)
        assert max(il, dr) >= bounds[None] - 1e-9
        for t in WEIGHTS:
            assert t * il + (1 - t) * dr >= bounds[t] - 1e-9


@pytest.mark.endurance
@given(tables(), GUESSES)
def test_the_bound_is_concave_in_t_and_greatest_at_the_maximum(table: Table, guess: str) -> None:
    generation = Generation(objective_of(table, guess))
    best = generation.optimum(None)
    values = np.array([generation.optimum(t).value for t in np.linspace(0, 1, 7)])
    assert (np.diff(values, 2) <= 1e-6).all()
    assert best.value >= values.max() - 1e-6
    assert generation.optimum(best.t).value == pytest.approx(best.value, abs=1e-6)
    # The weight on the side of what is greater does not lower a bound of the maximum.
    assert max(best.il, best.dr) == pytest.approx(best.value, abs=1e-6)


@given(tables(records=40, categories=7), GUESSES, st.sampled_from([None, 0.4, 0.6]))
def test_a_bound_that_was_stopped_early_is_valid_and_says_so(table: Table, guess: str, t: float | None) -> None:
    objective = objective_of(table, guess)
    whole = Generation(objective).optimum(t)
    for rounds in (1, 2, 3):
        early = Generation(objective, rounds=rounds).optimum(t)
        assert early.value <= whole.value + 1e-7
        assert whole.value <= early.value + early.gap + 1e-7
        assert early.value >= (1 - early.t) * objective.least_risk


def test_joints_have_the_frequencies_of_the_original(german: Table) -> None:
    for t in (None, 0.3, 0.5):
        objective = objective_of(german)
        for joint, terms in zip(Generation(objective).optimum(t).joints, objective.attributes, strict=True):
            assert joint.sum(axis=0) == pytest.approx(terms.frequencies, abs=1e-9)
            assert joint.min() >= 0.0


@pytest.mark.parametrize(("size", "ordinal"), [(25, True), (25, False), (100, True), (500, False)])
def test_wide_domains(size: int, ordinal: bool) -> None:
    rng = np.random.default_rng(1)
    codes = rng.choice(size, size=(20000, 1), p=rng.dirichlet(np.ones(size)))
    found = Generation(objective_of(table_of(codes, [size], [ordinal]))).optimum(None)
    assert found.gap <= 1e-7
    assert found.il == pytest.approx(found.dr, abs=1e-6)
    assert 5.0 < found.value < 25.0


class TestCurve:
    LINES = (Line(0.0, 20.0), Line(0.5, 20.0), Line(0.75, 12.5), Line(1.0, 0.0))

    def test_corners(self) -> None:
        found = envelope(self.LINES)
        assert found[0] == (0.0, pytest.approx(50.0))
        assert found[-1] == (100.0, pytest.approx(20.0))
        assert [il for il, _ in found] == sorted(il for il, _ in found)
        for il, dr in found:
            assert dr == pytest.approx(max(50.0 - 3.0 * il, 40.0 - il, 20.0))

    def test_lines_that_touch_no_corner_change_nothing(self) -> None:
        assert envelope((*self.LINES, Line(0.6, 5.0))) == envelope(self.LINES)

    @given(st.lists(st.tuples(st.integers(0, 19), st.floats(0, 50)), min_size=1, max_size=8), st.floats(0, 100))
    def test_no_point_lies_below_any_line(self, given: list[tuple[int, float]], il: float) -> None:
        lines = [Line(t / 20, value) for t, value in given]
        corners = envelope(lines)
        on_curve = np.interp(il, [x for x, _ in corners], [y for _, y in corners])
        assert on_curve == pytest.approx(least_dr(lines, il), rel=1e-6, abs=1e-6)

    def test_between_two_weights(self) -> None:
        assert value_at(self.LINES, 0.25) == pytest.approx(20.0)
        assert value_at(self.LINES, 0.625) == pytest.approx(16.25)
        assert value_at(self.LINES, 0.5) == 20.0


class TestInput:
    def test_numbers_are_refused(self, data_sets: DataSets) -> None:
        with pytest.raises(InputError, match=r"age.*numeric"):
            limit_of(data_sets.table("pima").select(["age"]))

    def test_all_faults_at_once(self, german: Table) -> None:
        with pytest.raises(InputError) as raised:
            limit_of(german, "luck", losses=("dbil", "sorrow"), order=0)
        assert len(raised.value.faults) == 3

    def test_no_record(self, german: Table) -> None:
        with pytest.raises(InputError, match="no record"):
            limit_of(german.take(np.empty(0, dtype=np.intp)))

    def test_one_line_is_no_curve(self, german: Table) -> None:
        with pytest.raises(InputError, match="2 or more"):
            limit_of(german, lines=1)

    def test_out_of_time(self, german: Table) -> None:
        found = limit_of(german, seconds=1e-9)
        assert 0.0 < found.max <= 23.94
        assert found.lines[0].t == 0.0
        assert len(found.lines) <= 4
