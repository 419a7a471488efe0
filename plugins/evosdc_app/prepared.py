"""Commands that begin prepared: copies of one process that has imported what they need, each a second sooner.

Only Linux copies processes safely that hold numerical libraries; elsewhere each command is a program of its own.
"""

import asyncio
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from runpy import run_module

# where the commands are that answer at once; what these import, each of them would import
MODULES = (
    "evosdc.assess.risk",
    "evosdc.assess.judge",
    "evosdc.cli.beginning",
    "evosdc.cli.members",
    "evosdc.cli.schema",
    "evosdc.cli.risk",
    "evosdc.experiment.members",
)

CAN_BE = sys.platform == "linux"  # whether processes are copied here


def prepare() -> None:
    """Import what commands need only: no plugin is searched for yet, and no user file is read."""
    # Threads of linear algebra end before a copy is made, and each copy begins its own.
    for name in MODULES:
        import_module(name)


async def carried_out(words: Sequence[str], folder: Path) -> tuple[int, bytes, bytes]:
    """Carry a command out in a folder; return its exit status, negative for a signal, and what it printed."""
    copies = get_context("forkserver")
    copies.set_forkserver_preload(["evosdc_app.prepared_process"])
    (out, out_of), (err, err_of) = (copies.Pipe(duplex=False) for _ in range(2))
    process = copies.Process(target=_carry_out, args=(tuple(words), folder, out_of, err_of))
    with out, err:
        with out_of, err_of:
            await asyncio.to_thread(process.start)  # the first one waits until its original is prepared
        try:
            said = await asyncio.gather(asyncio.to_thread(_all, out), asyncio.to_thread(_all, err))
            await asyncio.to_thread(process.join)
        except asyncio.CancelledError:
            process.kill()
            process.join()
            raise
    return process.exitcode or 0, *said


def _all(end: Connection) -> bytes:
    return b"".join(iter(lambda: os.read(end.fileno(), 1 << 16), b""))


def _carry_out(words: tuple[str, ...], folder: Path, out: Connection, err: Connection) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, given in enumerate((nothing, out.fileno(), err.fileno())):
        os.dup2(given, number)
    os.close(nothing)
    for end in (out, err):
        end.close()  # so that who listens hears the end
    os.chdir(folder)
    sys.argv = ["evosdc", *words]
    run_module("evosdc", run_name="__main__")  # as python -m evosdc does
