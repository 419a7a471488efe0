"""Probabilistic information loss, pil and aPIL, and the quantiles that it follows while records change."""

from typing import Any, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field
from scipy.special import erf

from evosdc.model import Changes, Measure
from evosdc.model.parameters import Parameters
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.domains import Integers
from evosdc_measures.numeric_loss.moments import Moments, Standard, TrackedMoments, correlations_of, moments_of
from evosdc_measures.records import Tracked

LEVELS = np.arange(1, 20) / 20  # Levels of the quantiles, 5 % to 95 %
FEW = 32  # The values of up to this many changed records are put in their places; with more, all are sorted again


def in_order(numbers: Numbers) -> Numbers:
    """Return the values of each attribute in order, shape (q, n), missing ones last; `numbers` has shape (n, q)."""
    ordered: Numbers = np.sort(np.ascontiguousarray(numbers.T), axis=1)
    return ordered


def quantiles_of(ordered: Numbers, known: Integers) -> Numbers:
    """Return the quantiles of attributes in order, shape (q, 19), as `numpy.quantile` does; NaN without values."""
    # Shapes: ordered (q, n), known (q,).
    places = LEVELS * (known[:, None] - 1.0)
    below = np.maximum(np.floor(places), 0.0).astype(np.intp)
    low = np.take_along_axis(ordered, below, axis=1)
    high = np.take_along_axis(ordered, np.minimum(below + 1, np.maximum(np.ceil(places), 0.0).astype(np.intp)), axis=1)
    quantiles: Numbers = low + (high - low) * (places - below)
    return quantiles


def quantiles_of_children(
    ordered: Numbers, known: Integers, numbers: Numbers, rows: Rows, after: Numbers, ends: Integers, stays: bool
) -> tuple[Integers, Integers, Numbers]:
    """Return the quantiles of attributes that differ in children, with the child and the attribute of each."""
    # Shapes: ordered (q, n), brought in order with `stays`; known (q,), numbers (n, q), rows (m,), after (m, q), ends
    # (k,).
    columns, after = np.ascontiguousarray(numbers.T), np.ascontiguousarray(after)
    found = [_quantiles_of_few(ordered, known, columns, rows, after, ends, stays, LEVELS)]
    begins = np.append(0, ends[:-1])
    for child in np.flatnonzero(ends - begins > FEW).tolist():
        own, table = slice(begins[child], ends[child]), columns.copy()
        table[:, rows[own]] = after[own].T
        table.sort(axis=1)
        if stays:
            ordered[:] = table
        quantiles = quantiles_of(table, np.count_nonzero(~np.isnan(table), axis=1))
        found.append((np.full(len(table), child), np.arange(len(table)), quantiles))
    children, attributes, quantiles = (np.concatenate(part) for part in zip(*found, strict=True))
    return children, attributes, quantiles


@njit(cache=True)
def _quantiles_of_few(
    ordered: Numbers,
    known: Integers,
    columns: Numbers,
    rows: Rows,
    after: Numbers,
    ends: Integers,
    stays: bool,
    levels: Numbers,
) -> tuple[Integers, Integers, Numbers]:
    """Return what `quantiles_of_children` does, of the children that change few records."""
    k, (q, n) = len(ends), ordered.shape
    children, attributes = np.empty(k * q, np.int64), np.empty(k * q, np.int64)
    found, filled, begin = np.empty((k * q, len(levels))), 0, 0
    for child in range(k):
        for v in range(q if ends[child] - begin <= FEW else 0):
            count, differ, column = known[v], 0, ordered[v]
            for i in range(begin, ends[child]):
                x, y = columns[v, rows[i]], after[i, v]
                if x == y or (np.isnan(x) and np.isnan(y)):
                    continue
                if differ == 0:
                    column = column.copy()
                differ += 1
                place = n - 1 if np.isnan(x) else np.searchsorted(column[:count], x)
                # Missing values come last, and a comparison with one is false.
                while place > 0 and not np.isnan(y) and not column[place - 1] <= y:
                    column[place] = column[place - 1]
                    place -= 1
                while place < n - 1 and not np.isnan(column[place + 1]) and not y <= column[place + 1]:
                    column[place] = column[place + 1]
                    place += 1
                column[place] = y
                count += int(np.isnan(x)) - int(np.isnan(y))
            if differ == 0:
                continue
            for level in range(len(levels)):
                found[filled, level] = np.nan
                if count > 0:
                    exact = (count - 1) * levels[level]
                    below = int(np.floor(exact))
                    low, high = column[below], column[min(below + 1, count - 1)]
                    found[filled, level] = low + (high - low) * (exact - below)
            for i in range(n if stays else 0):
                ordered[v, i] = column[i]
            children[filled], attributes[filled] = child, v
            filled += 1
        begin = ends[child]
    return children[:filled], attributes[:filled], found[:filled]


Part = Literal["means", "variances", "covariances", "correlations", "quantiles"]
PARTS: tuple[Part, ...] = ("means", "variances", "covariances", "correlations", "quantiles")
SAME = 1e-9  # Statistics that differ by less, in units of their scale, are taken to be equal where nothing varies
Density = Literal["kernel", "normal"]


class AverageProbabilisticLoss(Measure):
    """Mean of the probabilistic losses of means, variances, covariances, correlations and quantiles, times 100.

    The loss of one statistic is ``pil = 2 P(0 <= Z <= |theta' - theta| / sqrt(Var(theta')))`` with Z standard normal:
    the original is taken as the population, the masked file as a sample of it, and pil is the probability that a sample
    of n records strays less far (Mateo-Sanz, Domingo-Ferrer and Sebe, 2005). A part is the mean of pil over attributes,
    over pairs of attributes, or over attributes and the quantiles 5 %, 10 %, ..., 95 %; a file with one attribute has
    no pairs and is judged by three parts. Range 0..100, smaller is better; 0 if nothing is changed. A large n makes the
    same change weigh more, by construction.

    Sampling variances, from central moments of the original: ``m20/n``; ``(m40 - m20^2)/n``; ``(m22 - m11^2)/n``; that
    of a correlation by the delta method without assuming normality; ``q (1 - q)/(n f^2)`` of a quantile with f the
    density there, by a Gaussian kernel with Silverman's bandwidth or of the normal with the attribute's mean and
    variance. That these general variances stand in the paper is not certain: a reconstruction.

    Attributes that are constant in the original are skipped. A masked attribute that is constant has correlation 0.
    Missing values are left out, by pairs for covariances and correlations, with n the masked values that remain; what
    cannot be estimated for want of masked values has pil 1.
    """

    class Params(Parameters):
        """The density at quantiles, and the parts."""

        density: Density = Field("kernel", description="Density estimate at quantiles.")
        parts: tuple[Part, ...] = Field(PARTS, min_length=1, description="Statistics whose losses are averaged.")

    supports = frozenset({Scale.NUMERIC})
    partial = True

    def fit(self, original: Table) -> "FittedProbabilisticLoss":
        """Take the statistics of the original and the variances of their estimators."""
        self.require_support(original)
        return FittedProbabilisticLoss(original.numbers, self.params.density, self.params.parts)


class OriginalStatistics:
    """Sampling properties of estimates from the original, its judged attributes in units of a `Standard`."""

    # Shapes: numbers (n, q); first, second (r,): pairs of attributes of which some records have both values; entries (2
    # q + 2 r,): means, variances, covariances and correlations of the pairs; variances (2 q + 2 r,): their sampling
    # variances times the number of records of the sample; quantiles, densities (q, 19).

    def __init__(self, numbers: Numbers, density: Density) -> None:
        moments, q = moments_of(numbers), numbers.shape[1]
        first, second = np.triu_indices(q, 1)
        both = moments.counts[first, second] > 1
        self.first, self.second = first[both], second[both]
        self._rows, self._columns = (np.concatenate([np.arange(q), pair]) for pair in (self.first, self.second))
        self.entries = self.entries_of(moments)[0]
        mixed = np.array([_mixed(numbers[:, j], numbers[:, v]) for j, v in zip(self.first, self.second, strict=True)])
        m22, m31, m13, m40, m04, m20, m02, m11 = mixed.reshape(-1, 8).T
        rho = self.entries[2 * q + len(m22) :]
        # Expanded, so that nothing is divided by m11, which may be 0.
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = m20 * m02
            of_correlation = (
                m22 / spread
                + rho**2 / 4 * (m40 / m20**2 + m04 / m02**2 + 2 * m22 / spread)
                - rho * (m31 / (m20 * np.sqrt(spread)) + m13 / (m02 * np.sqrt(spread)))
            )
        # A pair whose common records leave one of both constant has no correlation to estimate.
        of_correlation = np.where(np.isfinite(of_correlation), of_correlation, 0.0)
        variances, centred = self.entries[q : 2 * q], numbers - moments.means
        of_variance = [np.nanmean(column**4) for column in centred.T] - variances**2
        self.variances = np.maximum(np.concatenate([variances, of_variance, m22 - m11**2, of_correlation]), 0.0)
        self.quantiles = quantiles_of(in_order(numbers), np.diag(moments.counts).astype(np.int64))
        estimate = _kernel_density if density == "kernel" else _normal_density
        columns = [column[~np.isnan(column)] for column in numbers.T]
        densities = [estimate(column, at) for column, at in zip(columns, self.quantiles, strict=True)]
        self.densities = np.array(densities).reshape(-1, len(LEVELS))

    def entries_of(self, moments: Moments) -> tuple[Numbers, Numbers]:
        """Return the entries of one table or several, shape (..., 2 q + 2 r), and the records that each is of."""
        counts, means, covariances = moments
        q, first, second = means.shape[-1], self.first, self.second
        counts, spreads = counts[..., self._rows, self._columns], covariances[..., self._rows, self._columns]
        correlations = correlations_of(spreads[..., q:], spreads[..., first], spreads[..., second])
        entries = np.concatenate([means, spreads, correlations], axis=-1)
        return entries, np.concatenate([counts[..., :q], counts, counts[..., q:]], axis=-1)


def _mixed(x: Numbers, y: Numbers) -> tuple[float, ...]:
    """Return m22, m31, m13, m40, m04, m20, m02 and m11 over the records that have both values."""
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both] - x[both].mean(), y[both] - y[both].mean()
    xx, yy, xy = x * x, y * y, x * y
    powers = (xx * yy, xx * xy, xy * yy, xx * xx, yy * yy, xx, yy, xy)
    return tuple(float(power.mean()) for power in powers)


def _normal_density(column: Numbers, at: Numbers) -> Numbers:
    spread = column.std()
    return np.asarray(np.exp(-0.5 * ((at - column.mean()) / spread) ** 2) / (spread * np.sqrt(2 * np.pi)))


def _kernel_density(column: Numbers, at: Numbers) -> Numbers:
    """Return a Gaussian kernel estimate with Silverman's bandwidth, ``0.9 min(s, IQR / 1.34) n**(-1/5)``."""
    low, high = np.quantile(column, [0.25, 0.75])
    spread = min(column.std(), (high - low) / 1.34) if high > low else column.std()
    column, width = np.sort(column), float(0.9 * spread * len(column) ** -0.2)
    # Summands beyond nine bandwidths are below the last bit.
    ends = np.searchsorted(column, [at - 9.0 * width, at + 9.0 * width])
    sums = [np.exp(-0.5 * ((column[a:b] - x) / width) ** 2).sum() for x, a, b in zip(at, *ends, strict=True)]
    return np.asarray(np.array(sums) / (len(column) * width * np.sqrt(2.0 * np.pi)))


class FittedProbabilisticLoss(Tracked):
    """`AverageProbabilisticLoss` of one original."""

    def __init__(self, original: Numbers, density: Density, averaged: tuple[Part, ...] = PARTS) -> None:
        self.standard = Standard(original)
        self.original = own = OriginalStatistics(self.standard(original), density)
        q, r = len(self.standard.judged), len(own.first)
        # Parts without any attribute or pair to judge are left out.
        lengths = {part: length for part, length in zip(PARTS[:4], (q, q, r, r), strict=True) if length}
        self.parts = [part for part in PARTS if part in lengths or (part == "quantiles" and q)]
        self._averaged = np.flatnonzero([part in averaged for part in self.parts])
        self._lengths = np.array(list(lengths.values()), dtype=np.intp)
        self._starts = np.cumsum(self._lengths) - self._lengths
        # Where nothing varies (but for rounding, in units of the scale) any difference is a certain loss.
        spreads = own.entries[q : 2 * q]
        scales = np.concatenate(
            [np.sqrt(spreads), spreads, np.sqrt(spreads[own.first] * spreads[own.second]), np.ones(r)]
        )
        still = own.variances <= (1e-7 * scales) ** 2
        self._slack = np.where(still, SAME * scales, 0.0)
        self._factors = np.where(still, 1e30, 1.0 / np.sqrt(2.0 * np.where(still, 1.0, own.variances)))
        self._densities = own.densities / np.sqrt(2.0 * LEVELS * (1.0 - LEVELS))

    def track(self, masked: Table) -> "ProbabilisticLossTracker":
        """Return a tracker; a child costs O(q**2) for each changed record."""
        return ProbabilisticLossTracker(self, masked)

    def breakdown(self, masked: Table) -> dict[str, float]:
        """Return the loss by part, each 0..100; parts without any attribute or pair to judge are left out."""
        return self.track(masked).breakdown()

    def losses_of(self, moments: Moments, of_quantiles: Numbers) -> Numbers:
        """Return the losses by part of one table or of several, each 0..1; shape (..., parts)."""
        entries, counts = self.original.entries_of(moments)
        apart = np.maximum(np.abs(entries - self.original.entries) - self._slack, 0.0)
        losses = np.where(counts > 0.0, erf(apart * self._factors * np.sqrt(counts)), 1.0)
        means = np.add.reduceat(losses, self._starts, axis=-1) / self._lengths
        return np.concatenate([means, of_quantiles[..., None]], axis=-1) if self.parts else means

    def scores_of(self, moments: Moments, of_quantiles: Numbers) -> Numbers:
        """Return the scores of one table or of several, shape (...,)."""
        losses = self.losses_of(moments, of_quantiles)[..., self._averaged]
        scores: Numbers = 100.0 * losses.sum(axis=-1) / max(len(self._averaged), 1)
        return scores

    def quantile_losses(self, quantiles: Numbers, attributes: Rows, counts: NDArray[Any]) -> Numbers:
        """Return the mean loss of quantiles of attributes with `counts` known values, shape (d,)."""
        strays = np.abs(quantiles - self.original.quantiles[attributes]) * self._densities[attributes]
        return np.where(counts > 0.0, erf(strays * np.sqrt(counts)[:, None]).mean(axis=1), 1.0)


class ProbabilisticLossTracker(TrackedMoments):
    """The tracker of a `FittedProbabilisticLoss`."""

    def __init__(self, fitted: FittedProbabilisticLoss, masked: Table) -> None:
        super().__init__(fitted.standard, masked)
        self._fitted = fitted
        self._ordered = in_order(self.numbers)
        known = self._known()
        quantiles = quantiles_of(self._ordered, known)
        self._of_quantiles = fitted.quantile_losses(quantiles, np.arange(len(known)), known)

    def _known(self) -> NDArray[np.int64]:
        return np.diag(self.moments.counts).astype(np.int64)

    @property
    def score(self) -> float:
        """The mean of the parts."""
        return float(self._fitted.scores_of(self.moments, _mean(self._of_quantiles)))

    def breakdown(self) -> dict[str, float]:
        """Return the loss by part."""
        losses = self._fitted.losses_of(self.moments, _mean(self._of_quantiles))
        return {part: 100.0 * float(loss) for part, loss in zip(self._fitted.parts, losses, strict=True)}

    def take(self, change: Changes) -> None:
        """Update to a child."""
        _, attributes, quantiles = self._quantiles_of(change, True)
        super().take(change)
        self._of_quantiles[attributes] = self._fitted.quantile_losses(quantiles, attributes, self._known()[attributes])

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children, of which the moments and quantiles follow from what they change."""
        moments, (children, attributes, quantiles) = self.moments_of(changes), self._quantiles_of(changes, False)
        losses = self._fitted.quantile_losses(quantiles, attributes, moments.counts[children, attributes, attributes])
        more = np.bincount(children, losses - self._of_quantiles[attributes], len(changes.ends))
        of_quantiles = _mean(self._of_quantiles) + more / max(len(self._of_quantiles), 1)
        return self._fitted.scores_of(moments, of_quantiles)

    def _quantiles_of(self, changes: Changes, stays: bool) -> tuple[Integers, Integers, Numbers]:
        after, ends = self.standard(changes.after.numbers), np.array(changes.ends)
        rows, known = np.array(changes.rows), self._known()
        return quantiles_of_children(self._ordered, known, self.numbers, rows, after, ends, stays)


def _mean(losses: Numbers) -> Numbers:
    return np.asarray(losses.sum() / max(len(losses), 1))
