"""Methods by robust distances: outliers coded, noised, or kept from ruling which records are alike."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.stats import chi2, norm

from evosdc.model import Design
from evosdc.table.robust_covariance import robust_covariance
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import MISSING, Numbers, Table
from evosdc_masking.averages import ClassAveraging, aggregated
from evosdc_masking.noise import moments
from evosdc_masking.rounding import RoundingParameters, published
from evosdc_masking.tuning import Untuned


def filled(numbers: Numbers) -> Numbers:
    """Return numbers with missing values at the median of their attribute; 0 where there is none."""
    present = ~np.isnan(numbers)
    medians = np.array([np.median(c[p]) if p.any() else 0.0 for c, p in zip(numbers.T, present.T, strict=True)])
    return np.where(present, numbers, medians[None, :] if len(medians) else 0.0)


def robust_place(numbers: Numbers) -> tuple[Numbers, Numbers, int]:
    """Return robust centre, shape (Q,), squared distances from it, shape (n,), and the attributes that vary."""
    # Numbers are taken in their spreads, so that no unit is lost in rounding.
    values = filled(numbers)
    spread = np.ptp(values, axis=0) if len(values) else np.zeros(values.shape[1])
    unit = np.where(spread > 0.0, spread, 1.0)
    low = values.min(axis=0) if len(values) else np.zeros(values.shape[1])
    scaled = (values - low) / unit
    centre, covariance = robust_covariance(scaled)
    away = scaled - centre
    inverse = np.linalg.pinv(covariance, hermitian=True)
    squared = np.maximum(np.einsum("ij,jk,ik->i", away, inverse, away), 0.0)
    rank = int(np.linalg.matrix_rank(covariance, hermitian=True)) if covariance.size else 0
    return low + unit * centre, squared, rank


def limit(quantile: float, attributes: int) -> float:
    """Return the squared distance beyond which so few records of a normal population lie."""
    return float(chi2.ppf(quantile, attributes)) if attributes else np.inf


def univariate_outliers(numbers: Numbers, quantile: float) -> NDArray[np.bool_]:
    """Return which values lie farther from the median than that quantile of a normal distribution, shape (n, Q)."""
    # In units of the median absolute deviation, times 1.4826; none where more than half of the values are equal.
    values = filled(numbers)
    away = np.abs(values - np.median(values, axis=0))
    unit = 1.4826 * np.median(away, axis=0)
    bound = float(norm.ppf((1.0 + quantile) / 2.0))
    return (away > bound * unit) & (unit > 0.0) & ~np.isnan(numbers)


class MultivariateTopCoding(Untuned):
    """Draw records far from the robust centre straight towards it, onto an ellipsoid.

    A record of robust Mahalanobis distance d (minimum covariance determinant) beyond c, the root of a chi-squared
    quantile with as many degrees of freedom as attributes vary, is published at ``centre + (x - centre) c / d``; all
    others stay as they are. Relations between the attributes of an outlier are kept, which top coding of single
    attributes breaks. A missing value counts as the median and stays missing. Nothing is random. Needs scikit-learn.

    Source: mvTopCoding of sdcMicro (Templ); missing values: reconstruction.
    """

    class Params(RoundingParameters):
        """Where the ellipsoid lies."""

        quantile: float = Field(0.975, gt=0, lt=1, description="Share of a normal population inside the ellipsoid.")

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})
    params: Params

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the coded table."""
        self.require_fit(table)
        if not table.numbers.size:
            return table
        centre, squared, rank = robust_place(table.numbers)
        bound = limit(self.params.quantile, rank)
        outside = squared > bound
        if not outside.any():
            return table
        numbers = table.numbers.copy()
        values = filled(table.numbers)[outside]
        numbers[outside] = centre + (values - centre) * np.sqrt(bound / squared[outside])[:, None]
        coded = published(table, numbers, self.params.rounding).numbers
        return Table(table.schema, table.codes, np.where(outside[:, None], coded, table.numbers))


class OutlierNoise(Untuned):
    """Add independent normal noise of variance alpha * Var(X_j) to outliers alone; other records stay as they are.

    A record whose robust Mahalanobis distance is beyond a chi-squared quantile gets noise on all its values, any other
    one on the values that lie beyond that quantile of a normal distribution around the median, in median absolute
    deviations. Needs scikit-learn.

    Source: Templ and Meindl (2008), as method ``outdect`` of addNoise in sdcMicro; the limits are a reconstruction.
    """

    class Params(RoundingParameters):
        """Amount of noise, and definition of outliers."""

        alpha: float = Field(0.5, ge=0, description="Variance of the noise over the attribute's; 0 changes nothing.")
        quantile: float = Field(0.975, gt=0, lt=1, description="Share of a normal population that is no outlier.")

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})
    params: Params

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with noise; one standard normal number is drawn for each cell."""
        self.require_fit(table)
        draws = rng.standard_normal(table.numbers.shape)
        if self.params.alpha == 0 or not table.numbers.size:
            return table
        _, squared, rank = robust_place(table.numbers)
        chosen = univariate_outliers(table.numbers, self.params.quantile)
        chosen |= (squared > limit(self.params.quantile, rank))[:, None]
        with np.errstate(over="ignore"):  # refused by name where it happens
            noise = np.sqrt(self.params.alpha) * moments(table.numbers).deviation * draws
            noisy = published(table, np.where(chosen, table.numbers + noise, table.numbers), self.params.rounding)
        return Table(table.schema, table.codes, np.where(chosen, noisy.numbers, table.numbers))


Points = Numbers
# From points, shape (m, V), and one point to its distances from them, shape (m,).
Away = Callable[[Points, Points], Numbers]


class _ByDistance(ClassAveraging):
    """A microaggregation by MDAV over distances of its own; it has no design for tuning."""

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return none: tuning has `mdav`."""
        return []

    @abstractmethod
    def partition(self, table: Table) -> NDArray[np.int64]:
        """Return the number of each record's class, shape (n,)."""

    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the table of averages."""
        return aggregated(table, self.partition(table), self.params.average, weights)  # type: ignore[attr-defined]


class GowerMicroaggregation(_ByDistance):
    """Publish in place of each record the average record of a class of at least k similar ones, by Gower's distance.

    Classes are those of MDAV (Domingo-Ferrer and Torra 2005). The distance is Gower's (1971): of numbers the absolute
    difference over the range, of ordinal categories that of their places over the greatest, of nominal ones 0 or 1; a
    missing value is at 1 from any other, at 0 under the rule ``wildcard``. The average record that classes begin from
    has medians and modes. The published file is k-anonymous on the masked attributes; nothing is random. sdcMicro's
    microaggrGower averages k nearest neighbours instead, which promises no k-anonymity.
    """

    name = "gower-microaggregation"

    def partition(self, table: Table) -> NDArray[np.int64]:
        """Return the classes."""
        nominal = np.array([a.scale is Scale.NOMINAL for a in (*table.schema.categorical, *table.schema.numeric)])
        lost = 0.0 if table.schema.na is MissingRule.WILDCARD else 1.0

        def away(points: Points, one: Points) -> Numbers:
            apart = np.abs(points - one)
            apart[:, nominal] = apart[:, nominal] > 0
            gone = np.isnan(points) != np.isnan(one)
            apart = np.where(gone, lost, np.where(np.isnan(points), 0.0, apart))
            total: Numbers = apart.sum(axis=1)
            return np.round(total, 12)

        def centre(points: Points) -> Points:
            middle = np.empty(points.shape[1])
            for v, column in enumerate(points.T):
                present = column[~np.isnan(column)]
                if not present.size:
                    middle[v] = np.nan
                elif nominal[v]:
                    values, counts = np.unique(present, return_counts=True)
                    middle[v] = values[counts.argmax()]
                else:
                    middle[v] = np.sort(present)[(present.size - 1) // 2]
            return middle

        return farthest_first(gower_points(table), self.params.k, away, centre)


class RobustMicroaggregation(_ByDistance):
    """Publish in place of each record the average record of a class of at least k, by robust Mahalanobis distances.

    Classes are those of MDAV (Domingo-Ferrer and Torra 2005) on records whitened by the minimum covariance determinant,
    which outliers do not draw: attributes that go together count once, and a few extreme records do not make all others
    look alike. A missing value counts as the median when classes are formed. The published file is k-anonymous on the
    masked attributes; nothing is random. Needs scikit-learn.

    Source: Templ and Meindl (2008), method ``rmd`` of microaggregation in sdcMicro.
    """

    name = "robust-microaggregation"
    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})

    def partition(self, table: Table) -> NDArray[np.int64]:
        """Return the classes."""
        values = filled(table.numbers)
        spread = np.ptp(values, axis=0)
        scaled = (values - values.min(axis=0)) / np.where(spread > 0.0, spread, 1.0)
        eigenvalues, vectors = np.linalg.eigh(robust_covariance(scaled)[1])
        kept = eigenvalues > 1e-10 * max(float(eigenvalues.max(initial=0.0)), 1e-300)
        points = scaled @ (vectors[:, kept] / np.sqrt(eigenvalues[kept]))

        def away(points: Points, one: Points) -> Numbers:
            return np.asarray(((points - one) ** 2).sum(axis=1))

        return farthest_first(points, self.params.k, away, lambda part: np.asarray(part.mean(axis=0)))


def gower_points(table: Table) -> Points:
    """Return records as points, shape (n, V): numbers and ordinal categories from 0 to 1, nominal ones as codes."""
    columns = []
    for attribute, codes in zip(table.schema.categorical, table.codes.T, strict=True):
        steps = 1.0 if attribute.scale is Scale.NOMINAL else float(max(len(attribute.categories) - 1, 1))
        columns.append(np.where(codes == MISSING, np.nan, codes / steps))
    for column in table.numbers.T:
        present = column[~np.isnan(column)]
        low = present.min() if present.size else 0.0
        width = float(np.ptp(present)) if present.size else 0.0
        columns.append((column - low) / width if width > 0.0 else column - low)
    return np.column_stack(columns) if columns else np.empty((len(table), 0))


def farthest_first(points: Points, k: int, away: Away, centre: Callable[[Points], Points]) -> NDArray[np.int64]:
    """Return the classes of MDAV-generic by any distance, shape (n,); ties go to the lower position."""
    classes = np.full(len(points), -1, dtype=np.int64)
    left = np.arange(len(points))
    group = 0
    while len(left) >= 2 * k:
        twice = len(left) >= 3 * k
        one = left[int(np.argmax(away(points[left], centre(points[left]))))]
        far = away(points[left], points[one])
        left = _taken(left, one, far, k, classes, group)
        group += 1
        if twice:
            other = left[int(np.argmax(away(points[left], points[one])))]
            left = _taken(left, other, away(points[left], points[other]), k, classes, group)
            group += 1
    classes[left] = group
    return classes


def _taken(
    left: NDArray[np.intp], one: int, far: Numbers, k: int, classes: NDArray[np.int64], group: int
) -> NDArray[np.intp]:
    """Put a record and its k - 1 nearest others into a class, and return those that are left."""
    order = np.lexsort((left, far, left != one))
    classes[left[order[:k]]] = group
    return np.sort(left[order[k:]])
