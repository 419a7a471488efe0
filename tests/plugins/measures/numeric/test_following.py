"""States of measures of numbers: followed through edits they equal fresh ones to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.model import Incremental
from tests.plugins.measures.numeric.cases import edited, fitted, noisy, pairs

VARIANTS = [
    ("il1s", {}),
    ("apil", {}),
    ("pil-quantiles", {"density": "normal"}),
    ("mean-variation", {}),
    ("data-discrepancy", {"error": "mse"}),
    ("eigenvalues-discrepancy", {"error": "mae"}),
    ("id", {}),
    ("id", {"every_attribute": True, "percents": (0, 50, 100)}),
    ("id", {"interval": "deviation", "deviation_of": "masked", "every_attribute": True}),
    ("dbrl", {}),
    ("dbrl", {"standardise": "each"}),
    ("dbrl", {"direction": "original-to-masked"}),
    ("dbrl", {"distance": "gower"}),
    ("rsrl", {}),
    ("rsrl", {"p": 30}),
    ("prl", {"bins": 4}),
    ("prl", {"direction": "original-to-masked"}),
]


def check_updates(name, params, original, masked, rng, edits):
    measure, fresh = (fitted(name, original, **params) for _ in range(2))
    assert isinstance(measure, Incremental)
    family = [(masked, measure.start(masked))]
    for _ in range(edits):
        table, state = family[int(rng.integers(len(family)))]
        changed, rows = edited(table, original, rng)
        family.append((changed, measure.update(state, changed, rows)))
    for table, state in family:
        assert measure.value(state) == fresh.value(fresh.start(table)) == measure.score(table)


@pytest.mark.parametrize(("name", "params"), VARIANTS)
@given(tables=pairs(), seed=st.integers(0, 2**32 - 1))
def test_updates_on_small_tables(name, params, tables, seed):
    check_updates(name, params, *tables, np.random.default_rng(seed), 8)


@pytest.mark.parametrize(
    ("name", "params"),
    [*VARIANTS, ("dbrl", {"distance": "kernel"}), ("dbrl", {"scenarios": [["a0", "a3"], ["a1", "a2", "a4"]]})],
)
def test_updates_on_published_files(name, params, numeric_file):
    rng = np.random.default_rng(2)
    part = numeric_file.take(np.arange(300))
    part = part.select(part.schema.names[:8])
    check_updates(name, params, part, noisy(part, 0.2, rng), rng, 6)
