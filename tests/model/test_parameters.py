from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from evosdc.errors import ParameterError
from evosdc.model import Parameters
from evosdc.model.parameters import parse_parameters


class Params(Parameters):
    k: int = Field(3, ge=2, le=100)
    p: float = Field(0.5, ge=0, le=1)


def test_all_faults_are_told_at_once():
    with pytest.raises(ParameterError) as caught:
        parse_parameters(Params, {"k": 1, "p": "much", "kk": 2}, "method mdav")
    text = str(caught.value)
    assert len(caught.value.faults) == 3
    assert "method mdav: k: given 1; wanted greater than or equal to 2" in text
    assert "'much'" in text
    assert "kk: given an unknown key; wanted one of k, p. Did you mean 'k'?" in text


@pytest.mark.parametrize("given", [-1, 101])
def test_a_number_out_of_range_is_told_the_whole_range(given):
    with pytest.raises(ParameterError, match="wanted greater than or equal to 2 and less than or equal to 100"):
        parse_parameters(Params, {"k": given}, "method mdav")


def test_parameters_are_frozen_and_have_defaults():
    params = parse_parameters(Params, {}, "method mdav")
    assert (params.k, params.p) == (3, 0.5)
    with pytest.raises(ValueError, match="frozen"):
        params.k = 4


Level = Annotated[int, Field(ge=0)]


class Several(Parameters):
    level: Level | dict[str, Level] | None = None
    cuts: list[float] | dict[str, list[float]] | None = None
    groups: dict[str, dict[str, list[str]] | list[list[str]]] | Path | None = None
    value: float | str | dict[str, float | str] | None = None


@pytest.mark.parametrize(
    ("given", "faults"),
    [
        ({"level": "x"}, ["level: given 'x'; wanted a valid integer, unable to parse string as an integer."]),
        ({"level": -1}, ["level: given -1; wanted greater than or equal to 0."]),
        ({"level": {"age": -1}}, ["level.age: given -1; wanted greater than or equal to 0."]),
        ({"cuts": [1, "x"]}, ["cuts.1: given 'x'; wanted a valid number, unable to parse string as a number."]),
        ({"cuts": {"age": [2, "x"]}}, ["cuts.age.1: given 'x'; wanted a valid number, unable to parse"]),
        ({"groups": 3}, ["groups: given 3; wanted a path in quotes."]),
        (
            {"groups": {"age": {"old": 3}}},
            ["groups.age.old: given 3; wanted a list", "groups.age: given {'old': 3}; wanted a list"],
        ),
        ({"value": {"age": []}}, ["value.age: given []", "value.age: given []"]),
        ({"level": "x", "value": True}, ["level: given 'x'", "value: given True; wanted a number, not true or false."]),
    ],
)
def test_fields_of_several_types_are_told_in_words_of_what_was_given(given: dict[str, Any], faults: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        parse_parameters(Several, given, "")
    found = [str(fault) for fault in caught.value.faults]
    assert len(found) == len(faults), found
    for start in faults:
        assert any(text.startswith(start) for text in found), found
    assert not any("[" in fault.where or "constrained" in fault.where for fault in caught.value.faults)
