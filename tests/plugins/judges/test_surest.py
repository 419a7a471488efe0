"""The surest matches: by hand, and by a plain reading of their definition."""

from dataclasses import replace

import numpy as np
import pytest

from evosdc.assess.verdict import Evidence, verdict_of
from evosdc.experiment.problem import followed_judges
from evosdc.model import Changes, Microdata
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Scale, Schema
from evosdc.table.table import Table
from evosdc_judges.linkage import matches
from tests.plugins.judges.cases import noisy, people, permuted


def surest(original, masked, **params):
    return default_registry().build("measure", "surest-matches", params).fit(original).details(masked)


def test_fixture_worked_by_hand():
    # One attribute. Published 0 comes from 0 (3 of 3), published 1 from 1 (1 of 2) and published 2 from 1 (1 of 2).
    published, mine = np.array([[0], [0], [0], [1], [2]]), np.array([0, 0, 0, 1, 1])
    likelihoods = np.log(np.array([[1.0, 1e-300, 1e-300], [1e-300, 0.5, 1e-300], [1e-300, 0.5, 1e-300]])).ravel()
    different, counts = np.array([[0], [1]], dtype=np.int32), np.array([3, 2])
    layout = np.array([0]), np.array([3])
    found = matches(published.astype(np.int32), mine, different, counts, likelihoods, *layout)
    assert found[:, 0].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2])
    assert found[:, 1].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2])


def test_of_the_original_the_unique_are_certain():
    original = people(200, sizes=(30, 30, 30, 30), scales=("nominal",) * 4)
    figure, beside = surest(original, original)
    assert figure.value == 100.0
    assert beside["all"] > 90.0
    assert beside["most_isolated_tenth"] == 100.0


def test_of_a_file_that_knows_nobody_few_are_right():
    original = people(400)
    figure, beside = surest(original, permuted(original))
    assert figure.value < 30.0
    assert beside["all"] < 2.0
    assert beside["surest_tenth"] < 10.0


def test_by_its_definition_record_by_record():
    original = people(60)
    masked = noisy(original, 0.4)
    figure, beside = surest(original, masked, matches=7)
    x, y = original.codes, masked.codes
    credits, sure = [], []
    for j in range(60):
        likelihood = np.ones(60)
        for v in range(x.shape[1]):
            same = y[:, v] == y[j, v]
            likelihood *= [same[x[:, v] == a].mean() for a in x[:, v]]
        best = likelihood.max()
        tied = np.isclose(likelihood, best, rtol=1e-9)
        credits.append(float(tied[j]) / tied.sum())
        sure.append(best / likelihood.sum())
    order = np.argsort(-np.round(sure, 12), kind="stable")
    assert beside["all"] == pytest.approx(100 * np.mean(credits))
    assert figure.value == pytest.approx(100 * np.mean(np.array(credits)[order[:7]]), abs=15.0)


def test_changed_records_are_taken_to_be_right_no_more_until_a_child_is_kept():
    original = people(80)
    masked = noisy(original, 0.3)
    fitted = default_registry().build("measure", "surest-matches", {}).fit(original)
    tracker, every = fitted.track(masked), np.arange(80, dtype=np.intp)
    assert tracker.score == pytest.approx(fitted.score(masked))
    alone = [Changes.of_one(every[[row]], masked.take([row]), original.take([row])) for row in range(80)]
    right = [tracker.score - tracker.estimates(change).item() for change in alone]
    assert min(right) == 0.0
    assert sum(right) == pytest.approx(tracker.score)
    change = Changes.of_one(every, masked, original)
    assert tracker.estimates(change).tolist() == pytest.approx([0.0])
    assert tracker.tries(change).tolist() == [fitted.score(original)]


@pytest.mark.parametrize(("goal", "bound"), [(9.0, 33.0), (33.0, 49.5)])
def test_a_search_with_a_goal_keeps_to_the_bounds_of_judges_that_it_follows(goal, bound):
    registry = default_registry()
    unique = people(200, sizes=(30, 30, 30, 30), scales=("nominal",) * 4)
    assert followed_judges(Microdata(unique, unique.schema.names), registry, goal) == {"surest-matches": bound}
    numbers = Schema(tuple(replace(a, scale=Scale.NUMERIC, categories=()) for a in unique.schema.attributes))
    moved = Table(numbers, np.zeros((200, 0), dtype=np.int32), unique.codes + np.arange(200.0)[:, None] / 1000)
    assert followed_judges(Microdata(moved, numbers.names), registry, goal) == {
        "displacement-linkage": goal,
        "surest-matches": bound,
    }
    assert followed_judges(Microdata(unique, unique.schema.names), registry, None) == {}
    alike = people(200, sizes=(2,), scales=("nominal",))
    assert followed_judges(Microdata(alike, alike.schema.names), registry, goal) == {}


def test_the_verdict_refuses_a_file_whose_surest_matches_are_right():
    told = {"percent": 5.0, "original_percent": 90.0, "expected": 5.0, "records": 100}

    def headline(value, tenth):
        tails = {"surest-matches": {"value": value, "details": {"surest_tenth": tenth}}}
        return verdict_of(Evidence(told, holds=True, tails=tails))

    assert headline(30.0, 12.0).publishable
    refused = headline(45.0, 12.0)
    assert refused.publishable is False
    assert "right in 45 % of the cases" in refused.reasons[0]
    assert not headline(20.0, 40.0).publishable


def test_numbers_are_taken_by_classes():
    original = people(300)
    numbers = np.random.default_rng(1).normal(size=(300, 1))
    from evosdc.table.schema import Attribute, Role, Scale, Schema

    wage = Attribute("wage", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=3)
    table = Table(Schema((*original.schema.attributes, wage)), original.codes, numbers)
    assert surest(table, table)[0].value == 100.0


def test_chance_is_a_person_drawn_at_random_also_where_values_are_nearly_unique():
    original = people(200, sizes=(150, 150), scales=("nominal",) * 2)
    fitted = default_registry().build("measure", "surest-matches", {}).fit(original)
    assert fitted.score(permuted(original)) > 50.0
    assert fitted.of_others(permuted(original)).value == pytest.approx(0.5)
