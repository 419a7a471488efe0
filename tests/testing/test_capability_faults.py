"""Faults put into capabilities on purpose; the suite has to find each, and pass those that are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evosdc.model import (
    Changes,
    Described,
    Direct,
    Guaranteed,
    Masking,
    Stochastic,
)
from evosdc.table.table import MISSING, Table
from evosdc.testing import GenotypeConformance
from tests.testing.findings import findings
from tests.testing.genotypes import Copies, Levels, Swaps, locked
from tests.testing.measures import Counts
from tests.testing.test_genotype_suite import CATEGORICAL


class Able(Copies, Guaranteed, Direct, Described):
    """Has every capability that does not need random decoding, and says nothing wrong."""

    moves = ("row", "cell")
    generalises = True

    def moved(self, g, kinds, costly, through, rng):
        made = []
        for kind, drawn in zip(kinds, costly, strict=True):
            row = rng.integers(len(g))
            if drawn and through is not None:
                row = min(through.searchsorted(rng.random() * through[-1], "right"), len(g) - 1)
            changed = g.copy()
            columns = slice(None) if kind == "row" else rng.integers(g.shape[1])
            changed[row, columns] = g[rng.integers(len(g)), columns]
            made.append(locked(changed))
        return made

    def combined(self, g, changed):
        together = g.copy()
        for other in reversed(changed):
            together[other != g] = other[other != g]
        return locked(together)

    def violation(self, g):
        return float((g != MISSING).mean())

    @property
    def reference(self):
        return locked(np.full_like(self.microdata.original.codes, MISSING))

    def omitted(self, g):
        return np.flatnonzero((g == MISSING).all(axis=1))

    def direct(self, fitted):
        return lambda g: fitted.score(Table(self.microdata.original.schema, g, self.microdata.original.numbers))

    def initial_genomes(self):
        return ((Masking("nothing"), self.microdata.original.codes),)

    def traits(self, g):
        return {"present": float((g != MISSING).sum())}


class Told(Able):
    """Tells moves by what they change."""

    def moved(self, g, kinds, costly, through, rng):
        children = super().moved(g, kinds, costly, through, rng)
        rows = [self.changed_rows(g, child) for child in children]
        ends = np.cumsum([len(own) for own in rows])
        after = np.concatenate([child[own] for child, own in zip(children, rows, strict=True)])
        listed = np.concatenate(rows)
        before = self.decode_records(g, listed)
        return Changes(ends, listed, before, Table(before.schema, after, before.numbers))

    def changed(self, g, change):
        child = g.copy()
        child[change.rows] = change.after.codes
        return locked(child)


class ChangesTheMoved(Able):
    def moved(self, g, kinds, costly, through, rng):
        g.flags.writeable = True
        g[0] = g[-1]
        g[:, 0] = 0
        return [locked(g)] * len(kinds)


class MovesByChance(Able):
    def moved(self, g, kinds, costly, through, rng):
        return super().moved(g, kinds, costly, through, np.random.default_rng())


class MovesLess(Told):
    def moved(self, g, kinds, costly, through, rng):
        return super().moved(g, kinds, costly, through, rng).part(0, 1)


class TellsWhatWasNotThere(Told):
    def moved(self, g, kinds, costly, through, rng):
        told = super().moved(g, kinds, costly, through, rng)
        return told._replace(before=Table(told.before.schema, told.before.codes - 1, told.before.numbers))


class MakesAnotherThanItTells(Told):
    def changed(self, g, change):
        return super().changed(g, change.reversed())


class NamesAMoveTwice(Able):
    moves = ("row", "row")


class MovesNoRecord(Able):
    def extent(self, kind):
        return 0.0


class MovesUndefined(Copies):
    moves = ("row",)


class DecodesOtherRecords(Able):
    def decode_records(self, g, rows):
        return super().decode_records(g, rows[::-1])


class MovesOutOfTheDomain(Able):
    def moved(self, g, kinds, costly, through, rng):
        return [locked(g + 100)] * len(kinds)


class CombinesOutOfTheDomain(Able):
    def combined(self, g, changed):
        return locked(g + 100)


class ViolatesTooMuch(Able):
    def violation(self, g):
        return 100.0 * super().violation(g)


class RefersToWhatIsForbidden(Able):
    @property
    def reference(self):
        return self.microdata.original.codes


class OmitsTwice(Able):
    def omitted(self, g):
        return np.zeros(2, dtype=np.intp)


class OmitsWhatIsNotThere(Able):
    def omitted(self, g):
        return np.array([len(g)], dtype=np.intp)


class ScoresOtherwise(Able):
    def direct(self, fitted):
        return lambda g: 1.0 + super(ScoresOtherwise, self).direct(fitted)(g)


class KnowsNoScore(Able):
    def direct(self, fitted):
        return None


class HasEndlessTraits(Able):
    def traits(self, g):
        return {"size": float("inf")}


class DrawsPictures(Able):
    def pictures(self, g):
        return {"a picture": "o-o"}


class StartsAnew(Able):
    started = 0

    def initial_genomes(self):
        type(self).started += 1
        return ((Masking("random"), self.random(np.random.default_rng(type(self).started))),)


class StartsUnderOneName(Able):
    def initial_genomes(self):
        return (*super().initial_genomes(), (Masking("nothing"), self.reference))


class DrawsInSecret(Levels):
    def decode(self, g, rng):
        return super().decode((g[0], int(rng.integers(len(self.microdata.original)))), rng)


class DrawsNothing(Swaps):
    @property
    def draws(self):
        return 0


def found(genotype: type[Any], test: str) -> str:
    class Suite(GenotypeConformance):
        scales = CATEGORICAL

        def genotype(self, microdata):
            return genotype(genotype.Params(), microdata)

        def measures(self, original):
            return (Counts(original),)

    return findings(Suite, test).get(test, "")


MOVES = "test_moves_make_genomes_and_change_none"
RECORDS = "test_single_records_are_those_of_the_decoded_table"
VIOLATIONS = "test_violations_are_shares_and_the_reference_has_none"
OMITTED = "test_omitted_records_are_positions"
DIRECT = "test_direct_scores_are_those_of_the_decoded_tables"
SHOWN = "test_what_is_said_of_genomes_can_be_shown"
INITIAL = "test_initial_genomes_are_named_and_always_the_same"
DRAWN = "test_decoding_that_is_not_randomised_draws_nothing"
DRAWS = "test_draws_are_counted"

FAULTS = [
    (ChangesTheMoved, MOVES, "changed what was passed to it"),
    (MovesByChance, MOVES, "equal generators gave different results"),
    (MovesLess, MOVES, "1 children where 3 were requested"),
    (TellsWhatWasNotThere, MOVES, "other records before than decode"),
    (MakesAnotherThanItTells, MOVES, "another genome than the one that moved tells of"),
    (NamesAMoveTwice, MOVES, "name a kind twice"),
    (MovesNoRecord, MOVES, "less than a record"),
    (MovesUndefined, MOVES, "has to define moved"),
    (DecodesOtherRecords, RECORDS, "other records than decode"),
    (MovesOutOfTheDomain, MOVES, "PluginError"),
    (CombinesOutOfTheDomain, MOVES, "PluginError"),
    (ViolatesTooMuch, VIOLATIONS, "wanted 0..1"),
    (RefersToWhatIsForbidden, VIOLATIONS, "the reference may not be published itself"),
    (OmitsTwice, OMITTED, "returned a record twice"),
    (OmitsWhatIsNotThere, OMITTED, "out of range"),
    (ScoresOtherwise, DIRECT, "its table has"),
    (KnowsNoScore, DIRECT, "direct knows no score of Counts"),
    (HasEndlessTraits, SHOWN, "a trait is not finite"),
    (DrawsPictures, SHOWN, "a picture is no SVG document"),
    (StartsAnew, INITIAL, "gives other genomes when called again"),
    (StartsUnderOneName, INITIAL, "gives two genomes the same label"),
    (DrawsInSecret, DRAWN, "decode drew random numbers"),
    (DrawsNothing, DRAWS, "wanted at least 1"),
]


@pytest.mark.parametrize(("genotype", "test", "message"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_the_fault_is_found(genotype: type[Any], test: str, message: str) -> None:
    assert message in found(genotype, test)


@pytest.mark.parametrize("test", [MOVES, RECORDS, VIOLATIONS, OMITTED, DIRECT, SHOWN, INITIAL, DRAWN])
@pytest.mark.parametrize("genotype", [Able, Told])
def test_capabilities_that_are_right_pass(genotype: type[Any], test: str) -> None:
    assert found(genotype, test) == ""


def test_a_genotype_is_asked_for_its_own_capabilities_only() -> None:
    assert not issubclass(Levels, Stochastic)
    assert found(Levels, MOVES) == found(Levels, VIOLATIONS) == found(Levels, DRAWS) == ""
