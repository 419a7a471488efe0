"""The progress of a search in words, and the callbacks that it calls."""

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


class Progress(Calling):
    """Puts each sign of progress in words; `step` and `message` of a subclass show them."""

    deadline: float | None = None  # on the clock of `monotonic`

    def step(self, task: str, words: str, done: int, total: int | None = None, standing: str = "") -> None:
        """Show how far a task is; `standing` is how good its best file is."""

    @property
    def left(self) -> str:
        """The time left, in words; empty where there is no limit."""
        if self.deadline is None:
            return ""
        seconds = self.deadline - monotonic()
        return f"{seconds:.0f} s left" if seconds > 0.0 else "time is over"

    def limited(self, seconds: float | None) -> None:
        """Remember when the time will be over."""
        self.deadline = None if seconds is None else monotonic() + seconds

    def tuning(self, done: int) -> None:
        """Show how many files were tried; the total is unknown beforehand."""
        files = f"{done} {'file' if done == 1 else 'files'}"
        self.step("tuning methods", f"tuning masking methods: {files} masked and judged", done)

    def slow(self, what: str, seconds: float) -> None:
        """Show that a file takes long; called from a thread of its own."""
        self.step("slow", f"tuning masking methods: a file of {what} takes long, {seconds:.0f} s so far", 0)

    def planning(self, evaluations: int, score: float | None) -> None:
        """Show how good the best plan is."""
        best = "" if score is None else f"best {score:.3f}"
        words = f"evolving a protection plan: {evaluations} evaluated{f', {best}' if best else ''}"
        self.step("protection plans", words, evaluations, standing=best)

    def clustering(self, done: int, total: int) -> None:
        """Show how many clusterings are done."""
        self.step("clusterings", f"clusterings: {done} of {total} done" if 0 < done < total else "", done, total)

    def starting(self, done: int, total: int) -> None:
        """Show how many starting files are done."""
        self.step("starting files", f"starting files: {done} of {total} masked and evaluated", done, total)

    def generation(self, record: Mapping[str, Any], limit: int | None) -> None:
        """Show how far the search is."""
        best, number = f"best {scores_in_words(record['best'])}", record["generation"]
        words = f"generation {number}{f'/{limit}' if limit else ''}: {best}, {record['evaluations']} evaluations"
        self.step("generations", words, number, limit, best)

    def judging(self, done: int, total: int) -> None:
        """Show how many judges have answered."""
        self.step("judges", f"second opinion: {done} of {total} judges have answered" if done else "", done, total)

    def runs(self, done: int, total: int) -> None:
        """Show how many runs of a study are complete."""
        self.step("runs", f"runs: {done} of {total} complete", done, total)


class Line(Progress):
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


def scores_in_words(best: Mapping[str, Any]) -> str:
    """Return fitness, IL and DR of a candidate in words."""
    fitness = " ".join(f"{value:.3f}" for value in best.get("fitness", ()))
    pair = ", ".join(f"{name.upper()} {best[name]:.2f}" for name in ("il", "dr") if name in best)
    return fitness + (f" ({pair})" if pair else "")


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
