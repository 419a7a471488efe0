"""Processes that compile: they leave Ctrl-C to the process that began them, and end when that ends or lets go."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection


@contextmanager
def compiling_processes(number: int) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of new processes, which end at once where the body ends by an error or an interruption.

    The pool alone waits for all that was submitted, and its processes outlive a parent that was killed. So each holds
    the other end of a pipe of this process, and leaves when that is closed, by whatever. What it compiled is on disk by
    then, and what it writes is there under its name as a whole or not at all.
    """
    context = multiprocessing.get_context("spawn")
    lifeline, held = context.Pipe(duplex=False)
    with lifeline, held:
        pool = ProcessPoolExecutor(number, context, _attend, (lifeline,))
        try:
            yield pool
        except BaseException:
            held.close()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        pool.shutdown()


@contextmanager
def interruption_held() -> Iterator[None]:
    """Keep Ctrl-C waiting in the body, and for good in the processes that are begun there: it is sent to all of them.

    A process could ignore it only once Python is there, and would say where it was interrupted before.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _attend(lifeline: Connection) -> None:
    threading.Thread(target=_watch, args=(lifeline,), name="lifeline", daemon=True).start()


def _watch(lifeline: Connection) -> None:
    # Nothing is ever sent: the pipe is readable once it is closed.
    lifeline.poll(None)
    os._exit(1)
