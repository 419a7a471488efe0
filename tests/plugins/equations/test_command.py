"""From a run to an equation file, and from that to another file: as a user types it."""

import json

import pytest

from tests.cli.conftest import evosdc  # noqa: F401 -- a fixture

EXPERIMENT = """
title = "small"
seed = 3
data = { name = "housing", protect = ["built", "degree"], first = 300 }
genotype = { name = "equations", draws = 2 }
start = { random = 12 }
measures = { il = ["dbil", "ebil"], dr = ["id"] }
algorithm = { name = "steady-state", generations = 3 }
"""
OTHER = "\n".join(["x,y", *(f"{'abc'[i * i % 3]},{i % 4}" for i in range(80))])
SCHEMA = """
[attributes]
x = { role = "quasi-identifier", scale = "nominal" }
y = { role = "quasi-identifier", scale = "ordinal" }
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "small.toml").write_text(EXPERIMENT)
    (tmp_path / "other.csv").write_text(OTHER + "\n")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    (tmp_path / "design.toml").write_text('p = 0.4\nequation = "(1-p)*((N-ta-tb)/((c-2)*(N-ta)))"\n')
    return tmp_path


def test_an_evolved_equation_masks_any_file(evosdc, folder):  # noqa: F811
    assert evosdc("run", "small.toml", "-o", "run", "--quiet").status == 0
    answer = evosdc(
        "mask", "pram", "other.csv", "--schema", "schema.toml", "--equation", "run/equation.toml", "-o", "m.csv"
    )
    assert answer.status == 0, answer.err
    assert len((folder / "m.csv").read_text().splitlines()) == 81
    parameters = json.loads((folder / "m.manifest.json").read_text())["parameters"]
    assert parameters == {"equation": "run/equation.toml", "crossed": []}
    report = (folder / "run" / "report.html").read_text()
    assert "The equation, cleaned up" in report
    assert "The tree that was evolved" in report
    assert report.count('class="picture"') == 2
    assert json.loads((folder / "run" / "result.json").read_text())["best"]["genome"]["equation"]


def test_equation_and_design_mask_alike(evosdc, folder):  # noqa: F811
    common = ("other.csv", "--schema", "schema.toml", "--seed", "4")
    assert evosdc("mask", "pram", *common, "--equation", "design.toml", "-o", "a.csv").status == 0
    assert evosdc("mask", "pram", *common, "--set", "equation=design.toml", "-o", "b.csv").status == 0
    assert evosdc("mask", "pram", *common, "--set", "design=a", "--set", "p=0.4", "-o", "c.csv").status == 0
    written = [(folder / f"{name}.csv").read_bytes() for name in "abc"]
    assert written[0] == written[1] == written[2] != (folder / "other.csv").read_bytes()


def test_an_equation_is_shown_and_simplified(evosdc, folder):  # noqa: F811
    (folder / "long.toml").write_text('equation = "max(0, ta * 1 + 0 * N) / (ta * N)"\n[equations]\ny = "tb - tb"\n')
    shown = evosdc("equation", "long.toml")
    assert shown.status == 0
    assert "all attributes: max(0, ta * 1 + 0 * N) / (ta * N)" in shown.out
    shorter = evosdc("equation", "long.toml", "--simplify", "-o", "short.toml")
    assert "all attributes: ta / (ta * N)" in shorter.out
    assert "y: 0" in shorter.out
    assert 'equation = "ta / (ta * N)"' in (folder / "short.toml").read_text()
    assert r"\frac{T_{k}}{T_{k} \cdot N}" in evosdc("equation", "short.toml", "--latex").out


def test_a_wrong_file_is_told_without_traceback(evosdc, folder):  # noqa: F811
    (folder / "wrong.toml").write_text('equation = "frequency + 1"\np = 7\n')
    for words in (("equation", "wrong.toml"), ("mask", "pram", "other.csv", "--equation", "wrong.toml", "-o", "m.csv")):
        answer = evosdc(*words)
        assert answer.status == 2
        assert "'frequency'" in answer.err
        assert "a number in [0, 1]" in answer.err
        assert "Traceback" not in answer.err


def test_other_methods_have_no_equation(evosdc, folder):  # noqa: F811
    answer = evosdc("mask", "mdav", "other.csv", "--equation", "design.toml", "-o", "m.csv")
    assert answer.status == 2
    assert "equation" in answer.err


def test_an_equation_is_printed_in_postorder_as_a_genome_holds_it(evosdc, folder):  # noqa: F811
    answer = evosdc("equation", "design.toml", "--postorder")
    assert answer.status == 0, answer.err
    assert answer.out.splitlines()[0] == "all attributes: 1 p - N ta - tb - c 2 - N ta - * / *"
    refused = evosdc("equation", "design.toml", "--postorder", "--latex")
    assert refused.status == 2
    assert "--latex and --postorder" in refused.err


def test_the_stack_of_figure_4_15_is_printed(evosdc, folder):  # noqa: F811
    (folder / "figure.toml").write_text('equation = "(a + b) * b"\n')
    answer = evosdc("equation", "figure.toml", "--postorder", "--stack", "a=1,b=3")
    assert answer.status == 0, answer.err
    lines = [line.split(maxsplit=1) for line in answer.out.splitlines()[2:-1]]
    assert lines == [["a", "[1]"], ["b", "[1, 3]"], ["+", "[4]"], ["b", "[4, 3]"], ["*", "[12]"]]
    for given, said in (("a=1", "no value of b"), ("q=1", "'q=1'"), ("a=one", "'a=one'")):
        refused = evosdc("equation", "figure.toml", "--stack", given)
        assert (refused.status, said in refused.err) == (2, True)
