"""Machine code made functions of this process, by LLVM and without numba.

Numba itself takes a third of a second to load, which is more than all the work of a short command. To run what it has
compiled before needs three of its extensions alone: they hold the functions that its machine code calls.
"""

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import llvmlite
import numpy as np
from llvmlite import binding

from evosdc.machine_code.symbols import extension, known


class Environment(NamedTuple):
    """What machine code finds under a name of its own: objects of Python that it needs, here kinds of numbers alone."""

    name: str
    dtypes: tuple[str, ...]


class Code(NamedTuple):
    """Machine code of a kernel for one signature.

    Parameters
    ----------
    wrapper : str
        Name of the function that takes Python's objects.
    environment : Environment
    further : tuple of Environment
        Of the kernels that it calls.
    called : tuple of str
        Names of what it calls and does not define.
    machine_code : bytes or memoryview
        As a file that is to be linked.
    """

    wrapper: str
    environment: Environment
    further: tuple[Environment, ...]
    called: tuple[str, ...]
    machine_code: bytes | memoryview


def linked(code: Code, module: ModuleType, name: str) -> Callable[..., Any] | None:
    """Return a function that runs machine code; it has to be called with arguments of the kinds that it is for.

    None where anything that the code calls is not there: LLVM ends a process whose machine code calls what is not.

    Parameters
    ----------
    code : Code
    module : module
        Of the kernel.
    name : str
        Of the kernel.
    """
    engine, functions = _engine(), extension("numba._dynfunc")  # with which LLVM finds what Python itself has
    if not all(map(known, code.called)):
        return None
    engine.add_object_file(binding.ObjectFileRef.from_data(bytes(code.machine_code)))
    engine.finalize_object()
    environments = []
    for environment in (code.environment, *code.further):
        made = functions.Environment(vars(module))
        made.consts.extend(map(np.dtype, environment.dtypes))
        place = engine.get_global_value_address(environment.name)
        _KEPT.append(made)
        environments.append(made)
        ctypes.c_void_p.from_address(place).value = id(made)
    address = engine.get_function_address(code.wrapper)
    function: Callable[..., Any] = functions.make_function(module, name, "", address, environments[0], engine)
    return function


_KEPT: list[Any] = []
"""Environments, of which machine code knows the addresses alone."""


def _engine() -> Any:
    """Return an engine for one function alone.

    Numba numbers functions within functions in each process that compiles: two of them may bear one name in machine
    code of two processes, and an engine of both would take the one for the other.
    """
    target, empty = _target()
    nothing = binding.parse_assembly(empty)
    engine = binding.create_mcjit_compiler(nothing, target.create_target_machine())
    engine.remove_module(nothing)  # or it would be compiled
    return engine


@cache
def _target() -> tuple[Any, str]:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    triple = binding.get_process_triple()
    return binding.Target.from_triple(triple), f'target triple = "{triple}"\n'


def machine() -> dict[str, str]:
    """Return what machine code depends on besides its source: the processor, Python and LLVM."""
    return {
        "processor": binding.get_host_cpu_name(),
        "features": binding.get_host_cpu_features().flatten(),
        "target": binding.get_process_triple(),
        "python": sys.version,
        "llvm": llvmlite.__version__,
    }
