"""Compiling ends when it is told to, keeps what it has, and leaves no process behind."""

import os
import signal
import subprocess
import sys
from time import monotonic, sleep

import pytest

KERNELS = {"evosdc_trial.slow": {"slow": [["int64"]]}, "evosdc_trial.other": {"slow": [["int64"]]}}

SLOW = """
import os, pathlib, time
from types import SimpleNamespace

class Slow:
    _cache, stats = SimpleNamespace(flush=lambda: None), SimpleNamespace(cache_misses={}, cache_path=None)

    def compile(self, signature):
        (pathlib.Path("begun") / str(os.getpid())).touch()
        time.sleep(100)

slow = SimpleNamespace(dispatcher=Slow(), py_func=lambda: None)
"""

PROGRAM = f"""
import evosdc.compilation.ahead as ahead
from evosdc.__main__ import main

if __name__ == "__main__":
    ahead.listed = lambda: {KERNELS}
    main()
"""


@pytest.fixture
def command(tmp_path):
    """Return `evosdc compile` of two kernels that take long, in a group of its own, once both are under way."""
    package = tmp_path / "evosdc_trial"
    package.mkdir()
    (tmp_path / "begun").mkdir()
    (package / "__init__.py").write_text("")
    (package / "slow.py").write_text(SLOW)
    (package / "other.py").write_text(SLOW)
    (tmp_path / "program.py").write_text(PROGRAM)
    process = subprocess.Popen(
        [sys.executable, "program.py", "compile", "--processes", "2"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until(lambda: len(workers(tmp_path)) == 2 or process.poll() is not None)
    yield process
    if alive(-process.pid):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def workers(folder):
    return [int(file.name) for file in (folder / "begun").iterdir()]


def alive(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def until(condition):
    """Wait; far longer than it takes, so that a computer that is busy fails no test."""
    end = monotonic() + 60.0
    while not condition():
        assert monotonic() < end, "it never came"
        sleep(0.02)


@pytest.mark.endurance
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("group", [True, False])
def test_a_signal_ends_all_of_it(command, number, status, group):
    (os.killpg if group else os.kill)(command.pid, number)
    out, err = command.communicate(timeout=60)
    assert (command.returncode, out) == (status, "")
    assert "What was compiled stays; `evosdc compile` goes on with what is left." in err
    assert err.endswith("Stopped.\n")
    assert "Traceback" not in err
    until(lambda: not alive(-command.pid))


@pytest.mark.endurance
def test_processes_that_compile_end_with_their_parent(command):
    os.kill(command.pid, signal.SIGKILL)
    assert command.wait(60) == -signal.SIGKILL
    until(lambda: not alive(-command.pid))
    assert not alive(-command.pid), "processes that compile outlive who began them"
