"""beta-likeness, delta-disclosure privacy and (alpha, k)-anonymity: shares of sensitive values within a class."""

from collections.abc import Mapping
from math import inf, isfinite, log
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import ClassContents, ClassValues, IntruderView, Parameters
from evosdc.table.table import Numbers
from evosdc_privacy.sensitive_values import OfSensitiveValues, by_attribute


class _OfShares(OfSensitiveValues):
    """A model of the shares that sensitive values have in a class."""

    counted: ClassVar[bool] = True
    larger_is_safer: ClassVar[bool] = False

    def greatest(self, view: IntruderView) -> tuple[dict[str, float | None], float | None]:
        """Return the greatest figure of each attribute and of all; None stands for infinity."""
        found = {name: float(figures.max()) for name, figures in by_attribute(view, self.figures).items()}
        return {name: finite(value) for name, value in found.items()}, finite(max(found.values()))

    def shortfall(self, view: IntruderView, bound: float) -> float:
        """Return the share of records in classes whose figure is greater than the bound."""
        return self.share_beyond(view, bound)


class BetaLikeness(_OfShares):
    """beta-likeness (Cao and Karras 2012): how much more frequent a sensitive value is in a class than in the file.

    With p the share of a value in the file and q its share in a class, basic beta-likeness bounds the relative gain:
    ``(q - p) / p <= beta`` wherever q > p. The enhanced form asks for ``(q - p) / p <= min(beta, -ln p)``, so that
    frequent values gain little; a class that exceeds -ln p has it for no beta, and the headline is infinite (None). A
    missing sensitive value is a value of its own.
    """

    class Params(Parameters):
        """Which form."""

        form: Literal["basic", "enhanced"] = Field("basic", description="basic, or enhanced: also at most -ln p")

    headline: ClassVar[str] = "beta"
    range: ClassVar[tuple[float, float]] = (0.0, inf)
    of_whole_file: ClassVar[bool] = True

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the least beta of which the file has the form, over all attributes and by attribute."""
        attributes, beta = self.greatest(view)
        return {"beta": beta, "form": self.params.form, "attributes": attributes}

    def figures(self, values: ClassValues) -> Numbers:
        """Return the greatest relative gain of each class; infinite where the enhanced form cannot hold."""
        gains = ratios_of(values) - 1.0
        if self.params.form == "enhanced":
            allowed = -np.log(values.overall[values.values] / values.overall.sum())
            gains = np.where(gains > allowed + 1e-12, inf, gains)
        return np.maximum(_greatest(values, gains), 0.0)

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the greatest gain in a sentence."""
        if figures["beta"] is None:
            return "a frequent sensitive value gains more in some class than enhanced beta-likeness allows for any beta"
        return f"within a class no sensitive value is more than {1.0 + figures['beta']:.3g} times as frequent as in all"


class DeltaDisclosure(_OfShares):
    """delta-disclosure privacy (Brickell and Shmatikov 2008): shares in a class are near those in the file both ways.

    ``|log(q / p)| < delta`` for every sensitive value and every class, q its share in the class and p in the file. A
    value that a class does not have makes the logarithm infinite (None); ``absent = "ignored"`` looks at the values
    that a class has alone, as ARX does. The logarithm is to base 2 or natural: the source was not at hand, ARX takes 2.
    The source's inequality is strict; a constraint here asks for ``<=``.
    """

    class Params(Parameters):
        """What an absent value counts, and the base."""

        absent: Literal["infinite", "ignored"] = Field(
            "infinite", description="what a value of the file that a class does not have counts"
        )
        logarithm: Literal["binary", "natural"] = Field("binary", description="base of the logarithm")

    headline: ClassVar[str] = "delta"
    range: ClassVar[tuple[float, float]] = (0.0, inf)
    of_whole_file: ClassVar[bool] = True

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the greatest logarithm, in all and by attribute, and records in classes without a value."""
        attributes, delta = self.greatest(view)
        lacking = np.zeros(len(view.classes), dtype=np.bool_)
        for lacks in by_attribute(view, lacking_of).values():
            lacking |= lacks
        return {
            "delta": delta,
            "records_lacking_a_value": int(view.classes.counts[lacking].sum()),
            "absent": self.params.absent,
            "logarithm": self.params.logarithm,
            "attributes": attributes,
        }

    def figures(self, values: ClassValues) -> Numbers:
        """Return the greatest logarithm of each class."""
        figures = _greatest(values, np.abs(np.log(ratios_of(values))))
        if self.params.logarithm == "binary":
            figures = figures / log(2.0)
        return np.where(lacking_of(values), inf, figures) if self.params.absent == "infinite" else figures

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the greatest logarithm in a sentence."""
        if figures["delta"] is None:
            return f"{figures['records_lacking_a_value']} records are in classes that rule a sensitive value out"
        return f"logarithms of shares in a class over shares in all lie within {figures['delta']:.3f} of 0"


class AlphaKAnonymity(_OfShares):
    """(alpha, k)-anonymity (Wong, Li, Fu and Wang 2006): no sensitive value is frequent in a class, and no class small.

    ``alpha`` is the greatest share of a sensitive value in a class; with a `k`, a class of fewer records counts as 1,
    so that ``"alpha-k-anonymity(k = 3) <= 0.5"`` asks for both. By default all values are bounded (the general model);
    `values` names those that are (the simple one). A missing value is a value of its own.
    """

    class Params(Parameters):
        """The size of classes, and which values."""

        k: int = Field(1, ge=1, description="classes of fewer records count as alpha = 1")
        values: tuple[str, ...] | None = Field(None, description="sensitive values that are bounded; default: all")

    headline: ClassVar[str] = "alpha"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the greatest share, over all attributes and by attribute, and the smallest class.

        Raises
        ------
        ParameterError
            Values that no sensitive attribute has.
        """
        self._require_values(view)
        attributes, share = self.greatest(view)
        k = int(view.frequencies[0].min())
        return {
            "alpha": 1.0 if k < self.params.k else share,
            "largest_share": share,
            "k": k,
            "attributes": attributes,
        }

    def figures(self, values: ClassValues) -> Numbers:
        """Return the greatest share of each class."""
        shares = values.counts / values.sizes[values.owner]
        if self.params.values is not None:
            code = values.attribute.code if values.attribute.categorical else {}
            wanted = np.isin(values.present, [code.get(label, -2) for label in self.params.values])
            shares = np.where(wanted[values.values], shares, 0.0)
        return _greatest(values, shares)

    def class_figures(self, contents: ClassContents) -> Numbers:
        """Return the greatest share of each class over all attributes; 1 for one that is too small."""
        return np.where(contents.sizes < self.params.k, 1.0, super().class_figures(contents))

    def _require_values(self, view: IntruderView) -> None:
        known = [view.table.schema[name].categories for name in view.sensitive]
        strange = [v for v in self.params.values or () if not any(v in labels for labels in known)]
        if strange:
            where, wanted = "privacy-model alpha-k-anonymity: values", "categories of the sensitive attributes"
            raise ParameterError(Fault(where, ", ".join(strange), wanted))

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the greatest share and the smallest class in a sentence."""
        text = f"within a class a sensitive value has a share of up to {figures['largest_share']:.3f}"
        return f"{text}; the smallest class has {figures['k']} record{'' if figures['k'] == 1 else 's'}"


def finite(value: float) -> float | None:
    """Return a figure, None for infinity."""
    return value if isfinite(value) else None


def ratios_of(values: ClassValues) -> Numbers:
    """Return the share of each entry's value in its class over that in the file: exactly 1 where they are equal."""
    ratios: Numbers = (values.counts * values.overall.sum()) / (
        values.sizes[values.owner] * values.overall[values.values]
    )
    return ratios


def lacking_of(values: ClassValues) -> NDArray[np.bool_]:
    """Return which classes lack a value of the file, shape (c,)."""
    lacking: NDArray[np.bool_] = np.diff(values.starts) < np.count_nonzero(values.overall)
    return lacking


def _greatest(values: ClassValues, figures: Numbers) -> Numbers:
    """Return the greatest figure of the entries of each class, shape (c,)."""
    greatest: Numbers = np.maximum.reduceat(figures, values.starts[:-1])
    return greatest
