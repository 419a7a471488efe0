import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.testing import MaskingMethodConformance, sample_table
from evosdc_masking.anonymity.mondrian import Mondrian, mondrian_partition


class TestStrict(MaskingMethodConformance):
    def method(self):
        return Mondrian(Mondrian.Params(k=3))


class TestRelaxed(MaskingMethodConformance):
    def method(self):
        return Mondrian(Mondrian.Params(k=2, partitioning="relaxed"))


def parts(values, k, partitioning):
    found = mondrian_partition(np.array(values, dtype=np.int64)[:, None], k, partitioning)
    return sorted(sorted(np.array(values)[found == part].tolist()) for part in np.unique(found))


def test_the_example_of_the_course():
    assert parts([1, 2, 3, 3, 4, 5], 2, "strict") == [[1, 2], [3, 3], [4, 5]]
    assert parts([1, 2, 3, 3, 4, 5], 3, "relaxed") == [[1, 2, 3], [3, 4, 5]]
    assert parts([3, 3, 3, 3, 3], 2, "strict") == [[3, 3, 3, 3, 3]]


@settings(deadline=None, max_examples=80)
@given(st.data())
def test_parts_have_the_promised_sizes(data):
    n, width, k = data.draw(st.integers(1, 60)), data.draw(st.integers(1, 3)), data.draw(st.integers(1, 5))
    ranks = np.array(data.draw(st.lists(st.integers(0, 6), min_size=n * width, max_size=n * width))).reshape(n, width)
    for partitioning in ("strict", "relaxed"):
        found = mondrian_partition(ranks, k, partitioning)
        sizes = np.bincount(found)
        assert sizes.sum() == n
        assert n < k or sizes.min() >= k
        for part, size in enumerate(sizes):
            rows = ranks[found == part]
            copies = np.unique(rows, axis=0, return_counts=True)[1].max()
            if partitioning == "relaxed":
                assert size <= 2 * k - 1 or copies == size  # nothing but copies of one record is left whole
            else:
                assert size <= 2 * width * (k - 1) + copies


def test_too_large_k_is_refused():
    table = sample_table("ordinary", Mondrian.supports)
    with pytest.raises(ParameterError):
        Mondrian(Mondrian.Params(k=len(table) + 1)).mask(table, np.random.default_rng(0))


del MaskingMethodConformance
