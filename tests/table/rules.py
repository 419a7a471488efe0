"""Files and rules for tests, and what rules mean, record by record, in the slowest way."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from evosdc.table.edit_rules import EditRule
from evosdc.table.schema import Attribute, MissingRule, Role, Scale, Schema
from evosdc.table.table import Table

PROTECT = ("a", "b", "x")


@st.composite
def files(draw, missing=False):
    """Draw an original of two masked categories, a masked number, an unmasked category and an unmasked number."""
    n = draw(st.integers(12, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    latent = rng.random(n)
    codes = np.column_stack([np.clip((latent + rng.normal(0, 0.2, n)) * c, 0, c - 1) for c in (4, 3, 3)])
    if missing:
        codes[rng.random(codes.shape) < 0.2] = -1
    numbers = np.column_stack([np.round(40 * latent), np.round(9 * latent + rng.random(n))])
    if missing:
        numbers[rng.random(n) < 0.2, 0] = np.nan
    attributes = (
        Attribute("a", Role.QUASI_IDENTIFIER, Scale.NOMINAL, tuple("klmn")),
        Attribute("b", Role.QUASI_IDENTIFIER, Scale.ORDINAL, ("1", "2", "3")),
        Attribute("c", Role.OTHER, Scale.NOMINAL, tuple("uvw")),
        Attribute("x", Role.QUASI_IDENTIFIER, Scale.NUMERIC),
        Attribute("y", Role.OTHER, Scale.NUMERIC),
    )
    na = draw(st.sampled_from([MissingRule.CATEGORY, MissingRule.WILDCARD])) if missing else MissingRule.CATEGORY
    return Table(Schema(attributes, na=na), codes.astype(np.int32), numbers)


def masked_anyhow(table, seed):
    """Return the masked attributes with values permuted or drawn."""
    rng, original = np.random.default_rng(seed), table.select(PROTECT)
    codes, numbers = original.codes.copy(), original.numbers.copy()
    for j, attribute in enumerate(original.schema.categorical):
        hit = rng.random(len(table)) < rng.random()
        codes[hit, j] = rng.integers(0, len(attribute.categories), hit.sum())
    hit = rng.random(len(table)) < rng.random()
    numbers[hit] = rng.permutation(numbers[hit])
    return Table(original.schema, codes, numbers)


def label(table, name, row):
    attribute, value = table.schema[name], table.column(name)[row]
    if attribute.categorical:
        return attribute.categories[value] if value >= 0 else None
    return float(value)


def breaks_rule(record, rule: EditRule, schema: Schema):
    """Whether a record, labels and numbers by attribute, meets all conditions of a rule."""
    for name, values in rule.conditions:
        attribute, given = schema[name], values if isinstance(values, tuple) else (values,)
        value = record[name]
        interval = not attribute.categorical or (attribute.scale is Scale.ORDINAL and not isinstance(given[0], str))
        if interval:
            if value is None or not given[0] <= float(value) <= given[-1]:
                return False
        elif value not in given:
            return False
    return True
