"""Log-linear Poisson models of the frequencies of keys, and what they say of unique records."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import IntruderView, Parameters, PrivacyModel
from evosdc.table.table import Numbers
from evosdc_privacy.population import population_size

MOST_CELLS = 2_000_000
USUAL_CELLS = 200_000
ROUNDS = 200
TOLERANCE = 1e-8


class LogLinearRisk(PrivacyModel):
    """Disclosure risk by a log-linear Poisson model (Skinner and Holmes 1998; Skinner and Shlomo 2008).

    The frequency of a key in the sample is Poisson with mean mu, in the population with mean mu / pi, pi the sampling
    fraction. mu follows a log-linear model of the quasi-identifiers: ``independence``, or ``two-way`` with all
    interactions of two, fitted by iterative proportional fitting over all cells of their table. With
    ``v = mu (1 - pi) / pi`` for a key that one record has ::

        tau1 = sum exp(-v)              expected sample uniques that are unique in the population
        tau2 = sum (1 - exp(-v)) / v    expected correct matches of sample uniques

    A missing value is a category. ``auto`` takes ``two-way`` where the table has at most 200 000 cells. Risks of
    independence are too great as a rule where attributes go together, those of a model that fits too closely too small.
    """

    class Params(Parameters):
        """The model and the sampling fraction."""

        model: Literal["auto", "independence", "two-way"] = Field("auto", description="terms of the log-linear model")
        sampling_fraction: float | None = Field(
            None, gt=0.0, le=1.0, description="default: records over the population's size"
        )

    headline: ClassVar[str] = "tau2_percent"
    larger_is_safer: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)

    def lacking(self, view: IntruderView) -> str:
        """Return that a sampling fraction is needed where nothing tells it."""
        known = self.params.sampling_fraction is not None or population_size(view) is not None
        return "" if known else "sampling weights or sampling_fraction"

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return tau1 and tau2, also per cent of the records."""
        fraction, unique, v, model = self._fitted(view)
        n = len(view.table)
        once, match = np.exp(-v).sum(), expected_inverse(v).sum()
        return {
            "tau1": float(once),
            "tau2": float(match),
            "tau1_percent": 100.0 * float(once) / n,
            "tau2_percent": 100.0 * float(match) / n,
            "unique_records": len(unique),
            "model": model,
            "sampling_fraction": fraction,
        }

    def record_figures(self, view: IntruderView) -> Numbers:
        """Return the expected correct matches of each record, shape (n,); 0 for one that is not unique."""
        _, unique, v, _ = self._fitted(view)
        figures = np.zeros(len(view.classes))
        figures[unique] = expected_inverse(v)
        by_record: Numbers = figures[view.classes.of]
        return by_record

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the expected correct matches in a sentence."""
        return (
            f"of {figures['unique_records']} unique records about {figures['tau2']:.3g} would be linked to the right "
            f"person, and {figures['tau1']:.3g} are unique in the population, by the model {figures['model']}"
        )

    def _fitted(self, view: IntruderView) -> tuple[float, NDArray[np.int64], Numbers, str]:
        """Return sampling fraction, unique keys, their v, and the model's name."""
        size = population_size(view)
        fraction = self.params.sampling_fraction or (len(view.table) / size if size is not None else 1.0)
        unique = np.flatnonzero((view.frequencies[0] == 1) & (view.classes.counts == 1))
        # Codes count up from 0 in each column, a missing value among them.
        columns = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in view.keys.T]
        keys = np.array(columns, dtype=np.int64).reshape(-1, len(view.keys)).T
        counts = view.classes.counts.astype(np.float64)
        widths = keys.max(axis=0) + 1 if keys.size else np.ones(keys.shape[1], dtype=np.int64)
        cells = float(np.prod(widths.astype(np.float64)))
        model = str(self.params.model)
        if model == "auto":
            model = "two-way" if cells <= USUAL_CELLS and keys.shape[1] > 2 else "independence"
        if model == "two-way" and cells > MOST_CELLS:
            where, wanted = "privacy-model log-linear-risk: model", f"at most {MOST_CELLS:,}"
            raise ParameterError(Fault(where, f"a table of {cells:,.0f} cells", wanted, "Take model = independence."))
        means = independent_means(keys, counts) if model == "independence" else two_way_means(keys, counts, widths)
        return fraction, unique, means[unique] * (1.0 - fraction) / fraction, model


def independent_means(keys: NDArray[np.int64], counts: Numbers) -> Numbers:
    """Return the expected frequency of each key under independence, shape (m,)."""
    n = counts.sum()
    means = np.full(len(keys), n)
    for column in keys.T:
        means *= np.bincount(column, weights=counts)[column] / n
    return means


def two_way_means(keys: NDArray[np.int64], counts: Numbers, widths: NDArray[np.int64]) -> Numbers:
    """Return the expected frequency of each key under all two-way interactions, shape (m,), by proportional fitting."""
    # Shapes: keys (m, V), counts (m,), widths (V,).
    shape = tuple(int(width) for width in widths)
    observed = np.zeros(shape)
    observed[tuple(keys.T)] = counts
    pairs: list[tuple[int, ...]] = list(combinations(range(len(shape)), 2)) or [(0,)]
    axes = [tuple(a for a in range(len(shape)) if a not in pair) for pair in pairs]
    wanted = [observed.sum(axis=others, keepdims=True) for others in axes]
    fitted = np.full(shape, counts.sum() / observed.size)
    for _ in range(ROUNDS):
        change = 0.0
        for others, margin in zip(axes, wanted, strict=True):
            now = fitted.sum(axis=others, keepdims=True)
            ratio = np.divide(margin, now, out=np.zeros_like(margin), where=now > 0.0)
            change = max(change, float(np.abs(now - margin).max()))
            fitted *= ratio
        if change <= TOLERANCE * counts.sum():
            break
    means: Numbers = fitted[tuple(keys.T)]
    return means


def expected_inverse(v: Numbers) -> Numbers:
    """Return ``(1 - exp(-v)) / v``, the mean of 1 / F where F - 1 is Poisson with mean v; 1 for v = 0."""
    small = v < 1e-9
    inverse: Numbers = np.where(small, 1.0 - v / 2.0, -np.expm1(-v) / np.where(small, 1.0, v))
    return inverse
