"""One self-contained HTML page from run folders; it never evaluates anything and sends nothing anywhere."""

from evosdc.report.page import write_report

__all__ = ["write_report"]
