"""How a run that was begun by a command ends: stopped, with how to go on, or finished, with its report and result."""

import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click


def outcome(path: Path, shown: Any, work: Callable[[], dict[str, Any]], pages: bool = True) -> dict[str, Any]:
    """Return what a run came to; a signal that comes when it has ended already is too late to stop it.

    Of one that is stopped before, a report is written if `pages`.
    """
    from evosdc.cli.signals import forget
    from evosdc.runs.layout import RESULT, read_object

    try:
        with resumable(path, shown, pages):
            return work()
    except KeyboardInterrupt:
        if not _ended(path):
            raise
        forget()
        return read_object(path / RESULT)


def _ended(path: Path) -> bool:
    """Whether a run or study is complete, whatever came after."""
    from evosdc.errors import InputError
    from evosdc.experiment.study_status import read_status
    from evosdc.runs.status import FINISHED

    try:
        return read_status(path).phase == FINISHED
    except InputError:
        return False


@contextmanager
def resumable(path: Path, shown: Any, pages: bool = True) -> Iterator[None]:
    """Say how to go on when a run is stopped, or fails with something in its folder."""
    from evosdc.cli.signals import asked_to_stop
    from evosdc.errors import CheckpointError, RunError
    from evosdc.runs.layout import RESOLVED

    try:
        yield
    except CheckpointError:
        raise  # what is there was refused; it says itself what helps
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and _ended(path):
            raise
        number = asked_to_stop()
        if number is None and not isinstance(error, KeyboardInterrupt | RunError | OSError | MemoryError):
            raise
        if (path / RESOLVED).exists():
            _report_so_far(path, shown, pages)
            again = ["evosdc", "resume", str(path), *([] if pages else ["--no-report"])]
            shown.message(f"What was reached is kept. Go on with: {shlex.join(again)}")
        elif number is not None:
            shown.message("Nothing was begun: the same command begins it.")
        raise


def _report_so_far(path: Path, shown: Any, pages: bool) -> None:
    """Say where the best file so far is of a run that was stopped, and write its report if `pages`."""
    from evosdc.cli.text import harmless
    from evosdc.report import write_pages
    from evosdc.runs.layout import run_folders
    from evosdc.runs.result import Result

    results = [(folder, Result.read(folder)) for folder in _with_result(run_folders(path))]
    if not results:
        return
    report = write_pages(path) if pages else None
    folder, result = results[-1]
    shown.message(f"Best file so far: {folder / result.best.file}")
    if result.verdict.publishable is None:
        shown.message("Whether it may be published is not judged yet.")
    else:
        shown.message(f"{harmless(result.verdict.line)}, as far as it is judged.")
    if report is not None:
        shown.message(f"Report:           {report}")


def _with_result(folders: Iterable[Path]) -> Iterator[Path]:
    from evosdc.runs.layout import RESULT

    return (folder for folder in folders if (folder / RESULT).exists())


def reported(path: Path, shown: Any) -> Path:
    """Write the report of a run folder, saying so, and return where it is.

    The run has ended by then: a signal has the report begun again, and a second one ends the command. Where the disk is
    full, what there is to be done is less than to run again.
    """
    from evosdc.cli.signals import forget
    from evosdc.report import write_pages

    try:
        shown.concluding("writing the report")
        return write_pages(path)
    except KeyboardInterrupt:
        forget()
        return write_pages(path)
    except OSError:
        shown.message(f"The run is done and its files are there, save the report; {report_again(path)} writes it.")
        raise


def report_again(path: Path) -> str:
    """Return the command that writes the pages of a run or study into its folder."""
    return shlex.join(["evosdc", "report", str(path)])


def conclude(path: Path, result: dict[str, Any], report: Path | None, as_json: bool) -> None:
    """Print the result of a run folder and where its files are, the report last; None where there is none.

    A signal stops the printing alone: the exit status stays that of the run.
    """
    from evosdc.cli.signals import forget

    try:
        _print_outcome(path, result, report, as_json)
    except KeyboardInterrupt:
        click.echo("Stopped; the run had ended.", err=True)
    forget()


def _print_outcome(path: Path, result: dict[str, Any], report: Path | None, as_json: bool) -> None:
    from evosdc.cli.results import print_json, print_outcome, print_settings
    from evosdc.runs.result import Result

    if as_json:
        print_json(result)
        return
    print_outcome(path, Result.of(result), report)
    print_settings(result)
