"""Writes the generated pages, into ``docs/reference/generated``."""

from __future__ import annotations

from pathlib import Path

from docs.generation.keys import experiment_page, schema_page
from docs.generation.plugins import plugin_pages
from docs.generation.python_pages import python_pages

FOLDER = Path(__file__).resolve().parents[1] / "reference" / "generated"

COMMANDS = """# Commands

Every command with its options, as `--help` prints them.

```{eval-rst}
.. click:: evosdc.cli:cli
   :prog: evosdc
   :nested: full
```
"""


def generated_pages() -> dict[str, str]:
    """Return all generated pages by their paths below `FOLDER`."""
    return {
        "commands.md": COMMANDS,
        "experiment.md": experiment_page(),
        "schema.md": schema_page(),
        **plugin_pages(),
        **python_pages(),
    }


def write_pages(folder: Path = FOLDER) -> None:
    """Write what has changed, and take away pages of what is no longer there."""
    pages = generated_pages()
    for path in folder.rglob("*.md"):
        if path.relative_to(folder).as_posix() not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
