from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.model import MaskingMethod
from evosdc.table.table import Table
from evosdc_masking.frequencies import frequencies, occurring
from evosdc_masking.recoding.extreme_coding import BottomCoding, TopCoding
from evosdc_masking.recoding.global_recoding import GlobalRecoding
from evosdc_masking.recoding.groupings import by_rarity
from tests.plugins.masking.tables import (
    NOMINAL,
    ORDINAL,
    build,
    categorical,
    categorical_tables,
    masked,
    numeric,
    numeric_tables,
)


def column(*counts: int) -> list[int]:
    return np.repeat(np.arange(len(counts)), counts).tolist()


def recoded(method: type[MaskingMethod], scale, counts: list[int], **params) -> list[int]:
    """Return what becomes of each occurring category."""
    table = categorical(column(*counts), [len(counts)], [scale])
    published = masked(method, table, **params)
    pairs = sorted(set(zip(table.codes[:, 0].tolist(), published.codes[:, 0].tolist(), strict=True)))
    assert len(pairs) == sum(count > 0 for count in counts)  # the same for all records
    return [new for _, new in pairs]


@pytest.mark.parametrize(
    ("scale", "counts", "q", "new"),
    [
        (NOMINAL, [9, 1, 5, 2], 2, [0, 3, 2, 3]),
        (NOMINAL, [2, 9, 2, 2], 2, [0, 1, 0, 3]),  # ties in the order of the categories
        (NOMINAL, [9, 0, 5, 2], 2, [0, 2, 2]),  # what does not occur does not count
        (NOMINAL, [9, 1, 5, 2], 4, [0, 0, 0, 0]),
        (ORDINAL, [9, 1, 5, 2], 2, [0, 3, 2, 3]),
        (ORDINAL, [2, 9, 1, 3], 3, [2, 1, 2, 2]),  # lower median of 0 0 2 3 3 3
        (ORDINAL, [3, 1, 9, 2], 3, [0, 0, 2, 0]),
        (ORDINAL, [9, 1, 5, 2], 1, [0, 1, 2, 3]),
    ],
)
def test_global_recoding_by_hand(scale, counts: list[int], q: int, new: list[int]) -> None:
    assert recoded(GlobalRecoding, scale, counts, q=q) == new


@pytest.mark.parametrize(
    ("method", "counts", "params", "new"),
    [
        (TopCoding, [4, 3, 2, 1], {"q": 2}, [0, 1, 2, 2]),
        (TopCoding, [4, 3, 1, 1], {"q": 2}, [0, 1, 2, 2]),  # lower median of two
        (TopCoding, [4, 3, 1, 2], {"q": 2}, [0, 1, 3, 3]),
        (TopCoding, [4, 0, 1, 0, 2], {"q": 2}, [0, 4, 4]),
        (TopCoding, [4, 3, 2, 1], {"q": 4}, [1, 1, 1, 1]),
        (BottomCoding, [4, 3, 2, 1], {"q": 2}, [0, 0, 2, 3]),
        (BottomCoding, [1, 2, 3, 4], {"q": 3}, [1, 1, 1, 3]),
        (BottomCoding, [0, 1, 2, 3], {"q": 1}, [1, 2, 3]),
        (TopCoding, [4, 3, 2, 1], {"share": 0.3}, [0, 1, 2, 2]),
        (TopCoding, [4, 3, 2, 1], {"share": 0.29}, [0, 1, 2, 3]),
        (TopCoding, [4, 3, 2, 1], {"share": 1}, [1, 1, 1, 1]),
        (BottomCoding, [4, 3, 2, 1], {"share": 0.7}, [0, 0, 2, 3]),
        (BottomCoding, [4, 3, 2, 1], {"share": 0}, [0, 1, 2, 3]),
    ],
)
def test_extreme_coding_by_hand(method, counts: list[int], params: dict, new: list[int]) -> None:
    assert recoded(method, ORDINAL, counts, **params) == new


@pytest.mark.parametrize(
    ("method", "share", "published"),
    [
        (TopCoding, 0.4, [3, 1, 3, 2, 3]),
        (TopCoding, 0.39, [4, 1, 3, 2, 4]),
        (TopCoding, 0, [4, 1, 3, 2, 5]),
        (TopCoding, 1, [1, 1, 1, 1, 1]),
        (BottomCoding, 0.4, [4, 3, 3, 3, 5]),
        (BottomCoding, 1, [5, 5, 5, 5, 5]),
    ],
)
def test_numbers_beyond_the_threshold_become_it(method, share: float, published: list[int]) -> None:
    np.testing.assert_array_equal(masked(method, numeric([4, 1, 3, 2, 5]), share=share).numbers[:, 0], published)


def test_a_share_that_is_whole_but_not_exact() -> None:
    table = numeric(np.arange(100.0))
    assert [(masked(TopCoding, table, share=i / 100).numbers != table.numbers).sum() for i in range(100)] == list(
        range(100)
    )


@given(numeric_tables(), st.floats(0, 1), st.sampled_from([TopCoding, BottomCoding]))
def test_no_more_than_the_share_of_numbers_changes(table: Table, share: float, method) -> None:
    published = masked(method, table, share=share)
    np.testing.assert_array_equal(np.isnan(published.numbers), np.isnan(table.numbers))
    for j in range(table.numbers.shape[1]):
        present = ~np.isnan(table.numbers[:, j])
        changed = published.numbers[present, j] - table.numbers[present, j]
        assert (changed != 0).sum() <= share * present.sum() + 1e-9
        assert (changed <= 0).all() if method is TopCoding else (changed >= 0).all()
        assert set(published.numbers[present, j]) <= set(table.numbers[present, j])


@given(categorical_tables(), st.data())
def test_global_recoding_merges_exactly_q_of_the_rarest(table: Table, data: st.DataObject) -> None:
    sizes = [occurring(column) for column in table.codes.T]
    if min(sizes) == 0:
        with pytest.raises(ParameterError, match="All its values are missing"):
            masked(GlobalRecoding, table, q=1)
        return
    q = data.draw(st.integers(1, min(sizes)))
    published = masked(GlobalRecoding, table, q=q)
    np.testing.assert_array_equal(published.codes == -1, table.codes == -1)
    for j, before in enumerate(table.codes.T):
        after = published.codes[:, j]
        counts = frequencies(before, len(table.schema.attributes[j].categories))
        merged = by_rarity(counts)[:q]
        inside = np.isin(before, merged)
        assert len(set(after[inside].tolist())) == 1
        assert after[inside][0] in merged
        np.testing.assert_array_equal(after[~inside], before[~inside])
        assert counts[merged].max() <= min(
            (counts[c] for c in set(before.tolist()) - {-1, *merged.tolist()}), default=40
        )


@given(categorical_tables(scales=[ORDINAL]), st.data(), st.sampled_from([TopCoding, BottomCoding]))
def test_extreme_coding_keeps_the_order_of_records(table: Table, data: st.DataObject, method) -> None:
    sizes = [occurring(column) for column in table.codes.T]
    params = {"share": data.draw(st.floats(0, 1))} if min(sizes) == 0 else {"q": data.draw(st.integers(1, min(sizes)))}
    published = masked(method, table, **params)
    np.testing.assert_array_equal(published.codes == -1, table.codes == -1)
    for j, before in enumerate(table.codes.T):
        order = np.argsort(before, kind="stable")
        assert (np.diff(published.codes[order, j]) >= 0).all()
        assert set(published.codes[:, j]) <= set(before)
        if "q" in params:
            assert occurring(published.codes[:, j]) == sizes[j] - params["q"] + 1


@given(categorical_tables(scales=[ORDINAL], missing=False))
def test_merging_one_category_is_the_identity(table: Table) -> None:
    for method in (GlobalRecoding, TopCoding, BottomCoding):
        assert masked(method, table, q=1).same_records(table)


@pytest.mark.parametrize("method", [GlobalRecoding, TopCoding, BottomCoding])
def test_too_many_categories_are_refused_for_each_attribute(method) -> None:
    table = categorical([[0, 0, 0], [0, 1, 1], [0, 2, 1]], [3, 3, 4], [ORDINAL] * 3)
    with pytest.raises(ParameterError) as caught:
        masked(method, table, q=3)
    assert [fault.where.rsplit(" ", 1)[1] for fault in caught.value.faults] == ["c0", "c2"]
    assert "wanted 1..2. Only 2 of its categories occur" in str(caught.value)


@pytest.mark.parametrize("method", [TopCoding, BottomCoding])
def test_attributes_without_order_and_numbers_without_share_are_refused(method) -> None:
    with pytest.raises(ParameterError, match="given c0, which is nominal; wanted numeric or ordinal"):
        masked(method, categorical([0, 1], [2], [NOMINAL]), q=1)
    with pytest.raises(ParameterError, match="q: given numeric attribute x0; wanted share"):
        masked(method, numeric([1.0, 2.0]), q=1)


@pytest.mark.parametrize(
    ("method", "params", "text"),
    [
        (GlobalRecoding, {"q": 0}, "greater than or equal to 1"),
        (TopCoding, {"q": 2, "share": 0.1}, "share: given 0.1; wanted only one of q"),
        (BottomCoding, {"q": 0}, "greater than or equal to 1"),
        (BottomCoding, {"share": 1.2}, "less than or equal to 1"),
    ],
)
def test_refusals(method, params: dict, text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        build(method, **params)


def test_real_files(adult: Table, german: Table, tarragona: Table) -> None:
    education = masked(GlobalRecoding, adult.select(["education"]), q=6).codes
    assert occurring(education[:, 0]) == 11
    assert [occurring(c) for c in masked(TopCoding, german, q=3).codes.T] == [2, 3, 3]
    coded = masked(TopCoding, tarragona, share=0.05).numbers
    assert (coded.max(axis=0) < tarragona.numbers.max(axis=0)).all()
