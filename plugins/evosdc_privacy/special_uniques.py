"""SUDA2: special uniques, scored by how few attributes make a record unique."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import comb
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import IntruderView, Parameters, PrivacyModel
from evosdc.table.distinct_values import placed_values
from evosdc.table.equivalence import equivalence_classes
from evosdc.table.table import Numbers
from evosdc_privacy.minimal_uniques import BITS, minimal_uniques

LEVELS = (0.01, 0.1, 0.5)
_MOST_SETS = 6_000

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
        columns, n = len(view.quasi_identifiers), len(view.table)
        most = min(self.params.max_size or reachable_size(columns), columns)
        found, scores = self._scored(view, most)
        sizes = found.held.sum(axis=1)
        fraction = self.params.sampling_fraction or _fraction(view)
        frequencies, counts = view.frequencies[0], view.classes.counts
        unique = int(counts[frequencies == 1].sum())
        dis = intrusion_success(unique, int(counts[frequencies == 2].sum()), fraction)
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
        owner, sets = uniques_of(view, min(self.params.max_size or reachable_size(columns), columns))
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
        columns = len(view.quasi_identifiers)
        scores = self._scored(view, min(self.params.max_size or reachable_size(columns), columns))[1]
        fraction = self.params.sampling_fraction or _fraction(view)
        frequencies, counts = view.frequencies[0], view.classes.counts
        unique = int(counts[frequencies == 1].sum())
        dis = intrusion_success(unique, int(counts[frequencies == 2].sum()), fraction)
        shared = np.minimum(dis * unique * scores / scores.sum(), 1.0) if scores.any() else scores
        by_record: Numbers = shared[view.classes.of]
        return by_record

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
    """The S sets of attributes that make minimal uniques, of which there are far fewer than of these.

    Parameters
    ----------
    held : ndarray of bool, shape (S, V)
        Which attributes each holds.
    weights : ndarray of float64, shape (S,)
    times : ndarray of int64, shape (S,)
        How many minimal uniques each makes.
    owners : int
        Keys that have any.
    """

    held: NDArray[np.bool_]
    weights: Numbers
    times: NDArray[np.int64]
    owners: int


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


def _fraction(view: IntruderView) -> float:
    if view.weights is None:
        return 1.0
    return min(1.0, len(view.table) / float(view.weights.sum()))
