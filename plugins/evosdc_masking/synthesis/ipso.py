"""Information preserving statistical obfuscation (IPSO)."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.model import Design, Tunable
from evosdc.table.schema import Role, Scale, Schema
from evosdc.table.table import Numbers, Table
from evosdc_masking.rounding import RoundingParameters, published
from evosdc_masking.synthesis.regression import basis, complete, design_matrix, fitted, residuals

_CONFIDENTIAL = "method ipso: confidential"


class Ipso(Tunable):
    """Publish synthetic values drawn from a regression of the masked attributes y on confidential ones x.

    x, which are published as they are, hold a constant; categories count by dummies. With B and S the estimates of
    the coefficients and of the covariance of the residuals,

    - variant *a* publishes x B, which has no residual variance; that nothing is drawn around it is a reconstruction;
    - variant *b* adds residuals of normal values regressed on x: B is kept exactly, S in expectation up to the factor
      (n - rank x) / n;
    - variant *c* gives those residuals the covariance S exactly: whoever fits the model to the published file finds the
      same B and S as in the original, to rounding errors.

    With n records, p masked attributes, variant c needs n >= p + rank(x). B and S are those of the records without
    missing masked values. Other records get their expectation and, in b and c, a normal draw of covariance S; what is
    missing stays missing. A missing number among x counts as the mean and has a dummy: reconstructions, as is the
    covariance S of the artificial values in b, which may be any.

    Source: Burridge (2003), after Torra (2010) and the Handbook on Statistical Disclosure Control.
    """

    class Params(RoundingParameters):
        """The variant, and which attributes explain."""

        variant: Literal["a", "b", "c"] = Field(
            default="c", description="a: expectations; b: keeps the coefficients; c: and the covariance of residuals."
        )
        confidential: tuple[str, ...] = Field(
            default=(),
            description="Attributes x that explain, of any scale, not masked themselves; those of role sensitive "
            "unless given, and a constant alone where there are none.",
        )
        rounding: bool = Field(
            default=False,
            description="Round to the decimals of each attribute, as a written file does; what is promised then holds "
            "up to rounding.",
        )

    promise = 8
    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return the three variants."""
        return [Design({"variant": variant}) for variant in ("a", "b", "c")]

    def auxiliary_names(self, schema: Schema, masked: Sequence[str]) -> tuple[str, ...]:
        """Return the confidential attributes.

        Raises
        ------
        InputError
            Those that the file does not have, that are masked, or that identify.
        """
        names = tuple(dict.fromkeys(self.params.confidential))
        collect = FaultCollector()
        with collect.step():
            schema.require(names, _CONFIDENTIAL)
        for wrong, why, wanted in (
            (masked, "masked", "attributes that are not masked"),
            (schema.with_role(Role.IDENTIFIER), "an identifier", "attributes that say something about many records"),
        ):
            both = [name for name in names if name in wrong]
            if both:
                advice = "Leave it out: confidential attributes are published as they are."
                collect.faults.append(Fault(_CONFIDENTIAL, f"{', '.join(both)}, {why}", wanted, advice))
        collect.settle()
        return names or tuple(name for name in schema.with_role(Role.SENSITIVE) if name not in masked)

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` when no record has all its values, or variant c lacks records with any x."""
        super().require_fit(table)
        if table.numbers.size:
            _require_records(int(complete(table).sum()), table.numbers.shape[1], 1, self.params.variant)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return synthetic values explained by a constant alone; `mask_given` has the confidential attributes.

        Raises
        ------
        ParameterError
            Confidential attributes are named but not at hand, or variant c lacks records.
        """
        if self.params.confidential:
            advice = "Call mask_given, or evosdc.mask, which has the whole file."
            given = f"{', '.join(self.params.confidential)} without the file"
            raise ParameterError(Fault(_CONFIDENTIAL, given, "the attributes' values", advice))
        return self.mask_given(table, table.select(()), rng)

    def mask_given(self, table: Table, auxiliary: Table, rng: np.random.Generator) -> Table:
        """Return synthetic values explained by the attributes of `auxiliary`.

        Raises
        ------
        ParameterError
            Variant c with fewer than p + rank(x) complete records, or no complete record.
        """
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
            orthonormal, _ = np.linalg.qr(residuals(space, rng.standard_normal((m, p))))
            exact: Numbers = residuals(space, orthonormal) @ triangle
            return exact
        return residuals(space, self._draws(m, m, triangle, rng))

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
            "Mask fewer attributes, name fewer confidential ones, or take variant a or b." if variant == "c" else ""
        )
        raise ParameterError(Fault(f"method ipso: variant {variant}", given, f"at least {needed}{sum_of}", advice))
