"""What terminals are told of a result."""

from pathlib import Path

import pytest
from rich.table import Table

from evosdc.assess.three_risks import three_risks
from evosdc.assess.verdict import NOT_YET
from evosdc.cli.run import MOST_REASONS, next_command, print_outcome
from evosdc.cli.text import print_table
from evosdc.runs.result import Result

FOUND = {"measure": "m", "percent": 12.0, "original_percent": 80.0, "expected": 120.0, "records": 1000, "known": ["a"]}


def result(**verdict):
    told = {"headline": "publishable", "publishable": True, "people_found": 12.0, "intruder": FOUND}
    told |= {
        "risks": [line.model_dump() for line in three_risks(FOUND, 9.0, "", {}, {"not_checked": "no time"})],
        "people_found_without_protection": 80.0,
        "trust": {"yes": ["All 3 means (exactly as they were)."], "no": []},
    }
    scored = {"scores": {"il": 10.375, "dr": 11.5}, "fitness": [11.5]}
    document = {"version": 2, "fitness": "max", "verdict": told | verdict, "best": scored | {"file": "best.csv"}}
    return Result.of(document | {"identity": scored, "portfolio": {"size": 9, "best": scored | {"label": "mdav k=3"}}})


def printed(capsys, **verdict):
    print_outcome(Path("runs/a"), result(**verdict), Path("runs/a/report.html"))
    return capsys.readouterr().out.splitlines()


def test_a_result_is_told_in_fifteen_lines_with_three_reasons_and_the_titles_of_the_others(capsys):
    many = [f"Reason {number}. Do this." for number in range(9)]
    titles = [f"title {number}" for number in range(10)]
    told = {"headline": "not publishable", "publishable": False, "reasons": many, "conditions": ["Mind that."]}
    lines = printed(capsys, **told, titles=titles)
    assert len(lines) <= 15
    assert lines[:2] == ["Verdict: NOT PUBLISHABLE", "  - Reason 0. Do this."]
    assert sum(line.startswith("  - ") for line in lines) == MOST_REASONS
    assert lines[4] == "  Besides: title 3; title 4; title 5; title 6; title 7; title 8; title 9."
    assert "Singling out:    not checked" in lines
    assert "Linkability:     120 of 1000 people re-identified (12.0 %); at most 9 %; unprotected 80.0 %" in lines
    assert "Inference:       not checked (no time)" in lines
    assert any(line.startswith("Analysts can:    use all 3 means (exactly as they were).") for line in lines)
    assert any("without a search 11.500 (mdav k=3); unprotected 11.500" in line for line in lines)


def test_advice_is_told_whatever_else_there_is_to_say(capsys, tmp_path):
    """Of a file with everything there is room for fewer sentences, never for fewer titles."""
    (tmp_path / "for-users.html").touch()
    conditions, titles = [f"Mind {number}." for number in range(4)], [f"title {number}" for number in range(4)]
    found = result(
        headline="publishable on conditions", provided="; ".join(titles), conditions=conditions, titles=titles,
        advice=["Tried: without born a file loses 9.9."], trust={"yes": ["All."], "no": ["Single records."]},
    )  # fmt: skip
    found.recipe = {"label": "mdav", "beside": "It is like it."}
    found.warnings, found.second_opinion.asked, found.second_opinion.answered = ["A."], 16, 15
    print_outcome(tmp_path, found, tmp_path / "report.html")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 15
    assert "Advice:          Tried: without born a file loses 9.9." in lines
    assert lines[1:3] == ["  ! Mind 0.", "  Besides: title 1; title 2; title 3."]
    assert lines[-2].endswith("report.html (1 warning; 15 of 16 judges answered)")


def test_a_name_with_a_comma_is_one_column(capsys):
    print_outcome(Path("runs/a"), result().model_copy(update={"dropped_identifiers": ["id", "Name, first"]}), None)
    assert '(without id, "Name, first")' in capsys.readouterr().out


def test_conditions_come_before_what_speaks_for_a_file(capsys):
    told = {"headline": "publishable on conditions", "provided": "that", "conditions": [NOT_YET], "reasons": ["Good."]}
    lines = printed(capsys, **told)
    assert lines[:2] == ["Verdict: PUBLISHABLE ON CONDITIONS: that", "  ! Not yet checked: run `evosdc judge runs/a`."]
    assert lines[-1] == "Next:            evosdc judge runs/a"


def test_the_next_command_sees_what_may_be_published_once_all_is_checked():
    found = result()
    checked = found.model_copy(update={"second_opinion": found.second_opinion.model_copy(update={"holds": True})})
    assert next_command(Path("r"), checked) == "evosdc doctor r"
    refused = result(headline="not publishable", publishable=False)
    assert next_command(Path("r"), refused) == "evosdc member r best"
    assert next_command(Path("r"), refused.model_copy(update={"so_far": True})) == "evosdc resume r"


@pytest.mark.parametrize(("given", "longer"), [("20s", "100s"), ("60s", "5m"), ("2m", "10m"), ("1h", "300m")])
def test_a_refused_search_gets_more_time(monkeypatch, given, longer):
    monkeypatch.setattr("evosdc.cli.run.command_line", lambda: f"evosdc protect d.csv --time {given} -o r")
    found = result(headline="not publishable", publishable=False, people_found=12.0, reasons=[])
    wanted = f"evosdc protect d.csv --time {longer} --require 'publishable on conditions'"
    assert next_command(Path("r"), found) == wanted


def test_tables_keep_their_right_border_where_the_output_is_no_terminal(capsys) -> None:
    table = Table(*(f"a-heading-that-stays-{number}" for number in range(8)))
    table.add_row(*map(str, range(8)))
    print_table(table)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines[0]) > 160
    assert {line[-1] for line in lines} == set("┓┃┩│┘")
