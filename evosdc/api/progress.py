"""The progress of a search in a notebook or a program, and the callbacks that it calls."""

import sys
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from html import escape
from time import monotonic
from typing import Any

from evosdc.experiment.display import Display

Callback = Callable[[dict[str, Any]], bool | str | None]
"""Is given the journal's line of each generation; ends the search by returning True, or the reason in words."""

ENDED = "ended by a callback"
PERIOD = {True: 0.5, False: 5.0}  # seconds between two signs of progress: in a notebook, and elsewhere


class Calling(Display):
    """Calls callbacks after each generation, all of them, and ends the search where one of them wants it."""

    def __init__(self, callbacks: Sequence[Callback] = ()) -> None:
        self._callbacks = callbacks
        self.here = bool(callbacks)

    def wish(self, record: Mapping[str, Any]) -> str | None:
        """Return the reason that the first callback gives."""
        answers = [callback(deepcopy(dict(record))) for callback in self._callbacks]
        wished = [answer for answer in answers if answer]
        return None if not wished else wished[0] if isinstance(wished[0], str) else ENDED


class Line(Calling):
    """Shows the present step in one line, not more often than every `period` seconds."""

    def __init__(self, callbacks: Sequence[Callback], show: Callable[[str], None], period: float) -> None:
        super().__init__(callbacks)
        self._show, self._period, self._due = show, period, float("-inf")

    def step(self, task: str, words: str, done: int, total: int | None = None, standing: str = "") -> None:
        """Show the words, with the time that is left."""
        if words and monotonic() >= self._due:
            self._due = monotonic() + self._period
            self._show(f"{words}, {self.left}" if self.left else words)

    def concluding(self, what: str) -> None:
        """Show the present step."""
        self.deadline = None
        self.message(what)

    def message(self, text: str) -> None:
        """Show it at once."""
        self._due = float("-inf")
        self.step("", text, 0)


def shown(callback: Callback | Sequence[Callback] = (), progress: bool | None = None) -> Calling | None:
    """Return the display for callbacks and progress, shown by default in notebooks; None where there is none."""
    callbacks = (callback,) if callable(callback) else tuple(callback)
    line = _notebook_line() if progress is not False else None
    if line is None and not progress:
        return Calling(callbacks) if callbacks else None
    return Line(callbacks, line or (lambda text: print(text, file=sys.stderr, flush=True)), PERIOD[line is not None])


def _notebook_line() -> Callable[[str], None] | None:
    """Return a function that replaces the text under the running notebook cell; None outside notebooks."""
    ipython = sys.modules.get("IPython")  # a notebook has imported it
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    handles: list[Any] = []

    def show(text: str) -> None:
        from IPython.display import HTML, display

        content = HTML(f"<p><code>{escape(text)}</code></p>")
        if handles:
            handles[0].update(content)
        else:
            handles.append(display(content, display_id=True))

    return show
