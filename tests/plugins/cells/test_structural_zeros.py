"""Structural zeros and rules with unmasked columns: no operator of `cells` makes a record that nobody can be."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evosdc.model import Microdata
from evosdc.table.edit_rules import edit_rules_of
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_cells.cells import CROSSOVERS, Cells
from tests.table.rules import PROTECT, files, masked_anyhow
from tests.table.test_record_rules import sample

from .moving import moved

RULES = edit_rules_of([{"a": "k", "c": ("u", "v")}, {"x": (5.0, 20.0), "y": (0, 3)}])


def keeping(table):
    """Return the positions of the records that keep the rules."""
    return np.flatnonzero(~np.any([rule.broken(table) for rule in RULES], axis=0))


def guarded(table, ruled=False):
    """Return a file with structural zeros in force, or those of its records that keep the rules, with both in force."""
    if not ruled:
        return Microdata(table, PROTECT, 2.0)
    kept = table.take(keeping(table))
    return Microdata(Table(replace(kept.schema, edit_rules=RULES), kept.codes, kept.numbers), PROTECT, 2.0)


@given(files(missing=True), st.integers(0, 2**32), st.sampled_from(sorted(CROSSOVERS)), st.booleans())
def test_no_operator_makes_an_impossible_record(table, seed, crossover, ruled):
    ruled = ruled and len(keeping(table)) > 0
    data, rng = guarded(table, ruled), np.random.default_rng(seed)
    cells = Cells(Cells.Params(crossover=crossover, mutations=20), data)
    a, b = cells.random(rng), cells.seeded(masked_anyhow(data.table, seed))
    genomes = [a, b, *cells.crossover(a, b, rng), cells.mutate(b, rng)]
    genomes += [moved(cells, b, kind, rng) for kind in (*cells.moves, *cells.class_moves)]
    for genome in genomes:
        cells.check(genome)
        assert not data.rules.broken(cells.decode(genome, rng)).any()


@given(files(), st.integers(0, 2**32))
def test_a_starting_file_is_repaired_as_its_table_is(table, seed):
    data = guarded(table)
    cells = Cells(Cells.Params(), data)
    masked = masked_anyhow(data.table, seed)
    made = cells.decode(cells.seeded(masked), np.random.default_rng(0))
    assert made.same_records(data.rules.repaired(masked))
    assert cells.decode(cells.seeded(data.original), np.random.default_rng(0)).same_records(data.original)


def test_decimals_at_the_bounds_of_an_interval_are_forbidden_too():
    x = Attribute("x", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=1)
    numbers = np.array([[0.0], [0.6], [0.7], [0.8], [1.9]])
    table = Table(Schema((x,), edit_rules=edit_rules_of([{"x": (0.7, 0.7)}])), np.zeros((5, 0), np.int32), numbers)
    cells = Cells(Cells.Params(), Microdata(table, ("x",)))
    assert cells.decode(cells.seeded(table), np.random.default_rng(0)).numbers[:, 0].tolist() == [0, 0.6, 0, 0.8, 1.9]


def test_without_rules_nothing_is_drawn_otherwise():
    table = sample(np.random.default_rng(3), 80)
    free, ruled = Microdata(table, PROTECT), Microdata(table, PROTECT, 1e9)
    for microdata in (free, ruled):
        assert microdata.rules is None or microdata.rules.zeros.count == 0
    genomes = []
    for microdata in (free, ruled):
        cells, rng = Cells(Cells.Params(), microdata), np.random.default_rng(5)
        genome = cells.mutate(cells.random(rng), rng)
        for kind in cells.moves * 5:
            genome = moved(cells, genome, kind, rng)
        genomes.append(genome)
    assert (genomes[0] == genomes[1]).all()
