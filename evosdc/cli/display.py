"""How a run shows itself: a progress bar on a terminal, a plain line every few seconds elsewhere."""

from collections.abc import Callable, Mapping
from time import monotonic
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from evosdc.cli.signals import stop_if_asked
from evosdc.cli.text import scores_in_words
from evosdc.experiment.display import Display

PERIOD = 5.0
"""Seconds between two lines of progress where there is no terminal."""


class Quiet(Display):
    """Messages only, on standard error. A signal that got lost is noticed at the next sign of progress."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.deadline: float | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to end."""

    def limited(self, seconds: float | None) -> None:
        """Remember when the time will be over."""
        stop_if_asked()
        self.deadline = None if seconds is None else monotonic() + seconds

    def tuning(self, done: int) -> None:
        """Show nothing."""
        stop_if_asked()

    def planning(self, evaluations: int, score: float | None) -> None:
        """Show nothing."""
        stop_if_asked()

    def clustering(self, done: int, total: int) -> None:
        """Show nothing."""
        stop_if_asked()

    def starting(self, done: int, total: int) -> None:
        """Show nothing."""
        stop_if_asked()

    def generation(self, record: Mapping[str, Any], limit: int | None) -> None:
        """Show nothing."""
        stop_if_asked()

    def concluding(self, what: str) -> None:
        """Show nothing."""
        stop_if_asked()

    def judging(self, done: int, total: int) -> None:
        """Show nothing."""
        stop_if_asked()

    def message(self, text: str) -> None:
        """Print a line."""
        self.console.print(text, highlight=False, soft_wrap=True, markup=False)

    @property
    def left(self) -> str:
        """What is left of the time, in words; empty where there is no limit."""
        if self.deadline is None:
            return ""
        seconds = self.deadline - monotonic()
        return f"{seconds:.0f} s left" if seconds > 0.0 else "time is over"


class Plain(Quiet):
    """One line every few seconds besides, and the last one."""

    def __init__(self, console: Console, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(console)
        self.clock = clock
        self.due = float("-inf")
        self.untold = ""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Print the last line where it was not due yet and nothing was said since of how the run ended."""
        if self.untold and error is None:
            self.message(self.untold)
        self.untold = ""

    def tuning(self, done: int) -> None:
        """Say now and then how many files were tried."""
        super().tuning(done)
        self._tell(f"tuning masking methods: {done} {'file' if done == 1 else 'files'} masked and judged")

    def slow(self, what: str, seconds: float) -> None:
        """Say of a file that it takes long."""
        self.message(slow_words(what, seconds))

    def planning(self, evaluations: int, score: float | None) -> None:
        """Say now and then how good the best plan is."""
        super().planning(evaluations, score)
        best = "" if score is None else f", best {score:.3f}"
        self._tell(f"evolving a protection plan: {evaluations} evaluated{best}")

    def clustering(self, done: int, total: int) -> None:
        """Say now and then how many clusterings are done."""
        super().clustering(done, total)
        if 0 < done < total:
            self._tell(f"clusterings: {done} of {total} done")

    def starting(self, done: int, total: int) -> None:
        """Say now and then how many starting files are done."""
        super().starting(done, total)
        self._tell(f"starting files: {done} of {total} masked and evaluated")

    def generation(self, record: Mapping[str, Any], limit: int | None) -> None:
        """Say now and then how far the search is."""
        super().generation(record, limit)
        of = f"/{limit}" if limit else ""
        evaluations = f"{record['evaluations']} evaluations"
        self._tell(f"generation {record['generation']}{of}: best {scores_in_words(record['best'])}, {evaluations}")

    def concluding(self, what: str) -> None:
        """Print what is being done, after the last line on the search."""
        super().concluding(what)
        if self.untold:
            self.message(self.untold)
            self.untold = ""
        self.message(f"{what} ...")

    def judging(self, done: int, total: int) -> None:
        """Say now and then how many judges have answered."""
        super().judging(done, total)
        if done:
            self._tell(f"second opinion: {done} of {total} judges have answered")

    def runs(self, done: int, total: int) -> None:
        """Print how many runs of a study are complete."""
        self.message(f"runs: {done} of {total} complete")

    def _tell(self, text: str) -> None:
        self.untold = text + (f", {self.left}" if self.left else "")
        now = self.clock()
        if now >= self.due:
            self.message(self.untold)
            self.due, self.untold = now + PERIOD, ""


class Countdown(ProgressColumn):
    """What is left of the time."""

    def __init__(self, shown: Quiet) -> None:
        super().__init__()
        self.shown = shown

    def render(self, task: Task) -> Text:
        """Return the time left as text."""
        return Text(self.shown.left)


class Bar(Quiet):
    """A progress bar that says best score, IL and DR."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self.progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            Countdown(self),
            TextColumn("{task.fields[standing]}"),
            console=console,
            transient=True,
        )
        self.files: Any = None
        self.tuned: Any = None
        self.planned: Any = None
        self.generations: Any = None
        self.study: Any = None
        self.conclusion: Any = None
        self.clusterings: Any = None

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    def tuning(self, done: int) -> None:
        """Move the bar of tuning; nobody knows beforehand where it ends."""
        super().tuning(done)
        if self.tuned is None:
            self.tuned = self.progress.add_task("tuning methods", total=None, standing="")
        self.progress.update(self.tuned, completed=done)

    def slow(self, what: str, seconds: float) -> None:
        """Say of a file that it takes long."""
        self.message(slow_words(what, seconds))

    def planning(self, evaluations: int, score: float | None) -> None:
        """Move the bar of the plans; nobody knows beforehand where it ends."""
        super().planning(evaluations, score)
        if self.planned is None:
            self.planned = self.progress.add_task("protection plans", total=None, standing="")
        standing = "" if score is None else f"best {score:.3f}"
        self.progress.update(self.planned, completed=evaluations, standing=standing)

    def clustering(self, done: int, total: int) -> None:
        """Move the bar of the clusterings."""
        super().clustering(done, total)
        if self.clusterings is None:
            self.clusterings = self.progress.add_task("clusterings", total=total, standing="")
        self.progress.update(self.clusterings, completed=done, total=total)

    def starting(self, done: int, total: int) -> None:
        """Move the bar of the starting files."""
        super().starting(done, total)
        if self.files is None or done == 0:
            self.files = self.progress.add_task("starting files", total=total, standing="")
        self.progress.update(self.files, completed=done, total=total)

    def generation(self, record: Mapping[str, Any], limit: int | None) -> None:
        """Move the bar of the generations."""
        super().generation(record, limit)
        if self.generations is None or record["generation"] == 0:
            self.generations = self.progress.add_task("generations", total=limit, standing="")
        standing = f"best {scores_in_words(record['best'])}"
        self.progress.update(self.generations, completed=record["generation"], standing=standing)

    def concluding(self, what: str) -> None:
        """Show what is being done below the bars."""
        super().concluding(what)
        if self.conclusion is None:
            self.conclusion = self.progress.add_task(what, total=None, standing="")
        self.progress.update(self.conclusion, description=what, completed=0, total=None)

    def judging(self, done: int, total: int) -> None:
        """Move the bar of the judges."""
        super().judging(done, total)
        if self.conclusion is not None:
            self.progress.update(self.conclusion, completed=done, total=total if done < total else None)

    def runs(self, done: int, total: int) -> None:
        """Move the bar of the runs of a study."""
        if self.study is None:
            self.study = self.progress.add_task("runs", total=total, standing="")
        self.progress.update(self.study, completed=done, total=total)


def slow_words(what: str, seconds: float) -> str:
    """Return in words that a file takes long."""
    return f"tuning masking methods: a file of {what} takes long, {seconds:.0f} s so far"


def display(quiet: bool) -> Quiet:
    """Return the display that fits where standard error goes; a quiet one shows messages only."""
    console = Console(stderr=True)
    if quiet:
        return Quiet(console)
    return Bar(console) if console.is_terminal else Plain(console)
