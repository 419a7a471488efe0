"""States of linkage measures followed through edits, against fresh ones."""

from __future__ import annotations

import numpy as np

from evosdc_measures.linkage import informed_links
from tests.plugins.measures.cases import edited, noisy

CHAIN = (*[1] * 40, 3, informed_links.FEW + 2, 60, 1, 2, 1)
"""Most changed cells of each edit in turn: one by one, and so many that they are followed together."""


def assert_family_equals_starts(measure, masked, rng, most, assert_same):
    """Edit any earlier file ten times; in the end each state, old ones too, has to be that of its file."""
    family = [(masked, measure.start(masked))]
    for _ in range(10):
        masked, state = family[int(rng.integers(len(family)))]
        masked, rows = edited(masked, rng, most)
        family.append((masked, measure.update(state, masked, rows)))
    for masked, state in family:
        assert_same(measure, state, measure.start(masked))


def assert_chain_equals_starts(measure, original, assert_same):
    """Edit a masked file again and again; after each edit the state has to be that of the file."""
    rng = np.random.default_rng(7)
    masked = noisy(original, 0.3, rng)
    state = measure.start(masked)
    for most in CHAIN:
        masked, rows = edited(masked, rng, most)
        state = measure.update(state, masked, rows)
        assert_same(measure, state, measure.start(masked))


def costs_apart(model, codes, rows, costs):
    """Return how much more each original costs behind some rows than their own ones, and which are equal to these."""
    own, strides, offsets = model
    bases = offsets[:-1] + (codes[rows] + 1) * strides
    costing = sum(costs[bases[:, v, None] + own[:, v]] for v in range(own.shape[1]))
    equal = (own[rows, None] == own).all(axis=2)
    return costing - costing[np.arange(len(rows)), rows][:, None], equal
