"""A second opinion: what is asked, what it is compared with, and what the verdict says."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf

import numpy as np
import pandas as pd
import pytest

import evosdc
from evosdc.assess.changes import exchanged_labels
from evosdc.assess.judge import (
    Finding,
    _share,
    compared,
    confirmation_of,
    masked_attributes,
    second_opinions,
    shown,
)
from evosdc.errors import DataError, InputError, ParameterError
from evosdc.experiment.opinion import expected_time
from evosdc.model import Estimate, Estimated, Judge
from evosdc.plugins.registry import default_registry
from evosdc.printing import NO_TIME
from evosdc.specs import MeasureSpec
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from tests.fake_plugins import offering

QUICK = ("partial-linkage", "linkability", "inference", "tables-3")


def judged(original, masked, protect=None, *, claimed=None, **further):
    """Return the second opinion on one file."""
    return second_opinions(original, {"": masked}, protect, claimed={"": claimed}, **further)[""]


def people(n: int = 300) -> Table:
    rng = np.random.default_rng(3)
    latent = rng.random(n)

    def column(size: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        return np.clip((latent + 0.4 * rng.standard_normal(n)) * size, 0, size - 1).astype(np.int32)

    attributes = (
        Attribute("id", Role.IDENTIFIER, Scale.NUMERIC),
        Attribute("sex", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("female", "male")),
        Attribute("age", Role.QUASI_IDENTIFIER, Scale.ORDINAL, tuple("abcdefgh")),
        Attribute("job", Role.QUASI_IDENTIFIER, Scale.NOMINAL, tuple("uvwxyz")),
        Attribute("ill", Role.SENSITIVE, Scale.NOMINAL, ("no", "yes")),
        Attribute("town", Role.OTHER, Scale.NOMINAL, tuple("klm")),
    )
    codes = np.column_stack([column(2), column(8), column(6), column(2), column(3)])
    return Table(Schema(attributes), codes, np.arange(n, dtype=float)[:, None])


def changed(original: Table, name: str, codes: np.ndarray) -> Table:  # type: ignore[type-arg]
    part = original.select([name])
    return original.with_columns(Table(part.schema, codes[:, None].astype(np.int32), part.numbers))


def swapped(original: Table) -> Table:
    return changed(original, "sex", 1 - original.column("sex"))


def shuffled(original: Table, *names: str, seed: int = 1) -> Table:
    rng = np.random.default_rng(seed)
    for name in names:
        original = changed(original, name, rng.permutation(original.column(name)))
    return original


def opinion(original: Table, masked: Table, **options):  # type: ignore[no-untyped-def]
    options.setdefault("judges", QUICK)
    return judged(original, masked, registry=default_registry(), **options)


class TestExchangedLabels:
    def test_every_man_and_woman_is_exchanged(self) -> None:
        original = people()
        (found,) = exchanged_labels(original, swapped(original))
        assert found.attribute == "sex"
        assert found.share == 1.0
        assert {pair[:2] for pair in found.pairs} == {("female", "male"), ("male", "female")}
        assert "'male' is published as 'female' in 100 % of its records" in str(found)

    def test_an_honest_file_has_none(self) -> None:
        original = people()
        assert exchanged_labels(original, original) == []
        light = original.column("age").copy()
        light[:30] = np.roll(light[:30], 1)
        assert exchanged_labels(original, changed(original, "age", light)) == []

    def test_missing_values_are_no_labels(self) -> None:
        original = people()
        codes = 1 - original.column("sex")
        codes[::2] = -1
        (found,) = exchanged_labels(original, changed(original, "sex", codes))
        assert found.share == pytest.approx(0.5)

    def test_values_at_random_are_none_and_exchanges_among_them_are(self) -> None:
        rng = np.random.default_rng(5)
        years = Attribute("year", Role.QUASI_IDENTIFIER, Scale.ORDINAL, tuple(str(year) for year in range(1930, 2010)))
        codes = rng.integers(0, 80, 2500).astype(np.int32)
        original = Table(Schema((years,)), codes[:, None], np.empty((2500, 0)))
        assert exchanged_labels(original, shuffled(original, "year")) == []
        turned = np.where(codes < 8, 7 - codes, codes)
        turned[rng.random(2500) < 0.1] = 40
        (found,) = exchanged_labels(original, changed(original, "year", turned))
        assert found.share == pytest.approx(0.09, abs=0.02)

    def test_no_category_of_one_or_two_people_is_named(self) -> None:
        born = Attribute("born", Role.QUASI_IDENTIFIER, Scale.NOMINAL, tuple(f"day {day}" for day in range(30)))
        days = np.repeat(np.arange(30, dtype=np.int32), 2)
        original = Table(Schema((born,)), days[:, None], np.empty((60, 0)))
        (found,) = exchanged_labels(original, changed(original, "born", np.roll(days, 2)))
        assert found.share == 1.0
        assert found.pairs == ()
        assert "none of these categories is published as another one in 3 records or more" in str(found)


class TestWhatIsJudged:
    def test_quasi_identifiers_and_what_differs(self) -> None:
        original = people()
        assert masked_attributes(original, original, None) == ("sex", "age", "job")
        assert masked_attributes(original, shuffled(original, "ill"), None) == ("sex", "age", "job", "ill")
        assert masked_attributes(original, original, ["town"]) == ("town",)

    def test_columns_that_were_not_masked_may_be_left_out(self) -> None:
        original = people()
        assert masked_attributes(original, original.select(["sex", "job"]), None) == ("sex", "job")

    def test_nothing_masked_is_refused(self) -> None:
        original = people().select(["town"])
        with pytest.raises(DataError, match="do not differ"):
            masked_attributes(original, original, None)

    def test_faults_are_told_at_once(self) -> None:
        original = people()
        with pytest.raises(InputError) as caught:
            judged(original, original, ["wage"], registry=default_registry(), judges=["partial-link"], claimed=120.0)
        told = str(caught.value)
        assert "'wage'" in told
        assert "Did you mean 'partial-linkage'?" in told
        assert "from 0 to 100" in told

    def test_identifiers_and_other_records_are_refused(self) -> None:
        original = people()
        with pytest.raises(DataError, match="an identifier"):
            masked_attributes(original, original, ["id"])
        with pytest.raises(InputError, match="299 records"):
            opinion(original, original.take(np.arange(299)))

    def test_an_intruder_knows_what_is_not_sensitive(self) -> None:
        original = people()
        found = opinion(original, shuffled(original, "ill"), judges=["partial-linkage"])
        assert found.known == ("sex", "age", "job")
        assert found.wanted == ("ill",)
        # Only the sensitive attribute was masked: identity is as in the original.
        assert found.findings[0].masked == found.findings[0].original

    def test_judges_that_do_not_apply_say_why(self) -> None:
        original = people().select(["sex"])
        found = opinion(original, original, judges=["linkability", "classifier-utility", "repu"])
        assert set(found.not_applicable) == {"linkability", "classifier-utility"}
        assert "at least 2 attributes" in found.not_applicable["linkability"]
        assert [finding.judge for finding in found.findings] == ["repu"]


class TestFindings:
    def test_figures_stand_beside_chance_and_the_original(self) -> None:
        original = people()
        found = {finding.judge: finding for finding in opinion(original, shuffled(original, "sex")).findings}
        linkage = found["partial-linkage"]
        assert linkage.original.value > linkage.masked.value > linkage.chance.value
        assert found["tables-3"].original.value == 0.0
        assert shown(linkage.masked) in linkage.words

    def test_any_measure_can_be_asked(self) -> None:
        original = people()
        (finding,) = opinion(original, swapped(original), judges=["dbil"]).findings
        assert finding.masked.value == pytest.approx(evosdc.measure(original, swapped(original), "dbil")["dbil"])
        assert finding.claim is None

    def test_the_same_seed_says_the_same(self) -> None:
        original = people()
        masked = shuffled(original, "sex", "job")
        assert opinion(original, masked, seed=4).to_json() == opinion(original, masked, seed=4).to_json()
        assert opinion(original, masked, seed=4).to_json() != opinion(original, masked, seed=5).to_json()

    def test_json(self) -> None:
        original = people()
        document = json.loads(json.dumps(opinion(original, swapped(original)).to_json(), allow_nan=False))
        assert set(document["judges"]) == set(QUICK)
        assert document["judges"]["partial-linkage"].keys() >= {"value", "low", "high", "error", "chance", "original"}
        assert document["attributes"] == ["sex", "age", "job"]
        assert "labels" in document["warnings"][0]

    def test_frames(self) -> None:
        table = people()
        frame = pd.DataFrame(
            {
                name: pd.Categorical.from_codes(table.column(name), list(table.schema[name].categories))
                for name in ("sex", "age", "job", "town")
            }
        )
        masked = frame.copy()
        masked["sex"] = frame["sex"].cat.rename_categories({"female": "male", "male": "female"}).astype(str)
        found = evosdc.judge(frame, masked, protect=["sex", "age", "job"], judges="tables-3", claimed=5.0)
        assert found.findings[0].masked.value > 20.0
        assert "sex" in found.warnings[0]
        with pytest.raises(ParameterError, match="seed"):
            evosdc.judge(frame, masked, seed=-1)


def finding(value: float, half: float = 0.0, claim: float | None = 4.0, chance: float = 0.1) -> Finding:
    masked = Estimate(value, value - half, value + half)
    times, exceeds = compared(masked, Estimate.exact(chance), claim) if claim is not None else (None, False)
    other = Estimate.exact(chance)
    return Finding("x", "dr", "linkage", masked, other, other, claim, times, exceeds, "knows much", "links", "")


class TestVerdict:
    by = {"linkage": "dbrl"}  # noqa: RUF012 -- never changed

    def verdict(self, *findings: Finding, claim: float = 4.0):  # type: ignore[no-untyped-def]
        return confirmation_of(findings, {"linkage": claim}, self.by)

    def test_it_says_why_there_is_none(self) -> None:
        assert self.verdict().sentence == "Not checked: no judge has answered."
        assert self.verdict(finding(5.0, claim=None)).sentence.startswith("Not checked: no judge measures a risk")

    def test_a_claim_is_not_confirmed_before_all_that_are_needed_have_answered(self) -> None:
        waiting = ["linkability"]
        told = confirmation_of([finding(4.0)], {"linkage": 4.0}, self.by, waiting)
        assert told.holds is None
        assert told.sentence == "Not yet checked: linkability had no time to answer."
        assert confirmation_of([finding(9.0)], {"linkage": 4.0}, self.by, waiting).holds is False

    def test_a_quarter_more_is_allowed(self) -> None:
        assert self.verdict(finding(5.0)).holds is True
        assert self.verdict(finding(5.1)).holds is False

    def test_what_is_within_the_error_is_allowed(self) -> None:
        assert self.verdict(finding(9.0, 4.5)).holds is True
        assert self.verdict(finding(9.0, 3.5)).holds is False

    def test_the_sentence(self) -> None:
        said = self.verdict(finding(8.0), finding(12.0)).sentence
        assert said.startswith(
            "Does not hold: an intruder who knows much links 3.0 times as many as claimed (12 % against 4 %)"
        )
        assert "2.0 times" in said
        assert self.verdict(finding(3.0)).sentence == (
            "Holds: no judge contradicts the risk claimed (linkage 4 % by dbrl)."
        )

    def test_a_claim_that_holds_is_no_protection(self) -> None:
        found = replace(finding(4.0), original=Estimate.exact(4.2))
        assert "nearly as many as without any masking (4 % against 4.2 %)" in self.verdict(found).sentence
        assert "without any masking" not in self.verdict(replace(found, original=Estimate.exact(9.0))).sentence

    def test_a_claim_below_chance_is_taken_as_chance(self) -> None:
        assert self.verdict(finding(1.0, claim=0.0, chance=1.0), claim=0.0).holds is True
        assert "by chance" in self.verdict(finding(3.0, claim=0.0, chance=1.0), claim=0.0).sentence

    def test_a_claim_of_nothing(self) -> None:
        said = self.verdict(finding(3.0, claim=0.0, chance=0.0), claim=0.0)
        assert said.holds is False
        assert "where none is claimed" in said.sentence

    def test_without_a_claim_there_is_no_verdict(self) -> None:
        assert self.verdict(finding(3.0, claim=None)).holds is None


class TestClaims:
    def test_a_number_is_about_linkage_and_sensitive_attributes(self) -> None:
        original = people()
        found = opinion(original, swapped(original), claimed=2.0)
        assert found.claims == {"linkage": 2.0}
        assert found.verdict.holds is False
        found = opinion(original, shuffled(original, "ill"), claimed=100.0)
        assert found.claims == {"linkage": 100.0, "guess": 100.0}
        assert found.verdict.holds is True

    def test_claims_by_family(self) -> None:
        original = people()
        found = opinion(original, original, claimed={"guess": 1.0}, judges=["inference"])
        assert found.findings[0].claim == 1.0
        assert found.verdict.holds is False

    def test_by_default_informed_measures_claim(self) -> None:
        original = people()
        found = opinion(original, original)
        assert set(found.claims) == {"linkage"}
        scores = evosdc.measure(original, original, list(default_registry().defaults("measure", "identity")))
        assert "two-way-linkage" in scores
        assert found.claims["linkage"] == pytest.approx(max(scores.values()))
        assert found.verdict.holds is True

    def test_a_claim_that_a_relabelling_lowered_does_not_hold(self) -> None:
        """A measure that reads labels as they stand says that nobody is found where everybody is."""
        original = people(400)
        masked = original
        for name in ("sex", "age", "job"):
            size = len(original.schema[name].categories)
            masked = changed(masked, name, (original.column(name) + 1) % size)
        literal = evosdc.measure(original, masked, "dbrl")["dbrl"]
        found = opinion(original, masked, judges=["learned-linkage"], claimed=literal)
        assert literal < 2.0
        assert found.verdict.holds is False
        assert len(found.warnings) == 3

    def test_judges_and_claims_of_strangers(self) -> None:
        spec = MeasureSpec(
            name="strange", implementation="tests.assess.test_judging:Strange", summary="Strange.", kind="dr",
            family="linkage", default_for=("judge", "identity"),
        )  # fmt: skip
        registry = type(default_registry()).load({"stranger": offering("evosdc_measures", spec)}, entry_points=False)
        found = judged(people(), people(), registry=registry, seed=9)
        assert found.claims == {"linkage": 1.0}
        assert found.findings[0].masked.value == 9.0
        assert found.findings[0].words == "Strange. 9; 9 by chance."


class Strange(Judge):
    """A judge of a plugin of somebody else, that says its seed."""

    does = "links"

    def fit(self, original: Table) -> Estimated:
        return Said(self.params.seed)


class Said(Estimated):
    def __init__(self, seed: int) -> None:
        self._seed = seed

    def estimate(self, masked: Table) -> Estimate:
        return Estimate.exact(float(self._seed))


def test_people_published_as_they_are_at_another_row_are_warned_of():
    original = people()
    names = ["sex", "age", "job"]
    order = np.random.default_rng(4).permutation(len(original)).astype(np.intp)
    moved = original.with_columns(original.select(names).take(order))
    registry, judges = default_registry(), ["repu"]
    assert evosdc.measure(original, moved, ["dbrl"], protect=names)["dbrl"] < 5.0
    opinion = judged(original, moved, names, registry=registry, judges=judges)
    assert opinion.findings[0].masked.value == opinion.findings[0].original.value > 1.0
    assert any("are unique, and so is a published record" in warning for warning in opinion.warnings)
    constant = changed(original, "age", np.zeros(len(original)))
    assert not judged(original, constant, names, registry=registry, judges=judges).warnings


def test_judges_are_counted_as_they_answer() -> None:
    table, told = people(), []
    judged(
        table,
        shuffled(table, "sex"),
        registry=default_registry(),
        judges=["tables-3", "repu"],
        answered=lambda done, total: told.append((done, total)),
    )
    assert told == [(0, 2), (1, 2), (2, 2)]


@pytest.mark.parametrize(("again", "lacking", "last"), [(0.0, {"tables-3": NO_TIME}, (2, 3)), (60.0, {}, (3, 3))])
def test_judges_that_need_more_time_are_asked_once_more_when_all_had_their_turn(again, lacking, last) -> None:
    table, told = people(), []
    left = iter((60.0, 0.0, 60.0, again))
    names = ["repu", "tables-3", "guess-gain"]
    opinion = second_opinions(
        table,
        {"": shuffled(table, "sex")},
        registry=default_registry(),
        judges=names,
        answered=lambda done, total: told.append((done, total)),
        until=lambda: next(left),
    )[""]
    assert opinion.not_applicable == lacking
    assert told == [(0, 3), (1, 3), (1, 3), (2, 3), last]
    assert [finding.judge for finding in opinion.findings if finding.kind == "dr"] == ["repu", "guess-gain"]


def test_a_turn_is_at_most_twice_an_equal_share_and_the_last_one_all_that_is_left() -> None:
    assert [_share(12.0, judges, False) for judges in (12, 4, 2, 1)] == [2.0, 6.0, 12.0, 12.0]
    assert [_share(12.0, judges, True) for judges in (3, 2, 1)] == [6.0, 6.0, 12.0]
    assert _share(inf, 3, False) == inf


def test_a_signal_that_a_library_takes_for_an_error_is_no_failing_judge(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    table, asked = people(), []

    def broken(*arguments: object) -> None:
        asked.append(True)
        raise TypeError("what a library makes of a signal")

    def answered(done: int, total: int) -> None:
        if asked:
            raise KeyboardInterrupt

    monkeypatch.setattr("evosdc.assess.judge._fit", broken)
    with pytest.raises(KeyboardInterrupt):
        judged(table, shuffled(table, "sex"), registry=default_registry(), judges=["repu"], answered=answered)
    assert not caplog.records
    opinion = judged(table, shuffled(table, "sex"), registry=default_registry(), judges=["repu"])
    assert opinion.not_applicable == {"repu": "it failed with TypeError"}


@pytest.mark.parametrize(
    ("records", "protected", "attributes", "words"),
    [(500, 1, 2, "about 2 to 3 s"), (1000, 2, 14, "about 5 to 20 s"), (30_000, 11, 15, "about 40 to 200 s")],
)
def test_the_time_of_judges_is_told_as_a_span(records: int, protected: int, attributes: int, words: str) -> None:
    assert expected_time(records, protected, attributes) == words


def test_an_opinion_that_is_joined_keeps_the_figures_of_the_people_worst_off() -> None:
    original = people()
    masked = shuffled(original, "age")
    first = opinion(original, masked, judges=["surest-matches"])
    later = opinion(original, masked, judges=["repu"]).joined(first.to_json())
    kept = {finding.judge: dict(finding.details) for finding in later.findings}
    assert kept["surest-matches"] == dict(first.findings[0].details) != {}
