"""Channels that exchange labels are annealed anew: against the measure that searches bound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc_limit.annealing import Channels
from evosdc_limit.channels import MOST, TRIES, exchanged, in_order
from evosdc_limit.objective import attribute_terms
from evosdc_measures.categorical_loss.relabelling import WorstRelabelling
from tests.plugins.measures.cases import schema, table


@given(st.integers(0, 2**32), st.integers(2, 5))
def test_the_share_is_that_of_the_measure(seed, size):
    rng = np.random.default_rng(seed)
    original = table(schema([size], ["nominal"]), rng.integers(0, size, (40, 1)))
    masked = table(original.schema, rng.integers(0, size, (40, 1)))
    (terms,) = attribute_terms(original)
    counts = np.array(
        [
            [((original.codes == a) & (masked.codes == b)).sum() for a in terms.originals.tolist()]
            for b in terms.published.tolist()
        ]
    )
    if counts.sum() < 40:
        return  # a category was published that the terms do not know
    measure = WorstRelabelling(WorstRelabelling.Params()).fit(original)
    assert exchanged(counts, terms) == pytest.approx(measure.score(masked))


def test_the_first_that_exchanges_few_labels_is_taken_and_else_the_least():
    original = table(schema([2], ["nominal"]), [[0]] * 50 + [[1]] * 50)
    terms = attribute_terms(original)
    kept, half, swapped = (np.array([[50 - k, k], [k, 50 - k]]) for k in (1, 30, 50))
    made = iter([Channels((counts,), 0.0, 0.0) for counts in (swapped, kept, half)])
    assert np.array_equal(in_order(lambda: next(made), terms).counts[0], kept)
    assert exchanged(kept, terms[0]) <= MOST
    made = iter([Channels((counts,), 0.0, 0.0) for counts in (swapped, half, *[swapped] * TRIES)])
    assert np.array_equal(in_order(lambda: next(made), terms).counts[0], half)
    assert len(list(made)) == 2, "no more than so many are tried"
