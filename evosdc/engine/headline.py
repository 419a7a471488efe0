"""A privacy model as a score: what ``k-anonymity >= 3`` looks at."""

from math import inf, isnan
from typing import Any

import numpy as np

from evosdc.errors import EvaluationError
from evosdc.model import Fitted, IntruderView, Microdata, MissingMatch, PrivacyModel
from evosdc.model.constraint import GREATEST
from evosdc.table.coarsening import coarsened
from evosdc.table.schema import Attribute, Role
from evosdc.table.table import Table


class Headline(Fitted):
    """The headline of a privacy model on the file that a masked table would be published in.

    The quasi-identifiers are the protected attributes and all others with that role, masked or not, save those that are
    judged as sensitive: an intruder who knows them knows them all. Attributes that are not protected, weights and
    household come from the confidential file as they are.

    Parameters
    ----------
    model : PrivacyModel
    microdata : Microdata
    sensitive : tuple of str, optional
        What the intruder wants to learn; by default the unprotected attributes with the role sensitive.
    """

    def __init__(self, model: PrivacyModel, microdata: Microdata, sensitive: tuple[str, ...] | None = None) -> None:
        schema, protected = microdata.table.schema, set(microdata.protect)
        self.model = model
        self.microdata = microdata
        unmasked = tuple(name for name in schema.with_role(Role.SENSITIVE) if name not in protected)
        self.sensitive = unmasked if sensitive is None else sensitive
        known = (*microdata.protect, *(n for n in schema.with_role(Role.QUASI_IDENTIFIER) if n not in protected))
        self.quasi_identifiers = tuple(name for name in known if name not in self.sensitive)
        self._last: tuple[Table, IntruderView] | None = None
        self._population: tuple[tuple[Attribute, ...], Table] | None = None

    def view(self, masked: Table) -> IntruderView:
        """Return the file as an intruder would see it; that of the last table is kept for further figures of it."""
        if self._last is None or self._last[0] is not masked:
            self._last = masked, self._view_of(masked)
        return self._last[1]

    def _view_of(self, masked: Table) -> IntruderView:
        table, schema = self.microdata.table, self.microdata.table.schema
        weights, households = schema.with_role(Role.WEIGHT), schema.with_role(Role.HOUSEHOLD)
        published = table.with_columns(masked)
        return IntruderView(
            published,
            self.quasi_identifiers,
            self.sensitive,
            np.asarray(table.column(weights[0]), dtype=np.float64) if weights else None,
            households[0] if households else None,
            MissingMatch.of(schema.na),
            self._population_like(published),
        )

    def _population_like(self, published: Table) -> Table | None:
        """Return the population in the coding of the published file; that of the last coding is kept."""
        population = self.microdata.population
        if population is None:
            return None
        attributes = tuple(published.schema[name] for name in self.quasi_identifiers)
        if self._population is None or self._population[0] != attributes:
            self._population = attributes, coarsened(population, published, self.quasi_identifiers)
        return self._population[1]

    def score(self, masked: Table) -> float:
        """Return the headline; finite, a figure without bound (None) is cut.

        Raises
        ------
        EvaluationError
            The model gives no number.
        """
        value: Any = self.model.assess(self.view(masked))[self.model.headline]
        number = inf if value is None else float(value)
        if isnan(number):
            raise EvaluationError(f"privacy model {type(self.model).__name__} gave no number for {self.model.headline}")
        return min(max(number, -GREATEST), GREATEST)


class Shortfall(Fitted):
    """The percentage of records that keep the headline from a bound (`evosdc.model.PrivacyModel.shortfall`), 0..100.

    Parameters
    ----------
    headline : Headline
        Of a model that knows it.
    bound : float
    """

    def __init__(self, headline: Headline, bound: float) -> None:
        self.headline = headline
        self.bound = bound

    def score(self, masked: Table) -> float:
        """Return the percentage; 0 where the bound is kept."""
        share = self.headline.model.shortfall(self.headline.view(masked), self.bound)
        return 100.0 * (share or 0.0)
