"""Masked attributes that follow from what is published as it is."""

import numpy as np

from evosdc.table.dependence import determinations
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table


def table(columns, numbers):
    """Return a table of nominal columns, with codes as labels, and of numeric ones."""
    sizes = {name: max(codes) + 1 for name, codes in columns.items()}
    attributes = [Attribute(n, Role.OTHER, Scale.NOMINAL, tuple(map(str, range(s)))) for n, s in sizes.items()]
    attributes += [Attribute(name, Role.OTHER, Scale.NUMERIC) for name in numbers]
    count = len(next(iter((columns or numbers).values())))
    values = np.array(list(numbers.values()), dtype=float).T if numbers else np.empty((count, 0))
    codes = np.array(list(columns.values()), dtype=np.int32).T if columns else np.empty((count, 0), dtype=np.int32)
    return Table(Schema(tuple(attributes)), codes, values)


def test_a_function_of_an_unmasked_attribute_is_said():
    rng = np.random.default_rng(1)
    town = rng.integers(0, 5, 400)
    other, rare = rng.integers(0, 5, 400), (rng.random(400) < 0.005).astype(int)
    file = table({"town": town, "other": other, "rare": rare}, {"density": town * 10.5, "serial": np.arange(400)})
    found = determinations(file, ["town", "other", "rare"])
    assert [(d.masked, d.by, d.share) for d in found] == [("town", "density", 1.0)]
    assert determinations(file, ["town", "density"]) == ()
    # The number is masked and the town is published.
    assert [(d.masked, d.by) for d in determinations(file, ["density"])] == [("density", "town")]


def test_a_share_of_exceptions_is_allowed_and_more_is_not():
    town = np.repeat(np.arange(4), 250)
    near, far = town.copy(), town.copy()
    near[:8] = 3
    far[:12] = 3
    assert [d.share for d in determinations(table({"town": town, "by": near}, {}), ["town"])] == [0.992]
    assert determinations(table({"town": town, "by": far}, {}), ["town"]) == ()


def test_what_hardly_varies_or_occurs_once_says_nothing():
    constant, twice = np.zeros(100, dtype=int), np.repeat(np.arange(50), 2)
    half = np.arange(100) % 2
    assert determinations(table({"constant": constant, "half": half}, {}), ["constant"]) == ()
    assert determinations(table({"half": half, "twice": twice}, {}), ["half"]) == ()


def test_a_number_that_can_be_guessed_nearly_is_said():
    rng = np.random.default_rng(3)
    age = rng.integers(18, 90, 600).astype(float)
    born = 1988 - age + rng.integers(-1, 2, 600)
    loose = 1988 - age + rng.normal(0, 6, 600)
    (found,) = determinations(table({"sex": rng.integers(0, 2, 600)}, {"age": age, "born": born}), ["age"])
    assert (found.masked, found.by) == ("age", "born")
    assert found.share >= 0.9
    assert 3.0 <= found.within <= 3.6
    assert determinations(table({}, {"age": age, "loose": loose}), ["age"]) == ()
    # Values that hardly occur twice are compared with their neighbours.
    dated = 1988 - age + rng.random(600)
    assert [d.by for d in determinations(table({}, {"age": age, "dated": dated}), ["age"])] == ["dated"]
    # Nearly constant numbers are guessed without any column.
    rare = np.where(rng.random(600) < 0.1, age, 30.0)
    assert determinations(table({}, {"rare": rare, "born": born}), ["rare"]) == ()
