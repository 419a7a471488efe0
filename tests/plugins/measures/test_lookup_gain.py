"""What is looked up in tables of the file: against fixtures worked by hand and a count person by person."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.model import Microdata
from evosdc.secret import Purpose, stream
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc.testing.measure import MeasureConformance
from evosdc.testing.tables import changes_of, sample_table
from evosdc_measures.interval_disclosure.lookup import _FOLDS, LookupGain


class TestLookupGain(MeasureConformance):
    kind = "dr"
    order_matters = True  # folds are of positions

    def measure(self):
        return LookupGain(LookupGain.Params())

    def table(self, table_name):
        table = sample_table(table_name, self.measure().supports)
        secret = table.schema.attributes[-1].name
        attributes = tuple(
            replace(a, role=Role.SENSITIVE if a.name == secret else Role.QUASI_IDENTIFIER)
            for a in table.schema.attributes
        )
        return Table(replace(table.schema, attributes=attributes), table.codes, table.numbers)


del MeasureConformance

SCHEMA = Schema(
    (
        Attribute("town", Role.QUASI_IDENTIFIER, Scale.NOMINAL, tuple("abcdef")),
        Attribute("sex", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("f", "m")),
        Attribute("age", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=1),
        Attribute("illness", Role.SENSITIVE, Scale.NOMINAL, ("none", "flu", "gout")),
    )
)


def measure(**params):
    return LookupGain(LookupGain.Params(**params))


def slow(microdata, masked, folds, names):
    """Return the people hit by a set of attributes, looked up exactly, and those hit without their own fold."""
    n, whole = len(masked), microdata.table
    published = whole.with_columns(masked)

    def values(table, name):
        return [None if v != v else v for v in np.round(table.column(name).astype(float), 1).tolist()]

    def keys(table):
        return [tuple(values(table, name)[i] for name in names) for i in range(n)]

    own, shown = keys(whole), keys(published)
    ill, told = values(whole, "illness"), values(published, "illness")

    def guessed(people, keys_, told_, key):
        listed = [told_[i] for i in people if keys_[i] == key] or [told_[i] for i in people]
        counts = Counter(listed)
        return {value for value, count in counts.items() if count == max(counts.values())}

    hits, reference = Fraction(0), Fraction(0)
    for fold in folds:
        others = sorted(set(range(n)) - set(fold))
        for i in fold:
            pub, ref = guessed(range(n), shown, told, own[i]), guessed(others, own, ill, own[i])
            hits += Fraction(ill[i] in pub, len(pub))
            reference += Fraction(ill[i] in ref, len(ref))
    return hits, reference


def slow_gain(microdata, masked, folds, known):
    """Return the greatest gain of one and two attributes."""
    sets = [(), *((name,) for name in known), *combinations(known, 2)]
    found = {names: slow(microdata, masked, folds, names) for names in sets}
    gains = [
        found[names][0] - max(reference for part, (_, reference) in found.items() if set(part) <= set(names))
        for names in sets[1:]
    ]
    return max(0.0, 100 * float(max(gains)) / len(masked))


def folds_of(n, seed, folds):
    return np.array_split(stream(seed, Purpose.JUDGE, _FOLDS).permutation(n), min(folds, n))


def test_fixture_worked_by_hand():
    # Towns a, a, b, b with illnesses flu, flu, gout, none; each person is a fold of one. Without themselves: the a's
    # are guessed flu, right; the b's none and gout, wrong: 2 right. The file shows a: flu, b: gout, none, a tie: 3.
    schema = SCHEMA.select(["town", "illness"])
    original = Table(schema, np.array([[0, 1], [0, 1], [1, 2], [1, 0]]), np.empty((4, 0)))
    fitted = measure(folds=4).fit(original)
    assert fitted.score(original) == 25.0
    # b is published as c: who looks for b finds nobody, and guesses the commonest of all, flu: 2 right, no gain.
    moved = Table(schema, np.array([[0, 1], [0, 1], [2, 2], [2, 0]]), np.empty((4, 0)))
    assert fitted.score(moved) == 0.0
    # The illnesses of the b's are both published as gout: one is right, as before.
    told = Table(schema, np.array([[0, 1], [0, 1], [1, 2], [1, 2]]), np.empty((4, 0)))
    assert fitted.score(told) == 25.0
    names, target, gain = fitted.worst(told)
    assert (names, target, gain) == (("town",), "illness", 25.0)


def test_a_permuted_column_with_exact_tables_gives_all_away():
    """Every value of a quasi-identifier is permuted within its illness: the tables stay, and so does what they tell."""
    rng = np.random.default_rng(5)
    n = 400
    towns, ill = rng.integers(0, 200, n), rng.integers(0, 3, n)
    town = Attribute("town", Role.QUASI_IDENTIFIER, Scale.NOMINAL, tuple(map(str, range(200))))
    schema = Schema((town, SCHEMA["illness"]))
    original = Table(schema, np.column_stack([towns, ill]), np.empty((n, 0)))
    permuted = towns.copy()
    for s in range(3):
        permuted[ill == s] = rng.permutation(towns[ill == s])
    microdata = Microdata(original, ("town",))
    fitted = measure().fit_in(microdata)
    masked = Table(original.select(["town"]).schema, permuted[:, None], np.empty((n, 0)))
    assert fitted.score(masked) == fitted.score(original.select(["town"])) > 30.0
    fresh = Table(masked.schema, rng.integers(0, 200, (n, 1)), np.empty((n, 0)))
    assert fitted.score(fresh) < 8.0


@st.composite
def files(draw):
    n = draw(st.integers(2, 14))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    protect = draw(st.sampled_from([("town", "sex", "age"), ("town", "illness"), ("age",), SCHEMA.names]))
    return anything(rng, n), protect, rng


def anything(rng, n):
    codes = np.column_stack([rng.integers(-1, 4, n), rng.integers(0, 2, n), rng.integers(-1, 3, n)]).astype(np.int32)
    return Table(SCHEMA, codes, rng.choice([np.nan, 1.0, 1.5, 2.0, 7.0], (n, 1)))


@given(files())
def test_it_is_what_people_one_by_one_have(drawn):
    original, protect, rng = drawn
    microdata = Microdata(original, protect)
    masked = anything(rng, len(original)).select(protect)
    wanted = slow_gain(microdata, masked, folds_of(len(original), 3, 5), ("town", "sex", "age"))
    assert measure(seed=3, folds=5).fit_in(microdata).score(masked) == pytest.approx(wanted, abs=1e-9)


@given(files())
def test_followed_through_changes_it_is_that_of_the_table(drawn):
    original, protect, rng = drawn
    fitted = measure().fit_in(Microdata(original, protect))
    masked = anything(rng, len(original)).select(protect)
    tracker = fitted.track(masked)
    for _ in range(5):
        children = []
        for _ in range(3):
            rows = np.flatnonzero(rng.random(len(masked)) < 0.3).astype(np.intp)
            other = anything(rng, len(masked)).select(protect)
            codes, numbers = masked.codes.copy(), masked.numbers.copy()
            codes[rows], numbers[rows] = other.codes[rows], other.numbers[rows]
            children.append((Table(masked.schema, codes, numbers), rows))
        found = tracker.tries(changes_of(masked, children))
        assert found.tolist() == pytest.approx([fitted.score(child) for child, _ in children], abs=1e-9)
        tracker.take(changes_of(masked, children[:1]))
        masked = children[0][0]
        assert tracker.score == pytest.approx(fitted.score(masked), abs=1e-9)


def test_expected_of_matrices_is_that_of_the_file_itself_where_nothing_changes():
    rng = np.random.default_rng(2)
    original = anything(rng, 60).select(["town", "sex", "illness"])
    fitted = measure(folds=60).fit(original)
    stays = [np.eye(len(a.categories)) for a in original.schema.categorical]
    assert fitted.expected(stays) == pytest.approx(fitted.score(original))
    uniform = [np.full((len(P), len(P)), 1 / len(P)) for P in stays]
    assert fitted.expected(uniform) <= 5.0


def test_a_file_without_a_sensitive_attribute_is_refused():
    with pytest.raises(ParameterError, match="no sensitive attribute"):
        measure().fit(SCHEMA_TABLE.select(["town", "sex"]))
    assert (
        measure(targets=("sex",)).fit(SCHEMA_TABLE.select(["town", "sex"])).score(SCHEMA_TABLE.select(["town", "sex"]))
        >= 0.0
    )
    with pytest.raises(ParameterError, match="no attribute besides illness"):
        measure().fit(SCHEMA_TABLE.select(["illness"]))


SCHEMA_TABLE = anything(np.random.default_rng(1), 30)
