"""The contents of the site. Pages themselves stay plain Markdown, as a code host shows it."""

from __future__ import annotations

from typing import Any

from docs.generation.markdown import contents

BELOW: dict[str, tuple[str, ...]] = {
    "docs/index": (
        "start", "howto/README", "understand/README", "reference/README", "papers", "plugins/index", "architecture",
        "../README", "../CHANGELOG",
    ),
    "docs/start": ("notebooks/custodian", "notebooks/researcher", "notebooks/author"),
    "docs/howto/README": (
        "anonymous", "compare", "slurm", "next-wave", "front", "measure", "reproduce", "../which", "../protect",
        "../app", "../python", "../schema", "../edit-rules", "../tuning", "../recipes", "../cells", "../lattice",
        "../pram", "../equations", "../clustering", "../social", "../tables", "../certified", "../formats",
        "../parallel", "../large", "../from-sdcmicro", "../from-arx",
    ),
    "docs/understand/README": (
        "loss", "risk", "intruder", "limit", "evolution", "../security", "../risk", "../judges", "../report",
        "../search", "../honest", "../limit", "../methods",
    ),
    "docs/methods": (
        "methods/evolution", "methods/randomisation", "methods/masking", "methods/lattice", "methods/measures",
        "methods/privacy", "methods/clusters-and-graphs", "methods/data", "methods/errors",
    ),
    "docs/reference/README": (
        "generated/commands", "generated/schema", "generated/experiment", "generated/plugins", "generated/python",
        "../masking/README", "../measures/README", "../runs", "../glossary",
    ),
    "docs/papers": ("../experiments/*/README",),
    "docs/plugins/index": ("tutorial", "*"),
    "docs/architecture": ("engine", "benchmarks", "checked", "../CONTRIBUTING"),
}  # fmt: skip
"""Pages by the page above them, relative to it; a star stands for all others of the folder."""


def add_contents(app: Any) -> None:
    """Put a table of contents, which only the sidebar shows, at the end of each page that has pages below it."""

    def read(_: Any, page: str, source: list[str]) -> None:
        if page in BELOW:
            source[0] += f"\n\n{contents(BELOW[page], hidden=True)}"

    app.connect("source-read", read)
