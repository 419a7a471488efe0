"""Structural zeros, and the repair of masked files, against definitions worked out record by record."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table import record_rules, structural_zeros
from evosdc.table.edit_rules import edit_rules_of
from evosdc.table.record_rules import RecordRules
from evosdc.table.schema import Attribute, MissingRule, Role, Scale, Schema
from evosdc.table.structural_zeros import find_structural_zeros
from evosdc.table.table import Table
from tests.table.rules import PROTECT, breaks_rule, files, label, masked_anyhow

THRESHOLD = 2.0
RULES = edit_rules_of([{"a": "k", "c": ("u", "v")}, {"b": (2, 3), "x": (0, 10)}, {"x": (5.0, 20.0), "y": (0, 3)}])


def slow_zeros(table, bins, threshold):
    """Return structural zeros by definition: set of (name, value, name, value)."""
    n, found = len(table), set()
    values = {name: bins[name].of(table.column(name)).tolist() for name in bins}
    for first in PROTECT:
        for second in bins:
            if second == first:
                continue
            one, other = values[first], values[second]
            pairs = set(zip(one, other, strict=True))
            for chosen, beside in evidence(bins[first], bins[second]):
                single = len(chosen) == len(beside) == 1
                together = sum(x in chosen for x in one) * sum(y in beside for y in other)
                least = threshold * n * (1.0 if single else structural_zeros.TOGETHER)
                if together >= least and not any((k, m) in pairs for k in chosen for m in beside):
                    ends = [bins[name].size - 1 if single else bins[name].known for name in (first, second)]
                    found |= {(first, k, second, m) for k in chosen for m in beside if k < ends[0] and m < ends[1]}
    return found


def evidence(first, second):
    """Yield the sets of values of two attributes whose records count together, if nobody has one of each."""
    singles = [[{k} for k in range(bins.size - 1)] for bins in (first, second)]
    runs = [
        [run for end in range(bins.known + 1) for run in (set(range(end)), set(range(end, bins.known)))]
        if bins.ordered
        else []
        for bins in (first, second)
    ]
    yield from product(singles[0], singles[1])
    if first.edges is not None or second.edges is not None:
        return
    yield from product(singles[0], runs[1])
    yield from product(runs[0], singles[1] + runs[1])
    for place, (own, other) in enumerate(((first, second), (second, first))):
        for chosen in singles[place][: own.known] + runs[place]:
            for m in range(other.size - 1):
                beside = set(range(other.size - 1)) - {m}
                yield (chosen, beside) if place == 0 else (beside, chosen)


def slow_broken(table, masked, known, threshold):
    zeros = slow_zeros(table, known.zeros.bins, threshold)
    whole = table.with_columns(masked)
    columns = {name: bins.of(whole.column(name)).tolist() for name, bins in known.zeros.bins.items()}
    broken = []
    for row in range(len(table)):
        record = {name: label(whole, name, row) for name in table.schema.names}
        bad = any(columns[f][row] == k and columns[s][row] == m for f, k, s, m in zeros)
        broken.append(bad or any(breaks_rule(record, rule, table.schema) for rule in known.edit_rules))
    return broken


def cleaned(table, rules):
    """Return the records of a file that keep the rules."""
    broken = np.zeros(len(table), dtype=bool)
    for rule in rules:
        broken |= rule.broken(table)
    return table.take(np.flatnonzero(~broken))


@given(files(missing=True), st.integers(0, 2**32), st.booleans())
def test_records_are_found_as_by_definition(table, seed, ruled):
    if table.schema.na is MissingRule.WILDCARD:
        table = Table(replace(table.schema, na=MissingRule.CATEGORY), table.codes, table.numbers)
    rules = RULES if ruled else ()
    known = RecordRules(table, PROTECT, rules, find_structural_zeros(table, PROTECT, THRESHOLD))
    masked = masked_anyhow(table, seed)
    assert known.broken(masked).tolist() == slow_broken(table, masked, known, THRESHOLD)
    rows = np.random.default_rng(seed).permutation(len(table))[:5].astype(np.intp)
    assert known.broken(masked.take(rows), rows).tolist() == known.broken(masked)[rows].tolist()


@given(files(missing=True))
def test_the_original_holds_no_structural_zero(table):
    known = RecordRules(table, PROTECT, (), find_structural_zeros(table, PROTECT, 0.5))
    original = table.select(PROTECT)
    assert not known.broken(original).any()
    assert known.repaired(original) is original


@given(files(), st.integers(0, 2**32))
def test_repair_changes_only_what_is_broken_and_leaves_nothing_broken(table, seed):
    table = cleaned(table, RULES)
    if not len(table):
        return
    known = RecordRules(table, PROTECT, RULES, find_structural_zeros(table, PROTECT, THRESHOLD))
    masked, original = masked_anyhow(table, seed), table.select(PROTECT)
    broken, repaired = known.broken(masked), known.repaired(masked)
    assert not known.broken(repaired).any()
    assert (repaired.codes[~broken] == masked.codes[~broken]).all()
    assert (repaired.numbers[~broken] == masked.numbers[~broken]).all()
    assert ((repaired.codes == masked.codes) | (repaired.codes == original.codes)).all()
    # A number goes to the middle one of its class, whatever the exact value was.
    classes = known.classes_of(original)[:, original.codes.shape[1] :]
    for before, after, first, own in zip(
        masked.numbers.T, repaired.numbers.T, original.numbers.T, classes.T, strict=True
    ):
        middles = [np.quantile(first[own == one], 0.5, method="inverted_cdf") for one in own]
        assert ((after == before) | (after == middles)).all()
    assert known.repaired(repaired) is repaired


@given(files(), st.integers(0, 2**32))
def test_repair_takes_back_the_fewest_cells_that_do(table, seed):
    known = RecordRules(table, PROTECT, (), find_structural_zeros(table, PROTECT, THRESHOLD))
    masked, original = masked_anyhow(table, seed), table.select(PROTECT)
    repaired = known.repaired(masked)
    # Values of one bin are alike to structural zeros: what differs is counted by bins.
    own, first, after = known.classes_of(masked), known.classes_of(original), known.classes_of(repaired)
    for row in np.flatnonzero(known.broken(masked)).tolist():
        differing, taken = np.flatnonzero(own[row] != first[row]), int((own[row] != after[row]).sum())
        for size in range(1, taken):
            for chosen in combinations(differing.tolist(), size):
                codes, numbers = masked.codes.copy(), masked.numbers.copy()
                for v in chosen:
                    if v < codes.shape[1]:
                        codes[row, v] = original.codes[row, v]
                    else:
                        numbers[row, v - codes.shape[1]] = original.numbers[row, v - codes.shape[1]]
                trial = Table(masked.schema, codes, numbers)
                assert known.broken(trial.take(np.array([row])), np.array([row]))[0]


@given(files(), st.integers(0, 2**32))
def test_records_whose_original_breaks_a_rule_become_like_others(table, seed):
    known = RecordRules(table, PROTECT, RULES)
    masked = masked_anyhow(table, seed)
    try:
        repaired = known.repaired(masked)
    except ParameterError as error:
        assert "every record" in str(error)  # noqa: PT017 -- whether it can be repaired depends on the drawn file
        return
    assert not known.broken(repaired).any()


def test_long_records_are_repaired_too(monkeypatch):
    rng = np.random.default_rng(4)
    table = sample(rng, 200)
    known = RecordRules(table, PROTECT, (), find_structural_zeros(table, PROTECT, 1.0))
    masked = masked_anyhow(table, 1)
    monkeypatch.setattr(record_rules, "MOST_TRIED", 1)
    repaired = known.repaired(masked)
    assert known.broken(masked).any()
    assert not known.broken(repaired).any()


def sample(rng, n):
    latent = rng.random(n)
    codes = np.column_stack([np.clip((latent + rng.normal(0, 0.05, n)) * c, 0, c - 1) for c in (4, 3, 3)])
    attributes = (
        Attribute("a", Role.QUASI_IDENTIFIER, Scale.NOMINAL, tuple("klmn")),
        Attribute("b", Role.QUASI_IDENTIFIER, Scale.ORDINAL, ("1", "2", "3")),
        Attribute("c", Role.OTHER, Scale.NOMINAL, tuple("uvw")),
        Attribute("x", Role.QUASI_IDENTIFIER, Scale.NUMERIC),
        Attribute("y", Role.IDENTIFIER, Scale.NUMERIC),
    )
    return Table(Schema(attributes), codes.astype(np.int32), np.column_stack([np.round(40 * latent), latent]))


def test_wide_attributes_are_merged_and_too_large_tables_left_out(monkeypatch):
    table = sample(np.random.default_rng(2), 300)
    zeros = find_structural_zeros(table, PROTECT, 5.0)
    assert "y" not in zeros.bins
    assert zeros.left_out == ()
    assert zeros.count == sum(int(pair.zeros.sum()) for pair in zeros.pairs) > 0
    assert all(pair.zeros.sum() <= 300 / 5.0 for pair in zeros.pairs)
    monkeypatch.setattr(structural_zeros, "MOST_CELLS", 25)
    fewer = find_structural_zeros(table, PROTECT, 5.0)
    assert fewer.left_out
    assert fewer.count < zeros.count


def test_a_missing_wildcard_goes_with_everything():
    table = sample(np.random.default_rng(2), 300)
    codes = table.codes.copy()
    codes[codes[:, 0] == 0, 1] = -1
    for na, impossible in ((MissingRule.CATEGORY, True), (MissingRule.WILDCARD, False)):
        holes = Table(replace(table.schema, na=na), codes, table.numbers)
        known = RecordRules(holes, PROTECT, (), find_structural_zeros(holes, PROTECT))
        published = codes[:, :2].copy()
        row = int(np.flatnonzero(codes[:, 0] == 3)[0])
        published[row, 1] = -1
        masked = Table(holes.select(PROTECT).schema, published, table.numbers[:, :1])
        assert known.broken(masked)[row] == impossible


def test_rules_that_every_record_breaks_are_refused():
    table = sample(np.random.default_rng(2), 30)
    known = RecordRules(table, PROTECT, edit_rules_of([{"x": (0, 100)}]))
    with pytest.raises(ParameterError, match="every record breaks"):
        known.repaired(table.select(PROTECT))
