"""The suite that every measure has to pass, for all judges, and what the plugin offers."""

import numpy as np
import pytest

from evosdc.model import Estimated, Judge, Microdata
from evosdc.plugins.registry import default_registry
from evosdc.specs import MeasureSpec
from evosdc.testing.measure import MeasureConformance
from evosdc.testing.tables import sample_table, shuffled
from tests.plugins.judges.cases import ALL, LOSSES, OF_GRAPHS, judge, people, permuted

FEW = ("one-record", "missing-values")
"""Tables for what learns, or draws halves, on each."""


class _Judged(MeasureConformance):
    name = ""
    params: dict = {}  # noqa: RUF012 -- never changed
    kind = "dr"
    tables = FEW
    order_matters = True
    """Halves are drawn by position."""

    def measure(self):
        return judge(self.name, **self.params)


class TestLearnedLinkage(_Judged):
    name, params = "learned-linkage", {"rivals": 20, "repeats": 1}


class TestPartialLinkage(_Judged):
    name = "partial-linkage"


class TestDisplacementLinkage(_Judged):
    name, params = "displacement-linkage", {"bins": 2}


class TestLinkability(_Judged):
    name = "linkability"


class TestLearnedInference(_Judged):
    name, params = "learned-inference", {"rounds": 1}


class TestInference(_Judged):
    name = "inference"


class TestSinglingOut(_Judged):
    name = "singling-out"


class TestReplicatedUniques(_Judged):
    name, order_matters = "repu", False


class TestDisclosiveInSynthetic(_Judged):
    name, order_matters = "disco", False


class TestCorrectAttribution(_Judged):
    name, order_matters = "tcap", False


class TestDowncoding(_Judged):
    name, order_matters = "downcoding", False


class TestSurestMatches(_Judged):
    name = "surest-matches"


class _Loss(_Judged):
    kind, identity = "il", 0.0

    def test_attributes_that_are_not_protected_are_of_no_account(self):
        """On purpose they are of account here: a file whose records change places is another one to an analyst."""
        whole = people(300, besides=1)
        masked = permuted(whole.select(whole.schema.names[:4]))
        alone = self.measure().fit(whole.select(whole.schema.names[:4]))
        among_others = self.measure().fit_in(Microdata(whole, whole.schema.names[:4]))
        assert alone.score(masked) == pytest.approx(0.0, abs=1e-9)
        assert among_others.score(masked) > 1.0


class TestThreeWayTables(_Loss):
    name, order_matters = "tables-3", False


class TestAssociation(_Loss):
    name, order_matters = "association", False


class TestPropensityRatio(_Loss):
    name, kind, order_matters, range = "pmse", "model", False, (0.0, float("inf"))


class TestPropensityDistance(_Loss):
    name, order_matters = "specks", False


@pytest.mark.parametrize("name", ALL)
def test_a_judge_says_what_a_second_opinion_needs(name):
    found = default_registry()
    spec = found.spec("measure", name)
    assert isinstance(spec, MeasureSpec)
    assert name in found.defaults("measure", "judge")
    assert spec.kind == ("dr" if name not in LOSSES else "model" if name == "pmse" else "il")
    cls = found.implementation("measure", name)
    assert issubclass(cls, Judge)
    assert "{masked}" in cls.sentence
    assert bool(cls.intruder) is (spec.kind == "dr")
    assert bool(cls.does) is (spec.family in ("linkage", "guess"))
    assert "seed" in cls.Params.model_fields
    assert cls.__doc__


def test_there_are_no_judges_but_these():
    found = default_registry()
    assert {n for n in found.defaults("measure", "judge") if issubclass(found.implementation("measure", n), Judge)} == {
        *ALL,
        *OF_GRAPHS,
    }


@pytest.mark.endurance
@pytest.mark.parametrize("name", [n for n in ALL if n != "classifier-utility"])
def test_all_scales_are_judged(name):
    mixed = sample_table("many-records")
    fitted = judge(name).fit(mixed)
    assert isinstance(fitted, Estimated)
    masked = fitted.estimate(shuffled(mixed, np.random.default_rng(1)))
    assert masked.low <= masked.value <= masked.high
