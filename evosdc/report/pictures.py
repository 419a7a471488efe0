"""The pictures that a genotype or an algorithm left in the run folder, embedded as images, in which nothing can run."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path

_TITLE = re.compile(r"\A<!-- (.*?) -->\n")


def pictures(folder: Path) -> list[dict[str, str]]:
    """Return title and data URI of every ``picture-*.svg``, in the order of their numbers."""
    paths = sorted(folder.glob("picture-*.svg"), key=lambda path: (len(path.name), path.name))
    entries = []
    for path in paths:
        text = path.read_text(encoding="utf-8", errors="replace")
        title = _TITLE.match(text)
        source = f"data:image/svg+xml;base64,{b64encode(text.encode()).decode()}"
        entries.append({"title": title[1] if title else path.stem, "source": source})
    return entries
