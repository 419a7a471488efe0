"""The contents of the site. Pages themselves stay plain Markdown, as a code host shows it."""

from __future__ import annotations

from typing import Any

from docs.generation.markdown import contents

BELOW: dict[str, tuple[str, ...]] = {
    "docs/index": (
        "start", "howto/README", "understand/README", "reference/README", "papers", "benchmarks",
        "../README", "../CONTRIBUTING", "../CHANGELOG",
    ),
    "docs/start": ("notebooks/custodian", "notebooks/researcher", "notebooks/author"),
    "docs/howto/README": (
        "anonymous", "compare", "slurm", "next-wave", "front", "measure", "reproduce", "../protect", "../app",
        "../python", "../schema", "../edit-rules", "../tuning", "../recipes", "../pram", "../equations", "../cells",
        "../lattice", "../clustering", "../social", "../tables", "../formats", "../parallel",
        "../large",
    ),
    "docs/understand/README": (
        "loss", "risk", "intruder", "limit", "evolution", "../risk", "../judges", "../report", "../search", "../honest",
        "../limit", "../engine", "../methods", "../from-sdcmicro", "../from-arx", "../architecture", "../checked",
    ),
    "docs/methods": (
        "methods/evolution", "methods/randomisation", "methods/masking", "methods/lattice", "methods/measures",
        "methods/intruder", "methods/privacy", "methods/clusters-and-graphs", "methods/data", "methods/errors",
    ),
    "docs/reference/README": (
        "generated/commands", "generated/schema", "generated/experiment", "generated/plugins", "generated/python",
        "../masking/README", "../measures/README", "../plugins/index", "../runs", "../glossary",
    ),
    "docs/plugins/index": ("tutorial", "*"),
    "docs/papers": ("../experiments/*/README",),
}  # fmt: skip
"""Pages by the page above them, relative to it; a star stands for all others of the folder."""


def add_contents(app: Any) -> None:
    """Put a table of contents, which only the sidebar shows, at the end of each page that has pages below it."""

    def read(_: Any, page: str, source: list[str]) -> None:
        if page in BELOW:
            source[0] += f"\n\n{contents(BELOW[page], hidden=True)}"

    app.connect("source-read", read)
