"""What was compiled ahead is run without numba: the same results, and numba wherever anything is not as it was then."""

import json
import os
import subprocess
import sys

import pytest

from evosdc.machine_code.kept_code import place_of

SOURCE = '''
from typing import NamedTuple

import numpy as np
from evosdc.kernel import inner_kernel, kernel


class Bounds(NamedTuple):
    least: float
    most: float


@inner_kernel
def _within(value, bounds):
    return bounds.least <= value <= bounds.most


@kernel
def kept(values, bounds, times):
    """Return those within bounds, and their sum."""
    if times < 0:
        raise ValueError("fewer than no times")
    found = values[np.array([_within(value, bounds) for value in values])]
    return found * times, found.sum() + np.log1p(times)


@kernel
def doubled(values):
    values *= 2


@kernel
def added(number, *arrays):
    """Return the sums of two arrays, a number added."""
    return number + arrays[0].sum() + arrays[1].sum()
'''

BOUNDS = {"class": "evosdc_light.kernels:Bounds", "of": ["float64", "float64"]}
KERNELS = {
    "evosdc_light.kernels": {
        "kept": [
            [["float64", 1, "C"], {"class": "evosdc_light.kernels:Bounds", "of": ["float64", "float64"]}, "int64"]
        ],
        "doubled": [[["int32", 2, "A"]]],
        "added": [["int64", {"of": [["float64", 1, "C"], ["int32", 2, "A"]]}]],
    }
}

COMPILING = """
import json, sys
from evosdc.compilation.ahead import compile_listed

if __name__ == "__main__":
    print(list(compile_listed(json.loads(sys.argv[1]), 1).failed))
"""

USING = """
import sys
import numpy as np
from evosdc_light.kernels import Bounds, added, doubled, kept

def told(*said):
    print(*said, "numba" in sys.modules)

found, total = kept(np.arange(8.0), Bounds(2.0, 5.0), 3)
told(found.tolist(), found.flags.writeable, total)
"""

SAME = "[6.0, 9.0, 12.0, 15.0] True 15.38629436111989"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A folder with a package whose kernels were compiled ahead."""
    folder = tmp_path_factory.mktemp("light")
    (folder / "evosdc_light").mkdir()
    (folder / "evosdc_light" / "__init__.py").write_text("")
    (folder / "evosdc_light" / "kernels.py").write_text(SOURCE)
    (folder / "compiling.py").write_text(COMPILING)
    assert run(folder, "compiling.py", json.dumps(KERNELS)) == ["[]"]
    return folder


@pytest.fixture
def file(compiled):
    """The file with the machine code; the test may damage it."""
    path = place_of(str(compiled / "evosdc_light" / "kernels.py"))
    before = path.read_bytes()
    yield path
    path.write_bytes(before)


def run(folder, *words, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")} | variables
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def used(folder, further="", **variables):
    (folder / "using.py").write_text(USING + further)
    return run(folder, "using.py", **variables)


@pytest.mark.endurance
def test_nothing_of_numba_is_loaded(compiled):
    changed = "whole = np.arange(12, dtype=np.int32).reshape(3, 4)\ndoubled(whole[::2, 1:3])\ntold(whole.tolist())\n"
    assert used(compiled, changed) == [f"{SAME} False", "[[0, 2, 4, 3], [4, 5, 6, 7], [8, 18, 20, 11]] False"]


def test_arrays_behind_a_star_are_one_tuple(compiled):
    further = """
whole = np.arange(12, dtype=np.int32).reshape(3, 4)
told(added(1, np.arange(3.0), whole[::2, 1:3]))
told(added(1, np.arange(3.0), whole))
"""
    assert used(compiled, further)[1:] == ["26.0 False", "70.0 True"]


@pytest.mark.endurance
def test_other_kinds_are_compiled_by_numba_from_then_on(compiled):
    further = """
found, total = kept(np.arange(8), Bounds(2.0, 5.0), 3)
told(found.tolist(), found.dtype, total)
found, total = kept(np.arange(8.0), Bounds(2.0, 5.0), 3)
told(found.tolist(), found.flags.writeable, total)
"""
    first, other, again = used(compiled, further)
    assert (first, again) == (f"{SAME} False", f"{SAME} True")
    assert other == "[6, 9, 12, 15] int64 15.38629436111989 True"


def test_a_kernel_that_is_called_often_goes_to_numba(compiled):
    further = """
import evosdc.kernel
evosdc.kernel.MANY = 3
for _ in range(3):
    found, total = kept(np.arange(8.0), Bounds(2.0, 5.0), 3)
    told(found.tolist(), found.flags.writeable, total)
"""
    assert used(compiled, further) == [f"{SAME} {late}" for late in (False, False, True, True)]


def test_errors_are_raised(compiled):
    further = """
for _ in range(2):
    try:
        kept(np.arange(8.0), Bounds(2.0, 5.0), -1)
    except ValueError as error:
        print(repr(error))
"""
    assert used(compiled, further)[1:] == ["ValueError('fewer than no times')"] * 2


def test_named_arguments_and_too_few_are_numba_s_to_judge(compiled):
    further = """
found, total = kept(np.arange(8.0), bounds=Bounds(2.0, 5.0), times=3)
told(found.tolist(), found.flags.writeable, total)
try:
    kept(np.arange(8.0))
except TypeError as error:
    print("not enough arguments" in str(error))
"""
    assert used(compiled, further) == [f"{SAME} False", f"{SAME} True", "True"]


def test_memory_is_given_back(compiled):
    further = """
from resource import RUSAGE_SELF, getrusage
most = []
for _ in range(2):
    for _ in range(200):
        kept(np.arange(100_000.0), Bounds(-1.0, 1e9), 3)
    most.append(getrusage(RUSAGE_SELF).ru_maxrss)
print(most[1] - most[0] < 20_000)
"""
    assert used(compiled, further)[1] == "True"


INTERRUPTED = """
import signal

def interrupted(number, frame):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupted)
values = np.arange(1e7)
try:
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    kept(values, Bounds(-1.0, 1e9), 3)
except BaseException as error:
    print(type(error).__name__)
found, total = kept(np.arange(8.0), Bounds(2.0, 5.0), 3)
told(found.tolist(), found.flags.writeable, total)
"""


def test_an_interruption_is_an_error(compiled):
    """Of the caller, who hears of it when machine code has returned; never within what that asks of Python."""
    assert used(compiled, INTERRUPTED)[1:] == ["KeyboardInterrupt", f"{SAME} False"]


def test_arrays_that_were_pickled_are_taken(compiled):
    further = """
import pickle
found, total = kept(pickle.loads(pickle.dumps(np.arange(8.0))), Bounds(2.0, 5.0), 3)
told(found.tolist(), found.flags.writeable, total)
"""
    assert used(compiled, further) == [f"{SAME} False"] * 2


def test_a_kernel_is_sent_by_name(compiled):
    further = "import copy, pickle\nprint(pickle.loads(pickle.dumps(kept)) is kept, copy.deepcopy(kept) is kept)\n"
    assert used(compiled, further)[1] == "True True"


@pytest.mark.parametrize("left", [-1, *(pytest.param(left, marks=pytest.mark.endurance) for left in (0, 10))])
def test_a_file_that_is_cut_off_is_not_read(compiled, file, left):
    file.write_bytes(file.read_bytes()[:left])
    assert used(compiled) == [f"{SAME} True"]


def test_a_file_that_is_damaged_is_not_read(compiled, file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(bytes(content))
    assert used(compiled) == [f"{SAME} True"]


@pytest.mark.endurance
def test_no_file_is_no_obstacle(compiled, file):
    file.unlink()
    assert used(compiled) == [f"{SAME} True"]


@pytest.mark.parametrize(
    "elsewhere",
    [
        "linking.machine = lambda known=linking.machine: known() | {'processor': 'of next year'}",
        "from evosdc.machine_code import symbols; symbols._address = lambda name: None",
    ],
)
def test_what_is_for_another_machine_is_not_run(compiled, elsewhere):
    program = f"from evosdc.machine_code import linking\n{elsewhere}\n{USING}"
    (compiled / "using.py").write_text(program)
    assert run(compiled, "using.py") == [f"{SAME} True"]


THREADS = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

part = np.arange(12, dtype=np.int32).reshape(3, 4)[::2, 1:3]
kernels = [(kept, (np.arange(8.0), Bounds(2.0, 5.0), 3)), (added, (2, np.arange(3.0), part))]
meeting = Barrier(8)

def call(number):
    kernel, arguments = kernels[number % 2]
    meeting.wait()
    return kernel(*arguments)

with ThreadPoolExecutor(8) as pool:
    results = list(pool.map(call, range(8)))
told({total for _, total in results[::2]}, set(results[1::2]))
"""


def test_threads_that_want_the_same_at_first_get_the_same(compiled):
    program = USING.replace("found, total =", THREADS + "found, total =")
    (compiled / "using.py").write_text(program)
    assert run(compiled, "using.py") == ["{15.38629436111989} {27.0} False", f"{SAME} False"]


def test_who_sets_numba_s_variables_gets_numba(compiled):
    assert used(compiled, NUMBA_OPT="1") == [f"{SAME} True"]
    assert used(compiled, NUMBA_DISABLE_JIT="1") == [f"{SAME} True"]
    assert used(compiled, NUMBA_NUM_THREADS="1") == [f"{SAME} False"]


def test_a_source_that_was_changed_is_compiled_anew(compiled):
    source = compiled / "evosdc_light" / "kernels.py"
    before, stamp = source.read_text(), source.stat()
    try:
        source.write_text(before.replace("found * times", "found + times"))
        os.utime(source, (stamp.st_atime, stamp.st_mtime + 5))
        assert used(compiled)[0].startswith("[5.0, 6.0, 7.0, 8.0]")
    finally:
        source.write_text(before)


@pytest.mark.endurance
def test_a_file_that_cannot_be_written_is_no_obstacle(compiled, file):
    file.unlink()
    file.mkdir()
    try:
        assert run(compiled, "compiling.py", json.dumps(KERNELS)) == ["[]"]
        assert used(compiled) == [f"{SAME} True"]
    finally:
        file.rmdir()


SECOND = """
from concurrent.futures import ThreadPoolExecutor

def again(_):
    found, total = kept(np.arange(8.0), Bounds(2.0, 5.0), 3)
    return found.tolist(), total

with ThreadPoolExecutor(4) as pool:
    print(len(set(map(str, pool.map(again, range(200))))))
told()
"""


def test_threads_share_it(compiled):
    assert used(compiled, SECOND)[1:] == ["1", "False"]
