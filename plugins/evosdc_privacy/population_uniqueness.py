"""Population uniqueness: the share of the population that is like nobody else, estimated from the sample."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import BySizes, IntruderView, Parameters
from evosdc_privacy.population import population_size

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
