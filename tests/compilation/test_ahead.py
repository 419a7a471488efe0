"""Kernels are compiled ahead, once, and anew after a change; what was compiled at installation is read elsewhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evosdc.compilation.ahead import DIGEST

ROOT = Path(__file__).parents[2]

CALLED = """
from evosdc.kernel import kernel

@kernel
def twice(number):
    return {} * number
"""

CALLING = """
from evosdc.kernel import kernel
from evosdc_trial.called import twice

@kernel
def twice_and_one(number):
    return twice(number) + 1
"""

KERNELS = {
    "evosdc_trial.called": {"twice": [["int64"], ["float64"]]},
    "evosdc_trial.calling": {"twice_and_one": [["int64"]]},
}

PROGRAM = """
import json, sys
from evosdc.compilation.ahead import compile_listed

if __name__ == "__main__":
    told = []
    processes = 1 if "one" in sys.argv else 2
    done = compile_listed(json.loads(sys.argv[1]), processes, lambda *counts: told.append(counts), "anew" in sys.argv)
    print(json.dumps([done.kernels, done.compiled, list(done.failed), told]))
"""

CALL = """
import sys
from evosdc.kernel import compilation_seconds
from evosdc_trial.calling import twice_and_one
print(twice_and_one(20), "numba" in sys.modules)
print(twice_and_one.dispatcher(20), twice_and_one.dispatcher.stats.cache_hits.total(), compilation_seconds() > 0.0)
"""


@pytest.fixture
def trial(tmp_path):
    """Return a folder with a package of two kernels, one of which calls the other, and a program."""
    package = tmp_path / "evosdc_trial"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "called.py").write_text(CALLED.format(2))
    (package / "calling.py").write_text(CALLING)
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "call.py").write_text(CALL)
    return tmp_path


def run(folder, *words, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")} | variables
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def compiled(folder, kernels=KERNELS, *words):
    return json.loads(run(folder, "program.py", json.dumps(kernels), *words))


def test_what_was_compiled_ahead_is_read(trial):
    kernels, now, failed, told = compiled(trial)
    assert (kernels, now, failed) == (3, 3, [])
    assert told[-1] == [3, 3]
    assert run(trial, "call.py").split() == ["41", "False", "41", "1", "False"]
    assert compiled(trial)[:3] == [3, 0, []], "it was compiled twice"
    assert compiled(trial, KERNELS, "anew")[:3] == [3, 3, []]


@pytest.mark.endurance
def test_after_a_change_the_callers_are_compiled_too(trial):
    compiled(trial)
    (trial / "evosdc_trial" / "called.py").write_text(CALLED.format(3))
    compiled(trial)
    assert run(trial, "call.py").split() == ["61", "False", "61", "1", "False"]


@pytest.mark.endurance
def test_what_was_compiled_at_installation_is_read_where_new_code_is_kept_elsewhere(trial):
    compiled(trial)
    kept = {path.name for path in (trial / "evosdc_trial" / "__pycache__").iterdir()}
    assert DIGEST in kept
    assert run(trial, "call.py", NUMBA_CACHE_DIR=str(trial / "elsewhere")).split() == [
        "41",
        "False",
        "41",
        "1",
        "False",
    ]
    assert not list((trial / "elsewhere").rglob("*.nbc"))


@pytest.mark.endurance
def test_a_kernel_that_cannot_be_compiled_is_told_and_the_others_are(trial):
    kernels = {
        "evosdc_trial.called": {"gone": [["int64"]], "twice": [["int64"], [{"of": ["int64", "float64"]}]]},
        "evosdc_trial.lost": {"gone": [["int64"]]},
    }
    found, now, failed, _ = compiled(trial, kernels)
    assert (found, now) == (4, 1)
    assert [line.split(": ")[:2] for line in failed] == [
        ["evosdc_trial.called:gone", "AttributeError"],
        ["evosdc_trial.called:twice", "TypingError"],
        ["evosdc_trial.lost:gone", "ModuleNotFoundError"],
    ]
    assert not any("\n" in line or "Failed in" in line for line in failed)


def test_all_that_the_package_lists_can_be_compiled():
    assert json.loads(run(ROOT, "-m", "evosdc", "compile", "--json"))["failed"] == []


DEADLY = """
import os, signal
from types import SimpleNamespace

class Deadly:
    _cache, stats = SimpleNamespace(flush=lambda: None), SimpleNamespace(cache_misses={})

    def compile(self, signature):
        if "DEADLY" in os.environ:
            os.kill(os.getpid(), signal.SIGKILL)

twice = SimpleNamespace(dispatcher=Deadly(), py_func=lambda: None)
"""


@pytest.mark.endurance
def test_a_killed_process_is_told_and_what_was_compiled_stays(trial):
    (trial / "evosdc_trial" / "deadly.py").write_text(DEADLY)
    kernels = KERNELS | {"evosdc_trial.deadly": {"twice": [["int64"]]}}
    command = [sys.executable, "program.py", json.dumps(kernels), "one"]
    environment = os.environ | {"DEADLY": "1"}
    done = subprocess.run(command, cwd=trial, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "ExecutorError: a process that compiles was killed" in done.stderr
    assert compiled(trial, kernels)[:3] == [4, 0, []]
