"""Tables of protected with unprotected attributes: which are taken, what they lose, and who is given the whole file."""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats.contingency import association

from evosdc.errors import ParameterError, SchemaError
from evosdc.model import Microdata
from evosdc.randomisation.transition import design_a
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc.testing.measure import MeasureConformance
from evosdc.testing.tables import changes_of
from evosdc_measures.categorical_loss.across import ContingencyLossAcross, corrected_association, strongest_pairs
from tests.plugins.measures.cases import edited, pairs, schema, table


def with_ward(original):
    """Return microdata with an attribute besides, unprotected, that goes with the first protected one."""
    first = original.schema.attributes[0].name
    column = np.nan_to_num(original.column(first).astype(float))
    wards = ((column > np.median(column)) * 2 + column.astype(int) % 2).astype(np.int32)[:, None]
    ward = Attribute("ward", scale=Scale.NOMINAL, categories=("a", "b", "c", "d"))
    whole = replace(original.schema, attributes=(*original.schema.attributes, ward))
    return Microdata(Table(whole, np.hstack([original.codes, wards]), original.numbers), original.schema.names)


class InAFileWithWards(ContingencyLossAcross):
    """The measure, fitted in a file that has an unprotected attribute besides, as it needs one."""

    def fit(self, original):
        self.require_support(original)
        return super().fit_in(with_ward(original))

    def fit_in(self, microdata):
        return self.fit(microdata.original)


class TestAcross(MeasureConformance):
    identity = 0.0

    def measure(self):
        return InAFileWithWards(InAFileWithWards.Params(pairs=3, bins=4))


class InAFileWithIllnesses(InAFileWithWards):
    """The same where the other attribute is sensitive: classes are merged."""

    def fit(self, original):
        self.require_support(original)
        found = with_ward(original)
        *others, ward = found.table.schema.attributes
        secret = replace(found.table.schema, attributes=(*others, replace(ward, role=Role.SENSITIVE)))
        whole = Table(secret, found.table.codes, found.table.numbers)
        return ContingencyLossAcross.fit_in(self, Microdata(whole, found.protect))


class TestAcrossASensitiveAttribute(MeasureConformance):
    identity = 0.0

    def measure(self):
        return InAFileWithIllnesses(InAFileWithIllnesses.Params(pairs=3, bins=4, least_cell=3))


del MeasureConformance


def fitted_in(microdata, **params):
    return ContingencyLossAcross(ContingencyLossAcross.Params(**params)).fit_in(microdata)


def by_definition(original, masked, others, chosen):
    moved = 0
    for v, w in chosen:
        cells = [Counter(zip(t.codes[:, v].tolist(), others[:, w].tolist(), strict=True)) for t in (original, masked)]
        moved += sum(abs(cells[0][cell] - cells[1][cell]) for cell in {*cells[0], *cells[1]})
    return 100 * moved / (2 * len(original) * len(chosen)) if chosen else 0.0


def beside(original, codes):
    """Return microdata with unprotected nominal columns of four categories."""
    further = tuple(Attribute(f"b{w}", scale=Scale.NOMINAL, categories=tuple("abcd")) for w in range(codes.shape[1]))
    whole = replace(original.schema, attributes=(*further, *original.schema.attributes))
    return Microdata(Table(whole, np.hstack([codes, original.codes]), original.numbers), original.schema.names)


@given(tables=pairs(most_records=25), width=st.integers(1, 3), seed=st.integers(0, 2**32 - 1))
def test_every_table_by_definition_and_tracked(tables, width, seed):
    original, masked = tables
    rng = np.random.default_rng(seed)
    others = rng.integers(-1, 4, (len(original), width)).astype(np.int32)
    measure = fitted_in(beside(original, others), pairs=4)
    names = original.schema.names
    chosen = [(names.index(a), int(b[1:])) for a, b in measure.pairs]
    assert len(chosen) <= 4
    assert chosen == strongest_pairs(original.codes, others, 4)
    tracker = measure.track(masked)
    for _ in range(5):
        assert tracker.score == pytest.approx(by_definition(original, masked, others, chosen))
        assert tracker.score == measure.score(masked)
        child, rows = edited(masked, rng)
        change = changes_of(masked, [(child, rows)])
        assert tracker.tries(change).tolist() == [pytest.approx(measure.score(child))]
        tracker.take(change)
        masked = child
    assert measure.score(original) == 0.0


@given(seed=st.integers(0, 2**32 - 1), sizes=st.tuples(st.integers(2, 6), st.integers(2, 6)))
def test_strength_of_association(seed, sizes):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, sizes[0], 200).astype(np.int32)
    second = np.where(rng.random(200) < 0.5, first % sizes[1], rng.integers(0, sizes[1], 200)).astype(np.int32)
    counts = np.zeros(sizes, dtype=int)
    np.add.at(counts, (first, second), 1)
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    rows, columns = counts.shape
    plain = association(counts, method="cramer") ** 2 * min(rows - 1, columns - 1)
    square = max(plain - (rows - 1) * (columns - 1) / 199, 0)
    wanted = np.sqrt(square / min(rows - 1 - (rows - 1) ** 2 / 199, columns - 1 - (columns - 1) ** 2 / 199))
    assert corrected_association(first, second) == pytest.approx(min(wanted, 1.0), abs=1e-9)


def test_a_column_of_names_goes_with_nothing():
    first = (np.arange(100) % 3).astype(np.int32)
    assert corrected_association(first, np.arange(100, dtype=np.int32)) == 0.0
    assert corrected_association(first, first) == 1.0
    assert corrected_association(first, np.zeros(100, dtype=np.int32)) == 0.0
    assert corrected_association(first[:1], first[:1]) == 0.0


def test_each_protected_attribute_has_its_strongest_table():
    rng = np.random.default_rng(1)
    strong = rng.integers(0, 4, (400, 3)).astype(np.int32)
    weak = np.where(rng.random(400) < 0.8, rng.integers(0, 4, 400), strong[:, 0]).astype(np.int32)
    codes = np.column_stack([strong[:, 0], weak, strong[:, 1]]).astype(np.int32)
    chosen = strongest_pairs(codes, strong, 3)
    assert chosen == [(0, 0), (2, 1), (1, 0)]
    assert strongest_pairs(codes, strong, 1) == [(0, 0)]


def test_what_tables_of_the_protected_attributes_do_not_see(data_sets):
    german = data_sets.table("german-credit")
    microdata = Microdata(german, ("existacc", "savings", "presemploy"))
    measure, original = fitted_in(microdata), microdata.original
    assert len(measure.pairs) == 24
    assert {first for first, _ in measure.pairs} == set(microdata.protect)
    permuted = original.take(np.random.default_rng(1).permutation(len(original)))
    assert measure.score(permuted) > 5.0
    one = fitted_in(microdata, attributes=("class",), pairs=1)
    assert one.pairs == (("existacc", "class"),)
    counts = [
        sum(abs(a - b) for a, b in zip(*(cells(german, t.codes[:, 0]) for t in (original, permuted)), strict=True))
    ]
    assert one.score(permuted) == pytest.approx(100 * counts[0] / (2 * len(original)))


def cells(whole, column):
    classes = whole.column("class")
    return [int(((column == a) & (classes == b)).sum()) for a, b in product(range(4), range(2))]


def test_expectation_is_near_to_the_mean_of_draws():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, (600, 1)).astype(np.int32)
    original = table(schema((3,), ("nominal",)), codes)
    others = np.where(rng.random((600, 1)) < 0.7, codes, 3).astype(np.int32)
    measure = fitted_in(beside(original, others))
    matrix = design_a(np.bincount(codes[:, 0]), 0.7)
    scores = [
        measure.score(table(original.schema, [rng.choice(3, size=1, p=matrix[k]) for k in codes[:, 0]]))
        for _ in range(40)
    ]
    assert measure.expected([matrix]) == pytest.approx(np.mean(scores), rel=0.03)
    assert measure.expected([np.identity(3)]) == 0.0


def test_files_that_have_nothing_to_tabulate():
    original = table(schema((2, 2), ("nominal", "nominal")), [[0, 1], [1, 0], [0, 0]] * 9)
    alone = ContingencyLossAcross(ContingencyLossAcross.Params())
    with pytest.raises(ParameterError, match="Judge by ctbil"):
        alone.fit(original)
    named = with_ward(original)
    hidden = tuple(replace(a, role=Role.IDENTIFIER) if a.name == "ward" else a for a in named.table.schema.attributes)
    kept = replace(named.table.schema, attributes=hidden)
    with pytest.raises(ParameterError, match="without unprotected attributes"):
        alone.fit_in(Microdata(Table(kept, named.table.codes, named.table.numbers), named.protect))
    with pytest.raises(SchemaError, match="street"):
        fitted_in(named, attributes=("street",))
    independent = beside(original, np.zeros((27, 1), dtype=np.int32))
    measure = fitted_in(independent)
    turned = table(original.schema, 1 - original.codes)
    assert measure.pairs == ()
    assert measure.score(turned) == measure.expected([np.identity(2)[::-1]] * 2) == 0.0


def test_tables_with_a_sensitive_attribute_are_compared_by_classes_of_enough_people():
    """To exchange neighbours within a class costs nothing, to leave the class does."""
    town = Attribute("town", Role.QUASI_IDENTIFIER, Scale.ORDINAL, tuple("abcdefgh"))
    ill = Attribute("ill", Role.SENSITIVE, Scale.NOMINAL, ("no", "flu"))
    codes = np.array([[t, t >= 4] for t in range(8) for _ in range(5)], dtype=np.int32)
    whole = Table(Schema((town, ill)), codes, np.empty((40, 0)))
    microdata = Microdata(whole, ("town",))
    merged, fine = (fitted_in(microdata, least_cell=least) for least in (5, 1))
    within, beyond = codes[:, :1].copy(), codes[:, :1].copy()
    within[:20], beyond[:] = codes[:20, :1] ^ 1, 7 - codes[:, :1]
    scores = [
        [fitted.score(Table(microdata.original.schema, some, whole.numbers)) for some in (within, beyond)]
        for fitted in (merged, fine)
    ]
    assert scores[0] == [0.0, 100.0]
    assert scores[1][1] == 100.0
    stays = np.eye(8)
    assert merged.expected([stays]) == 0.0
    assert merged.expected([stays[[1, 0, 3, 2, 4, 5, 6, 7]]]) == 0.0
    assert merged.expected([stays[::-1]]) == pytest.approx(100.0)
