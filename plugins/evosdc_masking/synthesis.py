"""Synthetic values drawn from models of the original: IPSO by regression, and LIEW by fitted densities."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import stats

from evosdc.errors import Fault, ParameterError
from evosdc.model import Design, Tunable
from evosdc.table.schema import Role, Scale, Schema
from evosdc.table.table import MISSING, Codes, Numbers, Table
from evosdc_masking.auxiliary import ReadingOthers
from evosdc_masking.frequencies import frequencies
from evosdc_masking.rounding import RoundingParameters, published

# The families that are tried, in the order in which ties are decided. Which ones the source tried is not known to us: a
# reconstruction.
FAMILIES = ("uniform", "normal", "logistic", "laplace", "gumbel", "exponential", "gamma", "lognormal", "weibull")

LEAST = 8  # values that a fit needs at least


@dataclass(frozen=True)
class Density:
    """A fitted density and how far it is from the sample."""

    family: str  # one of `FAMILIES`
    distribution: Any
    statistic: float  # greatest distance of the two distribution functions, 0..1
    p_value: float  # of the test, as if the parameters had not been fitted to the same sample; it is too kind therefore


def best_density(values: Numbers, significance: float) -> Density | None:
    """Return the density of least Kolmogorov-Smirnov statistic among those that are not rejected."""
    # None where all are rejected (p-value below `significance`, or that is 1), or values are too few or constant.
    if significance == 1 or len(values) < LEAST or np.ptp(values) == 0:
        return None
    accepted = [density for density in fitted_densities(values) if density.p_value >= significance]
    return min(accepted, key=lambda density: density.statistic, default=None)


def fitted_densities(values: Numbers) -> Iterator[Density]:
    """Yield each family fitted by maximum likelihood; those that cannot be fitted are left out."""
    # Families of positive values are shifted to begin just below the least value, by the n-th part of the range, unless
    # all values are positive: then they begin at 0.
    start = 0.0 if values.min() > 0 else float(values.min() - np.ptp(values) / len(values))
    for family in FAMILIES:
        with np.errstate(all="ignore"), catch_warnings():
            simplefilter("ignore", RuntimeWarning)  # of nearly equal values, whose fits the test judges all the same
            try:
                distribution = _FITS[family](values, start)
                parameters = (*distribution.args, *distribution.kwds.values())
                if not np.isfinite(parameters).all():
                    continue
                test = stats.kstest(values, distribution.cdf)
            except (ValueError, RuntimeError, FloatingPointError, OverflowError):
                continue  # scipy found no maximum
        if np.isfinite(test.statistic):
            yield Density(family, distribution, float(test.statistic), float(test.pvalue))


def _located(distribution: Any) -> Callable[[Numbers, float], Any]:
    return lambda values, start: distribution(*distribution.fit(values))


def _beginning(distribution: Any) -> Callable[[Numbers, float], Any]:
    return lambda values, start: distribution(*distribution.fit(values, floc=start))


_FITS: dict[str, Callable[[Numbers, float], Any]] = {
    "uniform": _located(stats.uniform),
    "normal": _located(stats.norm),
    "logistic": _located(stats.logistic),
    "laplace": _located(stats.laplace),
    "gumbel": _located(stats.gumbel_r),
    "exponential": _beginning(stats.expon),
    "gamma": _beginning(stats.gamma),
    "lognormal": _beginning(stats.lognorm),
    "weibull": _beginning(stats.weibull_min),
}


_TOLERANCE = 1e-10  # singular values below this share of the greatest, with columns of length 1, count as 0


def design_matrix(table: Table, n: int) -> Numbers:
    """Return the regressors, shape (n, q): a constant, the numeric attributes, and dummies of the categorical ones."""
    # Numbers are standardised, which leaves the space that they span as it is. A missing one counts as the mean, with a
    # dummy of its own; a missing category has a dummy like any other.
    columns = [np.ones(n)]
    for attribute in table.schema.attributes:
        column = table.column(attribute.name)
        if attribute.categorical:
            columns += [(column == code).astype(np.float64) for code in np.unique(column)]
            continue
        missing = np.isnan(column)
        if missing.all():
            continue
        centre = np.median(column[~missing])
        unit = np.abs(column[~missing] - centre).max()
        shares = np.where(missing, np.nan, (column - centre) / (unit if unit > 0 else 1.0))
        columns.append(np.where(missing, np.nanmean(shares), shares))
        if missing.any():
            columns.append(missing.astype(np.float64))
    return np.column_stack(columns)


def basis(design: Numbers) -> Numbers:
    """Return orthonormal columns that span those of a design matrix, shape (n, rank)."""
    lengths = np.sqrt((design**2).sum(axis=0))
    # the few singular values of the triangle are those of the design matrix
    orthogonal, triangle = np.linalg.qr(design / np.where(lengths > 0, lengths, 1.0))
    directions, values, _ = np.linalg.svd(triangle)
    rank = int((values > _TOLERANCE * values.max(initial=0.0)).sum())
    found: Numbers = orthogonal @ directions[:, :rank]
    return found


def fitted(space: Numbers, values: Numbers) -> Numbers:
    """Return the projection of `values`, shape (n, p), on the columns of a basis: x B of the regression."""
    return space @ (space.T @ values)


def residuals(space: Numbers, values: Numbers) -> Numbers:
    """Return what a regression on a basis leaves of `values`; projected twice, so that it is orthogonal to rounding."""
    once = values - fitted(space, values)
    return once - fitted(space, once)


def exact_residuals(space: Numbers, draws: Numbers, triangle: Numbers) -> Numbers:
    """Return residuals of normal draws, shape (n, p), given exactly the covariance of a triangle."""
    orthonormal, _ = np.linalg.qr(residuals(space, draws))
    return residuals(space, orthonormal) @ triangle


def complete(table: Table) -> NDArray[np.bool_]:
    """Return which records have all their values, shape (n,)."""
    present: NDArray[np.bool_] = ~np.isnan(table.numbers).any(axis=1) & (table.codes != MISSING).all(axis=1)
    return present


class Ipso(ReadingOthers):
    """Publish synthetic values drawn from a regression of the masked attributes y on confidential ones x.

    x, which are published as they are, hold a constant; categories count by dummies. With B and S the estimates of
    the coefficients and of the covariance of the residuals,

    - variant *a* publishes x B, which has no residual variance: a reconstruction of the chapter's "computed with this
      model"; *a-drawn* adds normal residuals of covariance S, after which estimates differ from B, as it says;
    - variant *b* adds residuals of normal values regressed on x: B is kept exactly, S in expectation up to the factor
      (n - rank x) / n;
    - variant *c* gives those residuals the covariance S exactly: a model fitted to the published file has the
      same B and S as in the original, to rounding errors.

    With n records, p masked attributes, variant c needs n >= p + rank(x). B and S are those of the records without
    missing masked values. Other records get their expectation and, in b and c, a normal draw of covariance S; what is
    missing stays missing. A missing number among x counts as the mean and has a dummy: reconstructions, as is the
    covariance S of the artificial values in b, which may be any.

    Source: Burridge (2003), after Torra (2010) and the Handbook on Statistical Disclosure Control.
    """

    class Params(RoundingParameters):
        """The variant, and which attributes explain."""

        variant: Literal["a", "a-drawn", "b", "c"] = Field(
            "c",
            description="a: expectations; a-drawn: normal draws around them; b: keeps the coefficients; c: and the "
            "covariance of residuals.",
        )
        confidential: tuple[str, ...] = Field(
            (),
            description="Attributes x that explain, of any scale, not masked themselves; those of role sensitive "
            "unless given, and a constant alone where there are none.",
        )
        rounding: bool = Field(
            False,
            description="Round to the decimals of each attribute, as a written file does; what is promised then holds "
            "up to rounding.",
        )

    promise = 8
    where = "method ipso: confidential"
    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return the three variants that keep something."""
        return [Design({"variant": variant}) for variant in ("a", "b", "c")]

    def named(self, schema: Schema | None = None) -> Sequence[str]:
        """Return the confidential attributes."""
        return self.params.confidential

    def auxiliary_names(self, schema: Schema, masked: Sequence[str]) -> tuple[str, ...]:
        """Return the confidential attributes, by default those of role sensitive."""
        names = super().auxiliary_names(schema, masked)
        return names or tuple(name for name in schema.with_role(Role.SENSITIVE) if name not in masked)

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` when no record has all its values, or variant c lacks records with any x."""
        super().require_fit(table)
        if table.numbers.size:
            _require_records(int(complete(table).sum()), table.numbers.shape[1], 1, self.params.variant)

    def mask_given(self, table: Table, auxiliary: Table, rng: np.random.Generator) -> Table:
        """Return synthetic values explained by the attributes of `auxiliary`."""
        self.require_fit(table)
        if not table.numbers.size:
            return table
        design = design_matrix(auxiliary, len(table))
        whole = complete(table)
        known = table.numbers[whole]
        space = basis(design[whole])
        _require_records(len(known), known.shape[1], space.shape[1], self.params.variant)
        # differences to a record, in units of the greatest: a constant attribute stays to the last bit
        origin = known[0]
        unit = np.abs(known - origin).max(axis=0)
        values = (known - origin) / np.where(unit > 0, unit, 1.0)
        _, triangle = np.linalg.qr(residuals(space, values))  # triangle' triangle = n S
        synthetic = np.zeros(table.numbers.shape)
        synthetic[whole] = fitted(space, values) + self._residuals(space, triangle, rng)
        if not whole.all():
            coefficients = np.linalg.lstsq(design[whole], values, rcond=None)[0]
            synthetic[~whole] = design[~whole] @ coefficients + self._draws(
                int((~whole).sum()), len(known), triangle, rng
            )
        return published(table, origin + unit * synthetic, self.params.rounding)

    def _residuals(self, space: Numbers, triangle: Numbers, rng: np.random.Generator) -> Numbers:
        """Return the residuals of complete records, shape (m, p), orthogonal to the columns of `space`."""
        m, p = len(space), triangle.shape[1]
        if self.params.variant == "c":
            return exact_residuals(space, rng.standard_normal((m, p)), triangle)
        draws = self._draws(m, m, triangle, rng)
        return draws if self.params.variant == "a-drawn" else residuals(space, draws)

    def _draws(self, count: int, m: int, triangle: Numbers, rng: np.random.Generator) -> Numbers:
        """Return draws of covariance S of m records, shape (count, p); 0 in variant a."""
        if self.params.variant == "a":
            return np.zeros((count, triangle.shape[1]))
        draws: Numbers = rng.standard_normal((count, len(triangle))) @ triangle / np.sqrt(m)
        return draws


def _require_records(n: int, attributes: int, rank: int, variant: str) -> None:
    needed = attributes + rank if variant == "c" else 1
    if n < needed:
        given = f"{n} records without missing values"
        sum_of = f" ({attributes} masked attributes + rank {rank} of the confidential ones)" if variant == "c" else ""
        advice = (
            "Mask fewer attributes, name fewer confidential ones, or take variant a, a-drawn or b."
            if variant == "c"
            else ""
        )
        raise ParameterError(Fault(f"method ipso: variant {variant}", given, f"at least {needed}{sum_of}", advice))


Column = TypeVar("Column", Codes, Numbers)


class Liew(Tunable):
    """Replace each attribute by draws from its fitted distribution, the least for the least value and so on.

    *Numbers*: of the densities in `evosdc_masking.synthesis` that the Kolmogorov-Smirnov test accepts the one
    with the least statistic is drawn from. Where none is accepted, the distortion is frequency-imposed: the range is
    cut into 8 to 20 intervals, and each gets as many uniform draws as it has values. *Ordinal* values are drawn from
    the empirical frequencies. Draws are given out by rank, equal originals in random order, so that a value above
    another one is never published below it.

    *Nominal* values have no rank: they are drawn from the empirical frequencies independently of the original, and
    their relation to all else is lost. Missing values stay missing; a constant attribute stays as it is.

    Source: Liew, Choi and Liew (1985), after the Handbook on Statistical Disclosure Control. The families of densities,
    the number of intervals (the square root of the number of values, from 8 to 20) and the treatment of categories
    are reconstructions.
    """

    class Params(RoundingParameters):
        """When a density is accepted, and what happens where none is."""

        significance: float = Field(
            0.05,
            ge=0,
            le=1,
            description="Densities with a smaller p-value are rejected; 0 rejects none, 1 all of them.",
        )
        intervals: int | None = Field(
            None,
            ge=8,
            le=20,
            description="Intervals of the frequency-imposed distortion; by the number of values unless given.",
        )

    promise = 7
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return the method as it is: nothing of it trades loss for risk."""
        return [Design()]

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the distorted table."""
        self.require_fit(table)
        numbers = table.numbers.copy()
        for j in range(numbers.shape[1]):
            present = ~np.isnan(table.numbers[:, j])
            values = table.numbers[present, j]
            if len(values) and np.ptp(values) > 0:
                numbers[present, j] = by_rank(values, self._drawn(values, rng), rng)
        codes = table.codes.copy()
        for j, attribute in enumerate(table.schema.categorical):
            present = table.codes[:, j] != MISSING
            column = table.codes[present, j]
            draws = drawn_categories(column, len(attribute.categories), rng)
            codes[present, j] = by_rank(column, draws, rng) if attribute.scale is Scale.ORDINAL else draws
        masked = published(table, numbers, self.params.rounding)
        return Table(table.schema, codes, masked.numbers)

    def _drawn(self, values: Numbers, rng: np.random.Generator) -> Numbers:
        density = best_density(values, self.params.significance)
        if density is not None:
            draws: Numbers = density.distribution.rvs(size=len(values), random_state=rng)
            if np.isfinite(draws).all():
                return draws
        default = int(np.clip(round(np.sqrt(len(values))), 8, 20))
        return frequency_imposed(values, self.params.intervals or default, rng)


def by_rank(values: Column, draws: Column, rng: np.random.Generator) -> Column:
    """Return the draws in the order of the values: the k-th least draw where the k-th least value stands."""
    # Equal values are put in random order.
    shuffled = rng.permutation(len(values))
    order = shuffled[np.argsort(values[shuffled], kind="stable")]
    placed = np.empty_like(draws)
    placed[order] = np.sort(draws)
    return placed


def frequency_imposed(values: Numbers, intervals: int, rng: np.random.Generator) -> Numbers:
    """Return as many uniform draws in each of some equal intervals as it has values, ascending by interval."""
    # Drawing over the whole range and discarding what is too much for its interval, as the source does, gives the same
    # distribution.
    edges = np.linspace(values.min(), values.max(), intervals + 1)
    inside = np.clip(np.searchsorted(edges, np.sort(values), side="right") - 1, 0, intervals - 1)
    low, high = edges[inside], edges[inside + 1]
    return np.clip(low + (high - low) * rng.random(len(values)), low, high)


def drawn_categories(column: Codes, size: int, rng: np.random.Generator) -> Codes:
    """Return independent draws from the empirical frequencies of a column without missing values."""
    if not len(column):
        return column
    share = frequencies(column, size) / len(column)
    return rng.choice(size, len(column), p=share).astype(np.int32)
