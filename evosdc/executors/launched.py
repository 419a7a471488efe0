"""Whether this program was started by a launcher of workers, which is then the executor to use."""

from __future__ import annotations

import sys


def surrounding_executor() -> str | None:
    """Return the name of the executor whose own launcher runs this program, or None.

    ``python -m scoop script.py`` makes its workers available to the script.
    """
    scoop = sys.modules.get("scoop")
    return "scoop" if getattr(scoop, "IS_RUNNING", False) else None
