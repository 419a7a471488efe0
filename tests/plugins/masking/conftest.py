"""Real files, read as they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table
from tests.plugins.masking.tables import numeric
from tests.published import DataSets

ADULT_EDUCATION = [
    *("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college"),
    *("Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"),
]


def coded(frame: Any, columns: Sequence[tuple[str, int, Scale, Sequence[str]]]) -> Table:
    attributes = tuple(Attribute(name, scale=scale, categories=tuple(labels)) for name, _, scale, labels in columns)
    codes = np.column_stack(
        [[list(labels).index(value) for value in frame[position]] for _, position, _, labels in columns]
    )
    return Table(Schema(attributes), codes.astype(np.int32), np.empty((len(frame), 0)))


@pytest.fixture(scope="session")
def german(data_sets: DataSets) -> Table:
    frame = pd.read_csv(data_sets.path("german_credit/german.data"), sep=" ", header=None)
    labels = [("existacc", 0, ["A11", "A12", "A13", "A14"]), ("savings", 5, ["A61", "A62", "A63", "A64", "A65"])]
    labels.append(("presemploy", 6, ["A71", "A72", "A73", "A74", "A75"]))
    return coded(frame, [(name, position, Scale.ORDINAL, values) for name, position, values in labels])


@pytest.fixture(scope="session")
def flare(data_sets: DataSets) -> Table:
    frame = pd.read_csv(data_sets.path("solar_flare/flare.data2"), sep=" ", header=None, skiprows=1)
    columns = [("class", 0, "ABCDEFH"), ("largspot", 1, "XRSAHK"), ("spotdist", 2, "XOIC")]
    return coded(frame, [(name, position, Scale.NOMINAL, list(letters)) for name, position, letters in columns])


@pytest.fixture(scope="session")
def adult(data_sets: DataSets) -> Table:
    frame = pd.read_csv(data_sets.path("adult/adult.data"), header=None, skipinitialspace=True)
    nominal = [(name, at, Scale.NOMINAL, sorted(set(frame[at]))) for name, at in [("marital", 5), ("occupation", 6)]]
    return coded(frame, [("education", 3, Scale.ORDINAL, ADULT_EDUCATION), *nominal])


@pytest.fixture(scope="session")
def tarragona(data_sets: DataSets) -> Table:
    return numeric(pd.read_csv(data_sets.path("casc_tarragona/Tarragona.csv")).to_numpy(float))
