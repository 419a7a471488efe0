"""How a run shows itself: a progress bar on a terminal, a plain line every few seconds elsewhere."""

from collections.abc import Callable
from time import monotonic
from typing import Self

from rich import progress as bars
from rich.console import Console
from rich.text import Text

from evosdc.cli.signals import stop_if_asked
from evosdc.experiment.display import Display

PERIOD = 5.0  # seconds between two lines of progress where there is no terminal


class Quiet(Display):
    """Messages only, on standard error. A signal that got lost is noticed at the next sign of progress."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing to end."""

    def limited(self, seconds: float | None) -> None:
        """Remember when the time will be over."""
        stop_if_asked()
        super().limited(seconds)

    def step(self, task: str, words: str, done: int, total: int | None = None, standing: str = "") -> None:
        """Show nothing; another thread, which no signal ends, reports slow steps."""
        if task != "slow":
            stop_if_asked()

    def concluding(self, what: str) -> None:
        """Show nothing."""
        stop_if_asked()

    def message(self, text: str) -> None:
        """Print a line."""
        self.console.print(text, highlight=False, soft_wrap=True, markup=False)


class Plain(Quiet):
    """One line every few seconds besides, and the last one."""

    def __init__(self, console: Console, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(console)
        self.clock = clock
        self.due = float("-inf")
        self.waiting = ""  # the last line, where it was not due yet

    def __exit__(self, *error: object) -> None:
        if error == (None, None, None):
            self._last()
        self.waiting = ""

    def step(self, task: str, words: str, done: int, total: int | None = None, standing: str = "") -> None:
        """Print the words where a line is due."""
        super().step(task, words, done, total, standing)
        if task in ("runs", "slow"):
            self.message(words)
        elif words:
            self.waiting = words + (f", {self.left}" if self.left else "")
            if self.clock() >= self.due:
                self.due = self.clock() + PERIOD
                self._last()

    def concluding(self, what: str) -> None:
        """Print the present step, after the last line on the search."""
        super().concluding(what)
        self._last()
        self.message(f"{what} ...")

    def _last(self) -> None:
        if self.waiting:
            self.message(self.waiting)
            self.waiting = ""


class Countdown(bars.ProgressColumn):
    """The time left."""

    def __init__(self, shown: Quiet) -> None:
        super().__init__()
        self.shown = shown

    def render(self, task: bars.Task) -> Text:
        """Return the time left as text."""
        return Text(self.shown.left)


class Bar(Quiet):
    """A progress bar for each task, that says how good its best file is."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self.tasks: dict[str, bars.TaskID] = {}
        self.progress = bars.Progress(
            bars.SpinnerColumn(),
            bars.TextColumn("{task.description}"),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            bars.TimeElapsedColumn(),
            Countdown(self),
            bars.TextColumn("{task.fields[standing]}"),
            console=console,
            transient=True,
        )

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.progress.stop()

    def step(self, task: str, words: str, done: int, total: int | None = None, standing: str = "") -> None:
        """Move the bar of the task; each run of a study has new ones."""
        super().step(task, words, done, total, standing)
        if task == "slow":
            self.message(words)
            return
        if task not in self.tasks or (done == 0 and task in ("starting files", "generations")):
            self.tasks[task] = self.progress.add_task(task, total=total, standing="")
        self.progress.update(self.tasks[task], completed=done, total=total, standing=standing)

    def concluding(self, what: str) -> None:
        """Show the present step below the bars; judges then move this bar."""
        super().concluding(what)
        if "judges" not in self.tasks:
            self.tasks["judges"] = self.progress.add_task(what, total=None, standing="")
        self.progress.update(self.tasks["judges"], description=what, completed=0, total=None)


def display(quiet: bool) -> Quiet:
    """Return the display that fits where standard error goes; a quiet one shows messages only."""
    console = Console(stderr=True)
    if quiet:
        return Quiet(console)
    return Bar(console) if console.is_terminal else Plain(console)
