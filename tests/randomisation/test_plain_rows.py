"""Matrices are written without zeros that have a sign."""

import json

import numpy as np
import pytest

from evosdc.randomisation.matrix_file import LabelledMatrix, parse_matrices
from evosdc.randomisation.transition import plain_rows


def test_no_zero_has_a_sign():
    rows = plain_rows(np.array([[1.0, -0.0], [-0.0, 1.0]]))
    assert json.dumps(rows) == "[[1.0, 0.0], [0.0, 1.0]]"
    matrix = LabelledMatrix(("a",), (("x",), ("y",)), np.array([[1.0, -0.0], [0.0, 1.0]]))
    assert "-0" not in json.dumps(matrix.document())


@pytest.mark.parametrize("design", ["a", "b", "preference"])
def test_pram_publishes_matrices_without_them(tmp_path, monkeypatch, design):
    from evosdc.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("x,y\n" + "p,1\nq,2\nr,3\np,1\n" * 6)
    with pytest.raises(SystemExit) as caught:
        main(["mask", "pram", "a.csv", "--protect", "x,y", "--set", f"design={design}", "-o", "m.csv"])
    assert caught.value.code == 0
    text = (tmp_path / "m.matrices.json").read_text()
    assert "-0.0" not in text
    document = json.loads(text)
    parse_matrices(document[0]["account"] if isinstance(document, list) else document, "m")
