"""Tables of numbers and of numbers with categories, and the measures by name."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import evosdc_measures
from evosdc.table.schema import Attribute, MissingRule, Scale, Schema
from evosdc.table.table import Table

SPECS = {spec.name: spec for spec in evosdc_measures.evosdc_measures()}
NAN = float("nan")


def implementation(name):
    module, _, attribute = SPECS[name].implementation.partition(":")
    return getattr(__import__(module, fromlist=[attribute]), attribute)


def made(name, **params):
    measure = implementation(name)
    return measure(measure.Params(**params))


def fitted(name, original, **params):
    return made(name, **params).fit(original)


def schema(scales, na=MissingRule.CATEGORY, size=4):
    """Return a schema with the given scales; categories are digits, in an order that is not the alphabetical one."""
    categories = tuple(map(str, reversed(range(size))))
    return Schema(
        tuple(
            Attribute(f"a{v}", scale=Scale(scale), categories=() if scale == "numeric" else categories)
            for v, scale in enumerate(scales)
        ),
        na=na,
    )


def table(of_schema, records):
    """Return a table from records in the schema's order; None is a missing value."""
    columns = list(zip(*records, strict=True))
    codes = [
        [-1 if x is None else x for x in column]
        for a, column in zip(of_schema.attributes, columns, strict=True)
        if a.categorical
    ]
    numbers = [
        [NAN if x is None else x for x in column]
        for a, column in zip(of_schema.attributes, columns, strict=True)
        if not a.categorical
    ]
    n = len(records)
    return Table(
        of_schema,
        np.array(codes, dtype=np.int32).reshape(len(codes), n).T,
        np.array(numbers, dtype=np.float64).reshape(len(numbers), n).T,
    )


def numeric(*columns, na=MissingRule.CATEGORY):
    return table(schema(["numeric"] * len(columns), na), list(zip(*columns, strict=True)))


@st.composite
def pairs(draw, scales=("numeric", "ordinal", "nominal"), most_records=12, most_attributes=3, missing=True):
    """Draw an original and a masked table with at least one numeric attribute: few values, so ties abound."""
    attributes = draw(st.lists(st.sampled_from(scales), min_size=0, max_size=most_attributes - 1))
    chosen = draw(st.permutations(["numeric", *attributes]))
    of_schema = schema(chosen, draw(st.sampled_from(tuple(MissingRule)[:2])))
    numbers = st.one_of(st.integers(-3, 4), st.sampled_from([0.5, 1e6, 2.25]))
    gaps = missing and draw(st.booleans())
    cells = [numbers if scale == "numeric" else st.integers(0, 3) for scale in chosen]
    record = st.tuples(*(st.one_of(st.none(), cell) if gaps else cell for cell in cells))
    n = draw(st.integers(1, most_records))
    original = draw(st.lists(record, min_size=n, max_size=n))
    masked = [draw(st.one_of(st.just(x), record)) for x in original]
    return table(of_schema, original), table(of_schema, masked)


def noisy(original, share, rng):
    """Return a masked table in which about `share` of the cells were drawn from the file's own values."""
    numbers = np.column_stack([rng.permutation(column) for column in original.numbers.T])
    hit = rng.random(numbers.shape) < share
    return Table(original.schema, original.codes, np.where(hit, numbers, original.numbers))


def microaggregated(original, k=3):
    """Return a masked table in which each column was averaged over k neighbours in rank."""
    numbers = original.numbers.copy()
    for column in numbers.T:
        order = np.argsort(column, kind="stable")
        for begin in range(0, len(order), k):
            column[order[begin : begin + k]] = column[order[begin : begin + k]].mean()
    return Table(original.schema, original.codes, numbers)


def edited(current, original, rng, most=3):
    """Return a table in which a few records took other values of the original, and the rows given as changed."""
    rows = rng.choice(len(current), size=min(len(current), int(rng.integers(1, most + 1))), replace=False)
    codes, numbers = current.codes.copy(), current.numbers.copy()
    for row in rows:
        for matrix, values in ((codes, original.codes), (numbers, original.numbers)):
            if matrix.shape[1] and rng.random() < 0.7:
                v = int(rng.integers(matrix.shape[1]))
                matrix[row, v] = values[int(rng.integers(len(values))), v]
    return Table(current.schema, codes, numbers), rows.astype(np.intp)
