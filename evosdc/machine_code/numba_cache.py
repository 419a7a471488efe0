"""Machine code of kernels, read from disk without numba's compiler.

What numba knows of Python's functions and types takes longer to load than all kernels of a short command, and machine
code does not need it. What machine code calls has to be there, though: LLVM ends a process whose machine code calls a
function that is not. So its names are looked up first, and where one is missing everything is loaded.
"""

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from struct import error, iter_unpack, unpack_from
from typing import Any

from llvmlite import binding
from numba.core import config
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.np import linalg

ARRAY_FUNCTIONS = "numba.np.arraymath"

ELF = b"\x7fELF\x02\x01"
"""How a file of machine code begins on Linux, on processors of 64 bits that write the low byte first."""

SYMBOLS = 2
"""The kind of an ELF section that lists what machine code defines and calls."""


class InstalledCache(FunctionCache):
    """Numba's cache on disk, which also reads the machine code that was made when evosdc was installed.

    That lies beside the source. Numba looks there only where it can write, and not where ``NUMBA_CACHE_DIR`` names
    another folder. It checks no bounds of arrays: where ``NUMBA_BOUNDSCHECK`` asks for that, all is compiled anew.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        folder = str(Path(inspect.getfile(function)).with_name("__pycache__"))
        stamp = self._impl.locator.get_source_stamp()
        self._installed = IndexDataCacheFile(folder, self._impl.filename_base, stamp)
        self.elsewhere = folder != self.cache_path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature, or None; then a compiler has what it needs."""
        with self._guard_against_spurious_io_errors(), _without_scipy():  # what is read may import array functions
            found = self._load_overload(sig, target_context)
        if found is None:
            load_array_functions()
        return found

    def kept(self, sig: Any, target_context: Any) -> Any:
        """Return what numba keeps of a function that was compiled for a signature; None where there is nothing."""
        key = self._index_key(sig, target_context.codegen())  # type: ignore[no-untyped-call]
        kept = _kept(self._cache_file, key)
        others = self.elsewhere and not getattr(config, "BOUNDSCHECK", None)
        return _kept(self._installed, key) if kept is None and others else kept

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        kept = self.kept(sig, target_context) if self._enabled else None
        if kept is None:
            return None
        if not _linkable(kept):
            load_array_functions()
            target_context.refresh()
        return self._impl.rebuild(target_context, kept)


def _kept(files: IndexDataCacheFile, key: Any) -> Any:
    """Return what is kept of a function; None where there is nothing, or where it is damaged, which is then let go.

    A disk that was full, or a computer that went out, may leave a file that is cut off. What is unpacked of it raises
    nearly anything.
    """
    try:
        return files.load(key)
    except Exception:
        with suppress(OSError):
            Path(files._index_path).unlink()
        return None


def called_names(code: bytes) -> frozenset[str] | None:
    """Return what machine code calls and does not define; None where it is of another kind than ELF.

    Parameters
    ----------
    code : bytes
        A file of machine code, to be linked.
    """
    if not code.startswith(ELF):
        return None
    (start,) = unpack_from("<Q", code, 40)
    size, sections = unpack_from("<HH", code, 58)
    heads = [unpack_from("<IIQQQQI", code, start + number * size) for number in range(sections)]
    names = set()
    for _, kind, _, _, offset, length, texts in heads:
        if kind == SYMBOLS:
            for name, _, _, section, _, _ in iter_unpack("<IBBHQQ", code[offset : offset + length]):
                if name and not section:
                    first = heads[texts][4] + name
                    names.add(code[first : code.index(b"\0", first)].decode())
    return frozenset(names)


def _linkable(kept: Any) -> bool:
    """Say whether all that machine code calls is there; False as well for a numba that keeps it otherwise."""
    try:
        _, kind, (code, _) = kept[0]
        called = called_names(code) if kind == "object" else None
    except (AttributeError, error, IndexError, TypeError, ValueError):
        return False
    return called is not None and _runtime_named() and all(map(_there, called))


@cache
def _there(name: str) -> bool:
    return binding.address_of_symbol(name) is not None


@cache
def _runtime_named() -> bool:
    """Name the functions of numba's runtime to LLVM, as numba does before it compiles what the compiler alone calls."""
    try:
        for name, address in import_module("numba.core.runtime._nrt_python").c_helpers.items():
            binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
    except (AttributeError, ImportError):
        return False
    return True


@cache
def load_array_functions() -> None:
    """Load numba's functions of arrays, for the compiler."""
    with _without_scipy():
        import_module(ARRAY_FUNCTIONS)


@contextmanager
def _without_scipy() -> Iterator[None]:
    """Have numba's functions of arrays, where they are loaded, not import scipy to see whether there is a BLAS.

    That took a fifth of a second in every process. A kernel that multiplies matrices asks again when it is compiled.
    """
    asked = getattr(linalg, "ensure_blas", None)
    if asked is None or ARRAY_FUNCTIONS in sys.modules:
        yield
        return
    linalg.ensure_blas = lambda: None
    try:
        yield
    finally:
        linalg.ensure_blas = asked
        if ARRAY_FUNCTIONS in sys.modules:
            sys.modules[ARRAY_FUNCTIONS].ensure_blas = asked  # type: ignore[attr-defined]
