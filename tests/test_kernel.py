"""Compilation works where nothing can be kept on disk, and where several processes want the same at once."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from numba.core import caching, config
from numba.core.dispatcher import Dispatcher

from evosdc.compiling_time import compilation_seconds
from evosdc.kernel import kernel, kernel_part, long_kernel, working_time
from evosdc.time_limit import time_limited


def twice(number):
    return 2 * number


def test_compiled_functions_are_kept_on_disk():
    compiled = kernel(twice)
    assert isinstance(compiled.dispatcher, Dispatcher)
    assert compiled(21) == 42
    assert compiled.dispatcher.stats.cache_path is not None


def product(one, other):
    return np.dot(one, other)


def test_kernels_multiply_matrices_though_scipy_is_loaded_for_these_alone():
    one, other = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2)
    assert kernel(product)(one, other).tolist() == (one @ other).tolist()


def test_no_place_for_the_cache_is_no_obstacle(monkeypatch):
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    compiled = kernel(twice)
    assert compiled(21) == 42
    assert compiled.dispatcher.stats.cache_path is None


SLOW = 0.5
"""Seconds that the slow compiler takes at least: other processes may hold a test up for a tenth."""


@pytest.fixture
def slow_compiler(monkeypatch):
    plain = Dispatcher.compile

    def slow(self, signature):
        time.sleep(SLOW)
        return plain(self, signature)

    monkeypatch.setattr(Dispatcher, "compile", slow)


@pytest.mark.usefixtures("slow_compiler")
@pytest.mark.parametrize("kept", [True, False])
def test_a_time_limit_waits_for_the_compiler(monkeypatch, tmp_path, kept):
    # A folder of its own: machine code that another test left on disk would be read, and that is time like any other.
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    if not kept:
        monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    compiled = kernel(twice)
    with time_limited(0.8 * SLOW):
        assert compiled(21) == 42
    assert compiled.dispatcher.stats.cache_hits.total() == 0


@pytest.mark.usefixtures("slow_compiler")
def test_compilation_is_timed_and_what_is_compiled_within_it_counts_once(monkeypatch):
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    inner = kernel(twice)
    outer = kernel(lambda number: inner(number) + 1)
    began, before, working = time.perf_counter(), compilation_seconds(), working_time()
    assert outer(21) == 43
    spent = compilation_seconds() - before
    assert working_time() - working <= time.perf_counter() - began - 2 * SLOW
    assert 2 * SLOW <= spent <= time.perf_counter() - began
    assert outer(4) == 9
    assert compilation_seconds() - before == spent


def test_machine_code_that_is_read_counts_as_time(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    kernel(twice)(21)
    before = compilation_seconds()
    again = kernel(twice)
    assert again(21) == 42
    assert again.dispatcher.stats.cache_hits.total() == 1
    assert compilation_seconds() == before


PROGRAM = """
import sys
import numpy as np
from evosdc.kernel import kernel

@kernel
def total(values):
    found = values[0]
    for value in values[1:]:
        found += value
    return found

for name in sys.argv[1:]:
    assert total(np.arange(10).astype(name)) == 45
print(sum(total.dispatcher.stats.cache_misses.values()))
"""


def test_processes_that_want_the_same_at_once_compile_it_once(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, str(tmp_path / "program.py")]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    processes = [
        subprocess.Popen([*command, *names], stdout=subprocess.PIPE, text=True, env=environment)
        for names in (["int64", "float64"], ["float64", "int64"], ["int64"])
    ]
    assert sum(int(process.communicate()[0]) for process in processes) == 2
    assert not any(process.returncode for process in processes)


def test_a_lock_that_cannot_be_had_is_no_obstacle(monkeypatch):
    monkeypatch.setattr("os.open", lambda *given: (_ for _ in ()).throw(PermissionError("no")))
    assert kernel(twice)(21.0) == 42.0


@kernel_part
def doubled(number):
    return 2 * number


@kernel
def quadrupled(number):
    return doubled(doubled(number))


@long_kernel
def seen(flag, turns):
    for _ in range(10_000_000_000):
        turns[0] += 1  # may be the flag itself, for all the compiler knows: so it looks each time
        if flag[0]:
            return True
    return False


def test_a_part_of_kernels_is_called_by_these_alone():
    assert quadrupled(3) == 12
    with pytest.raises(TypeError, match="doubled is called by kernels alone"):
        doubled(3)


def test_other_threads_go_on_beside_a_long_kernel():
    flag, turns = np.ones(1, np.int64), np.zeros(1, np.int64)
    assert seen(flag, turns)
    flag[0], found = 0, []
    worker = threading.Thread(target=lambda: found.append(seen(flag, turns)))
    worker.start()
    while turns[0] < 2 and not found:
        time.sleep(0.001)
    flag[0] = 1  # with Python in the kernel's hands, nobody would come here before its last turn
    worker.join()
    assert found == [True]
