"""Genotype suite: what the genotype says that it can do besides (`evosdc.model.capabilities`) is true.

A test asks nothing of a genotype that has not the capability that it is about.
"""

# ruff: noqa: D102 -- the name of a test says what it asserts

from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite
from typing import Any

import numpy as np

from evosdc.model import (
    Changes,
    Described,
    Direct,
    Fitted,
    Generalising,
    Local,
    PostRandomised,
    Randomised,
    Restricted,
    Seedable,
    SelfStarting,
)
from evosdc.table.table import Rows, Table
from evosdc.testing.acceptance import on_every_table
from evosdc.testing.genomes import assert_genome
from evosdc.testing.genotype_subject import GenotypeSubject, draws_of, protected
from evosdc.testing.purity import assert_repeatable, generator, unchanged
from evosdc.testing.tables import edited


def _where(capability: type[Any]) -> Callable[[Callable[[Any, Any], None]], Callable[[Any, str], None]]:
    """Return a decorator of tests that gives them the genotype on every table, where it has the capability."""

    def decorated(test: Callable[[Any, Any], None]) -> Callable[[Any, str], None]:
        def on_table(self: GenotypeSubject, table_name: str) -> None:
            genotype = self.made(table_name)
            if isinstance(genotype, capability):
                test(self, genotype)

        # Not by functools.wraps: pytest would look for the arguments of the test itself.
        on_table.__name__, on_table.__qualname__ = test.__name__, test.__qualname__
        marked: Callable[[Any, str], None] = on_every_table(on_table)
        return marked

    return decorated


class CapabilityTests(GenotypeSubject):
    """Tests of each capability."""

    def measures(self, original: Table) -> Sequence[Fitted]:
        """Return fitted measures whose scores a `Direct` genotype knows without a table; override to have them asked.

        By default none.
        """
        return ()

    @_where(Seedable)
    def test_seeded_genomes_stand_for_their_files(self, genotype: Seedable[Any]) -> None:
        for masked in protected(genotype.microdata.original):
            genome = genotype.seeded(masked)
            genotype.check(genome)
            if self.exact_seeding:
                assert self.decoded(genotype, genome).same_records(masked), "seeded(masked) does not decode to masked"

    @_where(Seedable)
    def test_seeding_changes_no_file(self, genotype: Seedable[Any]) -> None:
        masked = edited(genotype.microdata.original, generator(5))[0]
        with unchanged("seeded", masked, genotype.microdata.table):
            genotype.seeded(masked)

    @_where(SelfStarting)
    def test_initial_genomes_are_named_and_always_the_same(self, genotype: SelfStarting[Any]) -> None:
        twin: SelfStarting[Any] = self.genotype(genotype.microdata)  # type: ignore[assignment]
        labels = [masking.label for masking, _ in genotype.initial_genomes()]
        assert len(set(labels)) == len(labels), "initial_genomes gives two genomes the same label"
        keys = [[made.key(genome) for _, genome in made.initial_genomes()] for made in (genotype, twin)]
        assert keys[0] == keys[1], "initial_genomes gives other genomes when asked again"

    @_where(Local)
    def test_changed_rows_miss_no_change(self, genotype: Local[Any]) -> None:
        a, b = (genotype.random(generator(12, i)) for i in range(2))
        relatives = [(a, a), (a, b), *((a, child) for child in genotype.crossover(a, b, generator(13)))]
        for i in range(5):
            relatives.append((a, genotype.mutate(a, generator(14, i))))
        for parent, child in relatives:
            with unchanged("changed_rows", parent, child):
                rows = genotype.changed_rows(parent, child)
            if rows is None:
                continue
            _assert_positions(rows, "changed_rows")
            for draw in range(min(draws_of(genotype), 3)):
                before, after = self.decoded(genotype, parent, draw), self.decoded(genotype, child, draw)
                assert _different_rows(before, after) <= set(rows.tolist()), "changed_rows forgets records that differ"

    @_where(Local)
    def test_single_records_are_those_of_the_decoded_table(self, genotype: Local[Any]) -> None:
        for i in range(3):
            genome = genotype.random(generator(15, i))
            table = self.decoded(genotype, genome)
            rows = generator(16, i).integers(0, len(table), 5).astype(np.intp)
            for asked in (rows, rows[:0]):
                with unchanged("decode_records", genome):
                    records = genotype.decode_records(genome, asked)
                assert records.same_records(table.take(asked)), "decode_records gives other records than decode"

    @_where(Local)
    def test_changes_lead_from_parent_to_child(self, genotype: Local[Any]) -> None:
        parent, records = genotype.random(generator(17)), len(genotype.microdata.original)
        for place in range(3):
            child = genotype.mutate(parent, generator(18, place))
            change = genotype.change(parent, child, records)
            if change is not None and not isinstance(genotype, Generalising):
                before, after = self.decoded(genotype, parent), self.decoded(genotype, child)
                assert change.applied_to(before).same_records(after), "change does not lead to the child's table"

    @_where(Local)
    def test_moves_make_genomes_and_change_none(self, genotype: Local[Any]) -> None:
        kinds = (*genotype.moves, *genotype.class_moves)
        assert len(set(kinds)) == len(kinds), "moves and class_moves name a kind twice"
        assert all(genotype.extent(kind) >= 1.0 for kind in kinds), "extent gives less than a record"
        genome, records = genotype.random(generator(17)), len(genotype.microdata.original)
        for place, through in enumerate((None, generator(19).random(records).cumsum())):
            for kind in kinds:
                moving = partial(genotype.moved, genome, [kind] * 3, [False, True, True], through)
                with unchanged(f"moved {kind!r}", genome, genotype.microdata.table):
                    made = assert_repeatable(moving, place, f"moved {kind!r}")
                self._assert_children(genotype, genome, made)

    def _assert_children(self, genotype: Local[Any], genome: Any, made: Sequence[Any] | Changes) -> None:
        """Look at three children: genomes, or what these change."""
        genomes = made
        if isinstance(made, Changes):
            assert len(made.ends) == 3, f"moved tells of {len(made.ends)} children where 3 were asked for"
            parts = [made.part(place, place + 1) for place in range(3)]
            genomes = [genotype.changed(genome, part) for part in parts]
            before = self.decoded(genotype, genome)
            for part, child in zip(parts, genomes, strict=True):
                assert part.before.same_records(before.take(part.rows)), "moved tells other records before than decode"
                assert part.applied_to(before).same_records(self.decoded(genotype, child)), (
                    "changed makes another genome than the one that moved tells of"
                )
        for child in genomes:
            assert_genome(child, "moved")
            genotype.check(child)
        if not isinstance(made, Changes) and (together := genotype.combined(genome, made)) is not None:
            assert_genome(together, "combined")
            genotype.check(together)

    @_where(Randomised)
    def test_draws_are_counted(self, genotype: Randomised[Any]) -> None:
        assert genotype.draws >= 1, f"draws is {genotype.draws}, wanted at least 1"
        assert genotype.fresh_draws >= 0, f"fresh_draws is {genotype.fresh_draws}, wanted at least 0"

    @_where(PostRandomised)
    def test_transitions_say_what_decode_draws(self, genotype: PostRandomised[Any]) -> None:
        original = genotype.microdata.original
        for _, genome in self.genomes(genotype, count=2):
            transitions = genotype.transitions(genome)
            assert len(transitions) == len(original.schema), "transitions has not one matrix an attribute"
            decoded = self.decoded(genotype, genome)
            for v, (attribute, matrix) in enumerate(zip(original.schema.categorical, transitions, strict=True)):
                size = len(attribute.categories)
                assert matrix.shape == (size, size), f"the matrix of {attribute.name} has shape {matrix.shape}"
                assert ((matrix >= 0.0) & (matrix <= 1.0 + 1e-12)).all(), "a transition probability is outside 0..1"
                assert np.allclose(matrix.sum(axis=1), 1.0, rtol=0.0, atol=1e-12), (
                    "a row of transitions does not sum to 1"
                )
                before, after = original.codes[:, v], decoded.codes[:, v]
                present = before >= 0
                assert ((after >= 0) == present).all(), "a missing value became a category, or a category missing"
                assert (matrix[before[present], after[present]] > 0.0).all(), "decode drew what has probability 0"

    @_where(Restricted)
    def test_violations_are_shares_and_the_reference_has_none(self, genotype: Restricted[Any]) -> None:
        genotype.check(genotype.reference)
        assert genotype.violation(genotype.reference) == 0.0, "the reference may not be published itself"
        for maker, genome in self.genomes(genotype):
            violation = genotype.violation(genome)
            assert 0.0 <= violation <= 1.0, f"violation of a genome made by {maker} is {violation}, wanted 0..1"

    @_where(Generalising)
    def test_omitted_records_are_positions(self, genotype: Generalising[Any]) -> None:
        for _, genome in self.genomes(genotype):
            omitted = genotype.omitted(genome)
            if omitted is not None and omitted.size:
                _assert_positions(omitted, "omitted")
                assert 0 <= omitted.min() <= omitted.max() < len(genotype.microdata.original), "omitted is out of range"

    @_where(Direct)
    def test_direct_scores_are_those_of_the_decoded_tables(self, genotype: Direct[Any]) -> None:
        for fitted in self.measures(genotype.microdata.original):
            score = genotype.direct(fitted)
            assert score is not None, f"direct knows no score of {type(fitted).__name__}"
            for maker, genome in self.genomes(genotype):
                wanted, found = fitted.score(self.decoded(genotype, genome)), score(genome)
                assert np.isclose(found, wanted, rtol=1e-12, atol=1e-9), (
                    f"direct gives {found} for a genome made by {maker}, its table has {wanted}"
                )

    @_where(Described)
    def test_what_is_said_of_genomes_can_be_shown(self, genotype: Described[Any]) -> None:
        assert all(isinstance(note, str) for note in genotype.notes), "a note is no text"
        for _, genome in self.genomes(genotype, count=2):
            with unchanged("traits, pictures or files", genome, genotype.microdata.table):
                traits, pictures = genotype.traits(genome), genotype.pictures(genome)
                files = genotype.files(genome)
            assert all(map(isfinite, traits.values())), f"a trait is not finite: {dict(traits)}"
            assert set(genotype.trait_names) <= set(traits), "a genome lacks a trait that all have"
            assert all("<svg" in picture for picture in pictures.values()), "a picture is no SVG document"
            assert all(isinstance(text, str) for text in files.values()), "a file is no text"
            assert dict(genotype.traits(genome)) == dict(traits), "traits differ when asked again"


def _assert_positions(rows: Rows, method: str) -> None:
    assert rows.dtype == np.intp, f"{method} returned {rows.dtype}, wanted intp"
    assert rows.ndim == 1, f"{method} returned {rows.ndim} dimensions, wanted 1"
    assert np.unique(rows).size == rows.size, f"{method} returned a record twice"


def _different_rows(a: Table, b: Table) -> set[int]:
    codes = (a.codes != b.codes).any(axis=1)
    numbers = ((a.numbers != b.numbers) & ~(np.isnan(a.numbers) & np.isnan(b.numbers))).any(axis=1)
    return set(np.flatnonzero(codes | numbers).tolist())
