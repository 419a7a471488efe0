"""At the end of a long search the journal's scores are those of a fresh evaluation of what was stored."""

import pytest
from click.testing import CliRunner

from benchmarks.exactness import main


@pytest.mark.studies
def test_scores_are_those_of_a_fresh_evaluation(tmp_path):
    experiment = tmp_path / "cells.toml"
    experiment.write_text(
        'seed = 5\ndata = { name = "housing", first = 200 }\nfitness = "max"\n'
        'algorithm = { name = "parent-child", population = 20 }\n'
        'constraints = ["il of built <= 90"]\n'
    )
    done = CliRunner().invoke(main, [str(experiment), "--smoke"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "differences            0" in done.output
    assert "200 records x 3" in done.output
