"""Tables for the tests of masking methods: made by hand, and as a hypothesis strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from evosdc.model import MaskingMethod
from evosdc.model.parameters import parse_parameters
from evosdc.table.schema import Attribute, MissingRule, Scale, Schema
from evosdc.table.table import Table
from evosdc.testing import MaskingMethodConformance

NOMINAL, ORDINAL, NUMERIC = Scale.NOMINAL, Scale.ORDINAL, Scale.NUMERIC


def attribute(name: str, scale: Scale, size: int = 0) -> Attribute:
    return Attribute(name, scale=scale, categories=tuple(f"{i:03d}" for i in range(size)))


def categorical(codes: Any, sizes: Sequence[int], scales: Sequence[Scale], na: str = "category") -> Table:
    attributes = tuple(
        attribute(f"c{j}", scale, size) for j, (scale, size) in enumerate(zip(scales, sizes, strict=True))
    )
    codes = np.asarray(codes, dtype=np.int32).reshape(-1, len(sizes))
    return Table(Schema(attributes, na=MissingRule(na)), codes, np.empty((len(codes), 0)))


def numeric(numbers: Any, na: str = "category") -> Table:
    numbers = np.asarray(numbers, dtype=np.float64)
    numbers = numbers.reshape(-1, 1) if numbers.ndim == 1 else numbers
    attributes = tuple(attribute(f"x{j}", NUMERIC) for j in range(numbers.shape[1]))
    return Table(Schema(attributes, na=MissingRule(na)), np.empty((len(numbers), 0), dtype=np.int32), numbers)


def joined(left: Table, right: Table) -> Table:
    schema = Schema(left.schema.attributes + right.schema.attributes, na=left.schema.na)
    return Table(schema, np.hstack([left.codes, right.codes]), np.hstack([left.numbers, right.numbers]))


def masked(method: type[MaskingMethod], table: Table, seed: int = 1, **params: Any) -> Table:
    return build(method, **params).mask(table, np.random.default_rng(seed))


def build(method: type[MaskingMethod], **params: Any) -> MaskingMethod:
    given: Mapping[str, Any] = params
    return method(parse_parameters(method.Params, given, f"method {method.__name__.lower()}"))


@st.composite
def categorical_tables(
    draw: st.DrawFn,
    scales: Sequence[Scale] = (NOMINAL, ORDINAL),
    max_records: int = 40,
    missing: bool = True,
    rules: Sequence[str] = ("category", "wildcard"),
) -> Table:
    """Small files with few categories: constant columns, unused categories and missing values are common."""
    n = draw(st.integers(1, max_records))
    width = draw(st.integers(1, 4))
    chosen = [draw(st.sampled_from(list(scales))) for _ in range(width)]
    sizes = [draw(st.integers(1, 7)) for _ in range(width)]
    columns = [draw(st.lists(st.integers(-1 if missing else 0, size - 1), min_size=n, max_size=n)) for size in sizes]
    return categorical(np.array(columns).T, sizes, chosen, draw(st.sampled_from(list(rules))))


@st.composite
def numeric_tables(draw: st.DrawFn, max_records: int = 40, missing: bool = True) -> Table:
    """Small files of whole numbers, so that ties and constant columns are common."""
    n = draw(st.integers(1, max_records))
    value = st.integers(-5, 5).map(float)
    cell = st.one_of(value, value, value, st.just(float("nan"))) if missing else value
    columns = [draw(st.lists(cell, min_size=n, max_size=n)) for _ in range(draw(st.integers(1, 3)))]
    return numeric(np.array(columns).T, draw(st.sampled_from(["category", "wildcard"])))


@st.composite
def mixed_tables(draw: st.DrawFn) -> Table:
    left = draw(categorical_tables(max_records=20))
    n = len(left)
    value = st.one_of(st.integers(-5, 5).map(float), st.just(float("nan")))
    return joined(left, numeric(np.array(draw(st.lists(value, min_size=n, max_size=n)))))


FIXED = {"deterministic": True}
"""What a suite declares of a method that draws nothing."""


def conforming(cls: type[MaskingMethod], declared: dict[str, Any] | None = None, **params: object) -> type:
    """Return the suite of a method with parameters, with what it declares besides."""
    body = {"method": lambda self: build(cls, **params)} | (declared or {})
    return type(f"Test{cls.__name__}", (MaskingMethodConformance,), body)
