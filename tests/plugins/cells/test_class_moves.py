"""Moves of classes: what they keep, record by record."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.model import Individual, Microdata, toolbox_of
from evosdc.plugins.registry import default_registry
from evosdc_cells.cells import Cells
from tests.engine.test_class_repair import grouped
from tests.table.rules import PROTECT, files

from .moving import moved as moved_by


def sizes(genes):
    return Counter(map(tuple, genes.tolist()))


def same_but_one_cell(before, after):
    """Whether the changed records were alike and got one and the same value of one attribute."""
    rows, columns = (before != after).nonzero()
    alike = len(set(map(tuple, before[rows].tolist()))) == 1
    return alike and len(set(columns.tolist())) == 1 and len(set(after[rows, columns[0]].tolist())) == 1


@given(files(missing=True), st.integers(0, 2**32), st.sampled_from([None, 2.0]), st.booleans())
def test_classes_are_kept_and_so_are_rules(table, seed, threshold, partly):
    microdata = Microdata(table, PROTECT[:2] if partly else PROTECT, threshold)
    genotype = Cells(Cells.Params(), microdata)
    genes = genotype.seeded(grouped(table, seed).select(microdata.protect))
    for kind in genotype.class_moves:
        for place in range(3):
            before = genes.copy()
            moved = moved_by(genotype, genes, kind, np.random.default_rng(place))
            genotype.check(moved)
            assert (genes == before).all()
            assert (moved == moved_by(genotype, genes, kind, np.random.default_rng(place))).all()
            rows = np.flatnonzero((moved != genes).any(axis=1))
            if len(rows) < 2:  # what could not be done became a change of one cell
                assert kind == "class-adoption" or (moved != genes).sum() <= 1
                continue
            if kind == "class-exchange":
                assert sizes(moved) == sizes(genes)
                assert partly is False or len(set(map(str, table.column("x")[rows].tolist()))) <= 1
            else:
                assert kind != "class-adoption"
                assert same_but_one_cell(genes, moved)
            if kind == "class-value":
                assert min(sizes(moved).values()) >= min(sizes(genes).values())
            if kind == "class-restoration":
                coded = genotype.seeded(microdata.original) if threshold is None else None
                assert coded is None or ((moved != genes) <= (moved == coded)).all()


def mutant(toolbox, genome, seed):
    toolbox.rng = np.random.default_rng(seed)
    (made,) = toolbox.mutate(Individual.unevaluated(genome, "start"))
    return made.genome


@pytest.mark.parametrize(("constraints", "kept"), [((), False), (("dr <= 90",), False), (("k-anonymity >= 3",), True)])
def test_moves_of_classes_are_tried_where_a_privacy_model_constrains(constraints, kept):
    given = {
        "seed": 7,
        "data": {"name": "housing", "first": 200, "protect": ("built", "degree", "grade1")},
        "start": {"methods": ({"method": "mdav", "k": 3},)},
        "fitness": "max",
        "algorithm": {"name": "memetic"},
        "constraints": constraints,
    }
    assembly = assemble(Experiment.model_validate(given), default_registry())
    toolbox, genotype = assembly.algorithm.toolbox, assembly.problem.genotype
    kinds = {move.kind for move in assembly.algorithm.moves}
    assert kinds == {*genotype.moves, *(genotype.class_moves if kept else ())}
    genome = genotype.random(np.random.default_rng(1))
    plain = [genotype.key(genotype.mutate(genome, np.random.default_rng(place))) for place in range(20)]
    tried = [genotype.key(mutant(toolbox, genome, place)) for place in range(20)]
    assert (tried == plain) is not kept


def test_mutants_keep_k_anonymity_half_of_the_time():
    rng = np.random.default_rng(2)
    from tests.table.test_record_rules import sample

    table = sample(rng, 200)
    genotype = Cells(Cells.Params(), Microdata(table, PROTECT))
    genes = genotype.seeded(grouped(table, 4))
    toolbox = toolbox_of(genotype, keeps_classes=True)
    least = min(sizes(genes).values())
    kept = sum(min(sizes(mutant(toolbox, genes, i)).values()) >= least for i in range(200))
    alone = sum(min(sizes(genotype.mutate(genes, np.random.default_rng(i))).values()) >= least for i in range(200))
    assert kept > 50 > alone
