"""What terminals are told of a result."""

from rich.table import Table

from evosdc.cli.results import SHOWN, print_publication, print_result, print_verdict
from evosdc.cli.text import print_table
from evosdc.printing import NO_TIME


def test_how_many_judges_have_answered_is_said_where_some_had_no_time(capsys):
    best = {"judges": {"one": {}, "two": {}}, "not_applicable": {"three": NO_TIME, "four": "no numbers"}}
    opinion = {"best": best, "classical": None}
    result = {"verdict": {"holds": True, "text": "Holds."}, "second_opinion": opinion}
    print_verdict(result)
    told = "2 of 4 judges have answered; evosdc judge asks those that had no time.\n"
    assert capsys.readouterr().out.endswith(told)
    best["not_applicable"] = {"four": "no numbers"}
    print_verdict(result)
    assert "judges have answered" not in capsys.readouterr().out


def test_of_many_unchanged_columns_the_terminal_names_the_first(capsys) -> None:
    told = {"headline": "publishable", "reasons": [], "conditions": [], "intruder": None, "above_limit": None}
    told |= {"trust": {"yes": [], "no": []}, "published_unchanged": [f"q{number}" for number in range(SHOWN + 3)]}
    print_publication({"publication": told})
    said = " ".join(capsys.readouterr().out.split())
    assert f"Published unchanged: {', '.join(told['published_unchanged'][:SHOWN])} and 3 more." in said


def test_tables_keep_their_right_border_where_the_output_is_no_terminal(capsys) -> None:
    table = Table(*(f"a-heading-that-stays-{number}" for number in range(8)))
    table.add_row(*map(str, range(8)))
    print_table(table)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines[0]) > 160
    assert {line[-1] for line in lines} == set("┓┃┩│┘")


def test_of_a_result_every_column_is_shown_and_whole_names_of_measures(capsys) -> None:
    label = "pram design=a p=0.1 (age), then k-member k=9 (sex), then labels of age, region put right"
    scores = {"il": 10.375, "dr": 11.5, "worst-relabelling": 0.0}
    file = {"scores": scores, "fitness": [11.5], "label": label}
    result = {"title": "Protection of a.csv", "fitness": "max", "identity": file, "best": file, "changed": {"age": 3}}
    result |= {"portfolio": {"size": 9, "best": file, "tuned": {}}, "generations": 5, "evaluations": 90, "seconds": 1.0}
    result |= {"recipe": {"steps": 3, "draws": 4, "scores": {**scores, "score": 12.0}, "words": "Recipe."}, "seed": 1}
    print_result(result | {"stopped": "1 seconds", "missing_rule": "category", "records": 9})
    lines = capsys.readouterr().out.splitlines()
    assert {line[-1] for line in lines if line[:1] in "┏┃┡│└"} == set("┓┃┩│┘")
    assert any(line.startswith("│ worst-relabelling │") for line in lines)
