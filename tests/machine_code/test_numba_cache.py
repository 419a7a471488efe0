"""Machine code of kernels is read without numba's compiler, and only where all that it calls is there."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.compilation.listed import listed, signatures_in
from evosdc.machine_code.numba_cache import ELF, _linkable, called_names

KERNELS = """
import numpy as np
from evosdc.kernel import kernel

@kernel
def total(values):
    kept = np.sort(values.copy())[::-1]
    if len(kept) == 0:
        raise ValueError("nothing")
    return kept.sum()

@kernel
def third(values):
    return values[2]
"""

READING = """
import sys
import numpy as np
from evosdc_of_kernels import total

def told(function, *arguments):
    print(function(*arguments), function.dispatcher.stats.cache_hits.total(), "numba.typed.typedlist" in sys.modules)

told(total, np.arange(10))
told(total, np.arange(10.0))
"""

WITHOUT = "import evosdc.machine_code.numba_cache as read; read._there = lambda name: name != 'NRT_Free'" + READING
"""As where a version of numba's names a function only when the compiler is loaded."""


@pytest.fixture
def begun(tmp_path):
    """Return how a process is begun that calls kernels of a module of evosdc's."""
    (tmp_path / "evosdc_of_kernels.py").write_text(KERNELS)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def begin(program, **variables):
        (tmp_path / "program.py").write_text(program)
        command = [sys.executable, str(tmp_path / "program.py")]
        done = subprocess.run(command, env=environment | variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    return begin


@pytest.mark.parametrize(
    ("left", "ending"),
    [(0, "nbi"), (0, "nbc"), (200, "nbi"), (200, "nbc")],
)
@pytest.mark.endurance
def test_what_is_damaged_is_compiled_anew(begun, tmp_path, ending, left):
    program = READING.splitlines(keepends=True)
    begun("".join(program[:-1]))
    damaged = list((tmp_path / "cache").rglob(f"*total*.{ending}"))
    assert damaged
    for file in damaged:
        file.write_bytes(file.read_bytes()[:left])
    assert begun("".join(program[:-1])) == ["45", "0", "True"]
    assert begun("".join(program[:-1])) == ["45", "1", "False"]


@pytest.mark.endurance
def test_machine_code_is_read_without_what_numba_compiles_by(begun, tmp_path):
    assert begun(READING) == ["45", "0", "True", "45.0", "0", "True"]
    assert begun(READING) == ["45", "1", "False", "45.0", "2", "False"]
    (second,) = (tmp_path / "cache").rglob("*.2.nbc")
    second.unlink()
    assert begun(READING) == ["45", "1", "False", "45.0", "1", "True"]


@pytest.mark.endurance
def test_where_machine_code_calls_what_is_not_there_everything_is_loaded_first(begun):
    assert begun(READING) == ["45", "0", "True", "45.0", "0", "True"]
    assert begun(WITHOUT) == ["45", "1", "True", "45.0", "2", "True"]


BEYOND = """
import numpy as np
from evosdc_of_kernels import third

try:
    print(third(np.arange(3)[:2]))
except IndexError:
    print("refused")
"""


@pytest.mark.endurance
def test_bounds_are_checked_where_that_is_asked_for(begun, tmp_path):
    """Machine code that was compiled at installation checks none."""
    assert begun(BEYOND, NUMBA_CACHE_DIR="") == ["2"]
    assert list((tmp_path / "__pycache__").glob("*third*.nbi"))
    assert begun(BEYOND) == ["2"]
    for _ in range(2):
        assert begun(BEYOND, NUMBA_CACHE_DIR=str(tmp_path / "checked"), NUMBA_BOUNDSCHECK="1") == ["refused"]


LISTED = """
from importlib import import_module
from numba.core.registry import cpu_target
from evosdc.compilation.listed import listed
from evosdc.compilation.signatures import signature

read = 0
for module, functions in listed().items():
    for name, signatures in functions.items():
        compiled = getattr(import_module(module), name)
        for one in signatures:
            read += compiled.dispatcher._cache.load_overload(signature(one), cpu_target.target_context) is not None
print(read)
"""


@pytest.mark.endurance
def test_all_machine_code_that_is_there_finds_what_it_calls():
    """A process that lacks a function of numba's runtime is ended by LLVM."""
    done = subprocess.run([sys.executable, "-c", LISTED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) <= signatures_in(listed())


@pytest.mark.parametrize("kept", [(), ((),), (("name", "bitcode", b""),), (("name", "object", (b"MZ", b"")),), None])
def test_machine_code_of_another_kind_is_not_taken_for_known(kept):
    assert not _linkable(kept)


@given(st.binary(max_size=200))
def test_machine_code_that_is_torn_is_not_taken_for_known(rest):
    assert not _linkable((("name", "object", (ELF + rest, b"")),)) or not called_names(ELF + rest)
