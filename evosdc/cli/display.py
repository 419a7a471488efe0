"""How a run shows itself: a progress bar on a terminal, one plain line a generation elsewhere."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from evosdc.cli.text import scores_in_words
from evosdc.experiment.run.display import Display

TOLD = 500
"""Files tried in tuning between two lines about it."""


class Quiet(Display):
    """Messages only, on standard error."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to end."""

    def message(self, text: str) -> None:
        """Print a line."""
        self.console.print(text, highlight=False, soft_wrap=True, markup=False)


class Plain(Quiet):
    """One line a generation besides."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self.told = 0

    def tuning(self, done: int) -> None:
        """Say now and then how many files were tried."""
        if done // TOLD > self.told:
            self.told = done // TOLD
            self.message(f"tuning masking methods: {done} files masked and judged")

    def starting(self, done: int, total: int) -> None:
        """Say when the starting files are begun and done."""
        if done in (0, total):
            self.message(f"starting files: {done} of {total} masked and evaluated")

    def generation(self, record: Mapping[str, Any], limit: int | None) -> None:
        """Print the generation's line."""
        of = f"/{limit}" if limit else ""
        evaluations = f"{record['evaluations']} evaluations"
        self.message(f"generation {record['generation']}{of}: best {scores_in_words(record['best'])}, {evaluations}")

    def runs(self, done: int, total: int) -> None:
        """Print how many runs of a study are complete."""
        self.message(f"runs: {done} of {total} complete")


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
            TextColumn("{task.fields[standing]}"),
            console=console,
            transient=True,
        )
        self.files: Any = None
        self.tuned: Any = None
        self.generations: Any = None
        self.study: Any = None

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    def tuning(self, done: int) -> None:
        """Move the bar of tuning; nobody knows beforehand where it ends."""
        if self.tuned is None:
            self.tuned = self.progress.add_task("tuning methods", total=None, standing="")
        self.progress.update(self.tuned, completed=done)

    def starting(self, done: int, total: int) -> None:
        """Move the bar of the starting files."""
        if self.files is None or done == 0:
            self.files = self.progress.add_task("starting files", total=total, standing="")
        self.progress.update(self.files, completed=done, total=total)

    def generation(self, record: Mapping[str, Any], limit: int | None) -> None:
        """Move the bar of the generations."""
        if self.generations is None or record["generation"] == 0:
            self.generations = self.progress.add_task("generations", total=limit, standing="")
        standing = f"best {scores_in_words(record['best'])}"
        self.progress.update(self.generations, completed=record["generation"], standing=standing)

    def runs(self, done: int, total: int) -> None:
        """Move the bar of the runs of a study."""
        if self.study is None:
            self.study = self.progress.add_task("runs", total=total, standing="")
        self.progress.update(self.study, completed=done, total=total)


def display(quiet: bool) -> Quiet:
    """Return the display that fits where standard error goes; a quiet one shows messages only."""
    console = Console(stderr=True)
    if quiet:
        return Quiet(console)
    return Bar(console) if console.is_terminal else Plain(console)
