"""Running a chunk of named work, wherever it arrived: nothing a task does gets out but an outcome."""

import traceback
from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Any

from evosdc.errors import EvosdcError
from evosdc.model.executor import Failure, Outcome, Task
from evosdc.time_limit import OutOfTime, check_time, time_limited

TIME_LIMIT = "TimeLimit"
"""`Failure.type` of an item that ran out of time."""

_FRAMES = 25
_MESSAGE = 500


def run_chunk(task: Task, time_limit: float | None = None, contain: bool = False) -> tuple[Outcome, ...]:
    """Run every item of a task and return the outcomes, in order.

    Parameters
    ----------
    task : Task
        `task.function` is called as ``function(shared, seed, payload)``; `shared` is the reference itself, and the
        function keeps what it builds from it by its digest.
    time_limit : float or None
        Seconds that one evaluation may take, greater than zero. One that does not look at the clock
        (`evosdc.time_limit.check_time`) fails when it ends late; one that never ends is for the owner of this process.
    contain : bool
        Whether `KeyboardInterrupt` and `SystemExit` are failures too, as they should be in a worker, which hears of
        the user's wishes from its parent alone.

    Returns
    -------
    tuple of Outcome
        One an item. An item that raised or ran out of time holds a `Failure`. Only with `contain` false do
        `KeyboardInterrupt` and `SystemExit` pass through.
    """
    try:
        function = resolve(task.function)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit) and not contain:
            raise
        failure = failure_of(error)
        return tuple(Outcome(identifier, failure, 0.0) for identifier, _ in task.items)
    limit = task.time_limit(time_limit)
    return tuple(_run_item(function, task, item, limit, contain) for item in task.items)


def resolve(name: str) -> Callable[..., Any]:
    """Return the function named ``"package.module:function"``.

    Raises
    ------
    ValueError
        The name has another form, or names something that cannot be called.
    ImportError, AttributeError
        There is no such module or function.
    """
    module, colon, path = name.partition(":")
    if not (module and colon and path):
        raise ValueError(f"{name!r} is not of the form 'package.module:function'")
    found: Any = import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise ValueError(f"{name!r} is not a function")
    return found  # type: ignore[no-any-return]


def failure_of(error: BaseException) -> Failure:
    """Describe an exception by its type, message and traceback; the traceback shows code, never values of variables."""
    try:
        message = str(error)
    except Exception:
        message = "(its message could not be made)"
    described = traceback.TracebackException(
        type(error), error, error.__traceback__, limit=-_FRAMES, capture_locals=False, compact=True
    )
    try:
        text = "".join(described.format())
    except Exception:
        text = "".join(traceback.format_tb(error.__traceback__, limit=-_FRAMES))
    public = error.public[:_MESSAGE] if isinstance(error, EvosdcError) else ""
    return Failure(type(error).__name__, message[:_MESSAGE], text, public)


def _run_item(
    function: Callable[..., Any], task: Task, item: tuple[int, Any], time_limit: float | None, contain: bool
) -> Outcome:
    identifier, payload = item
    begin = perf_counter()
    value: Any
    try:
        with time_limited(time_limit):
            value = function(task.shared, task.seed, payload)
            check_time()
    except OutOfTime:
        value = Failure(TIME_LIMIT, f"the evaluation took longer than {time_limit:g} s")
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit) and not contain:
            raise
        value = failure_of(error)
    return Outcome(identifier, value, perf_counter() - begin)
