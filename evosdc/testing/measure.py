"""Conformance of measures and their trackers."""

# ruff: noqa: D102 -- the name of a test says what it asserts

from collections.abc import Collection, Set
from dataclasses import replace
from math import isfinite
from typing import ClassVar

import numpy as np
import pytest

from evosdc.errors import ParameterError
from evosdc.model import Fitted, Measure, Microdata
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import Table
from evosdc.testing.acceptance import accepted, assert_unknown_keys_refused, kept, on_every_table
from evosdc.testing.purity import assert_same_again, fingerprint, generator, unchanged
from evosdc.testing.tables import INTERPRETED, changes_of, edited, interpreted, sample_table, shuffled

_ROUNDING = 1e-9


class MeasureConformance:
    """Tests that every measure must pass; subclass it and say how the measure is made.

    Its trackers are taken through random edits.

    Examples
    --------
    >>> class TestShareChanged(MeasureConformance):
    ...     identity = 0.0
    ...
    ...     def measure(self):
    ...         return ShareChanged(ShareChanged.Params())
    """

    kind: ClassVar[str] = "il"
    """As in the spec: of il the unchanged file must have the least, of dr the greatest score, of model neither."""

    range: ClassVar[tuple[float, float]] = (0.0, 100.0)  #: Least and greatest value, as in the spec.
    identity: ClassVar[float | None] = None  #: Score of the unchanged file, where it is the same for all files.
    order_matters: ClassVar[bool] = False  #: Declare True when the score depends, on purpose, on the order of records.

    scales: ClassVar[Set[Scale] | None] = None
    """Scales of the attributes in the test tables, where parameters narrow what the measure supports; None for all."""

    interpreted: ClassVar[Collection[str]] = INTERPRETED
    """Names of the tables on which kernels are run uncompiled; fewer where that takes long."""

    def measure(self) -> Measure:
        """Return the measure to test."""
        raise NotImplementedError("define measure(self) and return the measure to test")

    def table(self, table_name: str) -> Table:
        """Return an original; override to attach hierarchies or to choose other data."""
        return sample_table(table_name, self.scales or self.measure().supports)

    def fitted(self, table_name: str) -> tuple[Table, Fitted]:
        """Return an original and the measure fitted on it; skips where the measure refuses an unusual table."""
        original = kept(self, table_name, lambda: self.table(table_name))
        return original, accepted(table_name, lambda: kept(self, ("fitted", table_name), lambda: self._fit(original)))[
            0
        ]

    def _fit(self, original: Table) -> tuple[Fitted, bool]:
        """Return the measure fitted on an original, and whether that is still what it was."""
        before = fingerprint(original)
        fitted = self.measure().fit(original)
        return fitted, fingerprint(original) == before

    def tracked(self, table_name: str) -> tuple[Table, Fitted]:
        """Return an original and the measure fitted on it; skips where each table is scored from scratch."""
        original, fitted = self.fitted(table_name)
        if type(fitted).track is Fitted.track:
            pytest.skip("it has no tracker of its own")
        return original, fitted

    def scored(self, table_name: str) -> tuple[list[Table], list[float]]:
        """Return masked versions of a table, and their scores as the suite first saw them."""
        original, fitted = self.fitted(table_name)

        def score() -> tuple[list[Table], list[float], bool]:
            versions = self.versions(original)
            before = fingerprint(versions)
            return versions, [fitted.score(masked) for masked in versions], fingerprint(versions) == before

        return kept(self, ("scored", table_name), score)[:2]

    def versions(self, original: Table) -> list[Table]:
        """Return masked versions of a table, from untouched to shuffled."""
        light, _ = edited(original, generator(1), 0.05)
        heavy, _ = edited(original, generator(2), 0.8)
        return [original, light, heavy, shuffled(original, generator(3))]

    @on_every_table
    def test_scores_are_finite_and_in_range(self, table_name: str) -> None:
        least, greatest = self.range
        for score in self.scored(table_name)[1]:
            assert isinstance(score, float), f"score returned {type(score).__name__}, wanted float"
            assert isfinite(score), f"score returned {score}"
            assert least <= score <= greatest, f"score {score} lies outside {least}..{greatest}"

    @on_every_table
    def test_the_unchanged_file_has_the_declared_score(self, table_name: str) -> None:
        if self.identity is not None:
            assert self.scored(table_name)[1][0] == pytest.approx(self.identity, abs=_ROUNDING)

    def test_more_masking_moves_the_score_in_the_declared_direction(self) -> None:
        assert self.kind in ("il", "dr", "model"), f"kind is {self.kind!r}, wanted il, dr or model"
        untouched, *masked = self.scored("many-records")[1]
        if self.kind == "il":
            assert untouched <= min(masked) + _ROUNDING, "an unchanged file must not lose more than a masked one"
        elif self.kind == "dr":
            assert untouched >= masked[-1] - _ROUNDING, "a shuffled file must not be riskier than the original itself"

    @on_every_table
    def test_nothing_but_the_tables_decides(self, table_name: str) -> None:
        original, _ = self.fitted(table_name)
        versions, scores = self.scored(table_name)
        assert_same_again(lambda _: self.measure().fit(original).score(versions[2]), 0, scores[2], "fit and score")

    @on_every_table
    def test_earlier_questions_do_not_matter(self, table_name: str) -> None:
        versions, first = self.scored(table_name)
        again = [self.fitted(table_name)[1].score(masked) for masked in reversed(versions)]
        assert again[::-1] == first, "the order of questions decides the scores: the fitted measure remembers something"

    @on_every_table
    def test_tables_are_not_changed(self, table_name: str) -> None:
        self.scored(table_name)  # from here on both are kept
        assert kept(self, ("fitted", table_name), tuple)[1], "fit changed what was passed to it; work on a copy"
        assert kept(self, ("scored", table_name), tuple)[2], "score changed what was passed to it; work on a copy"

    @on_every_table
    def test_the_order_of_records_does_not_matter(self, table_name: str) -> None:
        original, _ = self.fitted(table_name)
        order = generator(4).permutation(len(original)).astype(np.intp)
        permuted = self.measure().fit(original.take(order))
        if not self.order_matters:
            for masked, score in zip(*self.scored(table_name), strict=True):
                assert permuted.score(masked.take(order)) == pytest.approx(score, rel=_ROUNDING, abs=1e-9)

    @on_every_table
    def test_kernels_stay_within_their_arrays(self, table_name: str) -> None:
        if table_name not in self.interpreted:
            pytest.skip("small tables are enough")
        original, fitted = self.fitted(table_name)
        versions, compiled = self.scored(table_name)[0][:3], self.scored(table_name)[1][:3]
        masked, rows = edited(versions[1], generator(7), 0.1)
        follows = type(fitted).track is not Fitted.track
        compiled += [fitted.score(masked)] * 2 if follows else []
        with interpreted():
            again = self.measure().fit(original)
            found = [again.score(version) for version in versions]
            if follows:
                tracker = again.track(versions[1])
                change = changes_of(versions[1], [(masked, rows)])
                found += tracker.tries(change).tolist()
                tracker.take(change)
                found.append(tracker.score)
        assert found == pytest.approx(compiled, rel=_ROUNDING, abs=1e-9), "compiled, it is another score"

    @on_every_table
    def test_a_tracker_has_the_score_of_its_table(self, table_name: str) -> None:
        original, fitted = self.tracked(table_name)
        rng = generator(12)
        masked, tracker = original, fitted.track(original)
        for share in (0.0, 0.02, 0.1, 0.5, 1.0, 0.05, 0.02):
            child, rows = edited(masked, rng, share)
            change = changes_of(masked, [(child, rows)])
            with unchanged("take", masked, child, change):
                tracker.take(change)
            masked = child
            assert tracker.score == pytest.approx(fitted.score(masked), rel=_ROUNDING, abs=_ROUNDING)
        everything = np.arange(len(original), dtype=np.intp)
        tracker.take(changes_of(masked, [(original, everything)]))
        assert tracker.score == pytest.approx(fitted.score(original), rel=_ROUNDING, abs=_ROUNDING)

    @on_every_table
    def test_children_have_the_scores_of_their_tables(self, table_name: str) -> None:
        original, fitted = self.tracked(table_name)
        rng = generator(13)
        parent, _ = edited(original, rng, 0.3)
        tracker = fitted.track(parent)
        before = tracker.score
        children = [edited(parent, rng, share) for share in (0.02, 0.0, 0.1, 0.02, 0.5, 0.02, 1.0, 0.1)]
        children.append((original, np.arange(len(original), dtype=np.intp)))
        changes = changes_of(parent, children)
        with unchanged("tries", parent, changes):
            found = tracker.tries(changes)
        assert found.shape == (len(children),)
        assert found.tolist() == pytest.approx(
            [fitted.score(child) for child, _ in children], rel=_ROUNDING, abs=_ROUNDING
        )
        assert tracker.score == before, "tries moved the score of the table itself"
        assert tracker.tries(changes).tolist() == found.tolist(), "scored again, the children have other scores"
        assert tracker.tries(changes_of(parent, [])).shape == (0,)
        about = tracker.estimates(changes)
        if about is not None:
            assert about.shape == found.shape
            assert np.isfinite(about).all()
            assert tracker.score == before, "estimates moved the score of the table itself"

    @on_every_table
    def test_trackers_of_one_measure_share_no_state(self, table_name: str) -> None:
        original, fitted = self.tracked(table_name)
        rng = generator(14)
        family = [(original, fitted.track(original)) for _ in range(3)]
        for _ in range(6):
            place = int(rng.integers(len(family)))
            table, tracker = family[place]
            child, rows = edited(table, rng, 0.1)
            tracker.take(changes_of(table, [(child, rows)]))
            family[place] = child, tracker
        for table, tracker in family:
            assert tracker.score == pytest.approx(fitted.score(table), rel=_ROUNDING, abs=_ROUNDING)

    @on_every_table
    def test_contributions_of_records_are_those_of_the_table(self, table_name: str) -> None:
        original, fitted = self.tracked(table_name)
        rng = generator(15)
        parent, _ = edited(original, rng, 0.3)
        child, rows = edited(parent, rng, 0.1)
        tracker = fitted.track(parent)
        tracker.take(changes_of(parent, [(child, rows)]))
        followed, fresh = tracker.contributions(), fitted.track(child).contributions()
        if followed is None or fresh is None:
            assert followed is fresh, "contributions are known of some tables only"
            pytest.skip("its score belongs to no records")
        assert followed.shape == (len(original),)
        assert followed == pytest.approx(fresh, rel=_ROUNDING, abs=_ROUNDING)
        assert (followed >= 0.0).all(), "contributions must not be negative"
        assert min(float(followed.sum()), self.range[1]) == pytest.approx(tracker.score, abs=1e-6)

    def test_a_partial_measure_leaves_other_attributes_out(self) -> None:
        measure = self.measure()
        if not measure.partial:
            pytest.skip("judges all attributes of a file")
        mixed = sample_table("ordinary", frozenset(Scale))
        own = mixed.select([a.name for a in mixed.schema.attributes if a.scale in measure.supports])
        masked, _ = edited(mixed, generator(7), 0.5)
        measure.require_support(mixed)
        assert measure.fit(mixed).score(masked) == measure.fit(own).score(masked.select(own.schema.names))

    def test_attributes_that_are_not_protected_are_of_no_account(self) -> None:
        if self.measure().auxiliary_all:
            return  # it says that they are
        original = self.table("ordinary")
        masked = self.versions(original)[2]
        ward = Attribute("ward", scale=Scale.NOMINAL, categories=("north", "south"))
        schema = replace(original.schema, attributes=(*original.schema.attributes, ward))
        wards = (np.arange(len(original)) % 2).astype(np.int32)[:, None]
        whole = Microdata(Table(schema, np.hstack([original.codes, wards]), original.numbers), original.schema.names)
        among_others, alone = self.measure().fit_in(whole), self.measure().fit(original)
        assert among_others.score(masked) == alone.score(masked), "fit_in and fit differ"

    def test_unsupported_scales_are_refused(self) -> None:
        measure = self.measure()
        assert measure.supports, "supports is empty"
        assert measure.supports <= frozenset(Scale), "supports holds something that is no Scale"
        for scale in frozenset(Scale) - measure.supports:
            with pytest.raises(ParameterError):
                measure.require_support(sample_table("ordinary", {scale}))

    def test_unknown_parameters_are_refused(self) -> None:
        assert_unknown_keys_refused(self.measure())
