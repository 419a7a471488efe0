"""What a result says of the files without a search."""

from evosdc.experiment.run.summaries import portfolio_told
from evosdc.runs.layout import TUNING, RunFolder


def test_tunings_best_file_stands_for_a_portfolio_that_there_was_no_time_for(tmp_path):
    with RunFolder(tmp_path) as folder:
        assert portfolio_told([], folder) == {"size": 0, "best": None}
        best = {"label": "pram p=0.9", "method": "pram", "scores": {"il": 2.0}, "fitness": [2.0]}
        told = {"best": best, "best_file": best, "evaluations": 3, "seconds": 0.5, "methods": [best]}
        folder.write_json(TUNING, told)
        assert portfolio_told([], folder)["best"] == best
