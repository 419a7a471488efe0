"""The contract of privacy models: what one file, taken by itself, reveals of its respondents."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from evosdc.model.parameters import Parameters
from evosdc.randomisation.transition import Matrix
from evosdc.table.equivalence import Classes, equivalence_classes, key_codes, missing_apart, ranks, summed, tallied
from evosdc.table.hierarchy import ROOT
from evosdc.table.schema import Attribute, MissingRule
from evosdc.table.table import MISSING, Codes, Numbers, Table

if TYPE_CHECKING:
    from evosdc.table.wildcard_tree import WildcardTree


class MissingMatch(StrEnum):
    """Which values a missing one is taken to equal when records are compared."""

    WILDCARD = "wildcard"
    CATEGORY = "category"
    NEVER = "never"

    @classmethod
    def of(cls, rule: MissingRule) -> "MissingMatch":
        """Return the comparison that a schema's rule asks for."""
        return cls.WILDCARD if rule is MissingRule.WILDCARD else cls.CATEGORY


@dataclass(frozen=True, eq=False)
class IntruderView:
    """One file as an intruder sees it.

    Parameters
    ----------
    table : Table
        All attributes, shape (n, .).
    quasi_identifiers : tuple of str
        Attributes that the intruder knows of a person.
    sensitive : tuple of str
        Attributes that the intruder wants to learn.
    weights : ndarray of float64, shape (n,), optional
        How many members of the population a record represents.
    household : str, optional
        Attribute whose equal values form a household.
    missing : MissingMatch
        What a missing value of a quasi-identifier equals: anything, other missing values, or nothing. Under the last
        rule a record with such a value is like no other one.
    population : Table, optional
        A file of the population that the respondents belong to, with at least the quasi-identifiers, in this file's
        coding; codes beyond it are values that this file does not have.
    transitions : mapping of str to ndarray of float64, optional
        By attribute, the rows of the matrix that it was randomised by, those of the values that occurred before.
    counts : ndarray of int64, shape (n,), optional
        How many records of the file each one of the table represents, where a large file was read as its distinct
        records; models that are `PrivacyModel.counted` then judge the file. Not under the rule ``never``.
    """

    table: Table
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    weights: Numbers | None = None
    household: str | None = None
    missing: MissingMatch = MissingMatch.CATEGORY
    population: Table | None = None
    transitions: Mapping[str, Matrix] | None = None
    counts: NDArray[np.int64] | None = None

    @property
    def records(self) -> int:
        """How many records the file has."""
        return len(self.table) if self.counts is None else int(self.counts.sum())

    @cached_property
    def suppressed(self) -> NDArray[np.bool_]:
        """Which records are suppressed whole, shape (n,): each quasi-identifier ``*`` or missing, at least one ``*``.

        None where that is all of them: then values were recoded, and no record left out.
        """
        n = len(self.table)
        emptied, starred = np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
        for name in self.quasi_identifiers:
            attribute, column = self.table.schema[name], self.table.column(name)
            if attribute.categorical:
                root = np.isin(column, root_codes(attribute))
                starred |= root
                emptied &= root | (column == MISSING)
            else:
                emptied &= np.isnan(column)
        emptied &= starred
        return np.zeros(n, dtype=np.bool_) if emptied.all() else emptied

    @cached_property
    def judged(self) -> "IntruderView":
        """The file without `suppressed` records: these identify nobody, and form no class."""
        if not self.suppressed.any():
            return self
        kept = np.flatnonzero(~self.suppressed)
        weights = None if self.weights is None else self.weights[kept]
        counts = None if self.counts is None else self.counts[kept]
        return replace(self, table=self.table.take(kept), weights=weights, counts=counts)

    @cached_property
    def codes(self) -> Codes:
        """Values of the quasi-identifiers, shape (n, V), `MISSING` only where it is a wildcard or a category."""
        codes = key_codes(self.table, self.quasi_identifiers)
        return missing_apart(codes) if self.missing is MissingMatch.NEVER else codes

    @cached_property
    def classes(self) -> Classes:
        """Records of the same key. Under the rule ``wildcard`` records of other classes can match them too."""
        classes = equivalence_classes(self.codes)
        return (
            classes if self.counts is None else replace(classes, counts=summed(classes.of, self.counts, len(classes)))
        )

    @cached_property
    def keys(self) -> Codes:
        """The distinct keys, shape (m, V), in the order of `classes`."""
        keys: Codes = self.codes[self.classes.first]
        return keys

    @cached_property
    def tree(self) -> "WildcardTree | None":
        """The keys as a prefix tree, where a missing value represents any; None where keys match themselves alone."""
        wildcards = self.missing is MissingMatch.WILDCARD and bool((self.keys == MISSING).any())
        if not wildcards:
            return None
        from evosdc.table.wildcard_tree import prefix_tree  # numba is loaded with it

        return prefix_tree(self.keys)

    @cached_property
    def frequencies(self) -> tuple[NDArray[np.int64], Numbers]:
        """How many records match each key and what they weigh together, each of shape (m,).

        Without weights a record weighs 1.
        """
        counts = self.classes.counts
        weights = counts.astype(np.float64) if self.weights is None else self.classes.total(self.weights)
        if self.tree is None:
            return counts, weights
        from evosdc.table.wildcard_tree import matching_sums  # numba is loaded with it

        return matching_sums(self.tree, counts, weights, self.keys)


def root_codes(attribute: Attribute) -> list[int]:
    """Return the codes of an attribute's labels that represent any value: ``*``, and the root of its hierarchy."""
    roots = {ROOT} if attribute.hierarchy is None else {ROOT, attribute.hierarchy.levels[0][-1]}
    leaves = () if attribute.hierarchy is None else attribute.hierarchy.position
    return [attribute.code[label] for label in roots if label in attribute.code and label not in leaves]


class PrivacyModel(ABC):
    """A way of judging what one file reveals.

    A subclass has a nested ``Params`` class and implements `assess`. One of its figures, `headline`, represents all in
    tables and in constraints of a search: ``"k-anonymity >= 3"`` asks for the headline of ``k-anonymity``.
    """

    class Params(Parameters):
        """No parameters."""

    headline: ClassVar[str]  # Key of the figure that represents the whole assessment

    larger_is_safer: ClassVar[bool] = True  # Whether a larger headline is better for the respondents

    range: ClassVar[tuple[float, float]] = (-inf, inf)  # Least and greatest headline of any file

    counted: ClassVar[bool] = False  # Whether `assess` also judges distinct records with counts (`IntruderView.counts`)

    def __init__(self, params: Any) -> None:
        self.params = params

    def lacking(self, view: IntruderView) -> str:
        """Return what the model needs and the file does not have, such as "a sensitive attribute"; usually nothing."""
        return ""

    def applies(self, view: IntruderView) -> bool:
        """Whether the file has what the model needs: sensitive attributes, weights, households."""
        return not self.lacking(view)

    def attainable(self, view: IntruderView) -> tuple[float, float]:
        """Return the least and the greatest headline that any masking of the file can have; by default `range`.

        A requirement beyond is refused before a search begins. Bounds may be wider than what can be had.
        """
        return self.range

    def shortfall(self, view: IntruderView, bound: float) -> float | None:
        """Return the share of records, 0..1, that keep the headline from the safe side of a bound.

        A headline such as the smallest frequency seldom moves when one record changes. A search for files that keep
        ``"k-anonymity >= 3"`` is therefore led by this share, where it is known; None where it is not. 0 where the
        bound is kept.
        """
        return None

    def record_figures(self, view: IntruderView) -> Numbers | None:
        """Return the model's figure of each record, shape (n,), by position; None, the default, where it has none.

        Infinity is allowed. Called only where nothing is `lacking`.
        """
        return None

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return what the figures of `assess` mean, in a sentence for people who do not know the model."""
        return f"{self.headline.replace('_', ' ')}: {figures[self.headline]}"

    def standing_out(self, view: IntruderView) -> Mapping[int, Sequence[tuple[str, ...]]]:
        """Return, by position of a record, the smallest sets of attributes on which it is like no other one.

        By default nothing: most models do not say why a record stands out. Called only where nothing is `lacking`.
        """
        return {}

    def verdict(self, figures: Mapping[str, Mapping[str, Any]]) -> str:
        """Return in plain words whether single respondents stand out; empty where the model does not tell.

        Parameters
        ----------
        figures : mapping of str to mapping
            What `assess` returned, by name of the model, this one's and those of others.
        """
        return ""

    @abstractmethod
    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the figures by name, JSON-able, without any record of the file.

        Called only where nothing is `lacking`, for `IntruderView.judged`: without wholly suppressed records.
        """


class PrivacyModels(Protocol):
    """All registered privacy models; the framework gives them to a genotype that `needs` them."""

    def build(self, name: str, params: Any) -> PrivacyModel:
        """Return a model with its parameters.

        Raises
        ------
        InputError
            The model is unknown, or its parameters are refused.
        """


@dataclass(frozen=True, eq=False)
class ClassValues:
    """How often each value of a sensitive attribute occurs in some equivalence classes.

    Parameters
    ----------
    attribute : Attribute
    present : ndarray of int32, shape (s,)
        Codes of the values, ascending, a missing one last; of a number its rank.
    starts : ndarray of int64, shape (c + 1,)
        Where the entries of each class begin.
    values, counts : ndarray of int64
        A value, as its position in `present`, and its records, an entry each; ascending in each class.
    overall : ndarray of int64, shape (s,)
        Records of each value in the whole file; zeros where the attribute is masked, and may change.
    """

    attribute: Attribute
    present: Codes
    starts: NDArray[np.int64]
    values: NDArray[np.int64]
    counts: NDArray[np.int64]
    overall: NDArray[np.int64]

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """The class of each entry."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Records of each class, shape (c,)."""
        return summed(self.owner, self.counts, len(self.starts) - 1)


@dataclass(frozen=True, eq=False)
class ClassContents:
    """Some equivalence classes: their sizes, shape (c,), and their values of each sensitive attribute.

    Where missing values are wildcards, a class holds all records that its key matches, and records are in several.
    """

    sizes: NDArray[np.int64]
    sensitive: tuple[ClassValues, ...]


class ByClass(PrivacyModel):
    """A privacy model whose headline is the figure of the worst equivalence class.

    A search then tracks it: after a small change only the classes are judged whose records changed. Only where classes
    do not overlap, so not where missing values are wildcards. The result has to be that of `assess`.
    `shortfall`, where there is one, has to be the share of records in classes whose figure is worse than the bound.
    """

    of_whole_file: ClassVar[bool] = False
    """Whether the figure of a class also depends on the sensitive values of the whole file."""

    of_sensitive: ClassVar[bool] = True
    """Whether the figure of a class depends on sensitive values; where False, they are not counted."""

    @property
    def by_class(self) -> bool:
        """Whether, with these parameters, the headline is indeed that of the worst class; usually so."""
        return True

    def record_figures(self, view: IntruderView) -> Numbers | None:
        """Return the headline that each record's class would give by itself, shape (n,).

        Under the rule ``wildcard``, the class is all records that its key matches.
        """
        if not self.by_class:
            return None
        figures, place = np.unique(self.figures_of(view), return_inverse=True)
        headlines = np.array([self.headline_of(float(figure)) for figure in figures])
        by_record: Numbers = headlines[place.reshape(-1)][view.classes.of]
        return by_record

    @abstractmethod
    def class_figures(self, contents: ClassContents) -> Numbers:
        """Return the figure of each class, shape (c,): the greater the safer where `larger_is_safer`."""

    def figures_of(self, view: IntruderView) -> Numbers:
        """Return the figure of each class of a file, shape (m,); a key's is that of the records that it matches."""
        figures: Numbers = np.concatenate([self.class_figures(part) for part in contents_of(view, self.of_sensitive)])
        return figures

    def share_beyond(self, view: IntruderView, bound: float) -> float:
        """Return the share of records in classes whose figure is worse than a bound: what `shortfall` may return."""
        figures, counts = self.figures_of(view), view.classes.counts
        short = figures < bound if self.larger_is_safer else figures > bound
        return float(counts[short].sum() / counts.sum())

    def headline_of(self, figure: float) -> float:
        """Return the headline of a file by the figure of its worst class; usually that figure."""
        return figure


class BySizes(PrivacyModel):
    """A privacy model whose headline tells only how many equivalence classes there are of each size.

    A search then tracks it: after a small change only the classes are counted whose records changed. Only where
    classes do not overlap, so not where missing values are wildcards.
    """

    @abstractmethod
    def headline_of_sizes(self, sizes: NDArray[np.int64], times: NDArray[np.int64], original: IntruderView) -> float:
        """Return the headline that `assess` gives.

        Parameters
        ----------
        sizes, times : ndarray of int64, shape (d,)
            The sizes that occur, positive and ascending, and how many classes have each.
        original : IntruderView
            The unmasked file, for what no masking changes: weights, the population.
        """


def contents_of(view: IntruderView, of_sensitive: bool = True) -> Iterator[ClassContents]:
    """Yield the contents of the equivalence classes of a file, in the order of `classes`."""
    # All of them at once, unless missing values are wildcards: then some after the others, since all might be too much.
    classes, tree = view.classes, view.tree
    own = tuple(_values_in_classes(view, name) for name in view.sensitive if of_sensitive)
    if tree is None or not own:
        yield ClassContents(view.frequencies[0], own)
        return
    from evosdc.table.wildcard_tree import matching_keys  # numba is loaded with it

    for begin, end, query, key in matching_keys(tree, view.keys):
        sizes = summed(query, classes.counts[key], end - begin)
        yield ClassContents(sizes, tuple(_joined(values, query, key, end - begin) for values in own))


def _values_in_classes(view: IntruderView, name: str) -> ClassValues:
    """Return how often each value of a sensitive attribute occurs in the classes, each by itself."""
    attribute, column, classes = view.table.schema[name], view.table.column(name), view.classes
    codes = np.array(column if attribute.categorical else ranks(column), dtype=np.int64)
    size = int(codes.max(initial=0)) + 1
    codes[codes == MISSING] = size
    present, values, overall = tallied(codes, view.counts)
    pairs, _, counts = tallied(classes.of * present.size + values, view.counts)
    starts = np.searchsorted(pairs, np.arange(len(classes) + 1) * present.size).astype(np.int64)
    labels = np.where(present == size, MISSING, present).astype(np.int32)
    return ClassValues(attribute, labels, starts, pairs % present.size, counts, overall)


def _joined(values: ClassValues, query: NDArray[np.int64], key: NDArray[np.int64], queries: int) -> ClassValues:
    """Return how often values occur in all classes that each query matches, given the pairs that match."""
    starts, s = values.starts, values.present.size
    sizes = starts[key + 1] - starts[key]
    entries = np.arange(sizes.sum()) + np.repeat(starts[key] - (np.cumsum(sizes) - sizes), sizes)
    pairs, _, counts = tallied(np.repeat(query, sizes) * s + values.values[entries], values.counts[entries])
    starts = np.searchsorted(pairs, np.arange(queries + 1) * s).astype(np.int64)
    return replace(values, starts=starts, values=pairs % s, counts=counts)
