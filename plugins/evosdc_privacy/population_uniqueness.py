"""Models of the frequencies of keys in the population: log-linear ones, and those of the people that are unique."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import BySizes, IntruderView, Parameters, PrivacyModel
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


Sizes = NDArray[np.int64]
_SMALL_FRACTION = 0.1


class PopulationUniqueness(BySizes):
    """Share of the population whose key is unique, in per cent, estimated from the frequencies of the sample's keys.

    Models: ``zayatz`` (Zayatz 1991), ``snb``, slide negative binomial (Chen and Keller-McNulty 1998), ``pitman``
    (Hoshino 2001) and ``dankar``, their choice by Dankar et al. (2012): Pitman's for sampling fractions up to 0.1, else
    the smaller of Zayatz's and SNB; Zayatz's where the chosen one has no estimate. A sample without unique records
    estimates 0; a sample that is the population counts. Frequencies under wildcards are taken as if keys were classes.
    """

    class Params(Parameters):
        """The model and the population."""

        model: Literal["dankar", "zayatz", "snb", "pitman"] = Field("dankar", description="model of the headline")
        population_size: float | None = Field(
            None, ge=1.0, description="people; default: population file, or sum of the sampling weights"
        )

    headline: ClassVar[str] = "percent"
    larger_is_safer: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)

    def lacking(self, view: IntruderView) -> str:
        """Return that the size of the population is needed where nothing tells it."""
        return "" if population_size(view, self.params) is not None else "sampling weights or population_size"

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the estimate of each model, None where one has none, and which one the headline is of."""
        people = population_size(view, self.params)
        assert people is not None
        n = len(view.table)
        frequencies = view.frequencies[0]
        sizes, keys = np.unique(frequencies, return_counts=True)
        if view.tree is not None:
            # a key that matches others counts for as many keys as its records are of what it matches
            records = np.bincount(np.searchsorted(sizes, frequencies), weights=view.classes.counts)
            keys = np.maximum(np.rint(records / sizes), 1).astype(np.int64)
        sizes, keys = sizes.astype(np.int64), keys.astype(np.int64)
        unique = int(view.classes.counts[frequencies == 1].sum())
        estimates = self._estimates(sizes, keys, unique, n, people)
        chosen = self._chosen(estimates, n / people)
        value = estimates[chosen]
        assert value is not None
        return {
            "percent": 100.0 * value / people,
            "unique_people": value,
            "model": chosen,
            "unique_records": unique,
            "population": people,
            "sampling_fraction": n / people,
            "estimates": {name: None if found is None else 100.0 * found / people for name, found in estimates.items()},
        }

    def headline_of_sizes(self, sizes: Sizes, times: Sizes, original: IntruderView) -> float:
        """Return the estimate in per cent."""
        people = population_size(original, self.params)
        assert people is not None
        n, unique = int(sizes @ times), int(times[sizes == 1].sum())
        estimates = self._estimates(sizes, times, unique, n, people)
        value = estimates[self._chosen(estimates, n / people)]
        assert value is not None
        return 100.0 * value / people

    def _estimates(self, sizes: Sizes, keys: Sizes, unique: int, n: int, people: float) -> dict[str, float | None]:
        """Return the estimate of each model that may be chosen, from `n` records and the sizes of their keys."""
        wanted = self.params.model
        if people <= n:
            return dict.fromkeys(("zayatz", "snb", "pitman"), float(unique))
        # late: they import scipy, and most files tell of no population
        from evosdc_privacy.uniqueness_estimators import pitman, slide_negative_binomial, zayatz

        estimates: dict[str, float | None] = {"zayatz": zayatz(sizes, keys, people)}
        if wanted == "snb" or (wanted == "dankar" and n / people > _SMALL_FRACTION):
            estimates["snb"] = slide_negative_binomial(sizes, keys, people)
        if wanted == "pitman" or (wanted == "dankar" and n / people <= _SMALL_FRACTION):
            estimates["pitman"] = pitman(sizes, keys, people)
        return estimates

    def _chosen(self, estimates: Mapping[str, float | None], fraction: float) -> str:
        if self.params.model != "dankar":
            return self.params.model if estimates.get(self.params.model) is not None else "zayatz"
        if fraction <= _SMALL_FRACTION:
            return "pitman" if estimates.get("pitman") is not None else "zayatz"
        both = {name: value for name in ("zayatz", "snb") if (value := estimates.get(name)) is not None}
        return min(both, key=lambda name: (both[name], name))

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the estimate in a sentence."""
        return (
            f"about {figures['percent']:.3g} % of {figures['population']:.0f} people are unique, by the model "
            f"{figures['model']}; {figures['unique_records']} records are in the file"
        )
