"""Noise added to numbers or multiplied with them, random orthogonal matrix masking (ROMM), and shifted dates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, field_validator

from evosdc.errors import Fault, ParameterError
from evosdc.model import Design, Parameters, Range, Tunable
from evosdc.table.dates import days_of
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Numbers, Table
from evosdc_masking.rounding import RoundingParameters, published
from evosdc_masking.tuning import Untuned


@dataclass(frozen=True)
class Moments:
    """First and second moments of numeric attributes."""

    # mean, deviation: shape (Q,); of the values that are present; the divisor is their number. 0 for an attribute
    # without values
    mean: Numbers
    deviation: Numbers
    standard: Numbers  # shape (n, Q); standardised values; 0 where a value is missing or its attribute constant
    present: np.ndarray[tuple[int, int], np.dtype[np.bool_]]  # shape (n, Q)

    def correlation_root(self) -> Numbers:
        """Return R, shape (Q, Q), symmetric up to a scaling of rows, with R R' the correlation matrix."""
        # Products are averaged over the records in which both values are present. Missing values can make such a matrix
        # indefinite: negative eigenvalues are then taken as 0 and rows are scaled so that the diagonal is 1 again, a
        # reconstruction. Nearly singular matrices need no special care, since nothing is inverted. The root is that of
        # the eigenvalues, so it does not depend on signs or order of eigenvectors. Rows of constant attributes are 0.
        present = self.present.astype(np.float64)
        pairs = np.maximum(present.T @ present, 1.0)
        values, vectors = np.linalg.eigh(self.standard.T @ self.standard / pairs)
        root: Numbers = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        lengths = np.sqrt((root**2).sum(axis=1))
        varied = (self.deviation > 0) & (lengths > 0)
        root[varied] /= lengths[varied, None]
        root[~varied] = 0.0
        return root


def moments(numbers: Numbers) -> Moments:
    """Return the moments of `numbers`, shape (n, Q), NaN where a value is missing."""
    present = ~np.isnan(numbers)
    counts = np.maximum(present.sum(axis=0), 1)
    # the mean is taken of differences to a value of the column: a constant column then deviates by exactly 0
    origin = np.where(present.any(axis=0), np.nanmax(numbers, axis=0, initial=-np.inf), 0.0)
    shifted = np.where(present, numbers - origin, 0.0)
    shift = shifted.sum(axis=0) / counts
    centred = np.where(present, shifted - shift, 0.0)
    # in units of the greatest deviation, since squares of large numbers would overflow
    unit = np.abs(centred).max(axis=0, initial=0.0)
    scaled = centred / np.where(unit > 0, unit, 1.0)
    spread = np.sqrt((scaled**2).sum(axis=0) / counts)
    return Moments(origin + shift, unit * spread, scaled / np.where(spread > 0, spread, 1.0), present)


class _AdditiveNoise(Tunable):
    """What the three methods share: alpha = 0 is the identity, missing values and constant attributes stay."""

    class Params(RoundingParameters):
        """How much noise is added."""

        alpha: float = Field(
            0.1, ge=0, description="Variance of the noise over that of the attribute; 0 changes nothing."
        )

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return alpha from a thousandth to five: beyond that there is more noise than value."""
        return [Design(free=(Range("alpha", 0.001, 5.0, "log"),))]

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with noise; one standard normal number is drawn for each cell."""
        self.require_fit(table)
        if self.params.alpha == 0:
            return table
        found = moments(table.numbers)
        draws = rng.standard_normal(table.numbers.shape)
        with np.errstate(over="ignore"):  # refused by name where it happens
            numbers = self._masked(table.numbers, found, draws)
        return published(table, numbers, self.params.rounding)

    def _masked(self, numbers: Numbers, found: Moments, draws: Numbers) -> Numbers:
        noise: Numbers = np.sqrt(self.params.alpha) * found.deviation * draws
        return numbers + noise


class UncorrelatedNoise(_AdditiveNoise):
    """Add independent normal noise of variance alpha * Var(X_j) to each attribute.

    In expectation means and covariances are kept, variances grow by the factor 1 + alpha and correlations shrink by 1
    / (1 + alpha). Variances have the divisor n. Published values can leave the original range.

    Source: Handbook on Statistical Disclosure Control; Brand (2002).
    """

    promise = 2


class CorrelatedNoise(_AdditiveNoise):
    """Add multivariate normal noise with covariance alpha * Cov(X).

    In expectation means and correlations are kept; variances and covariances grow by the factor 1 + alpha. How
    covariances are estimated where values are missing is a reconstruction, see `Moments.correlation_root`.

    Source: Handbook on Statistical Disclosure Control; Brand (2002).
    """

    promise = 3

    def _masked(self, numbers: Numbers, found: Moments, draws: Numbers) -> Numbers:
        return super()._masked(numbers, found, draws @ found.correlation_root().T)


class LinearTransformNoise(CorrelatedNoise):
    """Add correlated noise, then shrink towards the means: c (X + noise) + (1 - c) E(X).

    With c = 1 / sqrt(1 + alpha) means, variances and covariances, and with them correlations, are all kept in
    expectation. The value of c follows from that aim; it is derived, not quoted.

    Source: Kim (1986), after the Handbook on Statistical Disclosure Control.
    """

    def _masked(self, numbers: Numbers, found: Moments, draws: Numbers) -> Numbers:
        c = 1.0 / np.sqrt(1.0 + self.params.alpha)
        noisy: Numbers = super()._masked(numbers, found, draws)
        shrunk: Numbers = found.mean + c * (noisy - found.mean)
        return shrunk


# Variant and usual value of each number; that of s depends on f.
_OWN = {"sigma": ("basic", 0.1), "f": ("two-component", 0.1), "s": ("two-component", None)}


class MultiplicativeNoise(Tunable):
    """Multiply every value by a random factor around 1.

    *basic*: independent factors of mean 1 and standard deviation sigma for each cell. In expectation means and
    covariances are kept, and a variance becomes (1 + sigma^2) Var(X) + sigma^2 E(X)^2. The factors are lognormal, so
    signs and zeros stay; the source leaves the distribution open: a reconstruction.

    *two-component*: for each record one of 1 - f and 1 + f, each with probability 1/2, to which every cell adds normal
    noise of standard deviation s < f / 2; then each attribute is shifted and stretched to the mean and the variance
    of the original, which are thus kept exactly. Relations between the values of a record change little.

    Missing values stay missing. Source: Hoehne (2004) for the two components and Evans, Zayatz and Slanta (1998) for
    the basic form, after the Handbook on Statistical Disclosure Control.
    """

    class Params(RoundingParameters):
        """Which factors."""

        variant: Literal["basic", "two-component"] = Field(
            "basic", description="basic: a factor for each cell; two-component: mostly one for each record."
        )
        sigma: float | None = Field(
            None,
            ge=0,
            le=10,
            description="basic: standard deviation of the factors, 0.1 unless given; 0 changes nothing.",
        )
        f: float | None = Field(
            None,
            ge=0,
            lt=1,
            description="two-component: share by which a record grows or shrinks, 0.1 unless given; 0 changes nothing.",
        )
        s: float | None = Field(
            None,
            ge=0,
            description="two-component: standard deviation of the noise of each cell, below f / 2; f / 4 unless given.",
        )

        @field_validator("sigma", "f", "s")
        @classmethod
        def _belongs(cls, value: float | None, info: ValidationInfo) -> float | None:
            variant = info.data.get("variant")
            own, usual = _OWN[str(info.field_name)]
            if variant != own:
                if variant is not None and value is not None:
                    raise ValueError(f"nothing, since the variant {variant} has no {info.field_name}")
                return value
            if info.field_name != "s":
                return usual if value is None else value
            f = info.data.get("f")
            if f is None:
                return value  # f was refused already; s cannot be checked
            if value is not None and value > 0 and value >= f / 2:
                raise ValueError(f"a number from 0 to below f / 2 = {f / 2:g}")
            return f / 4 if value is None else value

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return both variants, with factors from next to 1 to as far from it as the sign of a value allows."""
        return [
            Design({"variant": "basic"}, (Range("sigma", 0.005, 2.0, "log"),)),
            Design({"variant": "two-component"}, (Range("f", 0.005, 0.95, "log"),)),
        ]

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table of products."""
        self.require_fit(table)
        params = self.params
        if params.variant == "basic":
            assert params.sigma is not None
            if params.sigma == 0:
                return table
            numbers = table.numbers * lognormal_factors(table.numbers.shape, params.sigma, rng)
        else:
            assert params.f is not None
            assert params.s is not None
            if params.f == 0:
                return table
            factors = two_component_factors(table.numbers.shape, params.f, params.s, rng)
            numbers = with_moments_of(table.numbers * factors, table.numbers)
        return published(table, numbers, params.rounding)


def lognormal_factors(shape: tuple[int, ...], sigma: float, rng: np.random.Generator) -> Numbers:
    """Return independent lognormal factors of mean 1 and standard deviation `sigma`."""
    variance = np.log1p(sigma**2)
    return rng.lognormal(-variance / 2, np.sqrt(variance), shape)


def two_component_factors(shape: tuple[int, ...], f: float, s: float, rng: np.random.Generator) -> Numbers:
    """Return 1 - f or 1 + f for each record, shape (n, Q), with normal noise of standard deviation `s` on each cell."""
    direction = rng.choice((-1.0, 1.0), shape[0])
    return 1.0 + f * direction[:, None] + s * rng.standard_normal(shape)


def with_moments_of(masked: Numbers, original: Numbers) -> Numbers:
    """Return masked numbers with the means and variances of the original ones, shape (n, Q)."""
    # A constant original attribute is returned as it is.
    wanted, found = moments(original), moments(masked)
    stretched: Numbers = wanted.mean + wanted.deviation * found.standard
    return np.where(wanted.deviation == 0, original, stretched)


class OrthogonalMasking(Untuned):
    """Turn the records' deviations from the means by a random orthogonal matrix: means and covariances are kept.

    With ``X = 1 m' + Q R``, Q an orthonormal basis of the centred columns, the file ``1 m' + Q* R`` is published: Q* is
    the orthonormal basis nearest to ``Q + amount * E``, E centred standard normal numbers over the root of n. Any two
    such bases are turned into each other by an orthogonal matrix that leaves 1 in its place, as the method of the
    source requires; that only the basis is drawn and not the matrix of n**2 numbers, and so its distribution, is a
    reconstruction. 0 publishes the file itself, great amounts forget the records. Records with a missing value are
    turned with the means in its place, and moments are then kept nearly. Rounding to the file's decimals keeps moments
    nearly.

    Source: Ting, Fienberg and Trottini (2008).
    """

    class Params(RoundingParameters):
        """How far records are turned."""

        amount: float = Field(0.3, ge=0, description="Noise added to the basis before it is made orthonormal again.")

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})
    params: Params

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the turned table; one standard normal number is drawn for each cell."""
        self.require_fit(table)
        draws = rng.standard_normal(table.numbers.shape)
        if self.params.amount == 0 or not table.numbers.size:
            return table
        return published(table, turned(table.numbers, draws, self.params.amount), self.params.rounding)


def turned(numbers: Numbers, draws: Numbers, amount: float) -> Numbers:
    """Return numbers turned by a random orthogonal matrix, shape (n, Q); draws are standard normal, shape (n, Q)."""
    present = ~np.isnan(numbers)
    counts = np.maximum(present.sum(axis=0), 1)
    means = np.where(present, numbers, 0.0).sum(axis=0) / counts
    centred = np.where(present, numbers - means, 0.0)
    unit = np.abs(centred).max(axis=0)
    unit = np.where(unit > 0.0, unit, 1.0)
    scaled = centred / unit
    left, values, right = np.linalg.svd(scaled, full_matrices=False)
    kept = values > 1e-12 * max(float(values.max(initial=0.0)), 1e-300)
    rank = int(kept.sum())
    if rank == 0 or len(numbers) <= rank + 1:
        return np.where(present, means + centred, np.nan)
    noise = draws[:, :rank] - draws[:, :rank].mean(axis=0)
    basis = left[:, kept] + amount * noise / np.sqrt(len(numbers))
    first, _, second = np.linalg.svd(basis - basis.mean(axis=0), full_matrices=False)
    turned_basis = first @ second
    result: Numbers = means + (turned_basis * values[kept]) @ right[kept] * unit
    return result


Days = NDArray[np.int64]


class DateShift(Tunable):
    """Move all dates of a record by the same number of days, drawn for each record.

    Days are drawn uniformly from -d to d. Each moved date is published as the nearest day that occurs in its attribute,
    the earlier of two, so that no day comes up that the file does not know and the first and last days stay the first
    and last. Times between the dates of a record are kept but for that rounding. Missing dates stay missing.

    Source: shifting of a record's dates by one random amount, as is usual for clinical records (Hripcsak et al. 2016);
    the nearest day that occurs is a reconstruction.
    """

    class Params(Parameters):
        """How far dates may move."""

        days: int = Field(30, ge=0, le=36_525, description="Greatest move in days; 0 changes nothing.")

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.ORDINAL})
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return days from one to half of the span, of the attributes that are dates; none where there is no date."""
        dates = [a for a in table.schema.categorical if a.date_format and len(a.categories) > 1]
        if not dates:
            return []
        spans = [int(np.ptp(_days(attribute))) for attribute in dates]
        most = max(max(spans) // 2, 2)
        return [Design(free=(Range("days", 1, most, "log", whole=True),), attributes=tuple(a.name for a in dates))]

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` naming each attribute that is no date."""
        super().require_fit(table)
        others = [a.name for a in table.schema.attributes if not a.date_format]
        if others:
            advice = 'Declare scale = "date" in the schema, or name the attributes to mask.'
            raise ParameterError(Fault("date-shift", f"{', '.join(others)}, no date", "dates", advice))

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with moved dates; one number is drawn for each record."""
        self.require_fit(table)
        moves = rng.integers(-self.params.days, self.params.days, len(table), endpoint=True)
        codes = table.codes.copy()
        for j, attribute in enumerate(table.schema.categorical):
            present = codes[:, j] != MISSING
            days = _days(attribute)
            codes[present, j] = nearest(days, days[codes[present, j]] + moves[present], codes[present, j])
        return Table(table.schema, codes, table.numbers)


def nearest(days: Days, wanted: Days, own: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the codes of the days nearest to wanted ones: their own where that is as near, else the earliest."""
    # days (c,): by code, not falling; wanted (n,); own (n,): the codes that records have.
    after = np.minimum(np.searchsorted(days, wanted), len(days) - 1)
    before = np.maximum(after - 1, 0)
    earlier = np.abs(wanted - days[before]) <= np.abs(days[after] - wanted)
    chosen = np.searchsorted(days, days[np.where(earlier, before, after)])
    return np.where(days[chosen] == days[own], own, chosen).astype(np.int32)


def _days(attribute: Attribute) -> Days:
    """Return the days of the categories, counted from a fixed one."""
    days = days_of(attribute.categories, attribute.date_format)
    return days[~np.isnat(days)].astype(np.int64)
