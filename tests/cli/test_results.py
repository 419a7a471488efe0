"""What terminals are told of a result."""

from evosdc.cli.results import SHOWN, print_publication, print_verdict
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
