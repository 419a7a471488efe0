"""Each measure against its definition, written out as loops, on random small tables and on the checked fixture."""

import pytest
from hypothesis import given

from tests.plugins.measures import reference
from tests.plugins.measures.cases import digits, fitted, pairs, schema

FIXTURE = schema((4, 3), ("ordinal", "nominal"))
X = digits(FIXTURE, "00,01,11,21,22,32,32,10")
Y = digits(FIXTURE, "00,11,11,21,32,30,32,10")


@pytest.mark.parametrize(
    ("name", "params", "wanted"),
    [
        ("dbil", {}, 9.375),
        ("ctbil", {}, 100 * 10 / 48),
        ("ctbil", {"K": 1}, 100 * 6 / 32),
        ("ebil", {}, 100 * (0.344361 + 0.217268) / 2),
        ("dbrl", {}, 100 * 4.5 / 8),
        ("dbrl", {"direction": "original-to-masked"}, 100 * 5 / 8),
    ],
)
def test_fixture_worked_by_hand(name, params, wanted):
    assert fitted(name, X, **params).score(Y) == pytest.approx(wanted, abs=1e-4)


def test_fixture_attribute_by_attribute():
    for name, wanted in {"dbil": (6.25, 12.5), "ebil": (34.4361, 21.7268)}.items():
        for attribute, score in zip(("a0", "a1"), wanted, strict=True):
            part = [attribute]
            assert fitted(name, X.select(part)).score(Y.select(part)) == pytest.approx(score, abs=1e-4)


@given(pairs())
def test_dbil(tables):
    assert fitted("dbil", tables[0]).score(tables[1]) == pytest.approx(reference.dbil(*tables), abs=1e-9)


@given(pairs())
def test_ctbil(tables):
    for most in (1, 2, 3):
        wanted = reference.ctbil(*tables, most)
        assert fitted("ctbil", tables[0], K=most).score(tables[1]) == pytest.approx(wanted, abs=1e-9)


@given(pairs())
def test_ctbil_of_sparse_tables(tables):
    from evosdc_measures.categorical_loss import tables as contingency

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contingency, "DENSE_CELLS", 6)
        assert fitted("ctbil", tables[0]).score(tables[1]) == pytest.approx(reference.ctbil(*tables), abs=1e-9)


@given(pairs())
def test_ebil(tables):
    assert fitted("ebil", tables[0]).score(tables[1]) == pytest.approx(reference.ebil(*tables), abs=1e-9)


@given(pairs(most_records=25))
def test_interval(tables):
    assert fitted("id", tables[0]).score(tables[1]) == pytest.approx(reference.interval(*tables), abs=1e-9)
    wide = {"percents": (30, 0, 55), "nominal": "frequency"}
    wanted = reference.interval(*tables, (0, 30, 55), by_frequency=True)
    assert fitted("id", tables[0], **wide).score(tables[1]) == pytest.approx(wanted, abs=1e-9)


@given(pairs(most_records=25))
def test_wide_attributes_are_judged_alike(tables):
    from evosdc_measures import records as joint

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint, "WIDE", 3)
        assert fitted("ebil", tables[0]).score(tables[1]) == pytest.approx(reference.ebil(*tables), abs=1e-9)


@given(pairs())
def test_dbrl(tables):
    assert fitted("dbrl", tables[0]).score(tables[1]) == pytest.approx(reference.dbrl(*tables), abs=1e-9)
    backward = fitted("dbrl", tables[0], direction="original-to-masked").score(tables[1])
    assert backward == pytest.approx(reference.dbrl(*tables, backward=True), abs=1e-9)


@given(pairs())
def test_prl(tables):
    assert fitted("prl", tables[0]).score(tables[1]) == pytest.approx(reference.prl(*tables), abs=1e-6)


@given(pairs(most_records=14, most_attributes=4))
def test_prl_where_profiles_are_not_kept(tables):
    from evosdc_measures.linkage import agreement, probabilistic

    wanted = reference.prl(*tables)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agreement, "MEMORY", 1)
        patch.setattr(probabilistic, "MEMORY", 32)
        assert fitted("prl", tables[0]).score(tables[1]) == pytest.approx(wanted, abs=1e-6)
