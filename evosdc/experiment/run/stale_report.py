"""The report of a state that a run or study goes on from."""

from evosdc.experiment.run.display import Display
from evosdc.runs.layout import REPORT, RunFolder


def remove_report(folder: RunFolder, display: Display) -> None:
    """Remove the report of what was reached before, and say so: it would tell of another file than the new one."""
    report = folder.file(REPORT)
    if report.exists():
        report.unlink()
        display.message(f"{REPORT} told of the file that was best before, and is removed")
