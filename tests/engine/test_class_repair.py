"""Repair by whole combinations, against definitions worked out record by record."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evosdc.engine.class_keeping import repaired_by_class
from evosdc.table.distance import category_distance
from evosdc.table.edit_rules import edit_rules_of
from evosdc.table.equivalence import equivalence_classes, key_codes
from evosdc.table.record_rules import RecordRules
from evosdc.table.structural_zeros import find_structural_zeros
from evosdc.table.table import Table
from tests.table.rules import PROTECT, files

K = 3
RULES = edit_rules_of([{"a": "k", "c": "u"}])


def grouped(table, seed):
    """Return a masked file whose classes have at least K records: groups that are alike, each as one of its records."""
    rng, original = np.random.default_rng(seed), table.select(PROTECT)
    order = np.argsort(original.codes[:, 0] + rng.normal(0, rng.random(), len(table)), kind="stable")
    source = np.empty(len(table), dtype=np.intp)
    for group in np.array_split(order, max(len(table) // (K + int(rng.integers(3))), 1)):
        source[group] = rng.choice(group)
    return original.take(source)


def none_short(table):
    return np.zeros(len(table), dtype=bool)


def fewer_than_k(fixed):
    def short(table):
        classes = equivalence_classes(np.column_stack([fixed, key_codes(table, PROTECT)]).astype(np.int32))
        return classes.counts[classes.of] < K

    return short


def fixed_part(table, used):
    return key_codes(table, ["c"] if used else [])


def zeros_of(table, rules=()):
    return RecordRules(table, PROTECT, rules, find_structural_zeros(table, PROTECT, 2.0))


@given(files(), st.integers(0, 2**32), st.booleans())
def test_no_record_breaks_a_rule_and_the_repair_is_the_same_each_time(table, seed, used):
    rules, masked, fixed = zeros_of(table), grouped(table, seed), fixed_part(table, used)
    repaired = repaired_by_class(rules, masked, PROTECT, fixed, fewer_than_k(fixed))
    assert not rules.broken(repaired).any()
    again = repaired_by_class(zeros_of(table), masked, PROTECT, fixed, fewer_than_k(fixed))
    assert repaired.same_records(again)
    if not rules.broken(masked).any():
        assert repaired is masked


@given(files(missing=True), st.integers(0, 2**32), st.booleans())
def test_classes_keep_their_size_but_for_records_that_no_class_would_take(table, seed, used):
    rules, masked, fixed = zeros_of(table), grouped(table, seed), fixed_part(table, used)
    short = fewer_than_k(fixed)
    repaired = repaired_by_class(rules, masked, PROTECT, fixed, short)
    by_cell, before = rules.repaired(masked), short(masked)
    for row in np.flatnonzero(short(repaired) & ~before):
        one = np.array([row])
        unmoved = repaired.take(one).same_records(masked.take(one))
        assert unmoved or repaired.take(one).same_records(by_cell.take(one))


@given(files(missing=True), st.integers(0, 2**32), st.booleans())
def test_a_record_takes_the_nearest_legal_combination(table, seed, used):
    rules, masked, fixed = zeros_of(table), grouped(table, seed), fixed_part(table, used)
    repaired, by_cell = repaired_by_class(rules, masked, PROTECT, fixed, none_short), rules.repaired(masked)
    broken = rules.broken(masked)
    for row in range(len(table)):
        one = np.array([row])
        if not broken[row]:
            assert repaired.take(one).same_records(masked.take(one))
            continue
        legal = [other for other in range(len(table)) if (fixed[other] == fixed[row]).all()]
        legal = [other for other in legal if not rules.broken(with_record(masked, row, other).take(one), one)[0]]
        if not legal:
            assert repaired.take(one).same_records(by_cell.take(one))
            continue
        distances = [slow_distance(table, masked, masked, row, other) for other in legal]
        assert np.isclose(slow_distance(table, masked, repaired, row, row), min(distances))


def with_record(masked, row, other):
    """Return the file in which a record is as another one."""
    source = np.arange(len(masked))
    source[row] = other
    return masked.take(source)


def slow_distance(table, masked, other, row, place):
    """Return how far a record of one file is from a record of another: categories, then numbers by the range."""
    total = 0.0
    for v, attribute in enumerate(masked.schema.categorical):
        matrix = category_distance(attribute, masked.schema.na).matrix
        total += matrix[masked.codes[row, v], other.codes[place, v]]
    x, y = masked.numbers[row, 0], other.numbers[place, 0]
    if np.isnan(x) or np.isnan(y):
        return total + float(np.isnan(x) != np.isnan(y))
    return total + abs(x - y) / (np.ptp(table.column("x")[~np.isnan(table.column("x"))]) or 1.0)


def test_a_class_that_became_small_joins_others_and_all_are_large_enough():
    rng = np.random.default_rng(3)
    n = 300
    codes = np.column_stack([rng.integers(0, 4, n), rng.integers(0, 3, n), rng.integers(0, 3, n)])
    table = next_table(codes)
    masked = grouped(table, 5)
    codes[:, 0][(codes[:, 0] == 0) & (codes[:, 2] == 0)] = 1
    kept = next_table(codes)  # an original that keeps the rule
    rules = RecordRules(kept, PROTECT, RULES)
    fixed = fixed_part(kept, False)
    short = fewer_than_k(fixed)
    by_cell = rules.repaired(masked)
    repaired = repaired_by_class(rules, masked, PROTECT, fixed, short)
    assert rules.broken(masked).any()
    assert not short(masked).any()
    assert short(by_cell).any()
    assert not short(repaired).any()
    assert not rules.broken(repaired).any()


def next_table(codes):
    from tests.table.test_record_rules import sample

    plain = sample(np.random.default_rng(1), len(codes))
    return Table(plain.schema, codes.astype(np.int32), plain.numbers)
