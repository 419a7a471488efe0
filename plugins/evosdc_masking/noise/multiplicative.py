"""Noise that numbers are multiplied with."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from evosdc.model import Design, Range, Tunable
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc_masking.noise.moments import moments
from evosdc_masking.rounding import RoundingParameters, published

_OWN = {"sigma": ("basic", 0.1), "f": ("two-component", 0.1), "s": ("two-component", None)}
"""Variant and usual value of each number; that of s depends on f."""


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
            default="basic", description="basic: a factor for each cell; two-component: mostly one for each record."
        )
        sigma: float | None = Field(
            default=None,
            ge=0,
            le=10,
            description="basic: standard deviation of the factors, 0.1 unless given; 0 changes nothing.",
        )
        f: float | None = Field(
            default=None,
            ge=0,
            lt=1,
            description="two-component: share by which a record grows or shrinks, 0.1 unless given; 0 changes nothing.",
        )
        s: float | None = Field(
            default=None,
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
                return value  # f was refused already; nothing can be said of s
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
    factors: Numbers = 1.0 + f * direction[:, None] + s * rng.standard_normal(shape)
    return factors


def with_moments_of(masked: Numbers, original: Numbers) -> Numbers:
    """Return masked numbers with the means and variances of the original ones, shape (n, Q).

    A constant original attribute is returned as it is.
    """
    wanted, found = moments(original), moments(masked)
    stretched: Numbers = wanted.mean + wanted.deviation * found.standard
    return np.where(wanted.deviation == 0, original, stretched)
