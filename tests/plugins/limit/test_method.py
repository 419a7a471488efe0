"""Files from optimal channels: their numbers of records, their tables, and how near they come to the limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.model import MaskingMethod
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, Schema
from evosdc.table.table import Table
from evosdc.testing import MaskingMethodConformance
from evosdc_limit.annealing import annealed, costs_of
from evosdc_limit.assignment import assigned
from evosdc_limit.bound import limit_of
from evosdc_limit.channels import rounded
from evosdc_limit.method import OptimalChannel
from evosdc_limit.objective import attribute_terms, objective_of
from tests.plugins.limit.references import scores, tables
from tests.published import DataSets


def build(**params: object) -> MaskingMethod:
    return OptimalChannel(OptimalChannel.Params(**params))


class TestOfGain(MaskingMethodConformance):
    tables = ("ordinary", "one-record", "missing-values")
    interpreted = ("one-record",)

    def method(self) -> MaskingMethod:
        return build(t=0.7, dr="guess-gain")

    def table(self, table_name: str) -> Table:
        # Its time grows with the attributes.
        table = super().table(table_name)
        return table.select(table.schema.names[:2])


@pytest.mark.endurance
@pytest.mark.parametrize(("dr", "above"), [("guess", 8.0), ("guess-gain", 17.0)])
def test_a_start_near_the_limit(dr: str, above: float, data_sets: DataSets) -> None:
    table = data_sets.table("german-credit").select(["existacc", "savings", "presemploy"])
    masked = build(dr=dr).mask(table, np.random.default_rng(1))
    il, risk = scores(table, masked, dr)
    assert 0.0 <= 100.0 * (max(il, risk) / limit_of(table, dr, lines=2).max - 1.0) <= above
    ctbil = default_registry().build("measure", "ctbil", {}).fit(table).score(masked)
    assert ctbil <= 1.5, "two-way tables were not kept"


def test_identity_where_loss_alone_counts(data_sets: DataSets) -> None:
    table = data_sets.table("german-credit").select(["existacc", "savings", "presemploy"])
    assert build(t=1.0).mask(table, np.random.default_rng(1)).same_records(table)


@pytest.mark.parametrize("t", [-0.1, 1.5])
def test_weights_out_of_range(t: float, data_sets: DataSets) -> None:
    table = data_sets.table("german-credit").select(["existacc"])
    with pytest.raises(ParameterError, match="from 0 to 1"):
        build(t=t).require_fit(table)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32), st.booleans())
def test_rounding_keeps_originals_and_is_next_to_the_shares(B: int, A: int, seed: int, sparse: bool) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 30, A)
    channel = rng.dirichlet(np.full(B, 0.2 if sparse else 2.0), A).T
    exact = channel * counts
    found = rounded(exact / counts.sum(), counts)
    assert (found.sum(axis=0) == counts).all()
    assert (np.abs(found - exact) < 1.0 + 1e-5).all()
    assert (np.abs(found.sum(axis=1) - exact.sum(axis=1)) < 1.0 + 1e-5).all()


@given(tables(records=60, categories=5), st.integers(0, 2**32), st.sampled_from([None, 0.5]))
def test_annealing_keeps_originals_and_is_no_worse(table: Table, seed: int, t: float | None) -> None:
    rng = np.random.default_rng(seed)
    objective = objective_of(table)
    counts = [np.zeros(terms.distances.shape, dtype=np.int64) for terms in objective.attributes]
    for one, terms in zip(counts, objective.attributes, strict=True):
        for a, records in enumerate(np.round(terms.frequencies * len(table)).astype(np.int64)):
            one[:, a] = rng.multinomial(records, np.full(len(one), 1 / len(one)))
    unchanged = [np.round(terms.shares * len(table)).astype(np.int64) for terms in objective.attributes]
    costs = costs_of(objective, len(table), 0.5, t is None)
    channels = annealed(costs, counts, unchanged, rng, 500)
    found = list(channels.counts)
    before, after = (_fitness(table, numbers, t) for numbers in (counts, found))
    assert after == pytest.approx(channels.cost(costs), abs=1e-9)
    for one, other in zip(counts, found, strict=True):
        assert (one.sum(axis=0) == other.sum(axis=0)).all()
        assert other.min() >= 0
    assert after <= before + 1e-9


def _fitness(table: Table, counts: list[np.ndarray], t: float | None) -> float:
    """Return what annealing minimises, from the measures of the single attributes and of the tables' bounds."""
    objective = objective_of(table)
    codes = table.codes.copy()
    moved = []
    for v, (terms, one) in enumerate(zip(objective.attributes, counts, strict=True)):
        for a, original in enumerate(terms.originals):
            codes[table.codes[:, v] == original, v] = np.repeat(terms.published, one[:, a])
        moved.append(0.5 * np.abs(one.sum(axis=1) / len(table) - terms.shares).sum())
    masked = Table(table.schema, codes, table.numbers)
    registry = default_registry()
    il = sum(registry.build("measure", name, {}).fit(table).score(masked) for name in ("dbil", "ebil")) / 3.0
    il += 100.0 / 3.0 * float(np.mean([max(moved[v] for v in F) for F in objective.tables]))
    dr = registry.build("measure", "best-guess", {}).fit(table).score(masked) / 2.0
    return max(il, dr) + 0.02 * (il + dr) if t is None else t * il + (1 - t) * dr


@given(tables(records=60, categories=5), st.integers(0, 2**32))
def test_assignment_has_the_given_numbers_and_knows_what_it_costs(table: Table, seed: int) -> None:
    rng = np.random.default_rng(seed)
    terms = attribute_terms(table)
    counts = [np.zeros(one.distances.shape, dtype=np.int64) for one in terms]
    for one, about in zip(counts, terms, strict=True):
        for a, records in enumerate(np.round(about.frequencies * len(table)).astype(np.int64)):
            one[:, a] = rng.multinomial(records, np.full(len(one), 1 / len(one)))
    file = assigned(table, objective_of(table), counts, 0.5, 1, np.random.default_rng(seed))
    codes = file.codes
    for v, (one, about) in enumerate(zip(counts, terms, strict=True)):
        for a, original in enumerate(about.originals):
            own = codes[table.codes[:, v] == original, v]
            assert [(own == b).sum() for b in about.published] == one[:, a].tolist()
    # Records in the same random order, without swaps.
    first, generator = table.codes.copy(), np.random.default_rng(seed)
    for v, (one, about) in enumerate(zip(counts, terms, strict=True)):
        for a, original in enumerate(about.originals):
            rows = generator.permutation(np.flatnonzero(table.codes[:, v] == original))
            first[rows, v] = np.repeat(about.published, one[:, a])
    files = [Table(table.schema, c, table.numbers) for c in (codes, first)]
    losses = [_score("ctbil", table, one) for one in files]
    links = [max(_score(name, table, one) for name in ("dbrl", "informed-linkage")) for one in files]
    # The margins of single attributes are the same in both files.
    assert file.il == pytest.approx(losses[0] / 3 - _margins(table, files[0]), abs=1e-9)
    assert file.dr == pytest.approx(links[0] / 2, abs=1e-6)
    assert losses[0] / 3 + links[0] / 2 <= losses[1] / 3 + links[1] / 2 + 1.0


def _margins(table: Table, masked: Table) -> float:
    """Return what changes of single attributes cost in all tables, in points of IL."""
    moved = []
    for v in range(table.codes.shape[1]):
        both = [np.bincount(codes[:, v] + 1, minlength=9) for codes in (table.codes, masked.codes)]
        moved.append(0.5 * np.abs(both[0] - both[1]).sum() / len(table))
    return 100.0 / 3.0 * float(np.mean([max(moved[v] for v in F) for F in objective_of(table).tables]))


def _score(name: str, table: Table, masked: Table) -> float:
    return default_registry().build("measure", name, {}).fit(table).score(masked)


@pytest.mark.parametrize(("categories", "designs"), [((50, 50), 3), ((70,), 3), ((71,), 0), ((50, 50, 5), 0)])
def test_tuned_only_where_the_linear_programs_are_small(categories: tuple[int, ...], designs: int) -> None:
    attributes = [
        Attribute(f"a{place}", categories=tuple(map(str, range(size)))) for place, size in enumerate(categories)
    ]
    table = Table(Schema(tuple(attributes)), np.zeros((200, len(categories)), dtype=np.int32), np.zeros((200, 0)))
    assert len(OptimalChannel.designs(table)) == designs


def test_the_transitions_of_one_file_mask_another_by_pram(data_sets: DataSets) -> None:
    table = data_sets.table("german-credit").select(["existacc", "savings"])
    account = build(t=0.5).account(table)
    assert set(account) == {"existacc", "savings"}
    for name, entry in account.items():
        rows = np.array(entry["matrix"])
        assert entry["categories"] == list(table.schema[name].categories)
        assert np.allclose(rows.sum(axis=1), 1.0)
        assert (rows >= 0.0).all()
        assert not np.allclose(rows, np.eye(len(rows))), "half of the weight is on risk"
    assert all(
        np.allclose(entry["matrix"], np.eye(len(entry["matrix"]))) for entry in build(t=1.0).account(table).values()
    )
