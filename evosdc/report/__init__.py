"""Self-contained HTML pages from run folders; nothing is evaluated again and nothing is sent anywhere."""

import os
from contextlib import suppress
from pathlib import Path

from evosdc.report.for_users import may_be_published, write_for_users
from evosdc.report.page import write_report
from evosdc.runs.layout import FOR_USERS, RELEASE, REPORT, STATUS, RunFolder, read_object, run_folders
from evosdc.runs.reader import read_run_folders
from evosdc.runs.status import NO_REPORT

__all__ = ["write_checksum", "write_for_users", "write_pages", "write_report"]


def write_pages(folder: Path) -> Path:
    """Write the report of a run or study into its folder, and for a single run the page for users of its file."""
    # Where the file is not publishable there is no such page: one of an earlier verdict is removed. Where the disk is
    # full, the status of a run says that there is no report, as far as that can be written.
    try:
        if run_folders(folder) == [folder] and (folder / RELEASE).is_file():
            if may_be_published(read_run_folders([folder])[0]):
                write_for_users(folder, folder / FOR_USERS)
            else:
                (folder / FOR_USERS).unlink(missing_ok=True)
        written = write_report([folder], folder / REPORT)
    except OSError as error:
        with suppress(OSError, ValueError):
            _note(folder, os.strerror(error.errno) if error.errno else type(error).__name__)
        raise
    _note(folder, None)
    return written


def write_checksum(folder: Path, name: str, sha256: str) -> None:
    """Add a copy of a run's published file, such as one in another format, to its pages: users compare the checksum."""
    if not (folder / RELEASE).is_file():
        return
    release = read_object(folder / RELEASE)
    exports = {**(release.get("exports") or {}), name: sha256}
    RunFolder(folder).write_json(RELEASE, release | {"exports": exports})
    write_pages(folder)


def _note(folder: Path, reason: str | None) -> None:
    """Have the status of a run say why there is no report; None: there is one."""
    if not (folder / STATUS).is_file():
        return
    status = read_object(folder / STATUS)
    if status.get(NO_REPORT) != reason:
        status.pop(NO_REPORT, None)
        RunFolder(folder).write_json(STATUS, status | ({NO_REPORT: reason} if reason else {}))
