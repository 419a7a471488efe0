"""Judges by members and others: nothing of a file that never saw its people, much of the file itself."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from evosdc.assess.judge import other_people, second_opinions
from evosdc.assess.three_risks import learned_too_much, members_words
from evosdc.errors import ParameterError
from evosdc.model import Microdata
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_judges.classes import classes_of
from evosdc_judges.members import area, difference, nearest_distances, weighted

REGISTRY = default_registry()
NAMES = REGISTRY.defaults("measure", "members")
KNOWN = ("age", "town", "sex")
SCHEMA = Schema(
    (
        Attribute("age", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=1),
        Attribute("town", Role.QUASI_IDENTIFIER, Scale.NOMINAL, tuple("abcdefgh")),
        Attribute("sex", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("f", "m")),
        Attribute("ill", Role.SENSITIVE, Scale.NOMINAL, ("no", "flu", "gout")),
    )
)


def people(n, seed):
    """Return people whose illness goes with their age and nothing else."""
    rng = np.random.default_rng(seed)
    age = np.round(rng.uniform(20, 80, n), 1)
    ill = np.where(rng.random(n) < 0.6, (age > 50).astype(int), rng.integers(0, 3, n))
    return Table(SCHEMA, np.column_stack([rng.integers(0, 8, n), rng.integers(0, 2, n), ill]), age[:, None])


def opinion(masked, members, others, judges=NAMES):
    found = second_opinions(
        members, {"": members.with_columns(masked)}, masked.schema.names, registry=REGISTRY, judges=judges,
        claimed={"": 0.0}, others=others,
    )[""]  # fmt: skip
    assert not found.not_applicable
    return {finding.judge: finding for finding in found.findings}


def test_the_file_itself_gives_its_people_away():
    members, others = people(300, 1), people(300, 2)
    found = opinion(members.select(KNOWN), members, others)
    assert found["members-inference"].masked.low > 20.0
    assert found["members-inference"].details["surest_tenth"] > 20.0
    assert found["rarity-reconstruction"].masked.low > 20.0
    assert found["membership-nndr"].masked.value > 95.0
    assert found["membership-domias"].masked.value > 60.0


def test_a_file_of_other_people_gives_nobody_away():
    """A file drawn from the population anew tells of members what it tells of others, however much that is."""
    members, others, drawn = people(400, 1), people(400, 2), people(400, 3)
    found = opinion(drawn, members, others)
    for name in ("members-inference", "rarity-reconstruction"):
        assert found[name].masked.low < 2.0
        assert abs(found[name].masked.value) < 10.0
        assert found[name].details["others"] > 33.0
    for name in ("membership-nndr", "membership-domias", "membership-avoidance"):
        assert found[name].masked.value == pytest.approx(50.0, abs=10.0)
        assert found[name].chance.value == 50.0


def test_avoided_combinations_tell_who_is_in_the_file():
    members, others = people(400, 1), people(400, 2)
    own = set(map(tuple, np.column_stack([members.codes[:, :2], members.numbers // 6]).astype(int).tolist()))
    pool = people(8000, 3)
    cells = np.column_stack([pool.codes[:, :2], pool.numbers // 6]).astype(int).tolist()
    apart = np.array([place for place, cell in enumerate(cells) if tuple(cell) not in own], dtype=np.intp)
    drawn = pool.take(np.resize(apart, 400))
    assert opinion(drawn, members, others, ["membership-avoidance"])["membership-avoidance"].masked.low > 50.0


def test_others_are_the_chance_of_attributes_told():
    members, others = people(300, 1), people(300, 2)
    found = opinion(members.select(KNOWN), members, others, ["tcap", "disco"])
    assert found["tcap"].masked.value == 100.0
    assert found["tcap"].chance.value < 75.0
    assert found["disco"].chance.value < found["disco"].masked.value / 2


def test_others_are_the_chance_of_uniques_and_of_what_is_learned():
    """In a file that is the members themselves others have what the population discloses, and members more."""
    members, others = people(300, 1), people(300, 2)
    found = opinion(members.select(KNOWN), members, others, ["repu", "learned-inference"])
    classes = classes_of(members.select(KNOWN), 20)
    counts = [Counter(map(tuple, classes.of(table.select(KNOWN)).tolist())) for table in (members, others)]
    own, theirs = ({record for record, count in one.items() if count == 1} for one in counts)
    assert found["repu"].chance.value == pytest.approx(100.0 * len(own & theirs) / 300)
    assert found["learned-inference"].masked.value > found["learned-inference"].chance.value + 10.0
    alone = opinion(members.select(KNOWN), members, None, ["repu"])
    assert alone["repu"].chance.value == alone["repu"].masked.value  # a file in another order is the same set of people


def test_without_others_there_is_nothing_to_say():
    members = people(100, 1)
    for name in NAMES:
        with pytest.raises(ParameterError, match="no people who are not in the file"):
            REGISTRY.build("measure", name, {}).fit_in(Microdata(members, KNOWN))
    nothing = replace(SCHEMA, attributes=tuple(replace(a, role=Role.QUASI_IDENTIFIER) for a in SCHEMA.attributes))
    plain, other = (Table(nothing, t.codes, t.numbers) for t in (members, people(100, 2)))
    with pytest.raises(ParameterError, match="no sensitive attribute"):
        REGISTRY.build("measure", "members-inference", {}).fit_in(Microdata(plain, KNOWN, others=other))


def test_weighted_guesses_worked_by_hand():
    # Values 0 0 0 1: weights 4/3 4/3 4/3 4, sum 8. Always the commonest: 4 of 8, which is 1 / C.
    truth = np.array([0, 0, 0, 1])
    assert weighted(np.zeros(4, dtype=np.int64), truth).mean() == pytest.approx(0.5)
    assert weighted(truth, truth).mean() == pytest.approx(1.0)
    assert weighted(np.array([1, 1, 1, 1]), truth).mean() == pytest.approx(0.5)


def test_areas_worked_by_hand():
    assert area(np.array([2.0, 3.0]), np.array([1.0])) == 1.0
    assert area(np.array([1.0, 1.0]), np.array([1.0])) == 0.5
    assert area(np.array([1.0, 3.0]), np.array([2.0, 1.0])) == pytest.approx((0 + 0.5 + 1 + 1) / 4)


def test_an_interval_holds_the_difference_and_is_repeatable():
    rng = np.random.default_rng(3)
    members, others = (rng.random(500) < 0.5).astype(float), (rng.random(500) < 0.4).astype(float)
    found = difference(members, others, 5)
    assert found.low < found.value < found.high
    assert found.value == pytest.approx(100 * (members.mean() - others.mean()))
    # The normal interval is about as wide.
    assert found.high - found.low == pytest.approx(2 * 1.96 * 100 * np.sqrt(0.25 / 500 + 0.24 / 500), rel=0.1)
    assert difference(members, others, 5) == found


def test_nearest_distances_by_definition():
    rng = np.random.default_rng(4)
    asked, file = rng.random((20, 2)), rng.random((30, 2))
    codes, of_file = (rng.integers(0, 3, (n, 2)).astype(np.int32) for n in (20, 30))
    slow = np.minimum(np.abs(asked[:, None] - file[None]), 1).sum(axis=2)
    slow += (codes[:, None] != of_file[None]).sum(axis=2)
    assert nearest_distances(asked, file, codes, of_file, 3) == pytest.approx(np.sort(slow, axis=1)[:, :3])


def test_other_people_are_read_in_the_coding_of_the_original(tmp_path):
    (tmp_path / "others.csv").write_text("sex,town,age,ill\nm,b,33.5,gout\nf,z,,no\n")
    found = other_people(tmp_path / "others.csv", people(50, 1))
    assert found.schema.names == SCHEMA.names
    assert found.codes.tolist() == [[1, 1, 2], [-1, 0, 0]]
    assert found.numbers[0, 0] == 33.5
    assert np.isnan(found.numbers[1, 0])


def test_the_verdict_refuses_a_plan_that_gives_members_away():
    def told(value, low):
        one = {"family": "excess", "value": value, "low": low, "high": value + 4, "words": "Words.",
               "details": {"members": 60.0, "others": 60.0 - value}}  # fmt: skip
        return {"judges": {"members-inference": one}, "members": 100, "others": 100, "generations": 5, "seconds": 1.0}

    assert learned_too_much(None) == []
    assert learned_too_much(told(4.9, 1.9)) == []
    assert "12.0 points more" in learned_too_much(told(12.0, 1.0))[0]
    assert learned_too_much(told(4.0, 2.5))
    assert members_words(told(12.0, 8.0))[-1] == learned_too_much(told(12.0, 8.0))[0]
    assert members_words({"not_checked": "no time"}) == ["Members and others: not checked (no time)."]
