"""Privacy models of the published file beside the original's."""

import json

import numpy as np
import pytest

from evosdc.assess.risk import intruder_view_of
from evosdc.experiment.release import privacy_findings
from evosdc.model import Microdata, PrivacyModel
from evosdc.plugins.registry import default_registry
from evosdc.specs import PrivacyModelSpec
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from tests.fake_plugins import offering, registry


@pytest.fixture
def microdata():
    schema = Schema(
        (
            Attribute("a", Role.QUASI_IDENTIFIER, categories=("x", "y", "z")),
            Attribute("s", Role.SENSITIVE, categories=("u", "v")),
            Attribute("w", Role.WEIGHT, Scale.NUMERIC),
        )
    )
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]], dtype=np.int32)
    return Microdata(Table(schema, codes, np.full((5, 1), 20.0)), ("a",))


def masked(microdata, codes):
    original = microdata.original
    return Table(original.schema, np.array(codes, dtype=np.int32)[:, None], original.numbers)


def headlines(document):
    return {entry["name"]: (entry["original"], entry["published"]) for entry in document["models"]}


def test_long_files_are_judged_side_by_side_with_the_same_figures(microdata, monkeypatch):
    asked = microdata, masked(microdata, [0, 0, 1, 1, 1]), default_registry()
    alone = privacy_findings(*asked)
    monkeypatch.setattr("evosdc.processors.LONG", 1)
    assert privacy_findings(*asked) == alone


def test_both_files_are_judged(microdata):
    document = privacy_findings(microdata, masked(microdata, [0, 0, 1, 1, 1]), default_registry())
    json.dumps(document, allow_nan=False)
    found = headlines(document)
    assert found["k-anonymity"] == (1, 2)
    assert found["p-sensitivity"] == (1, 2)
    assert found["population-frequencies"] == (20.0, 40.0)
    assert "delta-presence" not in found
    assert document["published"]["not_applicable"]["delta-presence"] == "needs a file of the population"
    assert document["missing_rule"] == "category"
    assert document["quasi_identifiers"] == ["a"]


def test_records_that_are_left_out_do_not_count(microdata):
    whole = masked(microdata, [0, 0, 1, 1, 2])
    document = privacy_findings(microdata, whole, default_registry(), np.array([4]))
    assert headlines(document)["k-anonymity"] == (1, 2)
    assert document["records"] == 4
    assert "note" in privacy_findings(microdata, whole, default_registry(), np.arange(5))


def test_labels_of_generalised_files(microdata):
    schema = Schema((Attribute("a", Role.QUASI_IDENTIFIER, categories=("x or y", "z")),))
    generalised = Table(schema, np.array([[0], [0], [0], [0], [1]], dtype=np.int32), np.empty((5, 0)))
    assert headlines(privacy_findings(microdata, generalised, default_registry()))["k-anonymity"] == (1, 1)


class Breaks(PrivacyModel):
    headline = "x"

    def assess(self, view):
        raise ZeroDivisionError("oops")


def test_a_model_that_breaks_does_not_lose_the_run(microdata):
    spec = PrivacyModelSpec(name="breaks", implementation=f"{__name__}:Breaks", summary="")
    found = registry(a=offering("evosdc_privacy_models", spec))
    document = privacy_findings(microdata, microdata.original, found)
    assert "ZeroDivisionError" in document["note"]
    assert "oops" not in document["note"]


class TestRelease:
    def test_roles_are_read_off_the_schema(self, microdata):
        view = intruder_view_of(microdata.table)
        assert (view.quasi_identifiers, view.sensitive) == (("a",), ("s",))
        assert view.weights.tolist() == [20.0] * 5

    def test_a_declared_role_gives_way_to_a_named_one(self, microdata):
        view = intruder_view_of(microdata.table, sensitive=["a"], quasi_identifiers=["s"])
        assert (view.quasi_identifiers, view.sensitive) == (("s",), ("a",))
        assert intruder_view_of(microdata.table, quasi_identifiers=["s", "a"]).sensitive == ()

    def test_without_weights_none_are_made_up(self, microdata):
        part = microdata.table.select(["a", "s"])
        assert intruder_view_of(part).weights is None
