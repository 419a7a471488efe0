"""Trackers of measures of numbers: followed through edits they have the score of their table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.testing.tables import changes_of
from tests.plugins.measures.numeric.cases import edited, fitted, noisy, pairs

VARIANTS = [
    ("il1s", {}),
    ("il-variables", {}),
    ("apil", {}),
    ("apil", {"density": "normal"}),
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


def check_following(measure, original, masked, rng, steps):
    tracker = measure.track(masked)
    for step in range(steps):
        children = [edited(masked, original, rng, 60 if step % 10 == 9 else 3) for _ in range(3)]
        before = tracker.score
        found = tracker.tries(changes_of(masked, children))
        assert found.tolist() == pytest.approx([measure.score(child) for child, _ in children], rel=1e-9, abs=1e-9)
        assert tracker.score == before, "the children changed the tracker"
        chosen = children[int(rng.integers(3))]
        tracker.take(changes_of(masked, [chosen]))
        masked = chosen[0]
        assert tracker.score == pytest.approx(measure.score(masked), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("name", "params"), VARIANTS)
@settings(max_examples=8)
@given(tables=pairs(), seed=st.integers(0, 2**32 - 1))
def test_small_tables(name, params, tables, seed):
    check_following(fitted(name, tables[0], **params), *tables, np.random.default_rng(seed), 6)


@pytest.mark.parametrize(
    ("name", "params"),
    [*VARIANTS, ("dbrl", {"distance": "kernel"}), ("dbrl", {"scenarios": [["a0", "a3"], ["a1", "a2", "a4"]]})],
)
def test_published_files(name, params, numeric_file):
    rng = np.random.default_rng(2)
    part = numeric_file.take(np.arange(300))
    part = part.select(part.schema.names[:8])
    check_following(fitted(name, part, **params), part, noisy(part, 0.2, rng), rng, 4)
