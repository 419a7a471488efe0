"""Conformance of privacy models."""

# ruff: noqa: D102 -- the name of a test says what it asserts

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from math import inf, isfinite
from typing import Any, ClassVar

import numpy as np
import pytest

from evosdc.model import ByClass, BySizes, IntruderView, MissingMatch, PrivacyModel
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import MISSING, Rows, Table
from evosdc.testing.acceptance import accepted, assert_unknown_keys_refused, kept, on_every_table
from evosdc.testing.purity import assert_same_again, generator, unchanged
from evosdc.testing.tables import INTERPRETED, interpreted, sample_table

_ROUNDING = 1e-9


class PrivacyModelConformance:
    """Tests that every privacy model must pass; subclass it and say how the model is made.

    Examples
    --------
    >>> class TestShareUnique(PrivacyModelConformance):
    ...     def model(self):
    ...         return ShareUnique(ShareUnique.Params())
    """

    interpreted: ClassVar[Collection[str]] = INTERPRETED
    """Names of the tables on which kernels are run uncompiled; fewer where that takes long."""

    def model(self) -> PrivacyModel:
        """Return the model to test."""
        raise NotImplementedError("define model(self) and return the privacy model to test")

    def view(self, table_name: str, missing: MissingMatch = MissingMatch.CATEGORY) -> IntruderView:
        """Return a file with all that a model may need; override to add what yours needs besides."""
        return sample_view(table_name, missing)

    def figures(self, view: IntruderView, table_name: str = "ordinary") -> Mapping[str, Any]:
        """Return the findings of the model; skips where it refuses an unusual table."""
        return accepted(table_name, lambda: self.model().assess(view))

    def found(
        self, table_name: str, missing: MissingMatch = MissingMatch.CATEGORY
    ) -> tuple[IntruderView, Mapping[str, Any]]:
        """Return a file and the findings of the model on it, which are made once."""
        view = kept(self, (table_name, missing), lambda: self.view(table_name, missing))
        return view, kept(self, ("figures", table_name, missing), lambda: self.figures(view, table_name))

    @on_every_table
    @pytest.mark.parametrize("missing", MissingMatch)
    def test_figures_are_plain_data_with_a_headline(self, table_name: str, missing: MissingMatch) -> None:
        view = self.view(table_name, missing)
        assert not self.model().lacking(view), "the model does not apply to the suite's file; override view"
        assert self.model().applies(view)
        _, figures = self.found(table_name, missing)
        json.dumps(figures, allow_nan=False)
        headline = figures[self.model().headline]
        assert headline is None or isfinite(headline), f"headline {headline}, wanted a number or None for infinity"
        assert all(isinstance(name, str) for name in figures)

    @on_every_table
    @pytest.mark.parametrize("missing", MissingMatch)
    def test_the_headline_is_attainable(self, table_name: str, missing: MissingMatch) -> None:
        view, figures = self.found(table_name, missing)
        headline = figures[self.model().headline]
        least, greatest = self.model().attainable(view)
        slack = _ROUNDING * max(1.0, abs(headline or 0.0))
        within = headline is None or least - slack <= headline <= greatest + slack
        assert within, f"headline {headline}, attainable said {least} to {greatest}"

    @on_every_table
    def test_kernels_stay_within_their_arrays(self, table_name: str) -> None:
        if table_name not in self.interpreted:
            pytest.skip("small tables are enough")
        _, figures = self.found(table_name)
        view = self.view(table_name)  # which holds nothing yet that compiled kernels made
        with interpreted():
            assert_same_figures(self.figures(view, table_name), figures)

    @on_every_table
    def test_figures_can_be_said_in_words(self, table_name: str) -> None:
        text = self.model().in_words(self.found(table_name)[1])
        assert text, "in_words returned nothing"
        assert "\n" not in text, "in_words returned more than one line"

    def test_what_a_file_lacks_is_said(self) -> None:
        bare = replace(
            self.view("ordinary"), sensitive=(), weights=None, household=None, population=None, transitions=None
        )
        lacking = self.model().lacking(bare)
        assert self.model().applies(bare) is not bool(lacking)
        if not lacking:
            self.figures(bare)

    @on_every_table
    def test_nothing_but_the_file_decides(self, table_name: str) -> None:
        view, figures = self.found(table_name)
        with unchanged("assess", view.table):
            assert_same_again(lambda _: self.model().assess(replace(view)), 0, figures, "assess")

    @on_every_table
    @pytest.mark.parametrize("missing", MissingMatch)
    def test_the_order_of_records_does_not_matter(self, table_name: str, missing: MissingMatch) -> None:
        view, figures = self.found(table_name, missing)
        order = generator(7).permutation(len(view.table)).astype(np.intp)
        assert_same_figures(self.figures(reordered(view, order)), figures)

    @on_every_table
    @pytest.mark.parametrize("missing", MissingMatch)
    def test_the_names_of_nominal_categories_do_not_matter(self, table_name: str, missing: MissingMatch) -> None:
        view, figures = self.found(table_name, missing)
        assert_same_figures(self.figures(relabelled(view)), figures)

    @on_every_table
    @pytest.mark.parametrize("missing", MissingMatch)
    def test_a_search_may_judge_the_classes_that_change(self, table_name: str, missing: MissingMatch) -> None:
        model, (view, figures) = self.model(), self.found(table_name, missing)
        found = figures[model.headline]
        wanted = inf if found is None else found
        if isinstance(model, ByClass) and model.by_class:
            by_class = model.figures_of(view)
            worst = float(by_class.min() if model.larger_is_safer else by_class.max())
            assert model.headline_of(worst) == pytest.approx(wanted, rel=_ROUNDING, abs=_ROUNDING)
        elif isinstance(model, BySizes) and view.tree is None:
            sizes, times = np.unique(view.classes.counts, return_counts=True)
            headline = model.headline_of_sizes(sizes, times.astype(np.int64), view)
            assert headline == pytest.approx(wanted, rel=_ROUNDING, abs=_ROUNDING)
        else:
            pytest.skip("a search judges each file from scratch")

    def test_the_headline_is_one_of_the_figures(self) -> None:
        assert self.model().headline in self.found("ordinary")[1]

    def test_unknown_parameters_are_refused(self) -> None:
        assert_unknown_keys_refused(self.model())


def sample_view(table_name: str, missing: MissingMatch = MissingMatch.CATEGORY) -> IntruderView:
    """Return one of the tables of `evosdc.testing.tables` as an intruder sees it.

    Its attributes are the quasi-identifiers; two sensitive ones, weights, households, a population that holds the file
    and some more, and matrices of the first attribute are added. Equal at every call.
    """
    table = sample_table(table_name)
    rng, n = generator(8), len(table)
    schema = replace(
        table.schema,
        attributes=(
            *table.schema.attributes,
            Attribute("illness", Role.SENSITIVE, Scale.NOMINAL, ("flu", "gout", "none")),
            Attribute("income", Role.SENSITIVE, Scale.NUMERIC),
            Attribute("home", Role.HOUSEHOLD, Scale.NOMINAL, tuple(map(str, range(n)))),
        ),
    )
    codes = np.column_stack((table.codes, rng.integers(-1, 3, n), rng.integers(-1, max(n // 3, 1), n)))
    numbers = np.column_stack((table.numbers, rng.integers(0, 9, n).astype(np.float64)))
    whole = Table(schema, codes.astype(np.int32), numbers)
    others = rng.integers(0, n, 2 * n).astype(np.intp)
    population = table.take(np.concatenate((np.arange(n, dtype=np.intp), others)))
    first = table.schema.attributes[0].name
    weights = rng.integers(2, 60, n).astype(np.float64)
    matrix = np.array([[0.8, 0.2], [0.4, 0.6]])
    names = table.schema.names
    return IntruderView(whole, names, ("illness", "income"), weights, "home", missing, population, {first: matrix})


def reordered(view: IntruderView, order: Rows) -> IntruderView:
    """Return the intruder's view with its records in another order."""
    weights = None if view.weights is None else view.weights[order]
    return replace(view, table=view.table.take(order), weights=weights)


def relabelled(view: IntruderView) -> IntruderView:
    """Return the intruder's view with the codes of nominal attributes reversed, the population's too."""
    schema = view.table.schema
    sizes = {a.name: len(a.categories) for a in schema.categorical if a.scale is Scale.NOMINAL and not a.hierarchy}
    population = None if view.population is None else _reversed(view.population, sizes)
    return replace(view, table=_reversed(view.table, sizes), population=population)


def _reversed(table: Table, sizes: Mapping[str, int]) -> Table:
    codes = table.codes.copy()
    for position, attribute in enumerate(table.schema.categorical):
        if attribute.name in sizes:
            present = codes[:, position] != MISSING
            codes[present, position] = sizes[attribute.name] - 1 - codes[present, position]
    attributes = tuple(
        replace(a, categories=a.categories[::-1]) if a.name in sizes else a for a in table.schema.attributes
    )
    return Table(replace(table.schema, attributes=attributes), codes, table.numbers)


def assert_same_figures(found: Any, wanted: Any) -> None:
    """Assert that figures are equal, numbers up to rounding."""
    if isinstance(wanted, Mapping):
        assert found.keys() == wanted.keys()
        for name in wanted:
            assert_same_figures(found[name], wanted[name])
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=_ROUNDING, abs=_ROUNDING)
    else:
        assert found == wanted
