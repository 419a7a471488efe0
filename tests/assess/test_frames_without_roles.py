"""A DataFrame tells no roles: what looks like an identifier or free text is never masked in silence."""

import numpy as np
import pandas as pd
import pytest

import evosdc
from evosdc.errors import DataError


@pytest.fixture
def frame():
    rng = np.random.default_rng(1)
    n = 60
    return pd.DataFrame(
        {
            "patient_id": [f"P{1000 + i}" for i in range(n)],
            "remarks": [f"seen on day {i} with complaint number {i * 37} of the {i % 9} kind" for i in range(n)],
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(["a", "b", "c"], n),
        }
    )


@pytest.mark.parametrize("method", ["mdav", "noise", "rank-swapping"])
@pytest.mark.parametrize("dtype", ["int64", "float64", "Int8"])
def test_numbers_that_are_codes_stay_codes(method, dtype):
    rng = np.random.default_rng(2)
    codes = {"sex": [1, 2, 9], "region": [1, 3, 7, 11, 20], "marital": [1, 2, 3, 99], "smokes": [1, 9]}
    people = pd.DataFrame({"age": rng.integers(18, 90, 80)} | {n: rng.choice(c, 80) for n, c in codes.items()})
    people = people.astype(dict.fromkeys(codes, dtype))
    if dtype == "float64":  # as pandas reads codes beside an empty cell
        people.loc[5, [*codes]] = np.nan
    protect = [*people] if method != "noise" else ["age"]
    masked = evosdc.mask(people, method, protect=protect, seed=1)
    assert not masked["age"].equals(people["age"])
    for name in codes:
        assert set(masked[name].dropna()) <= set(people[name])
        assert masked[name].dtype == dtype
    with pytest.raises(evosdc.InputError, match="sex"):
        evosdc.mask(people, "noise", protect=["sex"])


def test_they_are_left_out_with_a_warning(frame):
    with pytest.warns(UserWarning, match=r"patient_id.*remarks") as told:
        masked = evosdc.mask(frame, "pram", p=0.1)
    assert len(told) == 1
    assert "Name them in protect to keep them" in str(told[0].message)
    assert list(masked.columns) == ["sex", "town"]
    assert not masked["sex"].equals(frame["sex"])


def test_named_attributes_are_masked_as_asked(frame):
    with pytest.warns(UserWarning, match="remarks") as told:
        masked = evosdc.mask(frame, "pram", protect=["patient_id", "sex"], p=0.1)
    assert "patient_id" not in str(told[0].message)
    assert not masked["patient_id"].equals(frame["patient_id"])
    assert "remarks" not in masked


def test_nothing_but_identifiers_is_refused(frame):
    with pytest.raises(DataError, match="nothing but identifiers"):
        evosdc.mask(frame[["patient_id", "remarks"]], "pram")


def test_an_ordinary_frame_is_masked_whole(frame, recwarn):
    masked = evosdc.mask(frame[["sex", "town"]], "pram", p=0.1)
    assert not masked.equals(frame[["sex", "town"]])
    assert not [w for w in recwarn if w.category is UserWarning]


def test_tune_leaves_them_out_too(frame):
    with pytest.warns(UserWarning, match="patient_id"):
        found = evosdc.tune(frame, time=0.2, il=["ctbil"], dr=["id"], methods=["pram"], evaluations=4)
    assert found.masked["remarks"].equals(frame["remarks"])


def test_protect_leaves_them_out_of_what_it_gives(frame):
    found = evosdc.protect(frame, time=0.2, il=["ctbil"], dr=["id"], second_opinion=False, tune=False)
    assert not {"patient_id", "remarks"} & set(found.frame.columns)
