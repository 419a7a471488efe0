"""The pictures that a genotype or an algorithm left in the run folder, embedded as images, in which nothing can run."""

import re
from base64 import b64encode

from evosdc.runs.reader import RecordedRun

_TITLE = re.compile(r"\A<!-- (.*?) -->\n")


def pictures(run: RecordedRun) -> list[dict[str, str]]:
    """Return title and data URI of every picture, in their order; one without a title is called by its number."""
    entries = []
    for number, text in enumerate(run.pictures, 1):
        title = _TITLE.match(text)
        source = f"data:image/svg+xml;base64,{b64encode(text.encode()).decode()}"
        entries.append({"title": title[1] if title else f"picture {number}", "source": source})
    return entries
