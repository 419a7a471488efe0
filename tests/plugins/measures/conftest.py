"""Published files, read as they stand in the folder named by EVOSDC_DATA."""

from __future__ import annotations

import os
from pathlib import Path

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
def folder():
    if "EVOSDC_DATA" not in os.environ:
        pytest.skip("EVOSDC_DATA does not name the folder of the published data sets")
    return Path(os.environ["EVOSDC_DATA"])


@pytest.fixture(scope="session")
def german(folder):
    frame = pd.read_csv(folder / "german_credit" / "german.data", sep=r"\s+", header=None, dtype=str)
    frame = frame.rename(columns={0: "existacc", 5: "savings", 6: "presemploy"})
    return _table(frame, {"existacc": "ordinal", "savings": "ordinal", "presemploy": "ordinal"})


@pytest.fixture(scope="session")
def flare(folder):
    file = folder / "solar_flare" / "flare.data2"
    frame = pd.read_csv(file, sep=r"\s+", header=None, skiprows=1, dtype=str)
    frame = frame.rename(columns={0: "class", 1: "largspot", 2: "spotdist"})
    return _table(frame, {"class": "nominal", "largspot": "nominal", "spotdist": "nominal"})


@pytest.fixture(scope="session")
def adult(folder):
    frame = pd.read_csv(
        folder / "adult" / "adult.data", header=None, skipinitialspace=True, dtype=str, keep_default_na=False
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
def published(request):
    return request.getfixturevalue(request.param)
