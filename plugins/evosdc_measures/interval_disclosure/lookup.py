"""Look-ups in a published table: a sensitive value by one or two quasi-identifiers of a person."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Changes, Expected, Microdata, Tracker
from evosdc.model.parameters import Parameters
from evosdc.randomisation.transition import Matrix
from evosdc.secret import Purpose, stream
from evosdc.table.exact_values import at_decimals, unit_of
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.domains import Counts, Integers, require_same_shape
from evosdc_measures.number_intervals import limits_of
from evosdc_measures.records import InWholeFile, Tracked

FEW_VALUES = 128  # numbers with more different values are looked up by classes beside another attribute
MOST_COMBINATIONS = 1 << 20  # combinations of values up to which two attributes are looked up together
_FOLDS = 1 << 17  # Address of the folds, apart from the draws of judges
AT_ONCE = 1 << 19  # changed records times lookup tables that are looked at together, unless one child has more


class LookupGain(InWholeFile):
    """Sensitive values that are right when looked up in the published file, beyond those of people who are not in it.

    The intruder knows one or two quasi-identifiers of a person, takes the published records with the same values, and
    guesses their commonest sensitive value. ``hit_pub`` is whether that is the person's own (1 / t among t commonest;
    the commonest of all where no record has the values). ``hit_ref`` is the same from the original without the tenth of
    the people to which the person belongs: what anybody learns from a population of which the person is no part. The
    gain of a set of attributes is ``100 / n sum_i (hit_pub(i) - hit_ref(i))``; the score is the greatest over all sets
    and sensitive attributes, at least 0. Range 0..100, smaller is better. The reference of a set is the best of those
    of its subsets, the empty one included: small cells of other people mislead, and a file that tells nothing by a set
    is no worse than the commonest value of all.

    It is 0 in expectation for a file drawn from a model that never saw the person, and large for exact tables with
    small cells: a value of a quasi-identifier that one or two persons have leads to theirs, even where every value of
    the file was permuted. The people outside the file as baseline follow Giomi et al. (2023); the lookup by single
    attributes and pairs: design.

    Every quasi-identifier is looked up, masked or not; of the pairs those that tell most in the original. Numbers are
    looked up by classes of about equal frequency, and by their exact value; sensitive numbers are guessed by classes.
    A missing value is a value like others.
    """

    supports = frozenset(Scale)
    auxiliary_all = True

    class Params(Parameters):
        """The looked-up attributes."""

        targets: tuple[str, ...] = Field(
            (), description="What an intruder wants to learn; default: the sensitive attributes of the file."
        )
        pairs: int = Field(20, ge=0, description="Pairs of attributes, for each target; those that tell most.")
        bins: int = Field(10, ge=2, description="Classes of about equal frequency that numbers are looked up by.")
        classes: int = Field(5, ge=2, description="Classes of about equal frequency that sensitive numbers have.")
        masked: bool = Field(
            False, description="Leave out what unmasked columns tell of each other, which no masking can alter."
        )
        folds: int = Field(10, ge=2, description="Parts of the people, each judged by the others for comparison.")
        seed: int = Field(1, ge=0, description="Of the folds; a run with a key takes it from the key.")

    params: Params

    def auxiliary_names(self) -> tuple[str, ...]:
        """Return the targets that are named."""
        return self.params.targets

    def fit_in(self, microdata: Microdata) -> "FittedLookupGain":
        """Count the original, with its unmasked quasi-identifiers and sensitive attributes."""
        where, schema = "measure lookup-gain", microdata.table.schema
        self.require_support(microdata.original)
        schema.require(self.params.targets, f"{where}: targets")
        targets = self.params.targets or schema.with_role(Role.SENSITIVE)
        if not targets:
            advice = "Give one the role sensitive in the schema, or name it as a target."
            raise ParameterError(Fault(where, "no sensitive attribute", "one that an intruder wants to learn", advice))
        secret = {*targets, *schema.with_role(Role.SENSITIVE)}
        known = [name for name in schema.names if name in microdata.protect and name not in secret]
        known += [name for name in schema.with_role(Role.QUASI_IDENTIFIER) if name not in {*known, *secret}]
        if not known:
            given = f"no attribute besides {', '.join(targets)}"
            raise ParameterError(Fault(where, given, "at least one that an intruder knows"))
        return FittedLookupGain(microdata, known, targets, self.params)


class Digits(NamedTuple):
    """How one attribute is read: as whole numbers from 0, where 0 is a missing value and -1 one that nobody has."""

    attribute: Attribute
    limits: Numbers | None
    values: Numbers | None

    @property
    def size(self) -> int:
        """Different digits, the missing value included."""
        if self.limits is not None:
            return len(self.limits) + 2
        return len(self.values) + 1 if self.values is not None else len(self.attribute.categories) + 1

    def of(self, table: Table) -> Counts:
        """Return the digits of a table's records, shape (n,)."""
        column = table.column(self.attribute.name)
        if self.attribute.categorical:
            return column.astype(np.int32) + np.int32(1)
        numbers: Numbers = np.asarray(column, dtype=np.float64)
        if self.limits is not None:
            found = np.searchsorted(self.limits, numbers, side="right") + 1
        else:
            assert self.values is not None
            numbers = _as_published(numbers, self.attribute)
            found = np.searchsorted(self.values, numbers)
            inside = np.append(self.values, np.inf)[found] == numbers
            found = np.where(inside, found + 1, -1)
        return np.where(np.isnan(numbers), 0, found).astype(np.int32)


def _as_published(numbers: Numbers, attribute: Attribute) -> Numbers:
    rounded: Numbers = at_decimals(numbers[:, None], (attribute,))[:, 0]
    return rounded


def _readings(attribute: Attribute, original: Table, bins: int) -> list[Digits]:
    """Return the ways in which an attribute is looked up: numbers exactly and by classes, the exact way first."""
    if attribute.categorical:
        return [Digits(attribute, None, None)]
    numbers = _as_published(np.asarray(original.column(attribute.name)), attribute)
    exact = Digits(attribute, None, np.unique(numbers[~np.isnan(numbers)]))
    if exact.size <= bins + 1:
        return [exact]
    return [exact, Digits(attribute, limits_of(np.asarray(original.column(attribute.name)), bins), None)]


@dataclass(frozen=True, eq=False)
class Lookup:
    """One lookup table of the original: a key of one or two attributes, and a target."""

    digits: tuple[int, ...]  # which digits make the key
    target: int  # which digits are guessed
    places: Counts  # by combination of values its cell; -1 for one that nobody has
    counts: Counts  # (cells, classes): The people by cell and class
    reference: int  # sums of the reference hits, and of those from the original itself, in whole shares
    own: int

    def own_hits(self, unit: int) -> int:
        """Return for how many people the original's own table is right, in whole shares."""
        return int(hits_of_cells(self.counts, self.counts, unit).sum())

    @property
    def potential(self) -> int:
        """What the original itself gives away."""
        return self.own - self.reference

    def with_reference(self, reference: int) -> "Lookup":
        """Return the table with another sum of reference hits."""
        return replace(self, reference=reference)


class FittedLookupGain(Tracked, Expected):
    """`LookupGain` of one original."""

    def __init__(
        self, microdata: Microdata, known: Sequence[str], targets: Sequence[str], params: LookupGain.Params
    ) -> None:
        whole, self.original, self._protect = microdata.table, microdata.original, set(microdata.protect)
        self._whole, n = whole, len(whole)
        readings = [_readings(whole.schema[name], whole, params.bins) for name in known]
        wanted = [_readings(whole.schema[name], whole, params.classes)[-1] for name in targets]
        self._digits = [reading for listed in readings for reading in listed] + wanted
        self._own = np.column_stack([reading.of(whole) for reading in self._digits]).astype(np.int32)
        self._sizes = np.array([reading.size for reading in self._digits], dtype=np.int64)
        self.unit = unit_of(n)
        order = stream(params.seed, Purpose.JUDGE, _FOLDS).permutation(n)
        self._folds = np.array_split(order.astype(np.int64), min(params.folds, n))
        singles = [(at,) for at in range(len(self._digits) - len(wanted))]
        first = np.cumsum([0, *map(len, readings)]).tolist()
        # In pairs each attribute counts in one way: exactly, or by classes where it has many values.
        single_way = [
            at if len(listed) == 1 or listed[0].size <= FEW_VALUES else at + 1
            for at, listed in zip(first[:-1], readings, strict=True)
        ]
        pairs = [p for p in combinations(single_way, 2) if self._sizes[list(p)].prod() <= MOST_COMBINATIONS]
        attribute_of = [at for at, listed in enumerate(readings) for _ in listed]
        lookups = list[Lookup]()
        for target in range(len(singles), len(self._digits)):
            alone = [self._lookup(key, target) for key in singles]
            least = self._lookup((), target).reference
            best = [max(one.reference for one in alone if attribute_of[one.digits[0]] == v) for v in range(len(known))]
            joint = [self._lookup(key, target) for key in pairs] if params.pairs else []
            joint = [
                one.with_reference(max(least, *(best[attribute_of[at]] for at in one.digits), one.reference))
                for one in joint
            ]
            lookups += [one.with_reference(max(least, best[attribute_of[one.digits[0]]])) for one in alone]
            lookups += sorted(joint, key=lambda one: -one.potential)[: params.pairs]
        # What masking cannot alter comes last: it is counted once and never followed.
        self.lookups = sorted(lookups, key=lambda one: not self._moves(one))
        self._followed = sum(map(self._moves, self.lookups))
        if params.masked:
            self.lookups = self.lookups[: self._followed]
        if not self.lookups:
            given = "unmasked columns alone"
            raise ParameterError(Fault("measure lookup-gain", given, "a lookup that masking can alter"))
        self._lay_out()

    def _moves(self, lookup: Lookup) -> bool:
        return any(self._digits[at].attribute.name in self._protect for at in (*lookup.digits, lookup.target))

    def _lookup(self, key: tuple[int, ...], target: int) -> Lookup:
        """Count the original by a key and a target, and the hits of those who do not know a tenth of it."""
        flat = np.zeros(len(self._own), dtype=np.int64)
        for at in key:
            flat = flat * self._sizes[at] + self._own[:, at]
        occurring, cells = np.unique(flat, return_inverse=True)
        places = np.full(int(self._sizes[list(key)].prod()), -1, dtype=np.int32)
        places[occurring] = np.arange(len(occurring))
        width = int(self._sizes[target])
        cells, classes = cells.reshape(-1).astype(np.int64), self._own[:, target].astype(np.int64)
        flat = np.bincount(cells * width + classes, minlength=len(occurring) * width)
        counts = flat.reshape(-1, width).astype(np.int32)
        reference = 0  # each fold is judged by all others, by all of these where none of them has the same key
        for fold in self._folds:
            people = np.bincount(cells[fold] * width + classes[fold], minlength=counts.size).reshape(counts.shape)
            others = counts - people
            others[others.max(axis=1) == 0] = others.sum(axis=0)
            reference += int(hits_of_cells(others, people, self.unit).sum())
        own = int(counts.max(axis=1).sum()) * self.unit
        return Lookup(key, target, places, counts, reference, own)

    def _lay_out(self) -> None:
        """Put the cells of all tables one below the other, and classes beside each other, as many as any target has."""
        lookups, digits = self.lookups, [one.digits for one in self.lookups]
        self._first, self._second = np.array([d[0] for d in digits]), np.array([d[-1] for d in digits])
        self._several = np.array([len(d) > 1 for d in digits])
        self._width = np.where(self._several, self._sizes[self._second], 1)
        self._target = np.array([one.target for one in lookups])
        self.classes = np.array([one.counts.shape[1] for one in lookups])
        cells = [len(one.counts) for one in lookups]
        self.starts, self.table_of = np.cumsum([0, *cells[:-1]]), np.repeat(np.arange(len(lookups)), cells)
        self._offsets = np.cumsum([0, *(len(one.places) for one in lookups[:-1])])
        parts = zip(lookups, self.starts.tolist(), strict=True)
        self._places = np.concatenate([np.where(one.places < 0, -1, one.places + start) for one, start in parts])
        self.people = np.zeros((sum(cells), int(self.classes.max())), dtype=np.int32)
        for one, start in zip(lookups, self.starts.tolist(), strict=True):
            self.people[start : start + len(one.counts), : one.counts.shape[1]] = one.counts
        self.references = np.array([one.reference for one in lookups], dtype=np.int64)
        self.own_hits = np.array([one.own_hits(self.unit) for one in lookups], dtype=np.int64)

    def cells_of(self, digits: Counts, tables: slice) -> tuple[Integers, Integers]:
        """Return the cell of each record in some tables, -1 where nobody has its key, and its class, shape (m, T)."""
        first = digits[:, self._first[tables]].astype(np.int64)
        second = np.where(self._several[tables], digits[:, self._second[tables]], 0)
        known = (first >= 0) & (second >= 0)
        keys = np.where(known, first * self._width[tables] + second, 0)
        cells: Integers = np.where(known, self._places[self._offsets[tables] + keys], -1)
        return cells, digits[:, self._target[tables]] % self.classes[tables]

    def digits_of(self, masked: Table, rows: Rows | slice = slice(None)) -> Counts:
        """Return the digits of records, shape (m, D); those of attributes that are not masked are the original's."""
        digits = self._own[rows].copy()
        for at, reading in enumerate(self._digits):
            if reading.attribute.name in self._protect:
                digits[:, at] = reading.of(masked)
        return digits

    def gains(self, totals: Integers) -> Numbers:
        """Return gains from hits, in per cent of the people; 0 at least."""
        gains: Numbers = 100.0 * np.maximum(totals, 0) / (float(self.unit) * len(self._whole))
        return gains

    def worst(self, masked: Table) -> tuple[tuple[str, ...], str, float]:
        """Return by which attributes most is learned of which target, and how much, in per cent of the people."""
        gains = self.gains(self.track(masked).hits - self.references)
        one = self.lookups[int(gains.argmax())]
        names = tuple(self._digits[at].attribute.name for at in one.digits)
        return names, self._digits[one.target].attribute.name, float(gains.max())

    def track(self, masked: Table) -> "LookupTracker":
        """Return a tracker of a table."""
        require_same_shape(self.original, masked)
        return LookupTracker(self, masked, self._followed)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the gain by the expected tables: the first order, to which a draw adds some."""
        matrices = {a.name: P for a, P in zip(self.original.schema.categorical, transitions, strict=True)}
        best = 0.0
        for one in self.lookups:
            axes = (*one.digits, one.target)
            dense = np.zeros((len(one.places), one.counts.shape[1]))
            dense[one.places >= 0] = one.counts
            published = dense.reshape([int(self._sizes[at]) for at in axes])
            for axis, at in enumerate(axes):
                P = matrices.get(self._digits[at].attribute.name)
                if P is not None:
                    whole = np.eye(len(P) + 1)
                    whole[1:, 1:] = P
                    published = np.moveaxis(np.tensordot(published, whole, axes=(axis, 0)), -1, axis)
            table = published.reshape(dense.shape)
            table = np.where(table.sum(axis=1, keepdims=True) > 0, table, table.sum(axis=0))
            commonest = np.isclose(table, table.max(axis=1, keepdims=True), rtol=1e-12, atol=0.0)
            hits = float((dense * commonest / commonest.sum(axis=1, keepdims=True)).sum())
            best = max(best, hits - one.reference / self.unit)
        return 100.0 * best / len(self._whole)


class LookupTracker(Tracker):
    """The published lookup tables of one masked file, and how many people they are right for."""

    def __init__(self, fitted: FittedLookupGain, masked: Table, followed: int) -> None:
        self._fitted, self._followed = fitted, followed
        self.hits = fitted.own_hits.copy()
        if not followed:
            return
        digits, width = fitted.digits_of(masked), fitted.people.shape[1]
        end = int(np.searchsorted(fitted.table_of, followed))
        self._counts, self._all = np.zeros((end, width), dtype=np.int32), np.zeros((followed, width), dtype=np.int64)
        """Published records by cell and class, and whatever their key."""
        for table in range(followed):
            found, classes = (part[:, 0] for part in fitted.cells_of(digits, slice(table, table + 1)))
            np.add.at(self._counts, (found[found >= 0], classes[found >= 0]), 1)
            self._all[table] = np.bincount(classes, minlength=width)
        starts, counts, people = fitted.starts[:followed], self._counts, fitted.people[:end]
        seen = counts.max(axis=1) > 0
        self._right = np.add.reduceat(np.where(seen, hits_of_cells(counts, people, fitted.unit), 0), starts)
        """People of whom a cell of their own is right."""
        self._unseen = np.add.reduceat(people * ~seen[:, None], starts, axis=0, dtype=np.int64)
        """People by class whose key no published record has."""
        self.hits[:followed] = self._right + hits_of_cells(self._all, self._unseen, fitted.unit)

    @property
    def score(self) -> float:
        """The greatest gain, 0..100."""
        return float(self._fitted.gains((self.hits - self._fitted.references).max()))

    def take(self, change: Changes) -> None:
        """Update to a child; O(T c) for a changed record."""
        if self._followed:
            self.hits[: self._followed] = self._hits_of(change, True)[0]

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children, as many at a time as memory allows."""
        fitted, followed, k = self._fitted, self._followed, len(changes.ends)
        best = np.full(k, (self.hits - fitted.references)[followed:].max(initial=0))
        begin, most = 0, AT_ONCE // max(followed, 1)
        while followed and begin < k:
            first = int(changes.ends[begin - 1]) if begin else 0
            end = max(int(np.searchsorted(changes.ends, first + most, side="right")), begin + 1)
            hits = self._hits_of(changes.part(begin, end), False) - fitted.references[:followed]
            best[begin:end] = np.maximum(best[begin:end], hits.max(axis=1))
            begin = end
        return fitted.gains(best)

    def _hits_of(self, changes: Changes, stays: bool) -> Integers:
        """Return the hits of children in the tables that are followed, shape (k, T)."""
        fitted, tables, k = self._fitted, slice(self._followed), len(changes.ends)
        left, was = fitted.cells_of(fitted.digits_of(changes.before, changes.rows), tables)
        entered, now = fitted.cells_of(fitted.digits_of(changes.after, changes.rows), tables)
        at, table = np.nonzero((left != entered) | (was != now))
        child = np.repeat(np.arange(k), np.diff(changes.ends, prepend=0))[at]
        cells = np.concatenate((left[at, table], entered[at, table]))
        classes, steps = np.concatenate((was[at, table], now[at, table])), np.repeat([-1, 1], len(at))
        child, table = np.tile(child, 2), np.tile(table, 2)
        margins, unseen = np.zeros((2, k, *self._all.shape), dtype=np.int64)
        np.add.at(margins, (child, table, classes), steps)
        known = cells >= 0
        keys, of = np.unique(child[known] * len(fitted.people) + cells[known], return_inverse=True)
        child, cells = np.divmod(keys, len(fitted.people))
        before, people = self._counts[cells], fitted.people[cells]
        after = before.copy()
        np.add.at(after, (of, classes[known]), steps[known])
        seen = [counts.max(axis=1, initial=0) > 0 for counts in (before, after)]
        right = [
            np.where(some, hits_of_cells(counts, people, fitted.unit), 0)
            for some, counts in zip(seen, (before, after), strict=True)
        ]
        table, hits = fitted.table_of[cells], np.tile(self._right, (k, 1))
        np.add.at(hits, (child, table), right[1] - right[0])
        np.add.at(unseen, (child, table), people * (seen[0].astype(np.int64) - seen[1])[:, None])
        if stays:
            self._counts[cells], self._right = after, hits[0]
            self._all += margins[0]
            self._unseen += unseen[0]
            margins, unseen = np.zeros((2, 1, 1, 1), dtype=np.int64)
        return hits + hits_of_cells(self._all + margins, self._unseen + unseen, fitted.unit)


def hits_of_cells(published: NDArray[Any], people: NDArray[Any], unit: int) -> Integers:
    """Return for how many people of each cell its commonest published class is right, in whole shares."""
    commonest = published == published.max(axis=-1, keepdims=True, initial=0)
    tied = commonest.sum(axis=-1)
    hits: Integers = (people * commonest).sum(axis=-1, dtype=np.int64) * ((unit + tied // 2) // np.maximum(tied, 1))
    return hits
