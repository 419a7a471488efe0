"""How a command begins: when its time counts from, and with threads that sleep soon."""

import os
import subprocess
import sys
from time import monotonic

import pytest

from evosdc.__main__ import IDLE_THREADS
from evosdc.cli import beginning


def threads_of_linear_algebra(**environment):
    """Return how long they stay awake, as is known when numpy is imported, which is when they begin."""
    name = IDLE_THREADS[0]
    program = (
        "import os, sys\n"
        "from importlib.abc import MetaPathFinder\n"
        "class Told(MetaPathFinder):\n"
        "    def find_spec(self, module, path, target=None):\n"
        f"        if module == 'numpy': print('awake', os.environ[{name!r}], file=sys.stderr)\n"
        "sys.meta_path.insert(0, Told())\n"
        "from evosdc.__main__ import main\n"
        "sys.argv = ['evosdc', 'risk', 'nowhere.csv']\n"
        "try:\n    main()\nfinally:\n    import numpy\n"
    )
    known = {key: value for key, value in os.environ.items() if key != name} | environment
    done = subprocess.run([sys.executable, "-c", program], env=known, capture_output=True, text=True, check=False)
    return done.stderr.partition("awake ")[2].split()[0]


def test_threads_of_linear_algebra_sleep_soon_unless_somebody_has_said_otherwise():
    name, value = IDLE_THREADS
    assert threads_of_linear_algebra() == value
    assert threads_of_linear_algebra(**{name: "26"}) == "26"


@pytest.mark.skipif(not hasattr(os, "execv"), reason="the system has no exec")
def test_a_time_counts_from_the_command_and_not_from_the_shell_that_turned_into_it():
    program = (
        "from evosdc import __main__, cli\n"
        "from evosdc.cli.beginning import seconds_since\n"
        "cli.main = lambda: print(seconds_since())\n"
        "__main__.main()\n"
    )
    turning = f"import os, sys, time\ntime.sleep(1)\nos.execv(sys.executable, [sys.executable, '-c', {program!r}])"
    began = monotonic()
    done = subprocess.run([sys.executable, "-c", turning], capture_output=True, text=True, check=True)
    assert 0.0 < float(done.stdout) <= monotonic() - began - 1.0


def test_without_a_beginning_no_time_has_passed(monkeypatch):
    monkeypatch.setattr(beginning, "_began", [])
    assert beginning.seconds_since() == 0.0
