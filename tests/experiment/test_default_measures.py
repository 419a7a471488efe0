"""Which measures are taken where none is named."""

import json

import numpy as np
import pytest

import evosdc
from evosdc.assess.defaults import default_measures
from evosdc.errors import InputError
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc.testing.tables import sample_table
from evosdc_measures.linkage.probabilistic import MOST_ATTRIBUTES


def names(scales):
    measures = default_measures(sample_table("ordinary", scales).schema, default_registry())
    return list(measures["il"]), list(measures["dr"])


def test_defaults_follow_the_scales():
    assert names({Scale.NOMINAL, Scale.ORDINAL}) == (["dbil", "ctbil", "ebil"], ["id", "dbrl", "prl"])
    assert names({Scale.NUMERIC}) == (["il1s", "apil"], ["id", "dbrl"])
    assert names(set(Scale)) == (["dbil", "ctbil", "ebil", "il1s"], ["id", "dbrl"])


@pytest.mark.parametrize("scales", [{Scale.ORDINAL}, {Scale.NUMERIC}, set(Scale)])
def test_defaults_can_judge_what_they_are_for(scales):
    table = sample_table("many-records", scales)
    turned = table.take(np.roll(np.arange(len(table)), 1))
    scores = evosdc.measure(table, turned, [name for group in names(scales) for name in group])
    assert all(0.0 <= score <= 100.0 for score in scores.values())


@pytest.mark.parametrize("scales", [{Scale.ORDINAL}, {Scale.NUMERIC}, set(Scale)])
def test_a_file_of_ones_own_is_judged_by_role(scales):
    table = sample_table("many-records", scales)
    scores = evosdc.measure(table, table.take(np.roll(np.arange(len(table)), 1)))
    assert {"dbrl", "two-way-linkage"} <= set(scores)
    assert {"id", "guess-gain"}.isdisjoint(scores)
    assert all(0.0 <= score <= 100.0 for score in scores.values())


def test_who_judges_no_file_so_wide_is_left_out_and_that_is_told_once(caplog):
    codes = np.random.default_rng(1).integers(0, 2, (30, 17)).astype(np.int32)
    schema = Schema(tuple(Attribute(f"x{v}", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("a", "b")) for v in range(17)))
    wide = Table(schema, codes, np.empty((30, 0)))
    scores = evosdc.measure(wide, wide.take(np.roll(np.arange(30), 1)))
    assert "dbrl" in scores
    assert "prl" not in scores
    assert caplog.messages == ["prl is left out: it judges at most 16 attributes, and these are 17"]
    assert default_registry().spec("measure", "prl").most_attributes == MOST_ATTRIBUTES == 16
    assert "prl" in evosdc.measure(wide.select(schema.names[:16]), wide.select(schema.names[:16]))


def test_sensitive_attributes_are_judged_by_what_an_intruder_learns():
    table = sample_table("many-records", {Scale.ORDINAL})
    first, *others = table.schema.attributes
    schema = Schema((Attribute(first.name, Role.SENSITIVE, first.scale, first.categories), *others))
    masked = Table(schema, np.roll(table.codes, 1, axis=0), table.numbers)
    scores = evosdc.measure(Table(schema, table.codes, table.numbers), masked, protect=table.schema.names)
    assert {"guess-gain", "two-way-linkage"} <= set(scores)
    alone = Table(schema, table.codes, table.numbers).select([first.name])
    assert scores["guess-gain"] == evosdc.measure(alone, masked.select([first.name]), ["guess-gain"])["guess-gain"]


@pytest.fixture
def survey(tmp_path):
    rng = np.random.default_rng(1)
    lines = [f"{'abc'[rng.integers(3)]},{rng.integers(18, 80)},{'yn'[rng.integers(2)]}" for _ in range(40)]
    (tmp_path / "survey.csv").write_text("\n".join(["region,age,ill", *lines, ""]))
    return tmp_path / "survey.csv"


def experiment(survey, **given):
    schema = survey.parent / "schema.toml"
    schema.write_text('[attributes]\nage = { scale = "numeric" }\nregion = {}\nill = {}\n')
    data = {"file": str(survey), "schema": str(schema), "protect": ["region", "age"]}
    return Experiment(data=data, **given)


def test_an_experiment_takes_and_records_those_of_its_file(survey, tmp_path):
    model = experiment(survey, stop={"generations": 1})
    assert model.measures is None
    result = evosdc.run(model, tmp_path / "run")
    assert {"ctbil", "dbrl", "two-way-linkage", "worst-relabelling", "il", "dr"} <= set(result["best"]["scores"])
    resolved = json.loads((tmp_path / "run" / "resolved.json").read_text())
    assert resolved["measures"]["risks"] == "max"
    assert "ctbil-across" in [m["name"] for m in resolved["measures"]["il"]]


def test_a_registered_data_set_keeps_the_measures_of_the_literature():
    assembly = assemble(Experiment(data={"name": "housing"}), default_registry())
    assert assembly.experiment.measures is not None
    assert [m.name for m in assembly.experiment.measures.all] == ["dbil", "ctbil", "ebil", "id", "dbrl", "prl"]


def test_losses_that_leave_attributes_unjudged_are_refused(survey):
    model = experiment(survey, measures={"il": ["dbil"], "dr": ["id"]})
    with pytest.raises(InputError, match=r"no measure that judges age.*a loss of numeric attributes as well"):
        assemble(model, default_registry())


def test_measures_may_need_attributes_that_are_not_protected(survey):
    pytest.importorskip("sklearn", reason="scikit-learn is an optional extra")
    given = {"il": [{"name": "classifier-accuracy", "target": "ill"}], "dr": ["id"]}
    assembly = assemble(experiment(survey, measures=given), default_registry())
    assert assembly.microdata.table.schema.names == ("region", "age", "ill")
    assert assembly.microdata.protect == ("region", "age")
    faulty = experiment(survey, measures={"il": [{"name": "classifier-accuracy", "target": "sick"}], "dr": ["id"]})
    with pytest.raises(InputError, match="'sick'"):
        assemble(faulty, default_registry())


def test_attributes_of_the_schema_decide():
    nothing = Schema((Attribute("a", Role.OTHER, Scale.NOMINAL, ("x",)),))
    assert default_measures(nothing, default_registry())["dr"] == ("id", "dbrl", "prl")
