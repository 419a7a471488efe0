"""A line of progress while a single file takes long."""

from __future__ import annotations

from threading import Event

import pytest

from evosdc.time_limit import told_while_slow
from evosdc.tuning.designs import Budget, Candidate, arms_of
from evosdc.tuning.judge import Judge
from tests.tuning.problems import REGISTRY, problem_of


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evosdc.time_limit.FIRST", 0.01)


def test_what_takes_long_is_told_while_it_does(soon: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from evosdc.tuning import judge as judging

    told, again = [], Event()

    def slow(what: str, seconds: float) -> None:
        told.append((what, seconds))
        if len(told) == 2:
            again.set()

    usual = judging.attempt

    def attempt(*given):
        assert again.wait(30.0), "nothing was told while the file was made"
        return usual(*given)

    monkeypatch.setattr(judging, "attempt", attempt)
    problem = problem_of()
    (arm, *_) = arms_of(problem.genotype.microdata.original, REGISTRY, ["rank-swapping"])
    one = Candidate.at(arm, (0.5,))
    Judge(problem, REGISTRY, 1, Budget(5), slow=slow).judge([(one, 0)])
    assert {what for what, _ in told} == {one.masking.label}
    assert told[0][1] < told[1][1]


def test_what_is_quick_is_not_told() -> None:
    told: list[str] = []
    with told_while_slow("a", lambda what, seconds: told.append(what)):
        pass
    assert told == []


def test_a_line_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    from evosdc.cli.display import Bar, Plain, Quiet

    for shown, lines in ((Plain, 1), (Bar, 1), (Quiet, 0)):
        shown(Console(stderr=True)).slow("optimal-channel t=max", 20.4)
        said = capsys.readouterr().err
        assert said.count("a file of optimal-channel t=max takes long, 20 s so far") == lines
