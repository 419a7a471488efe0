"""The functions of the Python side: read, mask, measure, judge risk, tune, run."""

from __future__ import annotations

from evosdc.api.disclosure import risk
from evosdc.api.experiments import run
from evosdc.api.masking import mask
from evosdc.api.measurement import measure
from evosdc.api.tables import read_table
from evosdc.api.tuning import tune

__all__ = ["mask", "measure", "read_table", "risk", "run", "tune"]
