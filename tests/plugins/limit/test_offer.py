"""The limit of a search: which measures have one, that no file lies below it, and what a run says of it."""

import numpy as np
import pytest

import evosdc
from evosdc.assess.measure import limit_for
from evosdc.errors import InputError
from evosdc.model import Aggregation, Judgement, Limit
from evosdc.plugins.registry import default_registry
from evosdc.specs import LimitSpec
from evosdc.table.schema import Scale
from evosdc.testing import LimitConformance
from evosdc.testing.tables import SHAPES, sample_table
from evosdc_limit.bound import limit_of
from evosdc_limit.offer import guesses_limit
from tests.fake_plugins import offering, registry

LOSSES = ("dbil", "ctbil", "ebil")
GUESSES = Aggregation(LOSSES, ("dbrl",), ("best-guess",))


class TestLimitOfGuesses(LimitConformance):
    il = LOSSES
    linkage = ("dbrl",)
    disclosure = ("best-guess",)

    def limit(self, judgement, seconds):
        return guesses_limit(judgement, seconds)


class TestLimitOfAGuessGainAlone(LimitConformance):
    il = ("ebil",)
    disclosure = ("guess-gain",)
    tables = tuple(name for name in SHAPES if name != "many-records")

    def limit(self, judgement, seconds):
        return guesses_limit(judgement, seconds)


del LimitConformance


@pytest.fixture(scope="module")
def original():
    return sample_table("ordinary", {Scale.NOMINAL, Scale.ORDINAL})


def asked(original, aggregation=GUESSES, **more):
    return limit_for(Judgement(original, aggregation, **more), default_registry(), 60.0)


def test_it_is_that_of_the_command(original):
    found, own = asked(original), limit_of(original, lines=11)
    assert found is not None
    assert found.least["max"] == pytest.approx(own.max)
    assert found.curve == own.curve
    for il in (0.0, 3.7, 20.0, 90.0):
        assert found.least_dr(il) == pytest.approx(own.least_dr(il), abs=1e-9)
    assert found.above(own.max * 1.1, "max") == pytest.approx(10.0)
    assert found.above(1.0, "weighted") is None


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("risks", ["mean", "max"])
def test_no_masked_file_lies_below(original, seed, risks):
    aggregation = Aggregation(LOSSES, ("dbrl",), ("best-guess",), risks=risks)
    found, rng = asked(original, aggregation), np.random.default_rng(seed)
    assert found is not None
    masked = original
    if seed:
        masked = evosdc.mask(original, "rank-swapping", p=int(rng.integers(1, 50)), protect=original.schema.names)
    scores = evosdc.measure(original, masked, [*LOSSES, "best-guess", "dbrl"], protect=original.schema.names)
    judged = aggregation.combine(scores)
    assert judged["dr"] >= found.least_dr(judged["il"]) - 1e-9
    assert max(judged["il"], judged["dr"]) >= found.least["max"] - 1e-9
    assert (judged["il"] + judged["dr"]) / 2 >= found.least["mean"] - 1e-9


def test_tables_with_unprotected_attributes_count_as_kept(original):
    protected = original.schema.names[:3]
    how = Aggregation(("ctbil", "ctbil-across"), ("dbrl",), ("best-guess",))
    alone = asked(original.select(protected), Aggregation(("ctbil",), ("dbrl",), ("best-guess",)))
    besides = asked(original.select(protected), how)
    for il in (0.0, 2.0, 11.0, 40.0):
        assert besides.least_dr(il) == pytest.approx(alone.least_dr(2.0 * il), abs=1e-6)
    assert 0.0 < besides.least["max"] <= alone.least["max"] + 1e-9
    masked = evosdc.mask(original, "rank-swapping", p=30, protect=protected)
    scores = evosdc.measure(original, masked, ["ctbil", "ctbil-across", "best-guess", "dbrl"], protect=protected)
    judged = how.combine(scores)
    assert judged["dr"] >= besides.least_dr(judged["il"]) - 1e-9


@pytest.mark.parametrize(
    "aggregation",
    [
        Aggregation(LOSSES, ("dbrl",)),
        Aggregation(LOSSES, ("dbrl",), ("id",)),
        Aggregation(("ctbil-across",), ("dbrl",), ("best-guess",)),
        Aggregation(LOSSES, (), ("best-guess", "guess-gain")),
    ],
)
def test_other_measures_have_none(original, aggregation):
    assert asked(original, aggregation) is None


def test_measures_of_some_attributes_and_numbers_have_none(original):
    assert asked(original, partial=frozenset({"best-guess"})) is None
    assert asked(original, params={"dbil": {"by_hierarchy": True}}) is None
    assert asked(sample_table("ordinary", set(Scale))) is None


def test_no_time_no_limit(original):
    assert limit_for(Judgement(original, GUESSES), default_registry(), 0.0) is None


def test_a_plugin_may_offer_one(original):
    spec = LimitSpec(name="zero", implementation="tests.plugins.limit.test_offer:zero", summary="")
    found = limit_for(Judgement(original, GUESSES), registry(a=offering("evosdc_limits", spec)), 1.0)
    assert found == zero(Judgement(original, GUESSES), 1.0)


def zero(judgement: Judgement, seconds: float) -> Limit | None:
    return Limit({"max": 0.0}, ((0.0, 0.0), (100.0, 0.0)), judgement.aggregation.il, (), ())


def test_the_function_is_the_same(original):
    found = evosdc.limit(original, protect=original.schema.names)
    assert found.to_json() == asked(original).to_json() | {"attributes": list(original.schema.names)}
    with pytest.raises(InputError, match="measures that have a limit"):
        evosdc.limit(original, protect=original.schema.names, dr=["dbrl"])


def test_a_run_tells_how_far_it_is_above(tmp_path):
    given = {
        "data": {"name": "housing", "first": 200},
        "measures": {"il": LOSSES, "dr": ["best-guess", "dbrl"]},
        "fitness": "max",
        "stop": {"generations": 3},
        "start": [{"method": "rank-swapping", "p": 20}],
    }
    result = evosdc.run(given, tmp_path / "run")
    limit = result["limit"]
    assert limit["fitness"] == limit["least"]["max"] > 0
    share = 100 * (result["best"]["fitness"][0] / limit["fitness"] - 1)
    assert limit["above"]["best"] == pytest.approx(share)
    assert 0 <= limit["above"]["best"] <= limit["above"]["classical"]
    page = (tmp_path / "run" / "report.html").read_text()
    assert "No masked file can have a score below" in page
    assert "limit: no file lies below" in page
    other = evosdc.run(given | {"measures": {"il": LOSSES, "dr": ["id", "dbrl"]}}, tmp_path / "other")
    assert other["limit"] is None
    assert "No masked file can have a score below" not in (tmp_path / "other" / "report.html").read_text()
