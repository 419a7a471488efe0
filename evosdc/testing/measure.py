"""Conformance of measures and their trackers."""

# ruff: noqa: D102 -- the name of a test says what it asserts

from collections.abc import Collection, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import isfinite
from typing import Any, ClassVar

import numpy as np
import pytest

from evosdc.errors import ParameterError
from evosdc.model import Batched, Fitted, Incremental, Measure, Microdata
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import Table
from evosdc.testing.acceptance import accepted, assert_unknown_keys_refused, on_every_table
from evosdc.testing.interpretation import interpreted
from evosdc.testing.purity import assert_repeatable, fingerprint, generator, unchanged
from evosdc.testing.tables import INTERPRETED, changes_of, edited, sample_table, shuffled

_ROUNDING = 1e-9


class MeasureConformance:
    """Tests that every measure must pass; subclass it and say how the measure is made.

    A measure whose `fit` returns an `evosdc.model.Incremental` is also followed through random edits.

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

    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    """Least and greatest value, as in the spec."""

    identity: ClassVar[float | None] = None
    """Score of the unchanged file, where it is the same for all files."""

    order_matters: ClassVar[bool] = False
    """Declare True when the score depends, on purpose, on the order of records."""

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
        original = self.table(table_name)
        return original, accepted(table_name, lambda: self.measure().fit(original))

    def versions(self, original: Table) -> list[Table]:
        """Return masked versions of a table, from untouched to shuffled."""
        light, _ = edited(original, generator(1), 0.05)
        heavy, _ = edited(original, generator(2), 0.8)
        return [original, light, heavy, shuffled(original, generator(3))]

    @on_every_table
    def test_scores_are_finite_and_in_range(self, table_name: str) -> None:
        original, fitted = self.fitted(table_name)
        least, greatest = self.range
        for masked in self.versions(original):
            score = fitted.score(masked)
            assert isinstance(score, float), f"score returned {type(score).__name__}, wanted float"
            assert isfinite(score), f"score returned {score}"
            assert least <= score <= greatest, f"score {score} lies outside {least}..{greatest}"

    @on_every_table
    def test_the_unchanged_file_has_the_declared_score(self, table_name: str) -> None:
        if self.identity is not None:
            original, fitted = self.fitted(table_name)
            assert fitted.score(original) == pytest.approx(self.identity, abs=_ROUNDING)

    def test_more_masking_moves_the_score_in_the_declared_direction(self) -> None:
        assert self.kind in ("il", "dr", "model"), f"kind is {self.kind!r}, wanted il, dr or model"
        original, fitted = self.fitted("many-records")
        untouched, *masked = (fitted.score(version) for version in self.versions(original))
        if self.kind == "il":
            assert untouched <= min(masked) + _ROUNDING, "an unchanged file must not lose more than a masked one"
        elif self.kind == "dr":
            assert untouched >= masked[-1] - _ROUNDING, "a shuffled file must not be riskier than the original itself"

    @on_every_table
    def test_burdens_of_records_sum_to_the_score(self, table_name: str) -> None:
        original, fitted = self.fitted(table_name)
        for masked in self.versions(original):
            burdens = fitted.burdens(masked)
            if burdens is None:
                pytest.skip("its score belongs to no records")
            assert burdens.shape == (len(original),), f"burdens have shape {burdens.shape}, wanted {(len(original),)}"
            assert (burdens >= 0.0).all(), "burdens must not be negative"
            total = float(burdens.sum())
            assert min(total, self.range[1]) == pytest.approx(fitted.score(masked), abs=1e-6), "burdens miss the score"

    @on_every_table
    def test_nothing_but_the_tables_decides(self, table_name: str) -> None:
        original, fitted = self.fitted(table_name)
        masked = self.versions(original)[2]
        fresh = assert_repeatable(lambda _: self.measure().fit(original).score(masked), 0, "fit and score")
        assert fitted.score(masked) == fresh, "two fits on one original give different scores"

    @on_every_table
    def test_earlier_questions_do_not_matter(self, table_name: str) -> None:
        original, fitted = self.fitted(table_name)
        versions = self.versions(original)
        first = [fitted.score(masked) for masked in versions]
        again = [fitted.score(masked) for masked in reversed(versions)]
        assert again[::-1] == first, "the order of questions decides the scores: the fitted measure remembers something"

    @on_every_table
    def test_tables_are_not_changed(self, table_name: str) -> None:
        original = self.table(table_name)
        masked = self.versions(original)[2]
        with unchanged("fit", original):
            fitted = accepted(table_name, lambda: self.measure().fit(original))
        with unchanged("score", original, masked):
            fitted.score(masked)

    @on_every_table
    def test_the_order_of_records_does_not_matter(self, table_name: str) -> None:
        original, fitted = self.fitted(table_name)
        order = generator(4).permutation(len(original)).astype(np.intp)
        permuted = self.measure().fit(original.take(order))
        if not self.order_matters:
            for masked in self.versions(original):
                assert permuted.score(masked.take(order)) == pytest.approx(
                    fitted.score(masked), rel=_ROUNDING, abs=1e-9
                )

    @on_every_table
    def test_updates_equal_starts_to_the_last_bit(self, table_name: str) -> None:
        original, fitted = self.incremental(table_name)
        rng = generator(5)
        masked, state = original, fitted.start(original)
        for share in (0.0, 0.02, 0.1, 0.5, 1.0, 0.05, 0.02):
            masked, rows = edited(masked, rng, share)
            with unchanged("update", masked, rows):
                state = fitted.update(state, masked, rows)
            self._assert_same(fitted, state, masked)
        state = fitted.update(state, masked, rows[:0])
        self._assert_same(fitted, state, masked)
        state = fitted.update(state, original, np.arange(len(original), dtype=np.intp))
        self._assert_same(fitted, state, original)

    @on_every_table
    def test_old_states_stay_usable(self, table_name: str) -> None:
        original, fitted = self.incremental(table_name)
        rng = generator(6)
        family: list[tuple[Table, Any]] = [(original, fitted.start(original))]
        for _ in range(6):
            table, state = family[int(rng.integers(len(family)))]
            child, rows = edited(table, rng, 0.1)
            with unchanged("update", state):
                family.append((child, fitted.update(state, child, rows)))
        for table, state in family:
            self._assert_same(fitted, state, table)

    @on_every_table
    def test_states_that_may_be_altered_are_followed_to_the_last_bit(self, table_name: str) -> None:
        original, fitted = self.incremental(table_name)
        rng = generator(8)
        # As the engine follows large files: two versions take turns, and of an earlier one rows are set.
        versions = [(original.codes.copy(), original.numbers.copy()) for _ in range(2)]
        masked, state = original, fitted.start(original)
        behind = np.zeros(0, dtype=np.intp)
        for turn, share in enumerate((0.02, 0.1, 0.0, 0.5, 0.02, 0.05, 0.02)):
            target, rows = edited(masked, rng, share)
            codes, numbers = versions[turn % 2]
            stale = np.concatenate([behind, rows])
            codes[stale], numbers[stale] = target.codes[stale], target.numbers[stale]
            now = codes.view(), numbers.view()
            for view in now:
                view.flags.writeable = False
            masked, behind = Table(original.schema, *now), rows
            state = fitted.follow(state, masked, rows)
            assert fitted.value(state) == fitted.value(fitted.start(target)), "follow leads elsewhere than start"

    @on_every_table
    def test_children_are_judged_together_to_the_last_bit(self, table_name: str) -> None:
        original, fitted = self.incremental(table_name)
        if not isinstance(fitted, Batched) or not fitted.together:
            pytest.skip("judges children one by one")
        rng = generator(9)
        parent, _ = edited(original, rng, 0.3)
        state = fitted.start(parent)
        children = [edited(parent, rng, share) for share in (0.02, 0.0, 0.1, 0.02, 0.5, 0.02, 1.0, 0.1)]
        children.append((original, np.arange(len(original), dtype=np.intp)))
        before = fitted.value(state)
        found = fitted.values(state, changes_of(parent, children))
        assert found.shape == (len(children),)
        # What it remembers of the children is its own affair.
        assert fitted.value(state) == before, "values left another score in the parent's state"
        again = fitted.values(state, changes_of(parent, children))
        assert again.tolist() == found.tolist(), "asked again, the children have other scores"
        for value, (child, rows) in zip(found.tolist(), children, strict=True):
            assert value == fitted.value(fitted.update(state, child, rows)), "together, it is another score"
        assert fitted.values(state, changes_of(parent, [])).shape == (0,)

    @on_every_table
    def test_parts_of_the_children_are_judged_at_the_same_time(self, table_name: str) -> None:
        original, fitted = self.incremental(table_name)
        if not isinstance(fitted, Batched) or not fitted.together or not fitted.divisible:
            pytest.skip("judges all children of a file in one call")
        rng = generator(11)
        parent, _ = edited(original, rng, 0.3)
        children = [edited(parent, rng, share) for share in (0.02, 0.1, 0.02, 0.0, 0.5, 0.02)]
        changes, state = changes_of(parent, children), fitted.start(parent)
        held, found = fingerprint(state), fitted.values(state, changes).tolist()
        parts = [changes.part(*bounds) for bounds in ((0, 1), (1, 4), (4, 4), (4, 6))]
        for _ in range(3):
            with ThreadPoolExecutor(2) as pool:
                several = list(pool.map(lambda part: fitted.values(state, part).tolist(), parts))
            assert [value for part in several for value in part] == found, "in parts, the children have other scores"
        assert fingerprint(state) == held, "values changed the state: it is not divisible"

    @on_every_table
    def test_a_start_does_not_hold_on_to_earlier_ones(self, table_name: str) -> None:
        original, fitted = self.incremental(table_name)
        state = fitted.start(original)
        held = fingerprint(state)
        fitted.value(state)
        fitted.start(self.versions(original)[2])
        assert fingerprint(state) == held, "a later start changed the state of an earlier one"

    @on_every_table
    def test_kernels_stay_within_their_arrays(self, table_name: str) -> None:
        if table_name not in self.interpreted:
            pytest.skip("small tables are enough")
        original, fitted = self.fitted(table_name)
        versions = self.versions(original)[:3]
        masked, rows = edited(versions[1], generator(7), 0.1)
        compiled = [fitted.score(version) for version in (*versions, masked, masked)]
        with interpreted():
            again = self.measure().fit(original)
            found = [again.score(version) for version in versions]
            tracker = again.track(versions[1])
            change = changes_of(versions[1], [(masked, rows)])
            found += tracker.tries(change).tolist()
            tracker.take(change)
            found.append(tracker.score)
        assert found == pytest.approx(compiled, rel=_ROUNDING, abs=1e-9), "compiled, it is another score"

    @on_every_table
    def test_a_tracker_has_the_score_of_its_table(self, table_name: str) -> None:
        original, fitted = self.fitted(table_name)
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
        original, fitted = self.fitted(table_name)
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
        assert tracker.tries(changes).tolist() == found.tolist(), "asked again, the children have other scores"
        assert tracker.tries(changes_of(parent, [])).shape == (0,)

    @on_every_table
    def test_a_copied_tracker_goes_its_own_way(self, table_name: str) -> None:
        original, fitted = self.fitted(table_name)
        rng = generator(14)
        family = [(original, fitted.track(original))]
        for _ in range(6):
            table, tracker = family[int(rng.integers(len(family)))]
            child, rows = edited(table, rng, 0.1)
            own = tracker.copy()
            own.take(changes_of(table, [(child, rows)]))
            family.append((child, own))
        for table, tracker in family:
            assert tracker.score == pytest.approx(fitted.score(table), rel=_ROUNDING, abs=_ROUNDING)

    @on_every_table
    def test_contributions_of_records_are_those_of_the_table(self, table_name: str) -> None:
        original, fitted = self.fitted(table_name)
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

    def incremental(self, table_name: str) -> tuple[Table, Incremental[Any]]:
        """Return an original and the measure fitted on it; skips measures that are not incremental."""
        original, fitted = self.fitted(table_name)
        if not isinstance(fitted, Incremental):
            pytest.skip("not an incremental measure")
        return original, fitted

    def _assert_same(self, fitted: Incremental[Any], state: Any, masked: Table) -> None:
        followed, fresh = fitted.value(state), fitted.value(fitted.start(masked))
        assert followed == fresh, (
            f"update leads to {followed!r} where start gives {fresh!r}; keep integers in the state"
        )
        assert fitted.score(masked) == fresh, "score and value(start) differ"
        told = fitted.burdens_of_state(state)
        if told is not None:
            of_table = fitted.burdens(masked)
            assert of_table is not None, "a state tells burdens where its table tells none"
            assert np.array_equal(told, of_table), "a state tells other burdens than its table"

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
