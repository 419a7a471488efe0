"""Compiling all listed kernels, several at a time, so that the first run finds their machine code on disk."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from glob import escape
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from evosdc.compilation.extraction import code_of, source_of
from evosdc.compilation.listed import Listed, listed, signatures_in
from evosdc.compilation.signatures import JSON, signature
from evosdc.compilation.workers import compiling_processes, interruption_held
from evosdc.errors import ExecutorError
from evosdc.machine_code.kept_code import Signature, forget_code, write_code
from evosdc.machine_code.kinds import named
from evosdc.processors import processors

DIGEST = "kernels.digest"
"""Name of the file that says of which sources the machine code beside it was made."""


@dataclass(frozen=True)
class Compiled:
    """What became of the list.

    Parameters
    ----------
    kernels, compiled : int
        Signatures that were listed, and how many of them had no machine code yet.
    seconds : float
        By the clock.
    failed : sequence of str
        Kernels that could not be compiled, with the reason. They are compiled when they are called, or fail then.
    """

    kernels: int = 0
    compiled: int = 0
    seconds: float = 0.0
    failed: Sequence[str] = ()


def compile_listed(
    kernels: Listed | None = None,
    processes: int | None = None,
    told: Callable[[int, int], object] | None = None,
    anew: bool = False,
) -> Compiled:
    """Compile kernels where their machine code is kept; what is there is left, if nothing has changed since.

    Machine code of a kernel holds that of the kernels that it calls, from other files, too. After a change to any of
    them all are compiled. Where this is interrupted, what was compiled stays, and the next call goes on with the rest.

    Parameters
    ----------
    kernels : mapping, optional
        By default all that are listed.
    processes : int, optional
        By default as many as this process has processors.
    told : callable, optional
        Called with how many signatures are done, and of how many.
    anew : bool
        Whether to compile also what has machine code.

    Raises
    ------
    ExecutorError
        A process was killed, as for want of memory; what was compiled stays.
    """
    chosen = listed() if kernels is None else kernels
    total, done, compiled, began = signatures_in(chosen), 0, 0, perf_counter()
    failed: list[str] = []
    digest, noted = digest_of(chosen), noted_digest(chosen)
    # A new process each: what this one has imported or begun, threads above all, is none of the compiler's business.
    try:
        with compiling_processes(processes or processors()) as pool:
            if anew or noted is None or not noted.exists() or noted.read_text() != digest:
                with interruption_held():
                    forgotten = pool.map(forget_module, chosen, chosen.values())
                list(forgotten)
                # From here on all that there is was made of these sources, also where this is interrupted.
                note(noted, digest)
            longest_first = sorted(chosen, key=lambda module: -signatures_in({module: chosen[module]}))
            with interruption_held():
                futures = [pool.submit(compile_module, module, chosen[module]) for module in longest_first]
            for future in as_completed(futures):
                found = future.result()
                done += found.kernels
                compiled += found.compiled
                failed += found.failed
                if told is not None:
                    told(done, total)
    except BrokenProcessPool:
        advice = "evosdc compile --processes 1 takes least, and goes on with what is left"
        raise ExecutorError(f"a process that compiles was killed, as for want of memory; {advice}") from None
    return Compiled(total, compiled, perf_counter() - began, tuple(sorted(failed)))


def digest_of(kernels: Listed) -> str:
    """Return a digest of the source of all modules that have listed kernels."""
    found = blake2b(digest_size=16)
    for module in sorted(kernels):
        spec = find_spec(module)
        found.update(module.encode() + (Path(spec.origin).read_bytes() if spec and spec.origin else b""))
    return found.hexdigest()


def noted_digest(kernels: Listed) -> Path | None:
    """Return the file with the digest of what was compiled; None where machine code cannot be kept."""
    for module, functions in kernels.items():
        for name in functions:
            # A list that is older than the source names kernels that are gone.
            with suppress(ImportError, AttributeError):
                folder = named(f"{module}:{name}").dispatcher.stats.cache_path
                return Path(folder) / DIGEST if folder else None
    return None


def note(path: Path | None, digest: str) -> None:
    """Write of which sources the machine code is made; on a full disk it is not known, and all are compiled again."""
    if path is not None:
        with suppress(OSError):
            path.write_text(digest)


def forget_module(module: str, functions: Mapping[str, object]) -> None:
    """Let go of the machine code of a module's kernels.

    Of the files, too: numba writes down where machine code will be before it is there, and a process that ends in
    between would leave what lay there before under that name.
    """
    for name in functions:
        with suppress(ImportError, AttributeError):
            function = named(f"{module}:{name}")
            forget_code(source_of(function))
            cache = function.dispatcher._cache
            cache.flush()
            for file in Path(cache.cache_path).glob(f"{escape(cache._impl.filename_base)}.*.nbc"):
                file.unlink(missing_ok=True)


def reason_of(error: Exception) -> str:
    """Return the line of an error that says what is wrong; numba's tell of its passes first, and of all callers."""
    lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("Failed in")]
    return lines[0].strip() if lines else str(error)


def compile_module(module: str, functions: Mapping[str, Sequence[Sequence[JSON]]]) -> Compiled:
    """Compile the listed kernels of a module in this process, and keep their machine code to be run without numba."""
    began, compiled = perf_counter(), 0
    failed: list[str] = []
    kept = dict[str, list[Signature]]()
    source = ""
    for name, signatures in functions.items():
        for types in signatures:
            try:
                function = named(f"{module}:{name}")
                source, dispatcher = source_of(function), function.dispatcher
                before = sum(dispatcher.stats.cache_misses.values())
                dispatcher.compile(signature(types))
                compiled += sum(dispatcher.stats.cache_misses.values()) - before
                code = code_of(dispatcher, signature(types))
                if code is not None:
                    kept.setdefault(name, []).append(Signature(types, code))
            except Exception as error:  # numba's errors have no common base; the other kernels are wanted all the same
                failed.append(f"{module}:{name}: {type(error).__name__}: {reason_of(error)}")
    if kept:
        write_code(source, kept)
    return Compiled(signatures_in({module: functions}), compiled, perf_counter() - began, tuple(failed))
