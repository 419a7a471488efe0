"""Masking in several steps."""

from __future__ import annotations

import numpy as np
import pytest

import evosdc
from evosdc.assess.mask import apply_masking, build_steps
from evosdc.errors import InputError
from evosdc.model import Masking, Microdata
from evosdc.plugins.registry import default_registry
from evosdc.secret import Purpose, stream
from evosdc.testing.tables import sample_table

TABLE = sample_table("many-records", frozenset(evosdc.Scale))
NAMES = TABLE.schema.names
ORDINAL = tuple(a.name for a in TABLE.schema.attributes if a.scale is evosdc.Scale.ORDINAL)


def masked(masking: Masking, table=TABLE, protect=NAMES, rng=None):
    microdata = Microdata(table, protect)
    return apply_masking(masking, build_steps(masking, default_registry()), microdata, rng or stream(3, Purpose.MASK))


SWAP = Masking("rank-swapping", {"p": 30})
CODE = Masking("univariate-microaggregation", {"k": 9}, ORDINAL)


def test_a_step_is_applied_to_what_the_step_before_it_made() -> None:
    chain = Masking("rank-swapping", {"p": 30}, then=(CODE,))
    assert masked(chain).same_records(masked(CODE, masked(SWAP)))
    assert not masked(chain).same_records(masked(SWAP))


def test_each_step_has_a_stream_of_its_own() -> None:
    chain = Masking("rank-swapping", {"p": 30}, then=(SWAP,))
    rng = stream(3, Purpose.MASK)
    first = masked(SWAP, rng=rng)
    assert masked(chain).same_records(masked(SWAP, first, rng=rng.spawn(1)[0]))


def test_the_numbers_of_a_step_do_not_depend_on_the_parameters_before_it() -> None:
    """A first step that changes nothing, with and without draws, leaves the second step as it is."""
    nothing = [Masking("rank-swapping", {"p": 0}, then=(SWAP,)), Masking("top-coding", {"q": 1}, ORDINAL, then=(SWAP,))]
    assert masked(nothing[0]).same_records(masked(nothing[1]))


def test_strata_are_those_that_the_steps_before_have_made() -> None:
    table = TABLE.select(ORDINAL[:2])
    coded = Masking("univariate-microaggregation", {"k": 60}, ORDINAL[:1])
    chain = Masking(coded.method, coded.params, coded.attributes, then=(Masking("mdav", {"k": 20}, by=ORDINAL[:1]),))
    second, found = Masking("mdav", {"k": 20}, by=ORDINAL[:1]), masked(chain, table, ORDINAL[:2])
    assert masked(second, masked(coded, table, ORDINAL[:2]), ORDINAL[:2]).same_records(found)
    with pytest.raises(InputError, match="strata refuse"):  # of the original's categories some are rare
        masked(Masking("mdav", {"k": 20}, by=ORDINAL[:1]), table, ORDINAL[:2])


def test_mask_takes_further_steps() -> None:
    chain = evosdc.mask(
        TABLE, "rank-swapping", protect=NAMES, p=30, seed=3,
        then=[{"method": CODE.method, "k": 9, "attributes": ORDINAL}],
    )  # fmt: skip
    assert chain.select(NAMES).same_records(masked(Masking("rank-swapping", {"p": 30}, then=(CODE,))))


def test_a_further_step_may_mask_other_attributes() -> None:
    a, b, *_rest = ORDINAL
    steps = [{"method": "rank-swapping", "p": 40, "attributes": [b]}, {"method": "univariate-microaggregation", "k": 5}]
    found = evosdc.mask(TABLE, "rank-swapping", protect=[a], p=10, then=steps)
    changed = {name for name in NAMES if not np.array_equal(found.column(name), TABLE.column(name))}
    assert changed == {a, b}, "a step that names no attributes masks those of the first"


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([{"method": "pramm"}], "pramm"),
        ([{"k": 3}], "method"),
        ([{"method": "mdav", "kk": 3}], "kk"),
        ([{"method": "mdav", "attributes": ["nowhere"]}], "nowhere"),
    ],
)
def test_faulty_steps_are_told(steps: list[dict[str, object]], words: str) -> None:
    with pytest.raises(InputError, match=words):
        evosdc.mask(TABLE, "rank-swapping", protect=ORDINAL, then=steps)
