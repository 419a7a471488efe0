"""Kinds of arguments tell apart what numba's types tell apart."""

import pickle
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import typeof

from evosdc.compilation.signatures import written
from evosdc.machine_code.kinds import kinds_listed, kinds_of


class Pair(NamedTuple):
    one: object
    other: object


TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")

SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.sampled_from(TYPES).map(lambda n: np.dtype(n).type(1)),
)


@st.composite
def arrays(draw):
    """Draw arrays of any usual numbers, of any order in memory, some of them parts of others or read-only."""
    shape = draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
    made = np.zeros(shape, draw(st.sampled_from(TYPES)), draw(st.sampled_from("CF")))
    if draw(st.booleans()):
        made = made[(slice(None, None, draw(st.sampled_from([1, 2, -1]))),) * draw(st.integers(1, len(shape)))]
    made = made.T if draw(st.booleans()) else made
    made = made.view()
    made.flags.writeable = draw(st.booleans())
    return made


VALUES = st.recursive(
    SCALARS | arrays(),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(tuple), st.tuples(inner, inner).map(lambda both: Pair(*both))
    ),
    max_leaves=5,
)


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_they_are_those_of_numba_s_types(arguments):
    assert kinds_of(arguments) == kinds_listed([written(typeof(one)) for one in arguments])


@pytest.mark.parametrize("name", [*TYPES, "longlong", "intc", "ulonglong"])
def test_kinds_of_numbers_are_known_by_any_of_their_objects(name):
    pickled = pickle.loads(pickle.dumps(np.zeros((2, 3), name)))
    assert pickled.dtype is not np.dtype(str(typeof(pickled).dtype)) or name == "longlong"
    assert kinds_of([pickled]) == kinds_listed([written(typeof(pickled))])


@given(VALUES, VALUES)
def test_what_numba_tells_apart_has_other_kinds(one, other):
    assert (kinds_of([one]) == kinds_of([other])) == (typeof(one) == typeof(other))


class Derived(np.ndarray):
    pass


UNALIGNED = np.zeros(17, np.uint8)[1:].view(np.int64)

UNUSUAL = {
    "a great number": 2**63,
    "text": "word",
    "nothing": None,
    "a list": [1, 2],
    "other numbers": np.zeros(3, ">i4"),
    "texts": np.zeros(3, "U3"),
    "complex": np.zeros(3, complex),
    "records": np.zeros(3, [("a", "i4")]),
    "objects": np.zeros(3, object),
    "a class of its own": np.zeros(3).view(Derived),
    "unaligned": UNALIGNED,
    "within a tuple": (1, np.zeros(3, ">f8")),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_what_no_kernel_is_listed_for_has_no_kind(name):
    (kind,) = kinds_of([UNUSUAL[name]])
    assert kind is None or None in kind or any(None in part for part in kind if isinstance(part, tuple))
