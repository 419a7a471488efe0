"""What a result says of the files without a search."""

from evosdc.experiment.summaries import portfolio_summary, time_warning
from evosdc.runs.layout import TUNING, RunFolder
from evosdc.runs.result import Entry


def test_tunings_best_file_stands_for_a_portfolio_that_there_was_no_time_for(tmp_path):
    with RunFolder(tmp_path) as folder:
        empty = portfolio_summary([], folder)
        assert (empty.size, empty.best) == (0, None)
        best = {"label": "pram p=0.9", "method": "pram", "scores": {"il": 2.0}, "fitness": [2.0]}
        told = {"best": best, "best_file": best, "evaluations": 3, "seconds": 0.5, "methods": [best]}
        folder.write_json(TUNING, told)
        assert portfolio_summary([], folder).best == Entry.model_validate(best)


def test_a_time_that_was_too_short_for_the_file_is_told():
    (told,) = time_warning("60 seconds", 1_000_000, 3_500, 1, 91)
    assert told.startswith("The time was too short for 1,000,000 records: 1 of 91 starting files was made, and 3,500 ")
    (told,) = time_warning("60 seconds", 5_000, 4_999, 91, 91)
    assert told.startswith("The time was too short for 5,000 records: 4,999 candidates were judged, fewer than there ")
    assert time_warning("60 seconds", 5_000, 5_000, 20, 91) == []
    assert time_warning("14 generations without improvement", 5_000, 300, 91, 91) == []
