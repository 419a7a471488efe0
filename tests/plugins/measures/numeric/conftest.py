"""Published files of numbers, read as they stand in the folder named by EVOSDC_DATA."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table

FILES = {"tarragona": "casc_tarragona/Tarragona.csv", "census": "casc_census/CASCrefmicrodata.csv"}


@pytest.fixture(scope="session", params=list(FILES))
def numeric_file(request):
    if "EVOSDC_DATA" not in os.environ:
        pytest.skip("EVOSDC_DATA does not name the folder of the published data sets")
    frame = pd.read_csv(Path(os.environ["EVOSDC_DATA"]) / FILES[request.param])
    numbers = frame.select_dtypes("number").to_numpy(dtype=np.float64)
    attributes = tuple(Attribute(f"a{v}", scale=Scale.NUMERIC) for v in range(numbers.shape[1]))
    return Table(Schema(attributes), np.empty((len(numbers), 0), dtype=np.int32), numbers)
