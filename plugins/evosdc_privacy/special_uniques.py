"""SUDA2: special uniques, scored by how few attributes make a record unique.

Minimal sample uniques, the smallest sets of attributes on which a record is like no other, are found so: a class of
records that agree on a set is split by one more attribute, and each part with a record that is unique in the whole is
split further. A part of one record is a unique; it is minimal if no set found for it before is contained in this one.
Attributes are added from the last to the first, so each record meets all subsets of a set before the set.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from math import comb
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import IntruderView, Parameters, PrivacyModel
from evosdc.table.equivalence import equivalence_classes, placed_values
from evosdc.table.table import Codes, Numbers

LEVELS = (0.01, 0.1, 0.5)
BITS = 62  # Attributes in each word of a set
_MOST_SETS = 6_000
Sets = NDArray[np.int64]
Uniques = tuple[NDArray[np.int64], NDArray[np.int64]]


class Suda2(PrivacyModel):
    """SUDA2 (Elliot et al. 2002; Manning et al. 2008): minimal sample uniques up to a size, SUDA and DIS-SUDA scores.

    A minimal sample unique (MSU) of a record is a set of attributes on which it is unique, though on no part of it. The
    score of a record adds ``prod (V - i), i = size .. M`` over its MSUs, M the greatest size but at most V - 1.

    DIS is the probability that a unique match is a correct one, ``u d / (u d + p (1 - d))`` with u unique records, p
    records in pairs and the sampling fraction d (Skinner and Elliot 2002). DIS-SUDA shares it among the records, each
    in proportion to its score, so that their mean over unique records is DIS; then each is cut at 1. Where any is cut,
    the mean falls short of DIS: ``records_cut`` counts these and ``mean_of_uniques`` is the mean as it is. The sharing
    and the cut are reconstructions.

    ``scoring = "ihsn"`` weighs a set of s attributes as the program of the International Household Survey Network does,
    ``(2**(V - s) - 1) s! (V - s)! / V!``, which ``suda2(original_scores = FALSE)`` of sdcMicro shows.
    """

    class Params(Parameters):
        """Size of sets and sampling fraction."""

        max_size: int | None = Field(
            None, ge=1, description="greatest size of a set; default: all, or as many as make at most 6000 sets"
        )
        sampling_fraction: float | None = Field(
            None, gt=0.0, le=1.0, description="default: records over sum of weights, and 1 without weights"
        )
        scoring: Literal["elliot", "ihsn"] = Field("elliot", description="weight of a set: factorials, or as IHSN does")

    headline: ClassVar[str] = "largest_dis_suda"
    larger_is_safer: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return numbers of MSUs, scores, DIS-SUDA scores and each attribute's share of the scores, in percent."""
        columns, n, most = len(view.quasi_identifiers), len(view.table), self._most(view)
        found, scores = self._scored(view, most)
        sizes = found.held.sum(axis=1)
        unique, dis, fraction = self._success(view)
        weight = found.weights * found.times
        total = float(weight.sum())
        uncut = dis * unique * scores / total if total else scores
        shared = np.minimum(uncut, 1.0)
        shares = 100.0 * (weight @ found.held) / total if total else np.zeros(columns)
        return {
            "unique_records": unique,
            "records_with_msu": found.owners,
            "msu": int(found.times.sum()),
            "msu_by_size": {str(size): int(found.times[sizes == size].sum()) for size in range(1, most + 1)},
            "largest_score": float(scores.max()),
            "mean_score": float(scores.sum() / n),
            "dis": dis,
            "largest_dis_suda": float(shared.max()),
            "mean_dis_suda": float(shared.sum() / n),
            "mean_of_uniques": float(shared.sum() / unique) if unique else 0.0,
            "records_cut": int(np.count_nonzero(uncut > 1.0)),
            "records_above": {str(level): int(np.count_nonzero(shared > level)) for level in LEVELS},
            "contributions": dict(zip(view.quasi_identifiers, shares.tolist(), strict=True)),
            "max_size": most,
            "scoring": self.params.scoring,
            "sampling_fraction": fraction,
        }

    def standing_out(self, view: IntruderView) -> Mapping[int, Sequence[tuple[str, ...]]]:
        """Return the minimal sample uniques of each record, those of fewest attributes alone."""
        columns = len(view.quasi_identifiers)
        owner, sets = uniques_of(view, self._most(view))
        member = membership(sets, columns)
        sizes = member.sum(axis=1)
        least = np.full(len(view.classes), columns + 1)
        np.minimum.at(least, owner, sizes)
        found: dict[int, list[tuple[str, ...]]] = {}
        first = view.classes.first
        for place in np.flatnonzero(sizes == least[owner]).tolist():
            names = tuple(name for name, held in zip(view.quasi_identifiers, member[place], strict=True) if held)
            found.setdefault(int(first[owner[place]]), []).append(names)
        return found

    def record_figures(self, view: IntruderView) -> Numbers:
        """Return the DIS-SUDA score of each record, shape (n,)."""
        scores, (unique, dis, _) = self._scored(view, self._most(view))[1], self._success(view)
        shared = np.minimum(dis * unique * scores / scores.sum(), 1.0) if scores.any() else scores
        by_record: Numbers = shared[view.classes.of]
        return by_record

    def _most(self, view: IntruderView) -> int:
        columns = len(view.quasi_identifiers)
        return min(self.params.max_size or reachable_size(columns), columns)

    def _success(self, view: IntruderView) -> tuple[int, float, float]:
        """Return the unique records, DIS, and the sampling fraction."""
        fraction = self.params.sampling_fraction
        if fraction is None:
            fraction = 1.0 if view.weights is None else min(1.0, len(view.table) / float(view.weights.sum()))
        frequencies, counts = view.frequencies[0], view.classes.counts
        unique = int(counts[frequencies == 1].sum())
        return unique, intrusion_success(unique, int(counts[frequencies == 2].sum()), fraction), fraction

    def _scored(self, view: IntruderView, most: int) -> tuple["_Sets", Numbers]:
        """Return the sets that make minimal uniques, and the score of each key, shape (m,)."""
        columns = len(view.quasi_identifiers)
        owner, sets = uniques_of(view, most)
        distinct, place, times = _placed(sets)
        held = membership(distinct, columns)
        score = ihsn_score if self.params.scoring == "ihsn" else partial(set_score, most=most)
        weights = np.array([0.0, *(score(size, columns=columns) for size in range(1, columns + 1))])
        weight = weights[held.sum(axis=1)]
        scores = np.bincount(owner, weights=weight[place], minlength=len(view.classes)).astype(np.float64)
        owners = int(np.count_nonzero(np.bincount(owner)))
        return _Sets(held, weight, times, owners), scores

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return how many records are unique on few attributes."""
        if not figures["msu"]:
            return f"no record is unique on up to {figures['max_size']} attributes"
        smallest = next(size for size, count in figures["msu_by_size"].items() if count)
        return (
            f"{figures['records_with_msu']} records are unique on up to {figures['max_size']} attributes, the smallest "
            f"set has {smallest}; DIS-SUDA up to {figures['largest_dis_suda']:.3f}"
        )


class _Sets(NamedTuple):
    """The S sets of attributes that make minimal uniques, of which there are far fewer than of these."""

    held: NDArray[np.bool_]  # (S, V): Which attributes each holds
    weights: Numbers  # (S,)
    times: NDArray[np.int64]  # (S,): How many minimal uniques each makes
    owners: int  # keys that have any


def _placed(sets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.int64]]:
    """Return the distinct sets, the place of each one among them, and how often each occurs."""
    if sets.shape[1] == 1:
        distinct, place, times = placed_values(sets[:, 0])
        return distinct[:, None], place, times
    rows = equivalence_classes(np.ascontiguousarray(sets).view(np.int32))
    return sets[rows.first], rows.of, rows.counts


def uniques_of(view: IntruderView, most: int) -> Uniques:
    """Return the minimal sample uniques of a file: positions of keys, shape (u,), and sets as bits, shape (u, W)."""
    return minimal_uniques(view.keys, view.frequencies[0] == 1, most, view.tree is not None)


def membership(sets: NDArray[np.int64], columns: int) -> NDArray[np.bool_]:
    """Return which attributes each set holds, shape (u, V)."""
    attributes = np.arange(columns)
    held: NDArray[np.bool_] = (sets[:, attributes // BITS] >> (attributes % BITS)) & 1 == 1
    return held


def set_score(size: int, most: int, columns: int) -> float:
    """Return ``prod (V - i)`` for i from the size of a set to `most`, V - 1 at most: (V - size)! if all sizes count."""
    return float(np.prod([float(columns - i) for i in range(size, min(most, columns - 1) + 1)]))


def ihsn_score(size: int, columns: int) -> float:
    """Return ``(2**(V - s) - 1) s! (V - s)! / V!``, the weight of a set of s attributes in the program of the IHSN."""
    return (2.0 ** (columns - size) - 1.0) / comb(columns, size)


def intrusion_success(unique: int, paired: int, fraction: float) -> float:
    """Return DIS, the probability that a unique match is correct; 0 where no record is unique."""
    return unique * fraction / (unique * fraction + paired * (1.0 - fraction)) if unique else 0.0


def reachable_size(columns: int) -> int:
    """Return the greatest size for which there are at most 6000 sets, at least 1."""
    size, sets = 1, columns
    while size < columns and sets + comb(columns, size + 1) <= _MOST_SETS:
        size += 1
        sets += comb(columns, size)
    return size


@njit(cache=True, nogil=True)
def minimal_uniques(
    keys: Codes, unique: NDArray[np.bool_], most: int, wildcards: bool
) -> tuple[NDArray[np.int64], Sets]:  # fmt: skip
    """Return the minimal sample uniques of distinct keys."""
    # Shapes: keys (m, V), unique (m,).
    m, columns = keys.shape
    words = (columns + BITS - 1) // BITS
    wildcards = wildcards and m > 1
    largest = 0
    for i in range(m):
        for v in range(columns):
            largest = max(largest, keys[i, v])
    tally = np.zeros(largest + 2, np.int64)
    place = np.zeros(largest + 2, np.int64)
    alive = np.zeros(largest + 2, np.bool_)
    touched = np.empty(min(largest + 2, m), np.int64)
    # By number of attributes so far: the class, then its parts by the next attribute, the wildcards among it last. A
    # key that lacks an attribute of the set stands as -1 - key: it is like others, and cannot be found unique itself.
    rows = np.empty((most, m), np.int32)
    parts = np.empty((most, m), np.int32)
    ends = np.empty((most, m), np.int32)
    sizes = np.zeros(most, np.int64)
    free = np.zeros(most, np.int64)
    numbers = np.zeros(most, np.int64)
    upcoming = np.zeros(most, np.int64)
    limits = np.zeros(most, np.int64)
    attributes = np.zeros(most, np.int64)
    head = np.full(m, -1, np.int64)
    owner = np.empty(1024, np.int64)
    before = np.empty(1024, np.int64)
    sets = np.empty((1024, words), np.int64)
    found = 0
    current = np.zeros(words, np.int64)
    for i in range(m):
        rows[0, i] = i
    sizes[0] = m
    limits[0] = columns
    level = 0
    while level >= 0:
        if upcoming[level] < numbers[level]:
            part = upcoming[level]
            upcoming[level] += 1
            begin = ends[level, part - 1] if part else 0
            end = ends[level, part]
            size = end - begin + free[level]
            attribute = attributes[level] - 1
            if size > 1:
                if level + 1 < most and attribute > 0:
                    fixed = ends[level, numbers[level] - 1]
                    level += 1
                    for t in range(end - begin):
                        rows[level, t] = parts[level - 1, begin + t]
                    for t in range(free[level - 1]):
                        rows[level, end - begin + t] = parts[level - 1, fixed + t]
                    sizes[level] = size
                    limits[level] = attribute
                    attributes[level] = 0
                    numbers[level] = 0
                    upcoming[level] = 0
                continue
            i = parts[level, begin]
            # It is minimal if none of the key's sets, the last found first, is contained in it.
            other, minimal = head[i], True
            while other >= 0 and minimal:
                inside = True
                for w in range(words):
                    inside = inside and not sets[other, w] & ~current[w]
                minimal = not inside
                other = before[other]
            if not minimal:
                continue
            if found == owner.size:
                owner, before = np.append(owner, owner), np.append(before, before)
                sets = np.concatenate((sets, sets))
            owner[found] = i
            before[found] = head[i]
            head[i] = found
            for w in range(words):
                sets[found, w] = current[w]
            found += 1
            continue
        attribute = attributes[level]
        if attribute > 0:
            current[(attribute - 1) // BITS] &= ~(np.int64(1) << np.int64((attribute - 1) % BITS))
        if attribute == limits[level]:
            level -= 1
            continue
        attributes[level] += 1
        current[attribute // BITS] |= np.int64(1) << np.int64(attribute % BITS)
        distinct = 0
        for t in range(sizes[level]):
            entry = rows[level, t]
            code = keys[entry if entry >= 0 else -1 - entry, attribute]
            if wildcards and code == -1:
                continue
            if tally[code + 1] == 0:
                touched[distinct] = code + 1
                distinct += 1
            tally[code + 1] += 1
            if entry >= 0 and unique[entry]:
                alive[code + 1] = True
        filled = 0
        numbers[level] = 0
        upcoming[level] = 0
        for d in range(distinct):
            code = touched[d]
            place[code] = -1
            if alive[code]:
                place[code] = filled
                filled += tally[code]
                ends[level, numbers[level]] = filled
                numbers[level] += 1
            tally[code] = 0
            alive[code] = False
        if numbers[level] == 0:
            continue
        fixed = filled
        for t in range(sizes[level]):
            entry = rows[level, t]
            code = keys[entry if entry >= 0 else -1 - entry, attribute]
            if wildcards and code == -1:
                parts[level, filled] = min(entry, -1 - entry)
                filled += 1
            elif place[code + 1] >= 0:
                parts[level, place[code + 1]] = entry
                place[code + 1] += 1
        free[level] = filled - fixed
    return owner[:found].copy(), sets[:found].copy()
