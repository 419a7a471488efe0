"""Tables for the tests: from digits, from a strategy, and from published files."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from evosdc.table.schema import Attribute, MissingRule, Scale, Schema
from evosdc.table.table import Table
from evosdc_measures.categorical_loss.distances import DistanceBasedLoss
from evosdc_measures.categorical_loss.entropy import EntropyBasedLoss
from evosdc_measures.categorical_loss.tables import ContingencyTableLoss
from evosdc_measures.interval_disclosure.interval import IntervalDisclosure
from evosdc_measures.linkage.distance import DistanceBasedLinkage
from evosdc_measures.linkage.probabilistic import ProbabilisticLinkage

CLASSES = {
    "dbil": DistanceBasedLoss,
    "ctbil": ContingencyTableLoss,
    "ebil": EntropyBasedLoss,
    "id": IntervalDisclosure,
    "dbrl": DistanceBasedLinkage,
    "prl": ProbabilisticLinkage,
}


def fitted(name, original, **params):
    measure = CLASSES[name]
    return measure(measure.Params(**params)).fit(original)


def schema(sizes, scales, na=MissingRule.CATEGORY):
    return Schema(
        tuple(
            Attribute(f"a{v}", scale=Scale(scale), categories=tuple(map(str, range(size))))
            for v, (size, scale) in enumerate(zip(sizes, scales, strict=True))
        ),
        na=na,
    )


def table(of_schema, codes):
    codes = np.array(codes, dtype=np.int32).reshape(len(codes), len(of_schema))
    return Table(of_schema, codes, np.empty((len(codes), 0)))


def digits(of_schema, text):
    return table(of_schema, [[int(digit) for digit in record] for record in text.split(",")])


@st.composite
def pairs(draw, most_records=10, most_attributes=3, rules=tuple(MissingRule)[:2]):
    """Draw an original and a masked table: few categories, so ties abound; some unused, constant or missing."""
    attributes = draw(st.integers(1, most_attributes))
    sizes = draw(st.lists(st.integers(1, 5), min_size=attributes, max_size=attributes))
    scales = draw(st.lists(st.sampled_from(["nominal", "ordinal"]), min_size=attributes, max_size=attributes))
    of_schema = schema(sizes, scales, draw(st.sampled_from(rules)))
    least = draw(st.sampled_from([0, -1]))
    record = st.tuples(*(st.integers(draw(st.sampled_from([least, -1, 0])), size - 1) for size in sizes))
    n = draw(st.integers(1, most_records))
    original = draw(st.lists(record, min_size=n, max_size=n))
    masked = [draw(st.one_of(st.just(x), record)) for x in original]
    return table(of_schema, original), table(of_schema, masked)


def noisy(original, share, rng):
    """Return a masked table in which about `share` of the cells were drawn from the file's own values."""
    shuffled = np.column_stack([rng.permutation(column) for column in original.codes.T])
    codes = np.where(rng.random(original.codes.shape) < share, shuffled, original.codes)
    return Table(original.schema, codes, original.numbers)


def edited(current, rng, most=3, missing=True):
    """Return a table in which a few cells differ, and the rows given as changed, some of which may be as before."""
    rows = rng.choice(len(current), size=min(len(current), int(rng.integers(1, most + 1))), replace=False)
    codes = current.codes.copy()
    for row in rows:
        v = int(rng.integers(codes.shape[1]))
        codes[row, v] = rng.integers(-1 if missing else 0, len(current.schema.categorical[v].categories))
    return Table(current.schema, codes, current.numbers), rows.astype(np.intp)
