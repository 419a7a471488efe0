"""The functions of the Python side: read, cluster, mask, tune, measure, judge, find limits, protect, apply, run."""

from evosdc.api.choosing import choose
from evosdc.api.clustering import cluster
from evosdc.api.comparison import compare
from evosdc.api.consistency import check_records
from evosdc.api.disclosure import risk
from evosdc.api.dossiers import dossier
from evosdc.api.experiments import run
from evosdc.api.finishing import finish
from evosdc.api.formulas import neutralise_formulas
from evosdc.api.judging import judge
from evosdc.api.limits import limit
from evosdc.api.masking import mask
from evosdc.api.measurement import measure
from evosdc.api.members import member
from evosdc.api.protection import protect
from evosdc.api.recipes import apply, explain
from evosdc.api.studies import study_report
from evosdc.api.tables import read_table
from evosdc.api.tuning import tune

__all__ = [
    "apply", "check_records", "choose", "cluster", "compare", "dossier", "explain", "finish", "judge", "limit", "mask",
    "measure", "member", "neutralise_formulas", "protect", "read_table", "risk", "run",
    "study_report", "tune",
]  # fmt: skip
