"""What a search shows of itself in a notebook, or as lines of text, and the callbacks that it calls."""

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

PERIOD = {True: 0.5, False: 5.0}
"""Seconds between two signs of progress: in a notebook, which replaces the last one, and elsewhere."""


class Calling(Display):
    """Tells callbacks of each generation, and ends the search where one of them wants it.

    Parameters
    ----------
    callbacks : sequence of callable
        Each gets a line of its own, and all are called whatever the others return.
    """

    def __init__(self, callbacks: Sequence[Callback] = ()) -> None:
        self._callbacks = callbacks
        self.here = bool(callbacks)

    def wish(self, record: Mapping[str, Any]) -> str | None:
        """Return the reason that the first callback gives."""
        answers = [callback(deepcopy(dict(record))) for callback in self._callbacks]
        wished = [answer for answer in answers if answer]
        return None if not wished else wished[0] if isinstance(wished[0], str) else ENDED


class Progress(Calling):
    """Shows besides, in one line, what is being done, how good the best file is, and the time that is left."""

    def __init__(self, callbacks: Sequence[Callback], show: Callable[[str], None], period: float) -> None:
        super().__init__(callbacks)
        self._show, self._period = show, period
        self._due = float("-inf")
        self._end: float | None = None

    def limited(self, seconds: float | None) -> None:
        """Remember when the time will be over."""
        self._end = None if seconds is None else monotonic() + seconds

    def tuning(self, done: int) -> None:
        """Show how many files were tried."""
        self._say(f"tuning masking methods: {done} files masked and judged")

    def planning(self, evaluations: int, score: float | None) -> None:
        """Show how good the best plan is."""
        best = "" if score is None else f", best {score:.3f}"
        self._say(f"evolving a protection plan: {evaluations} evaluated{best}")

    def starting(self, done: int, total: int) -> None:
        """Show how many starting files are done."""
        self._say(f"starting files: {done} of {total}")

    def generation(self, record: Mapping[str, Any], limit: int | None) -> None:
        """Show how far the search is."""
        best = record["best"]
        figures = [f"{name.upper()} {best[name]:.2f}" for name in ("il", "dr") if name in best]
        score = " ".join(f"{value:.3f}" for value in best.get("fitness", ()))
        told = f"generation {record['generation']}{f' of {limit}' if limit else ''}: best {score}"
        self._say(f"{told} ({', '.join(figures)}), {record['evaluations']} files" if figures else told)

    def judging(self, done: int, total: int) -> None:
        """Show how many judges have answered."""
        self._say(f"second opinion: {done} of {total} judges")

    def concluding(self, what: str) -> None:
        """Show what is being done."""
        self._end, self._due = None, float("-inf")
        self._say(what)

    def runs(self, done: int, total: int) -> None:
        """Show how many runs of a study are complete."""
        self._say(f"runs: {done} of {total}")

    def message(self, text: str) -> None:
        """Show it at once."""
        self._due = float("-inf")
        self._say(text)

    def _say(self, text: str) -> None:
        now = monotonic()
        if now >= self._due:
            self._due = now + self._period
            self._show(text if self._end is None else f"{text}, {max(0.0, self._end - now):.0f} s left")


def shown(callback: Callback | Sequence[Callback] = (), progress: bool | None = None) -> Calling | None:
    """Return the display for callbacks and progress; None where there is nothing to tell.

    Parameters
    ----------
    callback : callable or sequence of callable
    progress : bool, optional
        Whether progress is shown; by default in notebooks, where its line is replaced by the next one.
    """
    callbacks = (callback,) if callable(callback) else tuple(callback)
    line = _notebook_line() if progress is not False else None
    if line is None and not progress:
        return Calling(callbacks) if callbacks else None
    return Progress(callbacks, line or _print_line, PERIOD[line is not None])


def _print_line(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _notebook_line() -> Callable[[str], None] | None:
    """Return what shows a text in place of the last one, under a cell of the notebook that runs; None elsewhere."""
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
