"""Linear algebra in one thread."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Return a context in which linear algebra takes one thread, so that sums are taken in one order.

    Arrays of judges are small: several threads wait for each other longer than they work, most of all where other
    programs want the processors. Without threadpoolctl, which scikit-learn brings along, nothing is changed.
    """
    try:
        from threadpoolctl import threadpool_limits
    except ModuleNotFoundError:
        return nullcontext()
    limited: AbstractContextManager[Any] = threadpool_limits(limits=1)
    return limited
