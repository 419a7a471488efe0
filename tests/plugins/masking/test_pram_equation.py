"""PRAM whose matrices an equation fills."""

from __future__ import annotations

import numpy as np
import pytest

from evosdc.errors import ParameterError
from evosdc.model.parameters import parse_parameters
from evosdc_masking.post_randomisation.pram import Pram
from tests.plugins.masking.tables import NOMINAL, ORDINAL, categorical, masked

TABLE = categorical([[i % 4, (i // 4) % 5 % 3] for i in range(60)], (4, 3), (ORDINAL, NOMINAL))
DESIGN_A = "(1 - p) * ((N - ta - tb) / ((c - 2) * (N - ta)))"
DESIGN_B = "p * tmin / (ta * (c - 1))"


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "equation.toml"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    ("equation", "params"), [(DESIGN_A, {"design": "a", "p": 0.3}), (DESIGN_B, {"design": "b", "theta": 0.3})]
)
def test_the_designs_as_equations_draw_the_same_file(file, equation, params):
    path = file(f'p = 0.3\nequation = "{equation}"\n')
    assert masked(Pram, TABLE, equation=path).same_records(masked(Pram, TABLE, **params))


def test_attributes_can_have_equations_of_their_own(file):
    path = file('equation = "0"\n[equations]\nc1 = "1"\n')
    published = masked(Pram, TABLE, equation=path)
    np.testing.assert_array_equal(published.column("c0"), TABLE.column("c0"))
    assert (published.column("c1") != TABLE.column("c1")).all()


def test_an_attribute_without_equation_is_told(file):
    with pytest.raises(ParameterError, match="attribute c0; wanted one of c1"):
        masked(Pram, TABLE, equation=file('[equations]\nc1 = "1"\n'))


def test_the_second_stage_keeps_margins_in_expectation(file):
    path = file('two_stage = 1\ndecoding = "full"\nequation = "1 + d"\n')
    counts = np.mean(
        [np.bincount(masked(Pram, TABLE, s, equation=path).column("c1"), minlength=3) for s in range(400)], axis=0
    )
    assert counts == pytest.approx(np.bincount(TABLE.column("c1"), minlength=3), abs=1.5)


@pytest.mark.parametrize("other", [{"p": 0.5}, {"theta": 0.5}, {"design": "a"}])
def test_an_equation_goes_with_no_design(file, other):
    path = file('equation = "ta"')
    with pytest.raises(ParameterError, match=r"nothing, since the equation|not both"):
        parse_parameters(Pram.Params, {"equation": str(path)} | other, "method pram")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ta / N", "not TOML"),
        ("p = 0.5", "given nothing; wanted an equation"),
        ("equation = 3", "an equation in quotation marks"),
        ('equation = "ta +"', "the end of the text"),
        ('equation = "ta"\np = 2', "given 2; wanted a number in"),
        ('equation = "ta"\nmode = "raw"', "an unknown key"),
        ('equation = "ta"\ndecoding = "row"', "one of raw, offdiag, full"),
        ('equations = "ta"', "a table of equations"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(file, text, message):
    with pytest.raises(ParameterError, match=message):
        masked(Pram, TABLE, equation=file(text))


def test_all_faults_of_a_file_are_told_at_once(file):
    with pytest.raises(ParameterError) as caught:
        masked(Pram, TABLE, equation=file('equation = "qq"\np = -1\ndecoding = "x"\nz = 1\n[equations]\ny = "(ta"\n'))
    assert len(caught.value.faults) == 5


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ParameterError, match="no such file"):
        masked(Pram, TABLE, equation=tmp_path / "none.toml")
