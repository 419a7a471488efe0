"""Asking a run, from wherever its folder can be reached, to write the best file that it has and to end.

The request is a file in the run's folder, so that it reaches a run on another computer, too.
"""

from pathlib import Path

from evosdc.files.atomic import write_text

REQUEST = ".finish"


class EndRequested(KeyboardInterrupt):
    """Somebody asked the run to end: it ends as by Ctrl-C."""


def request_end(folder: Path) -> None:
    """Ask the run or study of a folder to end."""
    write_text(folder / REQUEST, "")


def end_requested(folder: Path) -> bool:
    """Whether the run or study of a folder was asked to end."""
    return (folder / REQUEST).exists()


def withdraw(folder: Path) -> None:
    """Take back or tick off the request."""
    (folder / REQUEST).unlink(missing_ok=True)


def end_if_requested(folder: Path) -> None:
    """Raise `EndRequested` where the run or study of a folder was asked to end."""
    if end_requested(folder):
        withdraw(folder)
        raise EndRequested
