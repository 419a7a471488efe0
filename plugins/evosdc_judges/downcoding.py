"""Downcoding: what follows from a file of coarser or suppressed values being no coarser than its k needs."""

from collections import Counter
from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.special import gammaln, xlogy

from evosdc.errors import Fault, ParameterError
from evosdc.model import Estimate, Estimated, Judge
from evosdc.table.generalisation import LabelReader
from evosdc.table.schema import Attribute, MissingRule, Scale
from evosdc.table.table import Numbers, Table
from evosdc.time_limit import check_time

SUPPRESSED = "*"  # the root of every hierarchy, and a cell that is left out
LARGEST = 500  # records of a group that is searched; in larger ones a value of one person alone is rarely certain
COMPARED = 2000  # different published records whose groups are counted where a missing value is like any other

Sizes = NDArray[np.int64]


class Downcoding(Judge):
    """People of whom a coarser or suppressed value is restored, and who are alone with it in their group, times 100."""

    # The intruder knows the hierarchies, how often each value occurs among all people, and that no value is coarser
    # than k needs (Cohen, 2022): members of a group that all had one finer value, or at least k of them, would have
    # been published with it; so would one whose finer value a group of k publishes already. An interval has its ends
    # among the values of its group, a set all that it lists. The posterior of how many members of a group have each
    # finer value is the multinomial one without what cannot be. The intruder names a finer value that exactly one
    # member has, where that is at least `sure` and would not be by the shares of all people alone. Beside the people
    # that are named rightly stand the ``precision`` of what is named, and those whom the shares alone name rightly,
    # ``without_minimality``: they say nothing of the file.
    # Labels that do not overlap (levels of a full domain, fixed classes) and records that are suppressed whole are no
    # choice of their group, and nothing is inferred from these. Attributes one at a time, margins of the original: a
    # reconstruction.

    supports = frozenset(Scale)
    generalised = True
    suppressions = True
    known = True
    warns_from = 0.0
    intruder = "knows that no value is coarser than it had to be"
    sentence = (
        "Of {masked} % of the people a coarser or suppressed value is restored by an intruder who knows that the file "
        "is no coarser than it had to be, and they are alone with it in their group; {chance} % by chance."
    )

    class Params(Judge.Params):
        """How anonymous the file is, and how sure the intruder."""

        k: int | None = Field(None, ge=2, description="Size of the smallest group; default: as in the file.")
        sure: float = Field(0.9, gt=0.5, le=1.0, description="Probability from which a value is named.")

    params: Params

    def fit(self, original: Table) -> "FittedDowncoding":
        """Place the values of the original in their hierarchies."""
        self.require_support(original)
        return FittedDowncoding(original, self.params)


class _Finer(NamedTuple):
    """What a coarser label may represent."""

    shares: Mapping[str, float]  # by finer label the share of the people below the coarser one
    occur: frozenset[str]  # finer labels that occur for certain in every group with the label: ends of an interval


class _Tree:
    """The values of an attribute below their coarser labels."""

    def __init__(self, attribute: Attribute, column: NDArray[np.generic]) -> None:
        hierarchy, self._reader = attribute.hierarchy, LabelReader(attribute)
        self.root = SUPPRESSED if hierarchy is None else hierarchy.levels[0][-1]
        self.values = _labels(attribute, column, self.root)  # of each person
        self.paths: dict[str, tuple[str, ...]] = {}  # by value: itself, and its labels up to `SUPPRESSED`
        self._places = dict(zip(self.values, column.tolist(), strict=True))
        for value in self._places:
            above = hierarchy.path(value)[1:-1] if hierarchy is not None and value in hierarchy.position else ()
            self.paths[value] = tuple(dict.fromkeys((value, *above, SUPPRESSED)))
        self._finer: dict[str, _Finer] = {}

    def covered(self, label: str) -> set[str]:
        """Return the values that a label may represent."""
        found = {value for value, path in self.paths.items() if label in path}
        if found or label[:1] not in "[{":
            return found
        extent = self._reader.read(label)
        return set() if extent is None else {value for value, at in self._places.items() if extent.covers(at)}

    def finer(self, label: str) -> _Finer:
        """Return what a label may represent; nothing for a value itself."""
        if label not in self._finer:
            covered = self.covered(label)
            below = Counter(self.below(value, label) for value in self.values if value in covered)
            del below[""]
            shares = {one: count / below.total() for one, count in below.items()}
            ends = set[str]()
            if label[:1] == "{":
                ends = covered
            elif label[:1] == "[" and covered:
                places = {self._places[value]: value for value in covered}
                ends = {places[min(places)], places[max(places)]}
            self._finer[label] = _Finer(shares, frozenset(ends & shares.keys()))
        return self._finer[label]

    def below(self, value: str, label: str) -> str:
        """Return what is directly below a label for a value; empty where the value is not below it."""
        path = self.paths[value]
        if label in path:
            return path[path.index(label) - 1] if label != value else ""
        return value if value in self.covered(label) else ""


def _labels(attribute: Attribute, column: NDArray[np.generic], root: str) -> list[str]:
    """Return the values of a column as labels; a missing one, and the root of a hierarchy, is suppressed."""
    if attribute.categorical:
        labels = (*(SUPPRESSED if label == root else label for label in attribute.categories), SUPPRESSED)
        return [labels[code] for code in column.tolist()]
    return [SUPPRESSED if np.isnan(value) else f"{value:.17g}" for value in column.tolist()]


class FittedDowncoding(Estimated):
    """`Downcoding` of one original."""

    def __init__(self, original: Table, params: Downcoding.Params) -> None:
        self._original, self._params = original, params
        self._trees = {a.name: _Tree(a, original.column(a.name)) for a in original.schema.attributes}

    def estimate(self, masked: Table) -> Estimate:
        """Return the share of people; exact, 0 for a file in the original's own values."""
        return self._found(masked)[0]

    def details(self, masked: Table) -> tuple[Estimate, Mapping[str, float]]:
        """Return the share of people, and how much of it is the intruder's knowledge of minimality."""
        coarser = (
            self._trees[name].finer(label).shares
            for name, labels in self._columns(masked).items()
            for label in dict.fromkeys(labels)
        )
        if not any(coarser):
            raise ParameterError(Fault("measure downcoding", "a file without coarser or suppressed values", "some"))
        return self._found(masked)

    def _columns(self, masked: Table) -> dict[str, list[str]]:
        """Return the published labels by attribute."""
        attributes = masked.schema.attributes
        return {a.name: _labels(a, masked.column(a.name), self._trees[a.name].root) for a in attributes}

    def _found(self, masked: Table) -> tuple[Estimate, Mapping[str, float]]:
        columns, groups = self._columns(masked), dict[tuple[str, ...], list[int]]()
        for person, labels in enumerate(zip(*columns.values(), strict=True)):
            groups.setdefault(labels, []).append(person)
        sizes = {labels: len(people) for labels, people in groups.items()}
        k = self._params.k or _smallest(sizes, self._original.schema.na is MissingRule.WILDCARD)
        chosen = [labels for labels in groups if set(labels) != {SUPPRESSED}]
        people, without, named, right = set[int](), set[int](), 0, 0
        memory: dict[tuple[object, ...], tuple[Numbers, Numbers]] = {}
        for v, name in enumerate(columns):
            tree = self._trees[name]
            covered = [tree.covered(label) for label in dict.fromkeys(labels[v] for labels in chosen)]
            if sum(map(len, covered)) == len(set().union(*covered)):
                continue  # each value has one label in the whole file
            for labels in chosen:
                (shares, occur), size = tree.finer(labels[v]), sizes[labels]
                if not shares or size > LARGEST:
                    continue
                check_time()
                beside = tuple(sizes.get((*labels[:v], finer, *labels[v + 1 :]), 0) for finer in shares)
                situation = (name, labels[v], size, beside)
                if situation not in memory:
                    margins, anything = np.array([*shares.values()]), np.ones((len(shares), size + 1), dtype=np.bool_)
                    possible = anything.copy() if occur else minimal(size, np.array(beside), k)
                    possible[[finer in occur for finer in shares], 0] = False
                    memory[situation] = alone(margins, possible), alone(margins, anything)
                finers = [tree.below(tree.values[person], labels[v]) for person in groups[labels]]
                for finer, known, plain in zip(shares, *memory[situation], strict=True):
                    places = [place for place, one in enumerate(finers) if one == finer]
                    own = [groups[labels][places[0]]] if len(places) == 1 else []
                    if known >= self._params.sure > plain:
                        named, right = named + 1, right + len(own)
                        people.update(own)
                    if plain >= self._params.sure:
                        without.update(own)
        n = len(self._original)
        details = {"precision": 100.0 * right / named} if named else {}
        return Estimate.exact(100.0 * len(people) / n), {**details, "without_minimality": 100.0 * len(without) / n}


def _smallest(sizes: Mapping[tuple[str, ...], int], wildcard: bool) -> int:
    """Return the size of the smallest group, at least 2, records that are suppressed whole apart."""
    listed = [labels for labels in sizes if set(labels) != {SUPPRESSED}] or [*sizes]
    counts = np.array([sizes[labels] for labels in listed])
    if not wildcard:
        return max(int(counts.min()), 2)
    coded = np.stack([np.unique(column, return_inverse=True)[1] for column in zip(*listed, strict=True)], axis=1)
    absent = np.array([[label == SUPPRESSED for label in labels] for labels in listed])
    rows = np.random.default_rng(0).permutation(len(listed))[:COMPARED]
    like = [((coded == coded[row]) | absent | absent[row]).all(axis=1) @ counts for row in rows]
    return max(int(min(like)), 2)


def minimal(size: int, published: Sizes, k: int) -> NDArray[np.bool_]:
    """Return how many of a group's `size` members may have each finer label, shape (labels, size + 1)."""
    # Published (labels,) is how many records publish each label beside the group. Members who have it would have been
    # published with it if with those beside they are at least k, and the others that they leave are none or enough.
    members = np.arange(size + 1)
    left = size - members
    safe_to_leave = (left == 0) | (left >= k) | (size < k)
    kept: NDArray[np.bool_] = (members == 0) | (members + published[:, None] < k) | ~safe_to_leave
    return kept


def alone(shares: Numbers, possible: NDArray[np.bool_]) -> Numbers:
    """Return for each finer label the probability that exactly one member of a group has it."""
    # Shares are those of the labels among all people; counts of a multinomial are independent Poisson counts given
    # their sum.
    size = possible.shape[1] - 1
    members, rates = np.arange(size + 1), size * shares[:, None]
    weights = possible * np.exp(xlogy(members, rates) - rates - gammaln(members + 1))
    nobody = np.zeros(size + 1)
    nobody[0] = 1.0

    def joined(first: Numbers, second: Numbers) -> Numbers:
        both: Numbers = np.convolve(first, second)[: size + 1]
        return both

    before = [*accumulate(weights, joined, initial=nobody)]
    after = [*accumulate(weights[::-1], joined, initial=nobody)][::-1]
    if before[-1][size] <= 0.0:
        return np.zeros(len(shares))  # no minimal file has such a group
    others = [joined(first, second)[size - 1] for first, second in zip(before, after[1:], strict=False)]
    found: Numbers = weights[:, 1] * np.array(others) / before[-1][size]
    return found
