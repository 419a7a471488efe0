"""A diary of finished runs, in the file that EVOSDC_STRANGER_DIARY names."""

import os
from pathlib import Path


def note(title, result):
    """Append a line, and spoil what was passed in: that must not matter to anyone."""
    diary = os.environ.get("EVOSDC_STRANGER_DIARY")
    if diary:
        with Path(diary).open("a", encoding="utf-8") as file:
            file.write(f"{title}: {result['best']['fitness']}\n")
    result["best"] = None
