"""What is said of requirements that no starting file keeps."""

import pytest

from evosdc.experiment.outputs import missed_by_all
from evosdc.model.constraint import Constraint, Constraints


def told(texts, *scores):
    constraints = Constraints(tuple(map(Constraint.parse, texts)))
    return missed_by_all(constraints, [constraints.judge(one) for one in scores])


@pytest.mark.parametrize(
    ("texts", "scores", "said"),
    [
        ([], [{"dr": 9.0}], ""),
        (["dr <= 5"], [], ""),
        (["dr <= 5"], [{"dr": 9.0}, {"dr": 5.0}], ""),
        (["dr <= 5"], [{"dr": 9.0}, {"dr": 7.25}], "no starting file keeps dr <= 5 (the nearest has 7.25);"),
        (["k-anonymity >= 3"], [{"k-anonymity": 1.0}], "keeps k-anonymity >= 3 (the nearest has 1);"),
        (["dr <= 5", "il <= 9"], [{"dr": 4.0, "il": 30.0}, {"dr": 8.0, "il": 2.0}], "keeps all requirements at once;"),
        (
            ["dr <= 5", "il <= 1"],
            [{"dr": 6.0, "il": 3.0}],
            "dr <= 5 (the nearest has 6) or il <= 1 (the nearest has 3);",
        ),
    ],
)
def test_what_no_starting_file_keeps(texts, scores, said):
    sentence = told(texts, *scores)
    assert said in sentence
    assert bool(sentence) == bool(said)


def test_limits_of_evosdc_are_told_where_nothing_required_is_missed_alone():
    constraints = Constraints((Constraint.parse("dr <= 5"), Constraint.parse("exact-linkage <= 1", own=True)))
    both = missed_by_all(constraints, [constraints.judge({"dr": 6.0, "exact-linkage": 2.0})])
    assert "keeps dr <= 5 (the nearest has 6);" in both
    alone = missed_by_all(constraints, [constraints.judge({"dr": 4.0, "exact-linkage": 2.0})])
    assert "keeps exact-linkage <= 1 (the nearest has 2), which evosdc requires of every file;" in alone


def test_files_that_could_not_be_judged_say_nothing():
    constraints = Constraints((Constraint.parse("dr <= 5"),))
    assert missed_by_all(constraints, [{}]) == ""
