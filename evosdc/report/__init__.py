"""Self-contained HTML pages from run folders; nothing is evaluated again and nothing is sent anywhere."""

from pathlib import Path

from evosdc.report.for_users import may_be_published, write_for_users
from evosdc.report.page import write_report
from evosdc.runs.layout import FOR_USERS, RELEASE, REPORT, run_folders
from evosdc.runs.reader import read_run_folders

__all__ = ["write_for_users", "write_pages", "write_report"]


def write_pages(folder: Path) -> Path:
    """Write the report of a run or study into its folder, and for a single run the page for users of its file.

    Where the file is not publishable there is no such page: one of an earlier verdict is removed.

    Returns
    -------
    Path
        The report.

    Raises
    ------
    InputError
        As `write_report`.
    """
    if run_folders(folder) == [folder] and (folder / RELEASE).is_file():
        if may_be_published(read_run_folders([folder])[0]):
            write_for_users(folder, folder / FOR_USERS)
        else:
            (folder / FOR_USERS).unlink(missing_ok=True)
    return write_report([folder], folder / REPORT)
