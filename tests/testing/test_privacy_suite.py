"""What passes the suite of privacy models, and the faults that it finds."""

from __future__ import annotations

import numpy as np
import pytest

from evosdc.model import Parameters, PrivacyModel
from evosdc.testing import PrivacyModelConformance
from tests.testing.findings import findings


class ShareUnique(PrivacyModel):
    headline = "percent"
    larger_is_safer = False

    def assess(self, view):
        frequencies, counts = view.frequencies[0], view.classes.counts
        return {"percent": 100.0 * float(counts[frequencies == 1].sum()) / len(view.table)}


class TestShareUnique(PrivacyModelConformance):
    def model(self):
        return ShareUnique(ShareUnique.Params())


class Endless(ShareUnique):
    def assess(self, view):
        return {"percent": float("inf")}


class AnArray(ShareUnique):
    def assess(self, view):
        return {"percent": 1.0, "risks": np.zeros(3)}


class AnotherName(ShareUnique):
    headline = "share"


class FirstRecord(ShareUnique):
    def assess(self, view):
        return {"percent": float(view.classes.counts[view.classes.of[0]])}


class SumOfCodes(ShareUnique):
    def assess(self, view):
        return {"percent": float(view.table.codes.sum())}


class Remembers(ShareUnique):
    asked = 0

    def assess(self, view):
        type(self).asked += 1
        return {"percent": float(type(self).asked)}


class NeedsMore(ShareUnique):
    def assess(self, view):
        return {"percent": float(view.weights.sum())}


class Silent(ShareUnique):
    def in_words(self, figures):
        return ""


class Lenient(ShareUnique):
    class Params(Parameters):
        model_config = Parameters.model_config | {"extra": "ignore"}


@pytest.mark.parametrize(
    ("model", "test"),
    [
        (Endless, "test_figures_are_plain_data_with_a_headline"),
        (AnArray, "test_figures_are_plain_data_with_a_headline"),
        (AnotherName, "test_the_headline_is_one_of_the_figures"),
        (FirstRecord, "test_the_order_of_records_does_not_matter"),
        (SumOfCodes, "test_the_names_of_nominal_categories_do_not_matter"),
        (Remembers, "test_nothing_but_the_file_decides"),
        (NeedsMore, "test_what_a_file_lacks_is_said"),
        (Silent, "test_figures_can_be_said_in_words"),
        (Lenient, "test_unknown_parameters_are_refused"),
    ],
)
def test_faults_are_found(model, test) -> None:
    suite = type("Suite", (PrivacyModelConformance,), {"model": lambda self: model(model.Params())})
    assert test in findings(suite, only=test, table_name="many-records", missing="category")
