import numpy as np
import pytest

from evosdc.experiment.transitions import correction_figures, matrices_for_analysts, matrix_files
from evosdc.randomisation.transition import design_a, design_b
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table

T = np.array([500, 300, 150, 50])


def table_of(counts):
    column = np.repeat(np.arange(4), counts).astype(np.int32)[:, None]
    schema = Schema((Attribute("a", scale=Scale.NOMINAL, categories=tuple("wxyz")),))
    return Table(schema, column, np.empty((len(column), 0)))


def test_inflation_is_the_variance_that_drawing_adds():
    matrix = design_a(T, 0.7)
    published = np.rint(T @ matrix).astype(np.int64)
    figures = correction_figures(matrix, published)
    rng = np.random.default_rng(0)
    draws = sum(rng.multinomial(T[k], matrix[k], size=40_000) for k in range(4))
    variance = (draws @ np.linalg.inv(matrix)).var(axis=0)
    wanted = 1 + variance / (T * (1 - T / 1000))
    np.testing.assert_allclose(figures["inflation"], wanted, rtol=0.03)
    assert figures["condition"] == pytest.approx(np.linalg.cond(matrix))


def test_identity_costs_nothing_and_a_singular_matrix_cannot_be_corrected():
    assert correction_figures(np.identity(4), T)["inflation"] == [1.0] * 4
    assert correction_figures(np.full((4, 4), 0.25), T) == {"condition": None, "inflation": None}


def test_invariant_matrices_are_withheld_since_they_tell_the_original_counts():
    entry = matrices_for_analysts(table_of(T), table_of(T), [design_b(T, 0.5)])["attributes"]["a"]
    assert entry["invariant"]
    assert entry["matrix"] is None
    assert entry["condition"] > 1
    entry = matrices_for_analysts(table_of(T), table_of(T), [design_a(T, 0.5)])["attributes"]["a"]
    assert not entry["invariant"]
    assert entry["matrix"] == design_a(T, 0.5).tolist()
    assert matrices_for_analysts(table_of(T), table_of(T), [np.identity(4)])["attributes"]["a"] == {"randomised": False}


def test_file_names_are_safe_and_distinct():
    names = ["age", "a/b", "a b", "../x", "§"]
    files = matrix_files(names)
    assert len(set(files.values())) == len(names)
    assert all("/" not in file and file.startswith("matrix-") for file in files.values())
