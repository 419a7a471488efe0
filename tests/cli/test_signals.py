"""Ctrl-C and the other signals end every command, whenever they come."""

import os
import signal
import subprocess
import sys
import time

import pytest
from rich.console import Console

from evosdc import cli
from evosdc.cli.display import PERIOD, Countdown, Plain, Quiet
from evosdc.cli.signals import Stopped, asked_to_stop, forget, stop_if_asked, stoppable

RECORD = {"generation": 3, "evaluations": 40, "best": {"fitness": [1.0]}}


@pytest.fixture(autouse=True)
def listening():
    """Pytest's own handler may be anything; what was asked is forgotten afterwards."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
    forget()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_raised_with_its_number(number):
    before = signal.getsignal(number)
    with pytest.raises(Stopped) as caught, stoppable():
        signal.raise_signal(number)
    assert caught.value.number == number
    assert signal.getsignal(number) is before


def test_an_ignored_signal_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with stoppable():
        signal.raise_signal(signal.SIGINT)
    assert asked_to_stop() is None


class Clearing:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def test_what_python_drops_while_it_clears_up_is_raised_again(capsys):
    def clear_and_wait():
        Clearing()
        while time.monotonic() < began + 20.0:
            time.sleep(0.01)

    began = time.monotonic()
    with pytest.raises(Stopped), stoppable():
        clear_and_wait()
    assert time.monotonic() - began < 10.0
    assert "ignored" not in capsys.readouterr().err


def swallow():
    try:
        signal.raise_signal(signal.SIGINT)
    except BaseException:
        return


def test_who_was_told_by_a_question_is_not_interrupted_once_more_while_things_end_in_order():
    def ended_in_order():
        Clearing()
        try:
            stop_if_asked()
        finally:
            began = time.monotonic()
            while time.monotonic() < began + 0.5:
                time.sleep(0.01)
            ended.append(True)

    ended: list[bool] = []
    with pytest.raises(Stopped), stoppable():
        ended_in_order()
    assert ended


def test_what_a_library_swallows_ends_the_block_all_the_same():
    with pytest.raises(Stopped), stoppable():
        swallow()


@pytest.mark.parametrize("display", [Quiet, Plain])
def test_what_a_library_swallows_is_noticed_at_the_next_sign_of_progress(display):
    from rich.console import Console

    shown = display(Console(quiet=True))
    signs = [
        lambda: shown.limited(None),
        lambda: shown.tuning(1),
        lambda: shown.starting(1, 2),
        lambda: shown.generation(RECORD, None),
        lambda: shown.judging(1, 2),
    ]

    def asked_before(sign):
        swallow()
        with pytest.raises(Stopped):
            sign()

    for sign in signs:
        sign()
        with pytest.raises(Stopped), stoppable():
            asked_before(sign)
        forget()
    stop_if_asked()


@pytest.mark.parametrize("ending", [None, ImportError("partially initialised")])
def test_the_status_tells_of_the_signal_however_the_command_ended(monkeypatch, capsys, ending):
    def command(words, **options):
        swallow()
        if ending is not None:
            raise ending

    monkeypatch.setattr(cli.cli, "main", command)
    with pytest.raises(SystemExit) as caught:
        cli.main(["protect", "housing"])
    assert caught.value.code == 130
    assert capsys.readouterr().err == "Stopped.\n"


def test_ctrl_c_at_the_very_beginning(tmp_path):
    program = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    program += "from evosdc.__main__ import main\nprint('on', flush=True)\nmain()"
    words = [sys.executable, "-c", program, "protect", "housing", "-o", "run"]
    process = subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    process.stdout.readline()
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    # Before the command line is there the system ends the process; a shell says 130 in both cases.
    assert (process.returncode, err.strip()) in ((130, "Stopped."), (-signal.SIGINT, "")), err
    assert "Traceback" not in err


def test_progress_is_a_line_every_few_seconds_with_what_is_left():
    from rich.console import Console

    now, lines = [0.0], []

    class Told(Plain):
        def message(self, text):
            lines.append(text)

    with Told(Console(quiet=True), lambda: now[0]) as shown:
        shown.limited(None)
        for number in range(200):
            now[0] = number * PERIOD / 50
            shown.generation(RECORD | {"generation": number}, 500)
        assert [line.split(":")[0] for line in lines] == [f"generation {n}/500" for n in (0, 50, 100, 150)]
        shown.limited(100.0)
        now[0] = 10 * PERIOD
        shown.tuning(7)
        assert lines[-1].startswith("tuning masking methods: 7 files masked and judged, ")
        assert lines[-1].endswith(" s left")
        shown.starting(5, 9)
    assert lines[-1].startswith("starting files: 5 of 9")
    assert len(lines) == 6


def test_a_terminal_counts_down():
    from rich.console import Console

    shown = Quiet(Console(quiet=True))
    assert Countdown(shown).render(None).plain == ""
    shown.limited(90.0)
    assert Countdown(shown).render(None).plain in ("90 s left", "89 s left")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_ctrl_c_leaves_a_watched_run_alone(monkeypatch, number, status):
    monkeypatch.setattr("evosdc.cli.status._followed", lambda *arguments: signal.raise_signal(number))
    with pytest.raises(SystemExit) as caught:
        cli.main(["watch", "run"])
    assert caught.value.code == status


def test_what_is_done_after_the_time_is_told(capsys):
    shown = Plain(Console(stderr=True), clock=lambda: 0.0)
    shown.limited(-1.0)
    assert shown.left == "time is over"
    for done in (1, 2):
        shown.tuning(done)
    shown.concluding("asking judges for a second opinion")
    told = capsys.readouterr().err.splitlines()
    assert told[-2:] == [
        "tuning masking methods: 2 files masked and judged, time is over", "asking judges for a second opinion ...",
    ]  # fmt: skip


def test_judges_are_counted_besides(capsys):
    now = [0.0]
    shown = Plain(Console(stderr=True), clock=lambda: now[0])
    for done in range(5):
        shown.judging(done, 4)
        now[0] += PERIOD / 2
    shown.concluding("judging the file")
    assert capsys.readouterr().err.splitlines() == [
        "second opinion: 1 of 4 judges have answered",
        "second opinion: 3 of 4 judges have answered",
        "second opinion: 4 of 4 judges have answered",
        "judging the file ...",
    ]


def test_the_last_count_of_judges_stands_where_some_had_no_time(capsys):
    shown = Plain(Console(stderr=True), clock=lambda: 0.0)
    for done in (0, 1, 2, 2):
        shown.judging(done, 4)
    shown.concluding("judging the file")
    assert capsys.readouterr().err.splitlines() == [
        "second opinion: 1 of 4 judges have answered",
        "second opinion: 2 of 4 judges have answered",
        "judging the file ...",
    ]
