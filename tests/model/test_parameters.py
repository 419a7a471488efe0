import pytest
from pydantic import Field

from evosdc.errors import ParameterError
from evosdc.model import Parameters
from evosdc.model.parameters import parsed


class Params(Parameters):
    k: int = Field(3, ge=2, le=100)
    p: float = Field(0.5, ge=0, le=1)


def test_all_faults_are_told_at_once():
    with pytest.raises(ParameterError) as caught:
        parsed(Params, {"k": 1, "p": "much", "kk": 2}, "method mdav")
    text = str(caught.value)
    assert len(caught.value.faults) == 3
    assert "method mdav: k: given 1; wanted greater than or equal to 2" in text
    assert "'much'" in text
    assert "kk: given an unknown key; wanted one of k, p. Did you mean 'k'?" in text


def test_parameters_are_frozen_and_have_defaults():
    params = parsed(Params, {}, "method mdav")
    assert (params.k, params.p) == (3, 0.5)
    with pytest.raises(ValueError, match="frozen"):
        params.k = 4
