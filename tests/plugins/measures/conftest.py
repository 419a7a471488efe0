"""Published files, read as they stand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table


def _table(frame, scales):
    attributes, codes = [], []
    for name, scale in scales.items():
        column = pd.Categorical(frame[name].where(frame[name] != "?"))
        attributes.append(Attribute(name, scale=Scale(scale), categories=tuple(map(str, column.categories))))
        codes.append(column.codes.astype(np.int32))
    return Table(Schema(tuple(attributes)), np.column_stack(codes), np.empty((len(frame), 0)))


@pytest.fixture(scope="session")
def german(data_sets):
    frame = pd.read_csv(data_sets.path("german_credit/german.data"), sep=r"\s+", header=None, dtype=str)
    frame = frame.rename(columns={0: "existacc", 5: "savings", 6: "presemploy"})
    return _table(frame, {"existacc": "ordinal", "savings": "ordinal", "presemploy": "ordinal"})


@pytest.fixture(scope="session")
def flare(data_sets):
    file = data_sets.path("solar_flare/flare.data2")
    frame = pd.read_csv(file, sep=r"\s+", header=None, skiprows=1, dtype=str)
    frame = frame.rename(columns={0: "class", 1: "largspot", 2: "spotdist"})
    return _table(frame, {"class": "nominal", "largspot": "nominal", "spotdist": "nominal"})


@pytest.fixture(scope="session")
def adult(data_sets):
    frame = pd.read_csv(
        data_sets.path("adult/adult.data"), header=None, skipinitialspace=True, dtype=str, keep_default_na=False
    ).head(1000)
    names = {
        1: "workclass",
        3: "education",
        5: "marital-status",
        6: "occupation",
        7: "relationship",
        8: "race",
        9: "sex",
        13: "native-country",
    }
    scales = {name: "ordinal" if name == "education" else "nominal" for name in names.values()}
    return _table(frame.rename(columns=names), scales)


@pytest.fixture(params=["german", "flare", "adult"])
def published(request, data_sets):
    return request.getfixturevalue(request.param)
