"""A page for everything that is registered: from its spec, its parameters and its docstring."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

from docs.generation.markdown import cell, contents, python, table
from evosdc.cli.plugins import described_parameters
from evosdc.plugins.kinds import KINDS
from evosdc.plugins.registry import default_registry

DOCS = Path(__file__).resolve().parents[1]
SHOWN_ELSEWHERE = ("name", "summary", "implementation", "files", "source")

ALONE = "---\norphan: true\n---\n\n"
"""Pages of single plugins stand in the table of their kind and not in the sidebar, which would be as long as all of it."""

INTRODUCTION = """# Plugins

Everything that is registered, a page each: what it is, its parameters with their ranges, its source, and what its author says of it. All of it is written from
the program. `evosdc plugins list` and `evosdc plugins show NAME` tell the same at the terminal, of your own plugins too.

"""


def plugin_pages() -> dict[str, str]:
    """Return the pages by their paths below the folder of generated pages."""
    registry = default_registry()
    kinds = [kind for kind in KINDS if registry.names(kind)]
    pages = {"plugins.md": INTRODUCTION + contents(f"plugins/{kind}/index" for kind in kinds)}
    for kind in kinds:
        names = registry.names(kind)
        rows = [(f"[`{name}`]({name}.md)", cell(registry.spec(kind, name).summary)) for name in names]
        title = KINDS[kind].plural.replace("-", " ").capitalize()
        listed = table(("name", "what it is"), rows)
        pages[f"plugins/{kind}/index.md"] = f"# {title}\n\n{listed}"
        for name in names:
            pages[f"plugins/{kind}/{name}.md"] = plugin_page(kind, name)
    return pages


def plugin_page(kind: str, name: str) -> str:
    """Return the page of one plugin."""
    registry = default_registry()
    spec = registry.spec(kind, name)
    facts = [("kind", KINDS[kind].noun), ("offered by", f"`{registry.provider(kind, name)}`")]
    facts += [(key, _told(value)) for key, value in asdict(spec).items() if key not in SHOWN_ELSEWHERE and value not in ("", (), None)]
    facts += [("source", cell(spec.source))] if spec.source else []
    parts = [f"{ALONE}# `{name}`\n\n{spec.summary}\n", table(("", ""), facts)]
    guide = guides().get((kind, name))
    if guide:
        parts.append(f"Guide: [{name}](../../../../{guide}).\n")
    parameters = described_parameters(kind, name)
    if parameters:
        rows = [(f"`{key}`", cell(text)) for key, text in parameters.items()]
        parts.append(f"## Parameters\n\n{table(('parameter', 'meaning'), rows)}")
    module, _, attribute = str(spec.implementation).partition(":")
    directive = "autoclass" if isinstance(registry.implementation(kind, name), type) else "autofunction"
    parts.append(f"## In Python\n\n{python(directive, f'{module}.{attribute}', 'no-index')}")
    return "\n".join(parts)


def guides() -> dict[tuple[str, str], str]:
    """Return where the written pages tell of a plugin: by kind and name, the path below ``docs``, with its anchor."""
    found = {("masking-method", page.stem): f"masking/{page.name}" for page in (DOCS / "masking").glob("[a-z]*.md")}
    for page in sorted((DOCS / "measures").glob("[a-z]*.md")):
        for heading in re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
            for name in re.findall(r"`?([a-z][a-z0-9-]+)`?", heading):
                found.setdefault(("measure", name), f"measures/{page.name}#{_anchor(heading)}")
    found |= {("genotype", name): f"{name}.md" for name in ("cells", "pram", "equations", "recipes", "lattice")}
    return found | {("genotype", "groups"): "social.md#groups"}


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-")


def _told(value: object) -> str:
    return cell(", ".join(map(str, value)) if isinstance(value, tuple) else value)
