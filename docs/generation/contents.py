"""The contents of the site. Pages themselves stay plain Markdown, as a code host shows it."""

from __future__ import annotations

from typing import Any

from docs.generation.markdown import contents

BELOW: dict[str, tuple[str, ...]] = {
    "docs/index": (
        "start", "howto/README", "understand/README", "reference/README", "papers", "plugins/index", "architecture",
        "gallery", "../README", "../SECURITY", "../CHANGELOG",
    ),
    "docs/start": ("notebooks/custodian", "notebooks/researcher", "notebooks/author"),
    "docs/howto/README": (
        "anonymous", "compare", "next-wave", "front", "measure", "sign", "slurm", "reproduce", "../from-sdcmicro",
        "../from-arx", "../protect", "../which", "../report", "../judges", "../risk", "../certified", "../app",
        "../python", "../schema", "../edit-rules", "../formats", "../tables", "../tuning", "../recipes", "../search",
        "../memetic", "../runs", "../studies", "../cells", "../pram", "../equations", "../lattice", "../clustering",
        "../social", "../parallel", "../large",
    ),
    "docs/understand/README": (
        "loss", "risk", "intruder", "protect", "evolution", "../limit", "../honest", "../security", "../methods",
    ),
    "docs/methods": (
        "methods/evolution", "methods/randomisation", "methods/masking", "methods/lattice", "methods/measures",
        "methods/privacy", "methods/clusters-and-graphs", "methods/data", "methods/errors",
    ),
    "docs/reference/README": (
        "generated/commands", "generated/schema", "generated/experiment", "generated/plugins", "generated/python",
        "../masking/README", "../measures/README", "../glossary",
    ),
    "docs/papers": ("../experiments/*/README",),
    "docs/plugins/index": ("tutorial", "crossover", "*"),
    "docs/architecture": ("engine", "benchmarks", "../CONTRIBUTING"),
}  # fmt: skip
"""Pages by the page above them, relative to it; a star stands for all others of the folder."""


def add_contents(app: Any) -> None:
    """Put a table of contents, which only the sidebar shows, at the end of each page that has pages below it."""

    def read(_: Any, page: str, source: list[str]) -> None:
        if page in BELOW:
            source[0] += f"\n\n{contents(BELOW[page], hidden=True)}"

    app.connect("source-read", read)
