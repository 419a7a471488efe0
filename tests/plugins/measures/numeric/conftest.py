"""Published files of numbers, read as they stand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table

FILES = {"tarragona": "casc_tarragona/Tarragona.csv", "census": "casc_census/CASCrefmicrodata.csv"}


@pytest.fixture(scope="session", params=list(FILES))
def numeric_file(request, data_sets):
    frame = pd.read_csv(data_sets.path(FILES[request.param]))
    numbers = frame.select_dtypes("number").to_numpy(dtype=np.float64)
    attributes = tuple(Attribute(f"a{v}", scale=Scale.NUMERIC) for v in range(numbers.shape[1]))
    return Table(Schema(attributes), np.empty((len(numbers), 0), dtype=np.int32), numbers)
