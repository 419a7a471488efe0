"""Showing what ``evosdc plugins test`` found."""

from rich.table import Table
from rich.text import Text

from evosdc.cli.conformance import Report
from evosdc.cli.text import harmless, print_table, say


def print_report(report: Report, verbose: bool) -> None:
    """Print the table of a plugin's test, and what its tests complain of."""
    if verbose or not report.checks:
        say(report.said)
    shown = Table(title=f"{report.kind} {report.name}", title_justify="left")
    for heading in ("check", "result", "detail"):
        shown.add_column(heading, overflow="fold")
    for checks in report.checks:
        none = not (checks.passed or checks.failed)
        result = Text("does not apply") if none else Text("passed", style="green")
        result = Text("failed", style="red") if checks.failed else result
        skipped = f", {checks.skipped} do not apply" if checks.skipped else ""
        failed = f", {checks.failed} failed" if checks.failed else ""
        shown.add_row(checks.group, result, f"{checks.passed} passed{failed}{skipped}, {checks.seconds:.1f} s")
    for growth in report.growth:
        exponent = "" if growth.exponent is None else f"n^{max(growth.exponent, 0.0):.1f}"
        largest = f"{1000.0 * growth.seconds[-1]:.3g} ms for {growth.records[-1]} records"
        shown.add_row(f"growth: {growth.operation}", exponent, largest)
    for growth in report.growth:
        shown.add_row(f"memory: {growth.operation}", f"{growth.memory:.1f} MB", f"for {growth.records[-1]} records")
    if not report.growth:
        shown.add_row("growth", "", Text(harmless(report.reason)))
    print_table(shown)
    for checks in report.checks:
        for complaint in checks.complaints:
            say(f"FAILED {complaint}")
    if not report.passed and not verbose:
        say("evosdc plugins test --verbose shows what pytest says.")
