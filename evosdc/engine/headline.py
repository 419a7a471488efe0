"""A privacy model as a score, kept up to date over the classes of one file: what ``k-anonymity >= 3`` looks at."""

from abc import abstractmethod
from functools import cached_property
from math import inf, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import EvaluationError
from evosdc.model import (
    ByClass,
    BySizes,
    Changes,
    ClassContents,
    ClassValues,
    Fitted,
    IntruderView,
    Microdata,
    MissingMatch,
    PrivacyModel,
    Tracker,
)
from evosdc.model.constraint import GREATEST
from evosdc.model.privacy import root_codes
from evosdc.table.alignment import coarsened
from evosdc.table.class_table import ChangedClasses, ClassTable, least_of_children, least_tree
from evosdc.table.equivalence import equivalence_classes, key_codes, placed_values, ranks
from evosdc.table.schema import Attribute, MissingRule, Role
from evosdc.table.table import MISSING, Codes, Numbers, Rows, Table

Integers = NDArray[np.int64]


class Headline(Fitted):
    """The headline of a privacy model on the file that a masked table would be published in."""

    # The quasi-identifiers are the protected attributes and all others with that role, masked or not, save those that
    # are judged as sensitive: an intruder who knows them knows them all.

    def __init__(self, model: PrivacyModel, microdata: Microdata, sensitive: tuple[str, ...] | None = None) -> None:
        schema, protected = microdata.table.schema, set(microdata.protect)
        self.model = model
        self.microdata = microdata
        unmasked = tuple(name for name in schema.with_role(Role.SENSITIVE) if name not in protected)
        self.sensitive = unmasked if sensitive is None else sensitive
        known = (*microdata.protect, *(n for n in schema.with_role(Role.QUASI_IDENTIFIER) if n not in protected))
        self.quasi_identifiers = tuple(name for name in known if name not in self.sensitive)
        self._last: tuple[Table, IntruderView] | None = None
        self._population: tuple[tuple[Attribute, ...], Table] | None = None

    def view(self, masked: Table) -> IntruderView:
        """Return the file as an intruder would see it; that of the last table is kept for further figures of it."""
        if self._last is None or self._last[0] is not masked:
            self._last = masked, self._view_of(masked)
        return self._last[1]

    def _view_of(self, masked: Table) -> IntruderView:
        table, schema = self.microdata.table, self.microdata.table.schema
        weights, households = schema.with_role(Role.WEIGHT), schema.with_role(Role.HOUSEHOLD)
        published = table.with_columns(masked)
        return IntruderView(
            published,
            self.quasi_identifiers,
            self.sensitive,
            np.asarray(table.column(weights[0]), dtype=np.float64) if weights else None,
            households[0] if households else None,
            MissingMatch.of(schema.na),
            self._population_like(published),
        )

    def _population_like(self, published: Table) -> Table | None:
        """Return the population in the coding of the published file; that of the last coding is kept."""
        population = self.microdata.population
        if population is None:
            return None
        attributes = tuple(published.schema[name] for name in self.quasi_identifiers)
        if self._population is None or self._population[0] != attributes:
            self._population = attributes, coarsened(population, published, self.quasi_identifiers)
        return self._population[1]

    @cached_property
    def keys(self) -> "RecordKeys | None":
        """The keys of records and their sensitive values as numbers; None where they cannot be tracked."""
        of_sensitive = isinstance(self.model, ByClass) and self.model.of_sensitive
        return RecordKeys(self, self.sensitive if of_sensitive else ()) if _countable(self) else None

    @property
    def by_class(self) -> bool:
        """Whether a tracker judges each class by itself."""
        # Where the model compares classes with the whole file, the sensitive attributes must not be masked for that.
        if not isinstance(self.model, ByClass) or not self.model.by_class or self.keys is None:
            return False
        return not (self.model.of_whole_file and any(name in self.microdata.protect for name in self.sensitive))

    def track(self, masked: Table) -> Tracker:
        """Return a tracker that judges only what changes, where the model and the file allow it."""
        if self.by_class:
            return WorstClass(self, masked)
        if isinstance(self.model, BySizes) and self.keys is not None:
            return ClassSizes(self, masked)
        return super().track(masked)

    def score(self, masked: Table) -> float:
        """Return the headline; finite, a figure without bound (None) is cut."""
        value: Any = self.model.assess(self.view(masked).judged)[self.model.headline]
        number = inf if value is None else float(value)
        if isnan(number):
            raise EvaluationError(f"privacy model {type(self.model).__name__} gave no number for {self.model.headline}")
        return cut(number)


def cut(figure: float) -> float:
    """Return a figure as a score, which is finite."""
    return min(max(figure, -GREATEST), GREATEST)


class Shortfall(Fitted):
    """The percentage of records that keep the headline from a bound (`evosdc.model.PrivacyModel.shortfall`), 0..100."""

    def __init__(self, headline: Headline, bound: float) -> None:
        self.headline = headline
        self.bound = bound

    def score(self, masked: Table) -> float:
        """Return the percentage; 0 where the bound is kept."""
        share = self.headline.model.shortfall(self.headline.view(masked).judged, self.bound)
        return 100.0 * (share or 0.0)

    def track(self, masked: Table) -> Tracker:
        """Return a tracker that judges only classes that change, where the headline has one."""
        if not self.headline.by_class:
            return super().track(masked)

        return ShortClasses(self, masked)


class RecordKeys:
    """Numbers the keys of records, equal where they are alike on all quasi-identifiers, and their sensitive values."""

    # Shapes: spans (A,): how many values each attribute may have.

    def __init__(self, headline: Headline, sensitive: tuple[str, ...]) -> None:
        microdata = headline.microdata
        schema, masked = microdata.table.schema, microdata.original.schema
        place = {attribute.name: position for position, attribute in enumerate(masked.categorical)}
        known = [name for name in headline.quasi_identifiers if name in place]
        unmasked = equivalence_classes(key_codes(microdata.table, unmasked_of(headline)))
        radix = np.cumprod([1, *(len(schema[name].categories) + 1 for name in known)], dtype=np.int64)
        self._columns, self._radix = [place[name] for name in known], radix[:-1]
        self._fixed = unmasked.of * radix[-1]
        self._kept: list[Integers] = []
        self._masked = [place[name] for name in sensitive if name in place]
        names = [name for name in sensitive if name not in place]
        found = [self._values_of(microdata.table, name) for name in names]
        for name in (name for name in sensitive if name in place):
            size = len(schema[name].categories)
            found.append((np.append(np.arange(size), MISSING).astype(np.int32), np.zeros(size + 1, dtype=np.int64)))
            names.append(name)
        self.attributes = tuple(schema[name] for name in names)
        self.present, self.overall = tuple(p for p, _ in found), tuple(o for _, o in found)
        self.spans = np.array([len(present) for present in self.present], dtype=np.int64)

    def _values_of(self, table: Table, name: str) -> tuple[Codes, Integers]:
        """Number the values of an attribute that stays as it is; return their codes, and the records of each."""
        attribute, column = table.schema[name], table.column(name)
        codes = np.array(column if attribute.categorical else ranks(column), dtype=np.int64)
        size = int(codes.max(initial=0)) + 1
        codes[codes == MISSING] = size
        present, values, overall = placed_values(codes)
        self._kept.append(values.astype(np.int64))
        return np.where(present == size, MISSING, present).astype(np.int32), overall.astype(np.int64)

    def of(self, part: Table, rows: Rows | slice) -> tuple[Integers, Integers]:
        """Return the keys of masked records, shape (m,), and their values by sensitive attribute, shape (A, m)."""
        keys = (part.codes[:, self._columns].astype(np.int64) + 1) @ self._radix + self._fixed[rows]
        values = np.empty((len(self.spans), len(part)), dtype=np.int64)
        for a, kept in enumerate(self._kept):
            values[a] = kept[rows]
        for a, v in enumerate(self._masked, len(self._kept)):
            codes = part.codes[:, v]
            values[a] = np.where(codes == MISSING, self.spans[a] - 1, codes)
        return keys, values


def unmasked_of(headline: Headline) -> tuple[str, ...]:
    """Return the quasi-identifiers that a privacy model looks at and that are published as they are."""
    return tuple(name for name in headline.quasi_identifiers if name not in headline.microdata.protect)


def _countable(headline: Headline) -> bool:
    """Whether keys can be numbers of 62 bits."""
    # Missing values must not be wildcards, since classes then overlap, and masked quasi-identifiers and sensitive
    # attributes have to be categories. Records that ``*`` suppresses are judged by the file, not class by class.
    microdata = headline.microdata
    schema = microdata.table.schema
    masked = [name for name in (*headline.quasi_identifiers, *headline.sensitive) if name in microdata.protect]
    if schema.na is MissingRule.WILDCARD or any(not schema[name].categorical for name in masked):
        return False
    if any(root_codes(schema[name]) for name in headline.quasi_identifiers if schema[name].categorical):
        return False
    keys = float(len(microdata.table))
    for name in masked:
        keys *= len(schema[name].categories) + 1
    return keys < 2.0**62


MOST_CHANGED = 0.1  # share of changed records above which scoring a child from scratch takes less time


class _OverClasses(Tracker):
    """A tracker with the classes of a table."""

    def __init__(self, fitted: Fitted, keys: RecordKeys | None, masked: Table) -> None:
        assert keys is not None
        self._fitted, self._keys = fitted, keys
        self._classes = ClassTable(*keys.of(masked, slice(None)), keys.spans)
        # All masked attributes are categories, else there were no keys.
        self._schema, self._codes = masked.schema, masked.codes.copy()

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children, shape (k,)."""
        sizes = np.diff(changes.ends, prepend=0)
        if sizes.max(initial=0) <= MOST_CHANGED * len(self._codes):
            return self._scores_of(self._changed(changes, False))
        if len(sizes) > 1:
            return np.concatenate([self.tries(changes.part(child, child + 1)) for child in range(len(sizes))])
        table = Table(self._schema, self._codes, np.empty((len(self._codes), 0)))
        return np.array([self._fitted.score(changes.applied_to(table))])

    def take(self, change: Changes) -> None:
        """Go on to a child."""
        self._codes[change.rows] = change.after.codes
        self._kept(self._changed(change, True))

    @abstractmethod
    def _scores_of(self, changed: ChangedClasses) -> Numbers:
        """Return the scores of children that change some classes, shape (k,)."""

    @abstractmethod
    def _kept(self, changed: ChangedClasses) -> None:
        """Go on to a child that changes some classes."""

    def _changed(self, changes: Changes, keep: bool) -> ChangedClasses:
        keys, values = self._keys.of(changes.after, changes.rows)
        return self._classes.changed(changes.ends, changes.rows.astype(np.int64), keys, values, keep)


class WorstClass(_OverClasses):
    """The headline of a model that judges class by class: that of the worst class."""

    def __init__(self, headline: Headline, masked: Table) -> None:
        assert isinstance(headline.model, ByClass)
        super().__init__(headline, headline.keys, masked)
        self._model: ByClass = headline.model
        # Figures are turned so that the least is the worst.
        self._sign = 1.0 if headline.model.larger_is_safer else -1.0
        figures, classes = np.full(len(masked), np.inf), self._classes.contents()
        figures[classes.classes] = self._figures(classes)
        self._worst = least_tree(figures)

    @property
    def score(self) -> float:
        """The headline of the table as it is now."""
        return self._headline_of(float(self._worst[1]))

    def _kept(self, changed: ChangedClasses) -> None:
        self._worst_of(changed, self._figures(changed), True)

    def _scores_of(self, changed: ChangedClasses) -> Numbers:
        worst = self._worst_of(changed, self._figures(changed), False)
        return np.array([self._headline_of(figure) for figure in worst.tolist()])

    def _headline_of(self, worst: float) -> float:
        return cut(self._model.headline_of(self._sign * worst))

    def _worst_of(self, changed: ChangedClasses, figures: Numbers, keep: bool) -> Numbers:
        worst: Numbers = least_of_children(self._worst, changed.ends, changed.classes, figures, keep)
        return worst

    def _figures(self, changed: ChangedClasses) -> Numbers:
        """Return the figures of classes as children have them, infinite where they have no records there."""
        there = changed.after > 0
        figures = np.full(len(there), np.inf)
        if there.any():
            contents = ClassContents(changed.after[there], tuple(_values(self._keys, changed, there)))
            figures[there] = self._sign * self._model.class_figures(contents)
        return figures


class ShortClasses(WorstClass):
    """The percentage of records in classes whose figure keeps the headline from a bound, 0..100."""

    def __init__(self, shortfall: Shortfall, masked: Table) -> None:
        super().__init__(shortfall.headline, masked)
        self._fitted = shortfall
        self._bound, self._records = self._sign * shortfall.bound, len(masked)
        self._short = int(self._classes.sizes[self._worst[self._records :] < self._bound].sum())

    @property
    def score(self) -> float:
        """The percentage of the table as it is now."""
        return 100.0 * (self._short / self._records)

    def _kept(self, changed: ChangedClasses) -> None:
        figures = self._figures(changed)
        self._short += int(self._shifts(changed, figures).sum())
        self._worst_of(changed, figures, True)

    def _scores_of(self, changed: ChangedClasses) -> Numbers:
        shifts = np.append(0, np.cumsum(self._shifts(changed, self._figures(changed))))[changed.ends]
        scores: Numbers = 100.0 * ((self._short + np.diff(shifts, prepend=0)) / self._records)
        return scores

    def _shifts(self, changed: ChangedClasses, figures: Numbers) -> Integers:
        """Return how many more records fall short by each changed class."""
        before = self._worst[self._records + changed.classes] < self._bound
        shifts: Integers = changed.after * (figures < self._bound) - changed.before * before
        return shifts


class ClassSizes(_OverClasses):
    """The headline of a model that looks at nothing but how many classes there are of each size."""

    def __init__(self, headline: Headline, masked: Table) -> None:
        assert isinstance(headline.model, BySizes)
        super().__init__(headline, headline.keys, masked)
        self._model: BySizes = headline.model
        self._original = headline.view(headline.microdata.original)
        self._sizes, self._times = _counted(self._classes.sizes[self._classes.sizes > 0].astype(np.int64))
        self._scores: dict[bytes, float] = {}

    @property
    def score(self) -> float:
        """The headline of the table as it is now."""
        return self._score_of(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))

    def _kept(self, changed: ChangedClasses) -> None:
        self._sizes, self._times = self._shifted(changed.before, changed.after)
        self._scores = {}

    def _scores_of(self, changed: ChangedClasses) -> Numbers:
        begins = np.append(0, changed.ends[:-1])
        parts = [slice(begin, end) for begin, end in zip(begins.tolist(), changed.ends.tolist(), strict=True)]
        return np.array([self._score_of(changed.before[part], changed.after[part]) for part in parts])

    def _score_of(self, before: Integers, after: Integers) -> float:
        """Return the headline where some classes have other sizes."""
        # Estimates of a population take long, and many children change classes of the same sizes.
        sizes = np.sort(before).tobytes() + np.sort(after).tobytes()
        if sizes not in self._scores:
            self._scores[sizes] = cut(self._model.headline_of_sizes(*self._shifted(before, after), self._original))
        return self._scores[sizes]

    def _shifted(self, before: Integers, after: Integers) -> tuple[Integers, Integers]:
        """Return the sizes that occur, and how many classes have each, where some classes have other sizes."""
        signs = np.repeat([1, -1], [len(after), len(before)])
        sizes, times = np.concatenate([self._sizes, after, before]), np.concatenate([self._times, signs])
        return _counted(sizes, times)


def _counted(sizes: Integers, times: Integers | None = None) -> tuple[Integers, Integers]:
    """Return the positive sizes that occur, ascending, and how often."""
    distinct, place = np.unique(sizes, return_inverse=True)
    weights = None if times is None else times.astype(np.float64)
    counts = np.bincount(place.reshape(-1), weights=weights).astype(np.int64)
    there = (counts > 0) & (distinct > 0)
    return distinct[there], counts[there]


def _values(keys: RecordKeys, changed: ChangedClasses, there: NDArray[np.bool_]) -> list[ClassValues]:
    """Return the values of each sensitive attribute in classes, without empty classes."""
    found, kept = [], np.append(there, True)
    for a, (attribute, present, overall) in enumerate(zip(keys.attributes, keys.present, keys.overall, strict=True)):
        starts, values, counts = changed.of_attribute(a, len(keys.spans), int(keys.spans[a]))
        found.append(ClassValues(attribute, present, starts[kept], values, counts, overall))
    return found
